//! The linear predictor of a selection, as data.

use super::class_rule::ClassRule;
use super::{Classes, Combine, Combined, PerTarget, TargetRows};
use crate::linalg::{Square, Symmetric};
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

/// A linear predictor from the means of judgments, or their medians or majorities; [`FitPredictor`](super::FitPredictor) fits one.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Predictor {
    /// What it predicts.
    pub label: String,
    /// The classes, if it discriminates. With more than two, it has weights for each.
    pub classes: Option<Classes>,
    /// How the weights were found.
    pub fitting: Fitting,
    /// How judgments of an attribute become one number.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Combine::is_mean"))]
    pub aggregate: Combine,
    /// The number of objects they were found from.
    pub objects: usize,
    /// The mean label, which it predicts for an object without judgments.
    pub label_mean: PerTarget,
    /// The variance of the label, summed over classes if they are more than two.
    pub label_variance: f64,
    /// The attributes it uses.
    pub attributes: Vec<PredictorAttribute>,
    /// What is added to the weighted means.
    pub bias: PerTarget,
    /// The squared error to expect with the planned judgments, cross-validated.
    pub error_variance: f64,
    /// The error of held-out objects divided by the error that the moments alone project.
    pub inflation: f64,
    /// Of classes, the share of objects to expect in the wrong one.
    pub error_rate: Option<f64>,
    /// Of classes, where the predictions of held-out objects of each lie.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub rule: Option<ClassRule>,
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
    pub weight: PerTarget,
    pub(super) centre: f64,
    pub(super) covariance: PerTarget,
    pub(super) noise: f64,
    pub(super) ridge: f64,
    /// What combined judgments tell of it, if they are not averaged.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(super) combined: Option<Combined>,
}

impl PredictorAttribute {
    /// The noise of the one number that this many judgments become.
    pub(super) fn noise_of(&self, judgments: u32) -> f64 {
        self.noise * self.combined.as_ref().map_or(1.0 / f64::from(judgments), |of| of.noise(judgments))
    }

    /// The slope of that number on the true value, and how far it is off at the centre.
    pub(super) fn line(&self, judgments: u32) -> (f64, f64) {
        self.combined.as_ref().map_or((1.0, 0.0), |of| (of.slope(judgments), of.shift(judgments)))
    }
}

impl Predictor {
    /// How many numbers the label is coded by.
    pub(super) fn targets(&self) -> usize {
        self.label_mean.all().len()
    }

    /// The planned numbers of judgments.
    pub(super) fn planned(&self) -> Vec<u32> {
        self.attributes.iter().map(|attribute| attribute.judgments).collect()
    }

    /// The planned weights, as weights of true values.
    pub(super) fn planned_weights(&self) -> TargetRows {
        let mut weights = self.rows(|a| &a.weight);
        for (attribute, row) in self.attributes.iter().zip(weights.rows_mut()) {
            let slope = attribute.line(attribute.judgments).0;
            row.iter_mut().for_each(|weight| *weight *= slope);
        }
        weights
    }

    /// A row of each attribute's numbers.
    pub(super) fn rows(&self, of: fn(&PredictorAttribute) -> &PerTarget) -> TargetRows {
        let mut rows = TargetRows::zeros(self.attributes.len(), self.targets());
        for (attribute, row) in self.attributes.iter().zip(rows.rows_mut()) {
            row.copy_from_slice(of(attribute).all());
        }
        rows
    }

    /// By the moments, the covariance of the predictions of these weights of true values with the label, and their own.
    pub(super) fn covariances(&self, weights: &TargetRows, counts: &[u32]) -> (Square, Square) {
        let (targets, b) = (self.targets(), self.rows(|a| &a.covariance));
        let used: Vec<usize> = (0..counts.len()).filter(|&a| counts[a] > 0).collect();
        let with = |i: usize, j: usize| used.iter().map(|&a| weights[a][i] * b[a][j]).sum::<f64>();
        let own = |i: usize, j: usize| {
            let pair = |a: usize, c: usize| {
                let noise =
                    if a == c { self.attributes[a].noise_of(counts[a]) - self.attributes[a].ridge } else { 0.0 };
                weights[a][i] * weights[c][j] * (self.external[(a, c)] + noise)
            };
            used.iter().map(|&a| used.iter().map(|&c| pair(a, c)).sum::<f64>()).sum::<f64>()
        };
        (Square::from_fn(targets, with), Square::from_fn(targets, own))
    }

    /// The rule for the predictions of these weights, which leave this error: that of the planned judgments, or by the
    /// moments, which are off by as much as they are for the planned judgments.
    pub(super) fn rule_for(&self, classes: &Classes, weights: &TargetRows, counts: &[u32], error: f64) -> ClassRule {
        let planned = self.planned();
        match &self.rule {
            // Files of before there was a rule have two classes.
            None => ClassRule::of_two(classes, 1.0 - error / self.label_variance),
            Some(rule) if counts == planned => rule.clone(),
            Some(rule) => {
                let mean = self.label_mean.all();
                let (with, own) = self.covariances(&self.planned_weights(), &planned);
                let trace = |of: &Square| (0..mean.len()).map(|t| of[(t, t)]).sum::<f64>();
                let (held_with, held_own) = rule.traces(classes, mean);
                let share = |held: f64, of: f64| if of > 0.0 { (held / of).clamp(0.0, 10.0) } else { 1.0 };
                let (keep, spread) = (share(held_with, trace(&with)), share(held_own, trace(&own)));
                let (with, own) = self.covariances(weights, counts);
                ClassRule::of_covariance(classes, mean, |i, j| keep * with[(i, j)], |i, j| spread * own[(i, j)])
            }
        }
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
        let targets = self.targets();
        let all = |of: &PerTarget| of.all().len() == targets && of.all().iter().all(fine);
        let numbers = |a: &PredictorAttribute| {
            [a.centre, a.noise, a.ridge].iter().all(fine) && all(&a.weight) && all(&a.covariance)
        };
        let is_share = |share: &f64| *share > 0.0 && *share < 1.0;
        let names: HashSet<&str> = self.attributes.iter().map(|a| a.attribute.as_str()).collect();
        let classes = |classes: &Classes| {
            let different: HashSet<&String> = classes.names.iter().collect();
            (classes.shares.iter().sum::<f64>() - 1.0).abs() < 1e-6
                && classes.shares.iter().all(is_share)
                && different.len() == classes.names.len()
                && classes.names.len() == classes.shares.len()
                && classes.names.len() >= 2
                && classes.targets() == targets
                && self.rule.as_ref().map_or(targets == 1, |rule| rule.is_sound(classes, MOST))
        };
        names.len() == self.attributes.len()
            && targets >= 1
            && (self.classes.is_some() || targets == 1 && self.rule.is_none())
            && self.external.size() == self.attributes.len()
            && self.attributes.iter().all(|a| a.combined.iter().all(Combined::is_sound))
            && self.attributes.iter().all(|a| numbers(a) && a.judgments > 0 && a.noise >= 0.0 && a.ridge >= 0.0)
            && all(&self.bias)
            && all(&self.label_mean)
            && [self.label_variance, self.error_variance, self.inflation].iter().all(|x| fine(x) && *x >= 0.0)
            && self.error_rate.iter().all(|rate| (0.0..=1.0).contains(rate))
            && self.classes.iter().all(classes)
            && self.external.is_sound()
            && self.external.is_psd(self.scale())
    }
}
