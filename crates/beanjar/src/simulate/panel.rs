//! A panel of experts, and how often each is right.

use crate::logistic::logistic;
use crate::random::stream;
use crate::{Context, Error, Result};
use rand::{Rng, RngExt};

/// Experts, and how often each is right about a unit with given features.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Panel {
    /// With these probabilities, whatever the features.
    Constant(Vec<f64>),
    /// With probability s(skill + sum of weights times features to a power), s the logistic function.
    Model {
        /// Of each expert.
        skills: Vec<f64>,
        /// Of the first features; those after them do not matter.
        weights: Vec<f64>,
        /// 1 for the features themselves, 2 for their squares.
        power: i32,
    },
}

impl Panel {
    /// The probability that each expert is right about a unit.
    #[must_use]
    pub fn accuracies(&self, features: &[f64]) -> Vec<f64> {
        match self {
            Panel::Constant(accuracies) => accuracies.clone(),
            Panel::Model { skills, weights, power } => {
                let ease: f64 = weights.iter().zip(features).map(|(weight, x)| weight * x.powi(*power)).sum();
                skills.iter().map(|skill| logistic(skill + ease)).collect()
            }
        }
    }

    /// The label of each expert for each unit, whose true class is 0 or 1.
    pub fn labels(&self, units: &[Vec<f64>], truth: &[u8], context: &Context) -> Result<Vec<Vec<u8>>> {
        if units.len() != truth.len() || truth.iter().any(|&class| class > 1) {
            let value = format!("{} classes for {} units", truth.len(), units.len());
            return Err(Error::OutOfRange { name: "the truth", value, range: "0 or 1 for each unit" });
        }
        // Far from the pieces of those who draw units with the same seed.
        const FIRST: u64 = 1 << 40;
        let seed = context.seed();
        let of = |(unit, (features, &class)): (usize, (&Vec<f64>, &u8))| {
            self.label(features, class, &mut stream(seed, FIRST + unit as u64))
        };
        Ok(units.iter().zip(truth).enumerate().map(of).collect())
    }

    /// The label of each expert for one unit.
    pub(super) fn label(&self, features: &[f64], class: u8, random: &mut impl Rng) -> Vec<u8> {
        let accuracies = self.accuracies(features);
        accuracies.iter().map(|&right| if flip(right, random) == 1 { class } else { 1 - class }).collect()
    }
}

/// 1 with this probability, 0 otherwise.
pub(super) fn flip(probability: f64, random: &mut impl Rng) -> u8 {
    u8::from(random.random::<f64>() < probability)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experts_are_right_with_their_probabilities() {
        let units: Vec<Vec<f64>> = (0..20_000).map(|i| vec![f64::from(i % 5) - 2.0, 100.0]).collect();
        let truth: Vec<u8> = (0..20_000).map(|i| (i % 2) as u8).collect();
        let model = |power: i32| Panel::Model { skills: vec![0.5, -0.2], weights: vec![0.4], power };
        for panel in [Panel::Constant(vec![0.9, 0.3]), model(1), model(2)] {
            let labels = panel.labels(&units, &truth, &Context::new().with_seed(3)).unwrap();
            for expert in 0..2 {
                let right = labels.iter().zip(&truth).filter(|(said, class)| said[expert] == **class).count();
                let expected: f64 = units.iter().map(|x| panel.accuracies(x)[expert]).sum();
                // Five standard errors of a share of 20,000.
                assert!((right as f64 - expected).abs() < 5.0 * 0.5 * 20_000f64.sqrt(), "{panel:?} {expert}");
            }
        }
        assert!((model(2).accuracies(&[-2.0])[0] - logistic(0.5 + 1.6)).abs() < 1e-12);
    }
}
