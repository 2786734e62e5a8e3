use super::Rule;
use crate::judgments::Votes;
use crate::{Error, Result};

/// Several rules, each with its weight; the weighted mean of their posteriors may then be calibrated, and kept to classes
/// that somebody voted for.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Blend {
    pub(super) rules: Vec<Rule>,
    pub(super) weights: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(flatten))]
    calibration: Sharpening,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "std::ops::Not::not"))]
    voted_only: bool,
}

/// Logarithms of probabilities are multiplied by a number, those of the shares of the votes by another and added, and each
/// class's is moved by a third.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sharpening {
    /// The power to which probabilities are raised: below 1 they become less sure.
    pub sharpness: f64,
    /// What is added to the logarithm of each class's probability; empty for nothing.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub shift: Vec<f64>,
    /// The power of the plain vote's shares beside the probabilities: 0 where models need no correction by it.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_zero"))]
    pub vote_power: f64,
}

#[cfg(feature = "serde")]
fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

/// Before probabilities are calibrated, none counts as less than this: a few known answers say nothing about one in ten
/// thousand.
pub(in crate::truth) const FLOOR: f64 = 1e-4;

impl Sharpening {
    /// Probabilities stay as they are.
    #[must_use]
    pub fn none() -> Self {
        Sharpening { sharpness: 1.0, shift: Vec::new(), vote_power: 0.0 }
    }

    /// Calibrates one task's probabilities.
    pub(in crate::truth) fn apply(&self, votes: Votes<'_>, row: &mut [f64]) {
        if self.shift.is_empty() && self.sharpness == 1.0 && self.vote_power == 0.0 {
            return;
        }
        let least = if self.shift.is_empty() { 1e-12 } else { FLOOR };
        for (class, p) in row.iter_mut().enumerate() {
            *p = p.max(least).powf(self.sharpness) * self.shift.get(class).map_or(1.0, |shift| shift.exp());
        }
        if self.vote_power != 0.0 {
            let shares = smoothed_shares(votes, row.len());
            row.iter_mut().zip(shares).for_each(|(p, share)| *p *= share.powf(self.vote_power));
        }
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|p| *p /= sum);
    }

    fn is_sound(&self, classes: usize) -> bool {
        let shifts = self.shift.is_empty() || self.shift.len() == classes;
        let powers = [self.sharpness, self.vote_power].iter().all(|power| (0.0..=1e3).contains(power));
        shifts && powers && self.shift.iter().all(|shift| shift.abs() <= 100.0)
    }
}

/// The shares of a task's votes, one vote more being spread over all classes: none is zero.
pub(in crate::truth) fn smoothed_shares(votes: Votes<'_>, classes: usize) -> Vec<f64> {
    let mut shares = vec![1.0 / classes as f64; classes];
    votes.weighted().for_each(|(_, label, weight)| shares[label] += weight);
    let all = 1.0 + votes.opinions();
    shares.iter_mut().for_each(|share| *share /= all);
    shares
}

/// Brings the classes that nobody voted for below those that somebody did: none may have more than half of what the best
/// of those has, so that it is never the label.
pub(in crate::truth) fn keep_to_voted(votes: Votes<'_>, row: &mut [f64]) {
    let best = votes.labels.iter().fold(0.0, |most: f64, &label| most.max(row[usize::from(label)]));
    if best <= 0.0 {
        return;
    }
    let mut changed = false;
    for (class, p) in row.iter_mut().enumerate() {
        if *p > best / 2.0 && !votes.labels.iter().any(|&label| usize::from(label) == class) {
            (*p, changed) = (best / 2.0, true);
        }
    }
    if changed {
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|p| *p /= sum);
    }
}

