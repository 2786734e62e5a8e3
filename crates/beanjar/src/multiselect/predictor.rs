//! The linear predictor of a selection, and its predictions for any pattern of judgments.

use super::Estimates;
use crate::judgments::Grouped;
use crate::linalg::{Symmetric, least_squares};
use crate::random::stream;
use crate::{Error, Judgments, Result};
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// How the weights are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fitting {
    /// Least squares on the means of exactly the planned judgments, from the objects that have them (the paper's step 4).
    #[default]
    LeastSquares,
    /// From the moments, which needs no further judgments.
    Moments,
}

/// A linear predictor from mean judgments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Predictor {
    /// What it predicts.
    pub label: String,
    /// The two classes, if it discriminates: below zero and above.
    pub classes: Option<[String; 2]>,
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
    /// The squared error to expect with the planned judgments.
    pub error_variance: f64,
    /// Of two classes, the share of the fitted objects that it puts into the wrong one.
    pub error_rate: Option<f64>,
    external: Symmetric,
}

/// An attribute of a predictor: the plan for it, its weight, its moments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
        let predict = |row: &Vec<f64>| bias + row.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>();
        let squares: f64 = means.iter().zip(&targets).map(|(row, y)| (predict(row) - y).powi(2)).sum();
        let share = |(&a, weight): (&usize, &f64)| weight * (estimates.covariance[a] + weight * estimates.ridge[a]);
        let explained: f64 = used.iter().zip(&weights).map(share).sum();
        let error_variance = match fitting {
            Fitting::LeastSquares => squares / (means.len() - used.len() - 1) as f64,
            Fitting::Moments => (estimates.label_variance - explained).max(0.0),
        };
        let wrong = means.iter().zip(&targets).filter(|(row, y)| (predict(row) > 0.0) != (**y > 0.0)).count();
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
            error_rate: (!means.is_empty()).then(|| wrong as f64 / means.len() as f64),
            external: estimates.external.of(&used),
        })
    }

    /// The same, told what it predicts.
    pub fn of(mut self, label: &str, classes: Option<[String; 2]>) -> Predictor {
        self.label = label.to_owned();
        self.error_rate = self.error_rate.filter(|_| classes.is_some());
        self.classes = classes;
        self
    }

    /// Whether all parts fit together; a file may hold anything.
    pub fn is_sound(&self) -> bool {
        let numbers =
            |a: &PredictorAttribute| [a.weight, a.centre, a.covariance, a.noise, a.ridge].iter().all(|x| x.is_finite());
        self.external.is_sound()
            && self.external.size() == self.attributes.len()
            && self.attributes.iter().all(|a| numbers(a) && a.judgments > 0)
            && [self.bias, self.label_mean, self.label_variance, self.error_variance].iter().all(|x| x.is_finite())
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
                    return Prediction { value: self.bias + weighted, se: self.error_variance.sqrt(), planned: true };
                }
                let (weights, se) = known.entry(counts).or_insert_with_key(|counts| self.for_pattern(counts));
                let off = |(i, attribute): (usize, &PredictorAttribute)| weights[i] * (means[i] - attribute.centre);
                let value = self.label_mean + self.attributes.iter().enumerate().map(off).sum::<f64>();
                Prediction { value, se: *se, planned: false }
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
        (weights, (self.label_variance - explained).max(0.0).sqrt())
    }
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
    use crate::Cores;
    use crate::multiselect::estimates::tests::random_judgments;

    fn fitted(fitting: Fitting) -> (Predictor, Estimates, Judgments, Vec<f64>) {
        let (judgments, labels) = random_judgments(31, 4, 90);
        let estimates = Estimates::new(&judgments, &labels, 0.0, &Cores::one()).unwrap();
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
            let estimates = Estimates::new(&judgments, &labels, ridge, &Cores::one()).unwrap();
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
        assert!((ridged.error_variance - loss).abs() < 1e-9, "{} and {loss}", ridged.error_variance);
        assert!((ridged.for_pattern(&[2, 2, 2, 2]).1.powi(2) - loss).abs() < 1e-9);
        assert!(loss > plain.error_variance);
    }

    #[test]
    fn too_few_complete_objects_are_refused() {
        let (judgments, labels) = random_judgments(31, 4, 90);
        let estimates = Estimates::new(&judgments, &labels, 0.0, &Cores::one()).unwrap();
        let error =
            Predictor::fit(Fitting::LeastSquares, &estimates, &[9, 0, 0, 0], (&judgments, &labels), 0).unwrap_err();
        assert_eq!(error, Error::FewComplete { objects: 0, needed: 3 });
    }
}
