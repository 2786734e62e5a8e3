//! What a worker says of tasks of each class.

use super::others::Others;
use crate::truth::Posterior;

/// P(label | class) of one worker.
pub(in crate::workers) enum Saying {
    /// Of each class and label, at `class * classes + label`.
    Table { classes: usize, cells: Vec<f64> },
    /// Too many classes for a table: the worker knows the class with a probability, and else gives labels by their shares.
    Knowing { known: f64, shares: Vec<f64> },
}

/// Steps of EM for a worker's table, whose classes the others have all but decided, and labels that are added to each row.
const STEPS: usize = 20;
const PSEUDO: f64 = 1.0;

impl Saying {
    /// From the worker's tasks and labels, by EM with the posterior of the others as the prior of each task.
    pub(super) fn of(votes: &[(u32, u16)], others: &Others, worker: usize) -> Self {
        let posterior = others.of(worker);
        match others.tables {
            true => {
                let shares = shares(votes, posterior.classes());
                Saying::Table { classes: posterior.classes(), cells: table(votes, posterior, &shares) }
            }
            false => Saying::knowing(votes, posterior),
        }
    }

    /// The same without a table.
    pub(in crate::workers) fn knowing(votes: &[(u32, u16)], posterior: &Posterior) -> Self {
        let shares = shares(votes, posterior.classes());
        Saying::Knowing { known: known(votes, posterior, &shares), shares }
    }

    /// P(label | class).
    pub(in crate::workers) fn probability(&self, class: usize, label: usize) -> f64 {
        match self {
            Saying::Table { classes, cells } => cells[class * classes + label],
            Saying::Knowing { known, shares } => {
                (1.0 - known) * shares[label] + if class == label { *known } else { 0.0 }
            }
        }
    }

    /// The probability that two workers who both know nothing give the same label.
    pub(super) fn by_chance(&self, other: &Saying) -> f64 {
        match (self, other) {
            (Saying::Knowing { shares: own, .. }, Saying::Knowing { shares: others, .. }) => {
                own.iter().zip(others).map(|(x, y)| x * y).sum()
            }
            _ => 0.0,
        }
    }

    /// The probability that two workers give the same label to a task of this class.
    pub(super) fn both(&self, other: &Saying, class: usize, by_chance: f64) -> f64 {
        match (self, other) {
            (Saying::Knowing { known, shares: own }, Saying::Knowing { known: other_known, shares: others }) => {
                let (guess, other_guess) = (1.0 - known, 1.0 - other_known);
                known * (other_known + other_guess * others[class])
                    + guess * (other_known * own[class] + other_guess * by_chance)
            }
            (Saying::Table { classes, cells: own }, Saying::Table { cells: others, .. }) => {
                let row = class * classes..(class + 1) * classes;
                own[row.clone()].iter().zip(&others[row]).map(|(x, y)| x * y).sum()
            }
            // All workers are read in one way.
            _ => 0.0,
        }
    }
}

/// How often a worker gives each label, half a label added to each.
fn shares(votes: &[(u32, u16)], classes: usize) -> Vec<f64> {
    let mut shares = vec![0.5; classes];
    votes.iter().for_each(|(_, label)| shares[usize::from(*label)] += 1.0);
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= sum);
    shares
}

/// A table, at `class * classes + label`.
fn table(votes: &[(u32, u16)], posterior: &Posterior, shares: &[f64]) -> Vec<f64> {
    let classes = shares.len();
    let mut table: Vec<f64> = (0..classes * classes)
        .map(|at| 0.5 * shares[at % classes] + if at / classes == at % classes { 0.5 } else { 0.0 })
        .collect();
    // The worker's tasks lie all over the posterior, and are read in every step.
    let mut priors = Vec::with_capacity(votes.len() * classes);
    votes.iter().for_each(|&(task, _)| priors.extend_from_slice(&posterior.row(task as usize)));
    let mut row = vec![0.0; classes];
    for _ in 0..STEPS {
        let mut counts: Vec<f64> = (0..classes * classes).map(|at| PSEUDO * shares[at % classes]).collect();
        for (&(_, label), prior) in votes.iter().zip(priors.chunks_exact(classes)) {
            let label = usize::from(label);
            row.iter_mut().enumerate().for_each(|(class, p)| *p = prior[class] * table[class * classes + label]);
            let scale = 1.0 / row.iter().sum::<f64>().max(f64::MIN_POSITIVE);
            row.iter().enumerate().for_each(|(class, p)| counts[class * classes + label] += p * scale);
        }
        for row in counts.chunks_exact_mut(classes) {
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|count| *count /= sum);
        }
        table = counts;
    }
    table
}

/// The probability that the worker knows the class, one task known and one not known being added.
fn known(votes: &[(u32, u16)], posterior: &Posterior, shares: &[f64]) -> f64 {
    let mut known = 0.5;
    for _ in 0..STEPS {
        let of_vote = |&(task, label): &(u32, u16)| {
            let knew = known * posterior.of(task as usize)[usize::from(label)];
            knew / (knew + (1.0 - known) * shares[usize::from(label)])
        };
        known = (votes.iter().map(of_vote).sum::<f64>() + PSEUDO) / (votes.len() as f64 + 2.0 * PSEUDO);
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_says_what_its_table_would() {
        let shares = [vec![0.5, 0.3, 0.2], vec![0.1, 0.2, 0.7]];
        let knows = [0.8, 0.4];
        let one = |at: usize| Saying::Knowing { known: knows[at], shares: shares[at].clone() };
        let (one, other) = (one(0), one(1));
        let tables = [&one, &other].map(|saying| {
            let cells = (0..9).map(|at| saying.probability(at / 3, at % 3)).collect();
            Saying::Table { classes: 3, cells }
        });
        for class in 0..3 {
            assert!(((0..3).map(|label| one.probability(class, label)).sum::<f64>() - 1.0).abs() < 1e-12);
            let found = one.both(&other, class, one.by_chance(&other));
            assert!((found - tables[0].both(&tables[1], class, 0.0)).abs() < 1e-12);
        }
    }

    #[test]
    fn who_is_right_half_the_time_knows_half_the_tasks() {
        let truth: Vec<usize> = (0..600).map(|task| task % 60).collect();
        let posterior = Posterior::certain(&truth, 60).unwrap();
        let said = |task: usize| if task % 20 < 10 { truth[task] } else { (truth[task] + 1 + task % 58) % 60 };
        let votes: Vec<(u32, u16)> = (0..600).map(|task| (task as u32, said(task) as u16)).collect();
        let found = known(&votes, &posterior, &[1.0 / 60.0; 60]);
        assert!((found - 0.49).abs() < 0.02, "{found}");
    }
}