impl Blend {
    /// Rules for the same workers and classes, and their weights.
    pub fn new(rules: Vec<Rule>, weights: Vec<f64>, calibration: Sharpening, voted_only: bool) -> Result<Self> {
        let blend = Blend { rules, weights, calibration, voted_only };
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

    /// Gives all workers of a family what its first has.
    pub(super) fn share_tables(&mut self, families: &[Vec<usize>]) {
        self.rules.iter_mut().for_each(|rule| rule.share_tables(families));
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Their weights.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// How their mean is calibrated.
    #[must_use]
    pub fn calibration(&self) -> &Sharpening {
        &self.calibration
    }

    /// Whether its parts fit together: they may come from a file.
    pub(super) fn is_sound(&self, workers: usize, classes: usize) -> bool {
        let weights = self.weights.iter().all(|x| (0.0..=1e3).contains(x)) && self.weights.iter().any(|x| *x > 0.0);
        let as_many = self.weights.len() == self.rules.len() && !self.rules.is_empty();
        let plain = |rule: &Rule| !matches!(rule, Rule::Blend(_)) && rule.is_sound(workers, classes);
        weights && as_many && self.calibration.is_sound(classes) && self.rules.iter().all(plain)
    }

    pub(super) fn read(&self, votes: Votes<'_>, row: &mut [f64]) {
        let mut total = vec![0.0; row.len()];
        let all: f64 = self.weights.iter().sum();
        for (rule, weight) in self.rules.iter().zip(&self.weights) {
            rule.read(votes, row);
            total.iter_mut().zip(row.iter()).for_each(|(sum, value)| *sum += weight / all * value);
        }
        row.copy_from_slice(&total);
        self.calibration.apply(votes, row);
        if self.voted_only {
            keep_to_voted(votes, row);
        }
    }

    /// The weighted mean of the rules' confusion matrices, of those that have one; none if none has.
    pub(super) fn matrix(&self, worker: usize) -> Option<Vec<Vec<f64>>> {
        let mut mean: Option<Vec<Vec<f64>>> = None;
        let mut weights = 0.0;
        for (rule, weight) in self.rules.iter().zip(&self.weights) {
            let Some(matrix) = rule.matrix(worker) else { continue };
            let sums = mean.get_or_insert_with(|| matrix.iter().map(|row| vec![0.0; row.len()]).collect());
            for (sum, p) in sums.iter_mut().flatten().zip(matrix.iter().flatten()) {
                *sum += weight * p;
            }
            weights += weight;
        }
        if let Some(mean) = &mut mean {
            mean.iter_mut().flatten().for_each(|sum| *sum /= f64::max(weights, f64::MIN_POSITIVE));
        }
        mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgments::Ballots;

    #[test]
    fn a_class_nobody_voted_for_is_never_the_label() {
        let ballots = Ballots::from_tasks(&[vec![(0, 0), (1, 2)]], 2, 3).unwrap();
        let mut row = [0.1, 0.7, 0.2];
        keep_to_voted(ballots.votes(0), &mut row);
        // 0.1, 0.1 and 0.2, of a sum of 0.4.
        assert!(row.iter().zip([0.25, 0.25, 0.5]).all(|(p, by_hand)| (p - by_hand).abs() < 1e-12), "{row:?}");
        let mut fine = [0.3, 0.2, 0.5];
        keep_to_voted(ballots.votes(0), &mut fine);
        assert_eq!(fine, [0.3, 0.2, 0.5]);
    }

    #[test]
    fn calibration_is_a_power_and_a_shift() {
        let ballots = Ballots::from_tasks(&[vec![(0, 0), (1, 0), (2, 1)]], 3, 2).unwrap();
        let votes = || ballots.votes(0);
        let mut row = [0.2, 0.8];
        let calibration = Sharpening { sharpness: 0.5, shift: vec![0.0, -(2f64.ln())], vote_power: 0.0 };
        calibration.apply(votes(), &mut row);
        let odds = (0.8f64 / 0.2).sqrt() / 2.0;
        assert!((row[1] / row[0] - odds).abs() < 1e-12);
        // Two votes and a half against one and a half.
        let mut beside = [0.2, 0.8];
        Sharpening { vote_power: 2.0, ..calibration }.apply(votes(), &mut beside);
        assert!((beside[1] / beside[0] - odds * (1.5f64 / 2.5).powi(2)).abs() < 1e-12);
        let mut same = [0.2, 0.8];
        Sharpening::none().apply(votes(), &mut same);
        assert_eq!(same, [0.2, 0.8]);
    }
}
