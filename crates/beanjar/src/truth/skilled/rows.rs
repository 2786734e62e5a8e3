use super::super::class_prior::VoteShares;
use super::super::em::{Expected, Model};
use super::Skilled;
use super::skills::Skills;
use crate::judgments::Ballots;

/// The workers' tables of [`Skilled`] where something else than votes says what the tasks' classes are.
pub(crate) struct WorkerRows {
    model: Skills,
}

/// P(label | class) of each worker, and how much stands behind it.
pub(crate) struct Rows {
    /// At `(worker * classes + label) * classes + class`.
    pub(crate) tables: Vec<f64>,
    /// Labels and pseudo-labels behind each row, at `worker * classes + class`.
    pub(crate) behind: Vec<f64>,
    /// The log-odds of being right, of each worker, in the mean over classes of the population.
    pub(crate) skills: Vec<f64>,
}

impl WorkerRows {
    pub(crate) fn new(ballots: &Ballots) -> Self {
        WorkerRows { model: Skills::new(&Skilled::default(), ballots.workers(), &VoteShares::of(ballots)) }
    }

    /// The tables after one step towards the classes' probabilities, task by task.
    pub(crate) fn step(&mut self, ballots: &Ballots, posterior: &[f64]) -> Rows {
        let (classes, workers) = (ballots.classes(), ballots.workers());
        let cells = classes * classes;
        let (mut votes, mut tasks) = (vec![0.0; workers * cells], vec![0.0; classes]);
        for (task, shares) in posterior.chunks_exact(classes).enumerate() {
            let of_task = ballots.votes(task);
            if of_task.labels.is_empty() {
                continue;
            }
            tasks.iter_mut().zip(shares).for_each(|(sum, share)| *sum += share);
            for (worker, label, weight) in of_task.weighted() {
                let at = worker * cells + label * classes;
                votes[at..at + classes].iter_mut().zip(shares).for_each(|(sum, share)| *sum += weight * share);
            }
        }
        let mut behind = vec![0.0; workers * classes];
        for (table, behind) in votes.chunks_exact(cells).zip(behind.chunks_exact_mut(classes)) {
            table
                .chunks_exact(classes)
                .for_each(|row| behind.iter_mut().zip(row).for_each(|(sum, count)| *sum += count));
        }
        let expected = Expected::of_counts(classes, votes, tasks);
        let mut tables = self.model.maximise(&expected).tables.votes;
        tables.truncate(workers * cells);
        behind.iter_mut().for_each(|sum| *sum += self.model.strength);
        let middle = self.model.base.iter().sum::<f64>() / classes as f64;
        Rows { tables, behind, skills: self.model.skill.iter().map(|skill| middle + skill).collect() }
    }
}
