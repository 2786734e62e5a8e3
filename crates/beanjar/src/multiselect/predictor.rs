//! The linear predictor of a selection, and its predictions for any pattern of judgments.

use super::validate::expected_loss;
use super::{Classes, Estimates};
use crate::judgments::Grouped;
use crate::linalg::{Symmetric, least_squares};
use crate::random::stream;
use crate::{Error, Judgments, Result};
use rand::seq::SliceRandom;
use std::collections::HashMap;

/// How the weights are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Fitting {
    /// Least squares on the means of exactly the planned judgments, from the objects that have them (the paper's step 4).
    #[default]
    LeastSquares,
    /// From the moments, which needs no further judgments.
    Moments,
}

/// A linear predictor from mean judgments.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Predictor {
    /// What it predicts.
    pub label: String,
    /// The two classes, if it discriminates.
    pub classes: Option<Classes>,
    /// How the weights were found.
    pub fitting: Fitting,
    /// From how many objects.
    pub objects: usize,
    /// What it predicts where nothing was judged.
    pub label_mean: f64,
    /// The variance of the label.
    pub label_variance: f64,
    /// The attributes it uses.
    pub attributes: Vec<PredictorAttribute>,
    /// What is added to the weighted means.
    pub bias: f64,
    /// The squared error to expect with the planned judgments, cross-validated.
    pub error_variance: f64,
    /// How many times larger the error of held-out objects is than the moments alone would have it.
    pub inflation: f64,
    /// Of two classes, the share to expect in the wrong one.
    pub error_rate: Option<f64>,
    external: Symmetric,
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
    centre: f64,
    covariance: f64,
    noise: f64,
    ridge: f64,
}

/// A prediction for one object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The label to expect.
    pub value: f64,
    /// Its standard error.
    pub se: f64,
    /// The share of the label's variance that such a prediction explains.
    pub explained: f64,
    /// Whether the object had just the judgments planned.
    pub planned: bool,
}

impl Predictor {
    /// Fits a predictor for `repeats` judgments of each attribute. Where an object has more, a draw by `seed` decides
    /// which are taken.
    ///
    /// Cost: O(objects s^2 + s^3) for s attributes in use.
    pub fn fit(
        fitting: Fitting,
        estimates: &Estimates,
        repeats: &[u32],
        (judgments, labels): (&Judgments, &[f64]),
        seed: u64,
    ) -> Result<Predictor> {
        let used: Vec<usize> = (0..repeats.len()).filter(|&a| repeats[a] > 0).collect();
        let examples = examples(judgments, labels, &used, repeats, seed);
        let targets: Vec<f64> = examples.iter().map(|(_, label)| *label).collect();
        let means: Vec<Vec<f64>> = examples.into_iter().map(|(means, _)| means).collect();
        let (weights, bias) = match fitting {
            Fitting::Moments => {
                let weights = estimates.weights(repeats);
                let bias = estimates.bias(&weights);
                (used.iter().map(|&a| weights[a]).collect(), bias)
            }
            Fitting::LeastSquares if means.len() < used.len() + 2 => {
                return Err(Error::FewComplete { objects: means.len(), needed: used.len() + 2 });
            }
            Fitting::LeastSquares => least_squares(&means, &targets),
        };
        // What the moments say they leave, and what they leave of objects that were held out.
        let by_moments = estimates.weights(repeats);
        let share = |&a: &usize| by_moments[a] * (estimates.covariance[a] + by_moments[a] * estimates.ridge[a]);
        let explained: f64 = used.iter().map(share).sum();
        let projected = (estimates.label_variance - explained).max(1e-9 * estimates.label_variance);
        let ridge = estimates.ridge_given();
        let left = expected_loss((judgments, labels), repeats, ridge, seed).unwrap_or(projected).max(projected);
        let error_variance = match fitting {
            Fitting::LeastSquares => cross_validated(&means, &targets, seed),
            Fitting::Moments => left,
        };
        Ok(Predictor {
            label: String::new(),
            classes: None,
            fitting,
            objects: if fitting == Fitting::LeastSquares { means.len() } else { estimates.objects },
            label_mean: estimates.label_mean,
            label_variance: estimates.label_variance,
            attributes: used
                .iter()
                .zip(&weights)
                .map(|(&a, &weight)| PredictorAttribute {
                    attribute: estimates.attributes[a].clone(),
                    judgments: repeats[a],
                    weight,
                    centre: estimates.centre[a],
                    covariance: estimates.covariance[a],
                    noise: estimates.noise[a],
                    ridge: estimates.ridge[a],
                })
                .collect(),
            bias,
            error_variance,
            inflation: left / projected,
            error_rate: None,
            external: estimates.external.of(&used),
        })
    }

