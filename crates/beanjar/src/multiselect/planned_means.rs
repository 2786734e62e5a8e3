//! The means of just the judgments that a selection asks for, and least squares on them.

use super::held_out_scores::FoldScores;
use super::validate::HeldOutErrors;
use super::{Classes, LabelledJudgments};
use crate::linalg::{dot, least_squares};
use crate::random::{key_of_text, stream};
use rand::seq::SliceRandom;
use std::collections::HashMap;

/// Of each labelled object with enough judgments, the means of as many as planned, and its label.
pub(super) struct PlannedMeans {
    pub(super) means: Vec<Vec<f64>>,
    /// One number for each target, object by object.
    pub(super) labels: Vec<Vec<f64>>,
    /// Random numbers that decide on folds, the same wherever an object stands in a file.
    keys: Vec<u64>,
}

/// Folds of the cross-validation.
const FOLDS: usize = 10;

impl PlannedMeans {
    /// The means of `repeats` judgments of each used attribute. Where an object has more, a random draw decides which.
    pub(super) fn of(data: LabelledJudgments<'_>, used: &[usize], repeats: &[u32], seed: u64) -> Self {
        let judgments = data.judgments;
        // By name, for the numbers of attributes follow the rows of a file.
        let seeds: Vec<u64> = judgments.attributes.iter().map(|name| key_of_text(seed, name)).collect();
        let mut planned = PlannedMeans { means: Vec::new(), labels: Vec::new(), keys: Vec::new() };
        for object in data.labelled() {
            let key = key_of_text(seed, judgments.objects.get(object));
            let mut means = HashMap::new();
            for (attribute, _, values) in judgments.of(object).by_attribute() {
                let wanted = repeats[attribute] as usize;
                if wanted == 0 || values.len() < wanted {
                    continue;
                }
                let mut values = values.to_vec();
                values.sort_unstable_by(f64::total_cmp);
                let (drawn, _) = values.partial_shuffle(&mut stream(seeds[attribute], key), wanted);
                means.insert(attribute, data.combine.of(drawn));
            }
            if means.len() == used.len() {
                planned.means.push(used.iter().map(|a| means[a]).collect());
                planned.labels.push(data.label(object).to_vec());
                planned.keys.push(key);
            }
        }
        planned
    }

    pub(super) fn len(&self) -> usize {
        self.means.len()
    }

    /// Of each target, the weights and the bias with the smallest squared error.
    pub(super) fn fit(&self) -> Vec<(Vec<f64>, f64)> {
        let targets = self.labels.first().map_or(0, Vec::len);
        let of = |target: usize| self.labels.iter().map(|label| label[target]).collect::<Vec<f64>>();
        (0..targets).map(|target| least_squares(&self.means, &of(target))).collect()
    }

    /// The mean squared error of least squares on held-out objects, in ten folds, summed over targets.
    pub(super) fn cross_validated(&self, classes: Option<&Classes>) -> HeldOutErrors {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by_key(|&i| self.keys[i]);
        let folds = FOLDS.min(order.len());
        let mut found = HeldOutErrors { loss: 0.0, scores: Vec::new() };
        for fold in 0..folds {
            let train: Vec<usize> = (0..order.len()).filter(|i| i % folds != fold).map(|i| order[i]).collect();
            let means = train.iter().map(|&i| self.means[i].clone()).collect();
            let labels = train.iter().map(|&i| self.labels[i].clone()).collect();
            let fitted = PlannedMeans { means, labels, keys: Vec::new() }.fit();
            let mut scores = FoldScores::empty(fitted.len());
            for i in (fold..order.len()).step_by(folds).map(|i| order[i]) {
                let score = |(weights, bias): &(Vec<f64>, f64)| bias + dot(&self.means[i], weights);
                let predicted: Vec<f64> = fitted.iter().map(score).collect();
                let square = |(predicted, label): (&f64, &f64)| (predicted - label).powi(2);
                found.loss += predicted.iter().zip(&self.labels[i]).map(square).sum::<f64>() / self.len() as f64;
                if let Some(classes) = classes {
                    scores.push(classes.of_label(&self.labels[i]), &predicted);
                }
            }
            found.scores.push(scores);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multiselect::estimates::tests::random_judgments;

    #[test]
    fn least_squares_leaves_residuals_that_no_used_mean_explains() {
        let (judgments, labels) = random_judgments(31, 4, 90);
        let data = LabelledJudgments::new(&judgments, &labels).unwrap();
        let planned = PlannedMeans::of(data, &[0, 2, 3], &[2, 0, 1, 2], 5);
        assert_eq!(planned.len(), 90);
        let (weights, bias) = planned.fit().remove(0);
        let residuals: Vec<f64> = planned
            .means
            .iter()
            .zip(&planned.labels)
            .map(|(means, label)| label[0] - bias - means.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>())
            .collect();
        assert!(residuals.iter().sum::<f64>().abs() < 1e-7);
        for i in 0..3 {
            let along: f64 = residuals.iter().zip(&planned.means).map(|(residual, means)| residual * means[i]).sum();
            assert!(along.abs() < 1e-6, "{i}: {along}");
        }
        // On the objects it was fitted to, least squares is better than on those held out.
        let training = residuals.iter().map(|residual| residual * residual).sum::<f64>() / 90.0;
        assert!(training < planned.cross_validated(None).loss, "{training}");
    }

    #[test]
    fn an_object_with_too_few_judgments_is_left_out() {
        let (judgments, labels) = random_judgments(31, 4, 90);
        let data = LabelledJudgments::new(&judgments, &labels).unwrap();
        // Attributes alternate between two and three judgments.
        assert_eq!(PlannedMeans::of(data, &[0], &[3, 0, 0, 0], 5).len(), 45);
        assert_eq!(PlannedMeans::of(data, &[0], &[4, 0, 0, 0], 5).len(), 0);
    }
}
