use super::Confusion;
use crate::judgments::Votes;
use crate::mutual_information::term;

/// The mean over a task's votes of P(class | that vote alone), a vote counting by the mutual information between its
/// worker's label and the class: a linear pool.
///
/// Bayes' rule multiplies votes, which is right if they are independent given the class. The pool is right if they are
/// copies of one another: many votes make it no surer than one.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pool {
    classes: usize,
    /// What each worker's votes count; the last is the newcomer's.
    weights: Vec<f64>,
    /// P(class | label) at `(worker * classes + label) * classes + class`.
    votes: Vec<f64>,
    /// Which of these each worker has, where workers share them; empty where each has their own.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    table_of: Vec<u32>,
}

/// The least weight, so that a task all of whose voters tell nothing still has an answer.
const LEAST: f64 = 1e-6;

impl Pool {
    /// The pool of the workers' tables, whose components stand for classes with these shares.
    pub(in crate::truth) fn of_tables(tables: &Confusion, names: &[f64]) -> Self {
        let (classes, components) = (tables.labels(), tables.classes());
        let prior = tables.prior();
        let mut shares = vec![0.0; classes];
        for (component, names) in names.chunks_exact(classes).enumerate() {
            shares.iter_mut().zip(names).for_each(|(sum, name)| *sum += prior[component] * name);
        }
        let mut pool = Pool { classes, weights: Vec::new(), votes: Vec::new(), table_of: tables.table_of.clone() };
        for table in tables.votes.chunks_exact(classes * components) {
            let mut information = 0.0;
            for label in 0..classes {
                let mut joint = vec![0.0; classes];
                for component in 0..components {
                    let p = prior[component] * table[label * components + component];
                    let names = &names[component * classes..(component + 1) * classes];
                    joint.iter_mut().zip(names).for_each(|(sum, name)| *sum += p * name);
                }
                let all: f64 = joint.iter().sum();
                information += joint.iter().zip(&shares).map(|(p, share)| term(*p, *share, all)).sum::<f64>();
                pool.votes.extend(joint.iter().map(|p| p / all));
            }
            pool.weights.push(information.max(LEAST));
        }
        pool
    }

    /// Gives all workers of a family what its first has.
    pub(super) fn share_tables(&mut self, families: &[Vec<usize>]) {
        let cells = self.classes * self.classes;
        for family in families {
            let first = family[0];
            for &worker in &family[1..] {
                if !self.table_of.is_empty() {
                    self.table_of[worker] = self.table_of[first];
                    continue;
                }
                self.weights[worker] = self.weights[first];
                self.votes.copy_within(first * cells..(first + 1) * cells, worker * cells);
            }
        }
    }

    /// How many classes there are.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// How many workers were seen.
    #[must_use]
    pub fn workers(&self) -> usize {
        if self.table_of.is_empty() { self.weights.len().saturating_sub(1) } else { self.table_of.len() }
    }

    /// Whether its numbers can be used: they may come from a file.
    pub(super) fn is_sound(&self) -> bool {
        let sizes = self.classes > 0
            && !self.weights.is_empty()
            && self.votes.len() == self.weights.len() * self.classes * self.classes;
        let whole = |row: &[f64]| row.iter().all(|p| *p >= 0.0) && (row.iter().sum::<f64>() - 1.0).abs() < 1e-6;
        sizes
            && self.table_of.iter().all(|&table| (table as usize) < self.weights.len())
            && self.weights.iter().all(|weight| (LEAST..=1e3).contains(weight))
            && self.votes.chunks_exact(self.classes).all(whole)
    }

    pub(in crate::truth) fn read(&self, votes: Votes<'_>, row: &mut [f64]) {
        row.fill(0.0);
        let mut sum = 0.0;
        for (worker, label, share) in votes.weighted() {
            let table = match self.table_of.is_empty() {
                true => worker.min(self.workers()),
                false => self.table_of.get(worker).map_or(self.weights.len() - 1, |&table| table as usize),
            };
            let weight = share * self.weights[table];
            let at = (table * self.classes + label) * self.classes;
            row.iter_mut().zip(&self.votes[at..at + self.classes]).for_each(|(cell, p)| *cell += weight * p);
            sum += weight;
        }
        row.iter_mut().for_each(|cell| *cell /= sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgments::Ballots;

    /// Two workers, right 9 and 6 times in ten, of two classes of equal shares.
    fn tables() -> Confusion {
        let worker = |right: f64| vec![vec![right, 1.0 - right], vec![1.0 - right, right]];
        Confusion::new(vec![0.5, 0.5], vec![worker(0.9), worker(0.6), worker(0.7)]).unwrap()
    }

    #[test]
    fn copies_of_a_vote_change_nothing_and_informed_workers_count_more() {
        let pool = Pool::of_tables(&tables(), &[1.0, 0.0, 0.0, 1.0]);
        assert!(pool.is_sound());
        let read = |votes: Vec<(usize, usize)>| {
            let mut row = [0.0; 2];
            pool.read(Ballots::from_tasks(&[votes], 2, 2).unwrap().votes(0), &mut row);
            row
        };
        assert!((read(vec![(0, 0)])[0] - 0.9).abs() < 1e-12);
        assert!((read(vec![(0, 0); 7])[0] - 0.9).abs() < 1e-12);
        // By hand: I = ln 2 - H(right), in nats.
        let information = |p: f64| 2f64.ln() + p * p.ln() + (1.0 - p) * (1.0 - p).ln();
        let (one, other) = (information(0.9), information(0.6));
        let mixed = (one * 0.9 + other * 0.4) / (one + other);
        assert!((read(vec![(0, 0), (1, 1)])[0] - mixed).abs() < 1e-12);
    }

    #[test]
    fn components_that_stand_for_both_classes_tell_nothing() {
        let pool = Pool::of_tables(&tables(), &[0.5, 0.5, 0.5, 0.5]);
        let mut row = [0.0; 2];
        pool.read(Ballots::from_tasks(&[vec![(0, 0), (1, 0)]], 2, 2).unwrap().votes(0), &mut row);
        assert!((row[0] - 0.5).abs() < 1e-12);
    }
}
