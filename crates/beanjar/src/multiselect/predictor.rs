//! The linear predictor of a selection, as data.

use super::Classes;
use crate::linalg::Symmetric;
use std::collections::HashSet;

/// How the weights are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Fitting {
    /// Least squares on the means of exactly the planned judgments, from the objects that have them (the paper's step 4).
    #[default]
    LeastSquares,
    /// From the moments, which needs no further judgments.
    Moments,
}

/// A linear predictor from the means of judgments; [`FitPredictor`](super::FitPredictor) fits one.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Predictor {
    /// What it predicts.
    pub label: String,
    /// The two classes, if it discriminates.
    pub classes: Option<Classes>,
    /// How the weights were found.
    pub fitting: Fitting,
    /// The number of objects they were found from.
    pub objects: usize,
    /// The mean label, which it predicts for an object without judgments.
    pub label_mean: f64,
    /// The variance of the label.
    pub label_variance: f64,
    /// The attributes it uses.
    pub attributes: Vec<PredictorAttribute>,
    /// What is added to the weighted means.
    pub bias: f64,
    /// The squared error to expect with the planned judgments, cross-validated.
    pub error_variance: f64,
    /// The error of held-out objects divided by the error that the moments alone project.
    pub inflation: f64,
    /// Of two classes, the share of objects to expect in the wrong one.
    pub error_rate: Option<f64>,
    pub(super) external: Symmetric,
}

/// An attribute of a predictor: the plan for it, its weight, its moments.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PredictorAttribute {
    /// Its name.
    pub attribute: String,
    /// How often it is to be judged.
    pub judgments: u32,
    /// Its weight.
    pub weight: f64,
    pub(super) centre: f64,
    pub(super) covariance: f64,
    pub(super) noise: f64,
    pub(super) ridge: f64,
}

impl Predictor {
    /// The share of the label's variance that is explained where this error is left.
    pub(super) fn explained(&self, error: f64) -> f64 {
        1.0 - error / self.label_variance
    }

    /// The largest variance of a single judgment.
    fn scale(&self) -> f64 {
        let variance = |(i, a): (usize, &PredictorAttribute)| self.external[(i, i)].abs() + a.noise;
        self.attributes.iter().enumerate().map(variance).fold(0.0, f64::max)
    }

    /// Whether all parts fit together; a file may hold anything.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        /// No number of a model that was fitted to judgments is larger; products of two are finite.
        const MOST: f64 = 1e150;
        let fine = |x: &f64| x.abs() <= MOST;
        let numbers = |a: &PredictorAttribute| [a.weight, a.centre, a.covariance, a.noise, a.ridge].iter().all(fine);
        let is_share = |share: &f64| *share > 0.0 && *share < 1.0;
        let names: HashSet<&str> = self.attributes.iter().map(|a| a.attribute.as_str()).collect();
        let classes = |classes: &Classes| {
            let whole = (classes.shares.iter().sum::<f64>() - 1.0).abs() < 1e-6;
            whole && classes.shares.iter().all(is_share) && classes.names[0] != classes.names[1]
        };
        names.len() == self.attributes.len()
            && self.external.size() == self.attributes.len()
            && self.attributes.iter().all(|a| numbers(a) && a.judgments > 0 && a.noise >= 0.0 && a.ridge >= 0.0)
            && [self.bias, self.label_mean].iter().all(fine)
            && [self.label_variance, self.error_variance, self.inflation].iter().all(|x| fine(x) && *x >= 0.0)
            && self.error_rate.iter().all(|rate| (0.0..=1.0).contains(rate))
            && self.classes.iter().all(classes)
            && self.external.is_sound()
            && self.external.is_psd(self.scale())
    }
}
