//! Labels with the truth behind them.

use super::crowd_workers::WorkerKind;
use crate::{Column, Labels, Result};

/// How easily workers find the true class of a simulated task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskKind {
    /// As well as each worker can.
    Easy,
    /// Many guess.
    Hard,
    /// Many give the same wrong answer.
    Misleading {
        /// That answer.
        favourite: usize,
    },
}

impl TaskKind {
    /// The name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            TaskKind::Easy => "easy",
            TaskKind::Hard => "hard",
            TaskKind::Misleading { .. } => "misleading",
        }
    }
}

/// Labels, with the truth behind them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SimulatedLabels {
    /// The true class of each task.
    pub truth: Vec<usize>,
    /// Of each worker, the probability of each answer (column) to each true class (row) of easy tasks.
    pub confusion: Vec<Vec<Vec<f64>>>,
    /// The labels: of each task, workers and their answers.
    pub labels: Vec<Vec<(usize, usize)>>,
    /// The kind of each worker.
    pub workers: Vec<WorkerKind>,
    /// The kind of each task.
    pub tasks: Vec<TaskKind>,
    /// The parameters of the same names.
    pub(super) guessing: f64,
    pub(super) pull: f64,
    pub(super) copying: f64,
}

impl SimulatedLabels {
    /// The probability that a worker is right, over the tasks there are; none if there is no such worker.
    pub fn accuracy(&self, worker: usize) -> Option<f64> {
        match *self.workers.get(worker)? {
            WorkerKind::Copies(source) => {
                Some(self.copying * self.alone(source) + (1.0 - self.copying) * self.alone(worker))
            }
            _ => Some(self.alone(worker)),
        }
    }

    /// The probability that a worker is right who copies nobody.
    fn alone(&self, worker: usize) -> f64 {
        let confusion = &self.confusion[worker];
        let looks = self.workers[worker].looks();
        let right = self.truth.iter().zip(&self.tasks).map(|(&class, kind)| {
            let own = confusion[class][class];
            match kind {
                TaskKind::Hard if looks => self.guessing / confusion.len() as f64 + (1.0 - self.guessing) * own,
                TaskKind::Misleading { .. } if looks => (1.0 - self.pull) * own,
                _ => own,
            }
        });
        right.sum::<f64>() / self.truth.len() as f64
    }

    /// The labels, row by row: task (`t1`, ...), worker (`w1`, ...) and label (`c1`, ...).
    pub fn rows(&self) -> impl Iterator<Item = (String, String, String)> + '_ {
        let row = |task: usize, worker: usize, label: usize| (id('t', task), id('w', worker), id('c', label));
        self.labels
            .iter()
            .enumerate()
            .flat_map(move |(task, votes)| votes.iter().map(move |&(worker, label)| row(task, worker, label)))
    }

    /// The labels as a table.
    pub fn to_labels(&self) -> Result<Labels> {
        let rows: Vec<_> = self.rows().collect();
        Labels::from_rows(rows.iter().map(|(task, worker, label)| (&task[..], &worker[..], &label[..])))
    }

    /// The true class of each task.
    pub fn truth(&self) -> Result<Column> {
        let tasks = (0..self.truth.len()).map(|task| id('t', task)).collect();
        Column::new("label", tasks, self.truth.iter().map(|&class| id('c', class)).collect())
    }

    /// Each worker: id, the probability that they are right, and what they do: the name of their kind, and whom they copy.
    pub fn workers(&self) -> impl Iterator<Item = (String, f64, String)> + '_ {
        let what = |kind: &WorkerKind| match kind {
            WorkerKind::Copies(source) => format!("copies {}", id('w', *source)),
            kind => kind.name().to_owned(),
        };
        let kinds = self.workers.iter().enumerate();
        kinds.filter_map(move |(worker, kind)| Some((id('w', worker), self.accuracy(worker)?, what(kind))))
    }

    /// Each task: id, kind, and the favourite wrong answer where there is one.
    pub fn tasks(&self) -> impl Iterator<Item = (String, &'static str, Option<String>)> + '_ {
        self.tasks.iter().enumerate().map(|(task, kind)| {
            let favourite = match kind {
                TaskKind::Misleading { favourite } => Some(id('c', *favourite)),
                _ => None,
            };
            (id('t', task), kind.name(), favourite)
        })
    }
}

/// The name of the thing of this number: `t1` is task 0.
pub(super) fn id(letter: char, number: usize) -> String {
    format!("{letter}{}", number + 1)
}
