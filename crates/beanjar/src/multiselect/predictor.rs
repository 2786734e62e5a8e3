//! The linear predictor of a selection, as data.

use super::Classes;
use crate::linalg::Symmetric;

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

    /// Whether all parts fit together; a file may hold anything.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let numbers =
            |a: &PredictorAttribute| [a.weight, a.centre, a.covariance, a.noise, a.ridge].iter().all(|x| x.is_finite());
        let is_share = |share: &f64| *share > 0.0 && *share < 1.0;
        self.external.is_sound()
            && self.external.size() == self.attributes.len()
            && self.attributes.iter().all(|a| numbers(a) && a.judgments > 0 && a.noise >= 0.0)
            && [self.bias, self.label_mean].iter().all(|x| x.is_finite())
            && [self.label_variance, self.error_variance, self.inflation].iter().all(|x| x.is_finite() && *x >= 0.0)
            && self.classes.iter().all(|classes| classes.shares.iter().all(is_share))
    }
}
