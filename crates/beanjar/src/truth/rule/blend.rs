use super::Rule;
use crate::judgments::Votes;
use crate::{Error, Result};

/// Several rules, each with its weight; the weighted mean of their posteriors is raised to a power.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Blend {
    pub(super) rules: Vec<Rule>,
    pub(super) weights: Vec<f64>,
    sharpness: f64,
}

impl Blend {
    /// Rules for the same workers and classes, their weights, and the power: probabilities are raised to it and brought back
    /// to sum one, so that below 1 they are less sure.
    pub fn new(rules: Vec<Rule>, weights: Vec<f64>, sharpness: f64) -> Result<Self> {
        let blend = Blend { rules, weights, sharpness };
        let (workers, classes) = blend.rules.first().map_or((0, 0), |rule| (rule.workers(), rule.classes()));
        match blend.is_sound(workers, classes) {
            true => Ok(blend),
            false => {
                let value = format!("of {} rules and {} weights", blend.rules.len(), blend.weights.len());
                let range = "of rules for the same workers and classes, with a weight from 0 to 1000 for each";
                Err(Error::OutOfRange { name: "the blend", value, range })
            }
        }
    }

    /// The rules.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Their weights.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The power to which probabilities are raised.
    pub fn sharpness(&self) -> f64 {
        self.sharpness
    }

    /// Whether its parts fit together: they may come from a file.
    pub(super) fn is_sound(&self, workers: usize, classes: usize) -> bool {
        let numbers = self.weights.iter().chain([&self.sharpness]).all(|x| (0.0..=1e3).contains(x));
        let as_many = self.weights.len() == self.rules.len() && !self.rules.is_empty();
        numbers && as_many && self.rules.iter().all(|rule| rule.is_sound(workers, classes))
    }

    pub(super) fn read(&self, votes: Votes<'_>, row: &mut [f64]) {
        let mut total = vec![0.0; row.len()];
        for (rule, weight) in self.rules.iter().zip(&self.weights) {
            rule.read(votes, row);
            total.iter_mut().zip(row.iter()).for_each(|(sum, value)| *sum += weight * value);
        }
        row.copy_from_slice(&total);
        sharpen(row, self.sharpness);
    }

    /// The weighted mean of the rules' confusion matrices; none if one has none.
    pub(super) fn matrix(&self, worker: usize) -> Option<Vec<Vec<f64>>> {
        let mut mean: Option<Vec<Vec<f64>>> = None;
        for (rule, weight) in self.rules.iter().zip(&self.weights) {
            let matrix = rule.matrix(worker)?;
            let sums = mean.get_or_insert_with(|| matrix.iter().map(|row| vec![0.0; row.len()]).collect());
            for (sum, p) in sums.iter_mut().flatten().zip(matrix.iter().flatten()) {
                *sum += weight * p;
            }
        }
        mean
    }
}

/// Raises probabilities to a power, and brings them back to sum one. None becomes impossible.
pub(in crate::truth) fn sharpen(row: &mut [f64], power: f64) {
    row.iter_mut().for_each(|p| *p = p.max(1e-12).powf(power));
    let sum: f64 = row.iter().sum();
    row.iter_mut().for_each(|p| *p /= sum);
}
