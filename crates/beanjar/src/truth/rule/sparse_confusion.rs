//! Bayes' rule with tables of which only the cells that have counts are kept.

mod stored;
mod table;

pub(in crate::truth) use table::Table;

use crate::judgments::Votes;
#[cfg(feature = "serde")]
use stored::Stored;

/// The logarithm of what stands for a probability of zero.
const IMPOSSIBLE: f64 = -100.0;
/// A class that is further behind the most probable one, as logarithms, has a vote against it that its worker never gives.
const BEHIND: f64 = -90.0;

/// P(class), and P(label | class) for each worker, in the cells that are not zero.
///
/// A class is possible on a task if one of its workers ever gave their label where that class was possible; then every vote
/// counts. Where a worker never met the class, their vote is read by the population's table. Cost: O(votes times the cells
/// of a worker's label); memory O(cells).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored", into = "Stored"))]
pub struct SparseConfusion {
    prior: Vec<f64>,
    log_prior: Vec<f64>,
    /// Of each worker, then of the population, which stands for newcomers.
    tables: Vec<Table>,
}

impl SparseConfusion {
    /// The shares of the classes, which are not zero, and tables of logarithms; the last is the population's.
    pub(in crate::truth) fn of_tables(prior: Vec<f64>, tables: Vec<Table>) -> Self {
        SparseConfusion { log_prior: prior.iter().map(|share| share.ln()).collect(), prior, tables }
    }

    /// How many classes there are.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.prior.len()
    }

    /// How many workers were seen.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.tables.len() - 1
    }

    /// The shares of the classes.
    #[must_use]
    pub fn prior(&self) -> &[f64] {
        &self.prior
    }

    fn population(&self) -> &Table {
        &self.tables[self.workers()]
    }

    /// P(label | class) of a worker; of a newcomer for a number beyond the last.
    #[must_use]
    pub fn probability(&self, worker: usize, class: usize, label: usize) -> f64 {
        let (class, label) = (class as u16, label as u16);
        let own = &self.tables[worker.min(self.workers())];
        let table = if own.has_met(class) { own } else { self.population() };
        match table.has_met(class) {
            true => table.log(label, class).map_or(0.0, f64::exp),
            false => 1.0 / self.classes() as f64,
        }
    }

    /// In `row` the possible classes of a task that has votes, in rising order, and their probabilities; the log-likelihood
    /// of the votes.
    pub(in crate::truth) fn read(&self, votes: Votes<'_>, row: &mut Vec<(u16, f64)>) -> f64 {
        for (worker, label) in votes.iter() {
            let own = self.tables[worker.min(self.workers())].row(label as u16);
            // Who never gave this label says nothing of what it goes with.
            let (classes, _) = if own.0.is_empty() { self.population().row(label as u16) } else { own };
            row.extend(classes.iter().map(|&class| (class, 0.0)));
        }
        if row.is_empty() {
            row.extend(votes.labels.iter().map(|&label| (label, 0.0)));
        }
        row.sort_unstable_by_key(|(class, _)| *class);
        row.dedup_by_key(|(class, _)| *class);
        self.add_logs(votes, row);
        let most = row.iter().fold(f64::NEG_INFINITY, |most: f64, (_, score)| most.max(*score));
        row.retain(|(_, score)| score - most > BEHIND);
        row.iter_mut().for_each(|(_, score)| *score = (*score - most).exp());
        let sum: f64 = row.iter().map(|(_, score)| score).sum();
        row.iter_mut().for_each(|(_, score)| *score /= sum);
        most + sum.ln()
    }

    /// ln P(votes, class).
    pub(in crate::truth) fn joint(&self, votes: Votes<'_>, class: u16) -> f64 {
        let mut row = [(class, 0.0)];
        self.add_logs(votes, &mut row);
        row[0].1
    }

    /// In `row` ln P(votes, class) of each class that is there.
    fn add_logs(&self, votes: Votes<'_>, row: &mut [(u16, f64)]) {
        row.iter_mut().for_each(|(class, score)| *score = self.log_prior[usize::from(*class)]);
        for (worker, label, weight) in votes.weighted() {
            let (table, label) = (&self.tables[worker.min(self.workers())], label as u16);
            let (classes, logs) = table.row(label);
            let mut at = 0;
            for (class, score) in &mut *row {
                at += classes[at..].iter().take_while(|&&of_cell| of_cell < *class).count();
                *score += weight
                    * match classes.get(at) == Some(class) {
                        true => logs[at],
                        false if table.has_met(*class) => IMPOSSIBLE,
                        false => self.population().log(label, *class).unwrap_or(IMPOSSIBLE),
                    };
            }
        }
    }

    /// Of each class the probability of each label.
    pub(super) fn matrix(&self, worker: usize) -> Vec<Vec<f64>> {
        let classes = self.classes();
        let row = |class: usize| (0..classes).map(|label| self.probability(worker, class, label)).collect();
        (0..classes).map(row).collect()
    }
}
