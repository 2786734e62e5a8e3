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
    #[must_use]
    pub fn equal(workers: usize, classes: usize) -> Self {
        Weights { workers: vec![1.0; workers], newcomer: 1.0, classes }
    }

    /// Of each worker.
    #[must_use]
    pub fn workers(&self) -> &[f64] {
        &self.workers
    }

    /// Of a worker not seen before.
    #[must_use]
    pub fn newcomer(&self) -> f64 {
        self.newcomer
    }

    /// How many classes there are.
    #[must_use]
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

    /// The same of the classes that somebody voted for, in rising order.
    pub(super) fn read_possible(&self, votes: Votes<'_>, row: &mut Vec<(u16, f64)>) {
        let counted = |worker: usize| self.workers.get(worker).copied().unwrap_or(self.newcomer);
        row.extend(votes.weighted().map(|(worker, label, weight)| (label as u16, weight * counted(worker))));
        add_up(row);
        if row.iter().all(|(_, sum)| *sum <= 0.0) {
            row.clear();
            row.extend(votes.weighted().map(|(_, label, weight)| (label as u16, weight)));
            add_up(row);
        }
        let sum: f64 = row.iter().map(|(_, share)| share).sum();
        row.iter_mut().for_each(|(_, share)| *share /= sum);
    }
}

/// Adds up what was given to the same class, and sorts the classes.
fn add_up(given: &mut Vec<(u16, f64)>) {
    // Equals keep their order, so that sums are those of a row of all classes to the last bit.
    given.sort_by_key(|(class, _)| *class);
    given.dedup_by(|next, first| {
        let same = next.0 == first.0;
        first.1 += if same { next.1 } else { 0.0 };
        same
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgments::Ballots;

    #[test]
    fn possible_classes_have_the_shares_of_all_classes_to_the_last_bit() {
        let task: Vec<(usize, usize)> = (0..40).map(|i| (i * 7 % 11, i * i % 13)).collect();
        let unknown = vec![(3, 5), (3, 2)];
        let ballots = Ballots::from_tasks(&[task, unknown, vec![(10, 4)]], 11, 20).unwrap();
        let weight = |worker: usize| if worker == 3 { 0.0 } else { 1.0 / (worker as f64 + 0.7) };
        let weights = Weights::new((0..10).map(weight).collect(), 0.3, 20).unwrap();
        for task in 0..3 {
            let (mut all, mut possible) = (vec![0.0; 20], Vec::new());
            weights.read(ballots.votes(task), &mut all);
            weights.read_possible(ballots.votes(task), &mut possible);
            assert!(possible.is_sorted_by(|a, b| a.0 < b.0));
            let mut written = vec![0.0; 20];
            possible.iter().for_each(|&(class, p)| written[usize::from(class)] = p);
            assert_eq!(written, all);
        }
    }
}
