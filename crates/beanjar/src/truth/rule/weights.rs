use crate::judgments::Votes;
use crate::{Error, Result};

/// What a worker's vote counts.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Weights {
    workers: Vec<f64>,
    newcomer: f64,
    classes: usize,
}

/// Beyond this, sums of weights would leave the range of a double.
const MOST: f64 = 1e100;

impl Weights {
    /// A weight for each worker, and one for workers not seen before. All are 0 or more; there is a class at least.
    pub fn new(workers: Vec<f64>, newcomer: f64, classes: usize) -> Result<Self> {
        let weights = Weights { workers, newcomer, classes };
        match weights.is_sound() {
            true => Ok(weights),
            false => {
                let bad =
                    weights.workers.iter().chain([&weights.newcomer]).find(|weight| !(0.0..=MOST).contains(*weight));
                let value = bad.map_or_else(|| format!("for {classes} classes"), |weight| format!("{weight:e}"));
                Err(Error::OutOfRange { name: "a weight", value, range: "0 to 1e100, one for each worker" })
            }
        }
    }

    /// Each worker's vote counts alike.
    pub fn equal(workers: usize, classes: usize) -> Self {
        Weights { workers: vec![1.0; workers], newcomer: 1.0, classes }
    }

    /// Of each worker.
    pub fn workers(&self) -> &[f64] {
        &self.workers
    }

    /// Of a worker not seen before.
    pub fn newcomer(&self) -> f64 {
        self.newcomer
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Whether its numbers can be used: they may come from a file.
    pub(super) fn is_sound(&self) -> bool {
        self.classes > 0 && self.workers.iter().chain([&self.newcomer]).all(|weight| (0.0..=MOST).contains(weight))
    }

    /// Shares of the weighted votes; of the votes, where no weight is above zero.
    pub(in crate::truth) fn read(&self, votes: Votes<'_>, row: &mut [f64]) {
        row.fill(0.0);
        for (worker, label, weight) in votes.weighted() {
            row[label] += weight * self.workers.get(worker).copied().unwrap_or(self.newcomer);
        }
        let mut sum: f64 = row.iter().sum();
        if sum <= 0.0 {
            votes.weighted().for_each(|(_, label, weight)| row[label] += weight);
            sum = row.iter().sum();
        }
        row.iter_mut().for_each(|share| *share /= sum);
    }
}