    /// The same, told what it predicts.
    pub fn of(mut self, label: &str, classes: Option<Classes>) -> Predictor {
        self.label = label.to_owned();
        self.error_rate = classes.as_ref().map(|classes| classes.error_rate(self.explained(self.error_variance)));
        self.classes = classes;
        self
    }

    /// The share of the variance that is explained where such an error is left.
    fn explained(&self, error: f64) -> f64 {
        1.0 - error / self.label_variance
    }

    /// Whether all parts fit together; a file may hold anything.
    pub fn is_sound(&self) -> bool {
        let numbers =
            |a: &PredictorAttribute| [a.weight, a.centre, a.covariance, a.noise, a.ridge].iter().all(|x| x.is_finite());
        self.external.is_sound()
            && self.external.size() == self.attributes.len()
            && self.attributes.iter().all(|a| numbers(a) && a.judgments > 0)
            && [self.bias, self.label_mean].iter().all(|x| x.is_finite())
            && [self.label_variance, self.error_variance, self.inflation].iter().all(|x| x.is_finite() && *x >= 0.0)
            && self.attributes.iter().all(|a| a.noise >= 0.0)
    }

    /// Predicts the label of each object. One with just the planned judgments gets the fitted predictor; any other
    /// pattern of counts gets the best linear predictor for just that pattern, from the moments.
    ///
    /// Cost: O(judgments), and O(s^3) for each different pattern.
    pub fn predict(&self, judgments: &Judgments) -> Vec<Prediction> {
        let lookup = judgments.attributes.lookup();
        let mut place = vec![None; judgments.attributes.len()];
        for (i, attribute) in self.attributes.iter().enumerate() {
            if let Some(code) = lookup.code(&attribute.attribute) {
                place[code] = Some(i);
            }
        }
        let planned: Vec<u32> = self.attributes.iter().map(|attribute| attribute.judgments).collect();
        let mut known: HashMap<Vec<u32>, (Vec<f64>, f64)> = HashMap::new();
        (0..judgments.objects())
            .map(|object| {
                let (mut counts, mut means) = (vec![0; planned.len()], vec![0.0; planned.len()]);
                for (attribute, _, values) in judgments.of(object).by_attribute() {
                    if let Some(i) = place[attribute] {
                        counts[i] = values.len() as u32;
                        means[i] = values.iter().sum::<f64>() / values.len() as f64;
                    }
                }
                if counts == planned {
                    let weighted = self.attributes.iter().zip(&means).map(|(a, mean)| a.weight * mean).sum::<f64>();
                    let explained = self.explained(self.error_variance);
                    let (value, se) = (self.bias + weighted, self.error_variance.sqrt());
                    return Prediction { value, se, explained, planned: true };
                }
                let (weights, se) = known.entry(counts).or_insert_with_key(|counts| self.for_pattern(counts));
                let off = |(i, attribute): (usize, &PredictorAttribute)| weights[i] * (means[i] - attribute.centre);
                let value = self.label_mean + self.attributes.iter().enumerate().map(off).sum::<f64>();
                Prediction { value, se: *se, explained: self.explained(se.powi(2)), planned: false }
            })
            .collect()
    }

    /// The weights for a pattern of counts, and the standard error they leave.
    fn for_pattern(&self, counts: &[u32]) -> (Vec<f64>, f64) {
        let used: Vec<usize> = (0..counts.len()).filter(|&i| counts[i] > 0).collect();
        let mut matrix = self.external.of(&used);
        for (i, &a) in used.iter().enumerate() {
            matrix[(i, i)] += self.attributes[a].noise / f64::from(counts[a]);
        }
        let b: Vec<f64> = used.iter().map(|&a| self.attributes[a].covariance).collect();
        let solved = matrix.solve(&b);
        // With (M + R) w = b, R the ridge, the error 2 w'b - w' M w less than the variance is w'b + w' R w less.
        let share = |(&a, w): (&usize, &f64)| w * (self.attributes[a].covariance + w * self.attributes[a].ridge);
        let explained: f64 = used.iter().zip(&solved).map(share).sum();
        let mut weights = vec![0.0; counts.len()];
        used.iter().zip(solved).for_each(|(&a, weight)| weights[a] = weight);
        // What the moments leave is too good by about as much as it is for the planned judgments; knowing something is
        // never worse than knowing nothing.
        let error = ((self.label_variance - explained).max(0.0) * self.inflation).min(self.label_variance);
        (weights, error.sqrt())
    }
}

