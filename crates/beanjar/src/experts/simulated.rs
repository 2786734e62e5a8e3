//! Simulated experts for tests.

use super::Features;
use crate::Context;
use crate::judgments::Ballots;
use crate::simulate::{ExpertCase, Experts};

pub(super) struct Simulated {
    pub(super) features: Features,
    pub(super) ballots: Ballots,
    pub(super) truth: Vec<u8>,
}

/// Units with five features that matter, some that do not, and the labels of three experts.
pub(super) fn simulated(units: usize, noise: usize, case: ExpertCase, seed: u64) -> Simulated {
    let drawn = Experts { units, noise_features: noise, case }.draw(&Context::new().with_seed(seed)).unwrap();
    let columns: Vec<Vec<f64>> = (0..noise + 5).map(|j| drawn.features.iter().map(|row| row[j]).collect()).collect();
    let labels = |labels: &Vec<u8>| labels.iter().enumerate().map(|(k, &label)| (k, usize::from(label))).collect();
    let votes: Vec<Vec<(usize, usize)>> = drawn.labels.iter().map(labels).collect();
    Simulated {
        features: Features::from_columns(units, &columns).unwrap(),
        ballots: Ballots::from_tasks(&votes, 3, 2).unwrap(),
        truth: drawn.truth,
    }
}