/// The mean squared error of least squares on examples that were held out, ten times a tenth of them.
fn cross_validated(means: &[Vec<f64>], targets: &[f64], seed: u64) -> f64 {
    const FOLDS: usize = 10;
    let mut order: Vec<usize> = (0..means.len()).collect();
    order.shuffle(&mut stream(seed, u64::MAX));
    let folds = FOLDS.min(order.len());
    let mut squares = 0.0;
    for fold in 0..folds {
        let train: Vec<usize> = (0..order.len()).filter(|i| i % folds != fold).map(|i| order[i]).collect();
        let x: Vec<Vec<f64>> = train.iter().map(|&i| means[i].clone()).collect();
        let y: Vec<f64> = train.iter().map(|&i| targets[i]).collect();
        let (weights, bias) = least_squares(&x, &y);
        for i in (fold..order.len()).step_by(folds).map(|i| order[i]) {
            let predicted = bias + means[i].iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>();
            squares += (predicted - targets[i]).powi(2);
        }
    }
    squares / means.len() as f64
}

/// The means of just `repeats` judgments of each used attribute, and the label, of the objects that have enough.
fn examples(judgments: &Judgments, labels: &[f64], used: &[usize], repeats: &[u32], seed: u64) -> Vec<(Vec<f64>, f64)> {
    let mut examples = Vec::new();
    for object in (0..judgments.objects()).filter(|&object| labels[object].is_finite()) {
        let mut random = stream(seed, object as u64);
        let mut means = HashMap::new();
        for (attribute, _, values) in judgments.of(object).by_attribute() {
            let wanted = repeats[attribute] as usize;
            if wanted == 0 || values.len() < wanted {
                continue;
            }
            let mut values = values.to_vec();
            let (drawn, _) = values.partial_shuffle(&mut random, wanted);
            means.insert(attribute, drawn.iter().sum::<f64>() / wanted as f64);
        }
        if means.len() == used.len() {
            examples.push((used.iter().map(|a| means[a]).collect(), labels[object]));
        }
    }
    examples
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use crate::multiselect::estimates::tests::random_judgments;

    fn fitted(fitting: Fitting) -> (Predictor, Estimates, Judgments, Vec<f64>) {
        let (judgments, labels) = random_judgments(31, 4, 90);
        let estimates = Estimates::new(&judgments, &labels, 0.0, &Context::new()).unwrap();
        let predictor = Predictor::fit(fitting, &estimates, &[2, 0, 1, 2], (&judgments, &labels), 5).unwrap();
        (predictor, estimates, judgments, labels)
    }

    #[test]
    fn least_squares_leaves_residuals_that_no_used_mean_explains() {
        let (predictor, _, judgments, labels) = fitted(Fitting::LeastSquares);
        let rows = examples(&judgments, &labels, &[0, 2, 3], &[2, 0, 1, 2], 5);
        assert_eq!((rows.len(), predictor.objects), (90, 90));
        let residual = |(means, label): &(Vec<f64>, f64)| {
            label
                - predictor.bias
                - predictor.attributes.iter().zip(means).map(|(a, mean)| a.weight * mean).sum::<f64>()
        };
        assert!(rows.iter().map(residual).sum::<f64>().abs() < 1e-7);
        for i in 0..3 {
            assert!(rows.iter().map(|row| residual(row) * row.0[i]).sum::<f64>().abs() < 1e-6);
        }
    }

    #[test]
    fn any_pattern_gets_the_predictor_of_its_own_and_nothing_gets_the_mean() {
        let (predictor, estimates, judgments, _) = fitted(Fitting::Moments);
        // Attributes alternate between two and three judgments, so no object has just 2, 1, 2.
        let predictions = predictor.predict(&judgments);
        assert!(predictions.iter().all(|prediction| !prediction.planned));
        let mut counts = vec![0; 4];
        let mut means = [0.0; 4];
        for (a, _, values) in judgments.of(7).by_attribute().filter(|(a, ..)| *a != 1) {
            counts[a] = values.len() as u32;
            means[a] = values.iter().sum::<f64>() / values.len() as f64;
        }
        let weights = estimates.weights(&counts);
        let expected = estimates.bias(&weights) + weights.iter().zip(&means).map(|(w, x)| w * x).sum::<f64>();
        assert!((predictions[7].value - expected).abs() < 1e-9);
        let stranger = Judgments::from_rows([("x", "unknown", "", 1.0)]).unwrap();
        let nothing = predictor.predict(&stranger)[0];
        assert!((nothing.value - estimates.label_mean).abs() < 1e-12);
        assert!((nothing.se - estimates.label_variance.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn planned_counts_get_the_fitted_weights() {
        let (predictor, ..) = fitted(Fitting::LeastSquares);
        let rows = [
            ("x", "a0", "", 1.0),
            ("x", "a0", "", 3.0),
            ("x", "a2", "", 5.0),
            ("x", "a3", "", 1.0),
            ("x", "a3", "", 1.0),
        ];
        let prediction = predictor.predict(&Judgments::from_rows(rows).unwrap())[0];
        let w: Vec<f64> = predictor.attributes.iter().map(|a| a.weight).collect();
        assert!(prediction.planned);
        assert!((prediction.value - (predictor.bias + 2.0 * w[0] + 5.0 * w[1] + w[2])).abs() < 1e-12);
    }

    #[test]
    fn the_standard_error_does_not_take_the_ridge_for_noise() {
        let (judgments, labels) = random_judgments(31, 4, 400);
        let fit = |ridge: f64| {
            let estimates = Estimates::new(&judgments, &labels, ridge, &Context::new()).unwrap();
            Predictor::fit(Fitting::Moments, &estimates, &[2, 2, 2, 2], (&judgments, &labels), 0).unwrap()
        };
        let (plain, ridged) = (fit(0.0), fit(0.5));
        // The loss w' M w - 2 w'b + variance of the ridged weights by the moments without a ridge.
        let w: Vec<f64> = ridged.attributes.iter().map(|a| a.weight).collect();
        let mut loss = plain.label_variance;
        for i in 0..4 {
            loss += w[i] * (w[i] * plain.attributes[i].noise / 2.0 - 2.0 * plain.attributes[i].covariance);
            loss += (0..4).map(|j| w[i] * w[j] * plain.external[(i, j)]).sum::<f64>();
        }
        let se = ridged.for_pattern(&[2, 2, 2, 2]).1;
        assert!((se.powi(2) - loss * ridged.inflation).abs() < 1e-9, "{se} and {loss}");
    }

    #[test]
    fn the_error_claimed_is_that_of_new_objects() {
        for fitting in [Fitting::LeastSquares, Fitting::Moments] {
            let (mut claimed, mut found) = (0.0, 0.0);
            for seed in 0..20 {
                // New objects of the same kind: the same seed gives the same attributes.
                let (judgments, labels) = random_judgments(40 + seed, 4, 640);
                let all: Vec<f64> =
                    (0..640).map(|object| if object < 40 { labels[object] } else { f64::NAN }).collect();
                let estimates = Estimates::new(&judgments, &all, 0.0, &Context::new()).unwrap();
                let predictor = Predictor::fit(fitting, &estimates, &[2, 2, 2, 2], (&judgments, &all), 1).unwrap();
                claimed += predictor.error_variance;
                let fresh = examples(&judgments, &labels, &[0, 1, 2, 3], &[2, 2, 2, 2], 3).split_off(40);
                let error = |(means, label): &(Vec<f64>, f64)| {
                    let weighted = predictor.attributes.iter().zip(means).map(|(a, x)| a.weight * x).sum::<f64>();
                    (predictor.bias + weighted - label).powi(2)
                };
                found += fresh.iter().map(error).sum::<f64>() / fresh.len() as f64;
            }
            // Twenty samples of 40 objects: each claim varies by about a quarter of itself.
            assert!((claimed / found - 1.0).abs() < 0.25, "{fitting:?}: claimed {claimed}, found {found}");
        }
    }

    #[test]
    fn too_few_complete_objects_are_refused() {
        let (judgments, labels) = random_judgments(31, 4, 90);
        let estimates = Estimates::new(&judgments, &labels, 0.0, &Context::new()).unwrap();
        let error =
            Predictor::fit(Fitting::LeastSquares, &estimates, &[9, 0, 0, 0], (&judgments, &labels), 0).unwrap_err();
        assert_eq!(error, Error::FewComplete { objects: 0, needed: 3 });
    }
}
