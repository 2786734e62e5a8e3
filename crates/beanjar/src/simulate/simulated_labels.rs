//! Labels with the truth behind them.

use super::crowd_workers::WorkerKind;
use crate::{Column, Labels, Result};

/// How easily workers find the true class of a simulated task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    fn number(self) -> usize {
        match self {
            TaskKind::Easy => 0,
            TaskKind::Hard => 1,
            TaskKind::Misleading { .. } => 2,
        }
    }

    /// The name of the kind.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            TaskKind::Easy => "easy",
            TaskKind::Hard => "hard",
            TaskKind::Misleading { .. } => "misleading",
        }
    }
}

/// How many tasks there are of each class that are easy, hard and misleading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskCounts(Vec<[u64; 3]>);

impl TaskCounts {
    /// Adds the tasks of another part.
    pub fn add(&mut self, part: &TaskCounts) {
        self.0.resize(self.0.len().max(part.0.len()), [0; 3]);
        self.0.as_flattened_mut().iter_mut().zip(part.0.as_flattened()).for_each(|(sum, more)| *sum += more);
    }

    fn all(&self) -> u64 {
        self.0.as_flattened().iter().sum()
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
    /// The number of the first task, where only some were drawn.
    pub(super) first: usize,
    /// The parameters of the same names.
    pub(super) guessing: f64,
    pub(super) pull: f64,
    pub(super) copying: f64,
}

impl SimulatedLabels {
    /// The probability that a worker is right, over the tasks there are; none if there is no such worker.
    #[must_use]
    pub fn accuracy(&self, worker: usize) -> Option<f64> {
        self.accuracy_over(worker, &self.task_counts())
    }

    /// How many tasks there are of each class and kind.
    pub fn task_counts(&self) -> TaskCounts {
        let mut counts = TaskCounts(vec![[0; 3]; self.confusion.first().map_or(0, Vec::len)]);
        for (&class, kind) in self.truth.iter().zip(&self.tasks) {
            counts.0[class][kind.number()] += 1;
        }
        counts
    }

    fn accuracy_over(&self, worker: usize, tasks: &TaskCounts) -> Option<f64> {
        match *self.workers.get(worker)? {
            WorkerKind::Copies(source) => {
                Some(self.copying * self.alone(source, tasks) + (1.0 - self.copying) * self.alone(worker, tasks))
            }
            _ => Some(self.alone(worker, tasks)),
        }
    }

    /// The probability that a worker is right who copies nobody.
    fn alone(&self, worker: usize, tasks: &TaskCounts) -> f64 {
        let confusion = &self.confusion[worker];
        let looks = self.workers[worker].looks();
        let right = confusion.iter().enumerate().zip(&tasks.0).map(|((class, row), [easy, hard, misleading])| {
            let own = row[class];
            let (guessed, misled) = match looks {
                true => (self.guessing / row.len() as f64 + (1.0 - self.guessing) * own, (1.0 - self.pull) * own),
                false => (own, own),
            };
            *easy as f64 * own + *hard as f64 * guessed + *misleading as f64 * misled
        });
        right.sum::<f64>() / tasks.all() as f64
    }

    /// The labels, row by row: task (`t1`, ...), worker (`w1`, ...) and label (`c1`, ...).
    pub fn rows(&self) -> impl Iterator<Item = (String, String, String)> + '_ {
        let row = |task, worker, label| (id('t', self.first + task), id('w', worker), id('c', label));
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
        let tasks = (0..self.truth.len()).map(|task| id('t', self.first + task)).collect();
        Column::new("label", tasks, self.truth.iter().map(|&class| id('c', class)).collect())
    }

    /// Each worker: id, the probability that they are right, and what they do: the name of their kind, and whom they copy.
    pub fn workers(&self) -> impl Iterator<Item = (String, f64, String)> + '_ {
        self.workers_over(self.task_counts())
    }

    /// The same, over these tasks: those of all parts that were drawn.
    pub fn workers_over(&self, tasks: TaskCounts) -> impl Iterator<Item = (String, f64, String)> + '_ {
        let what = |kind: &WorkerKind| match kind {
            WorkerKind::Copies(source) => format!("copies {}", id('w', *source)),
            kind => kind.name().to_owned(),
        };
        let kinds = self.workers.iter().enumerate();
        kinds.filter_map(move |(worker, kind)| Some((id('w', worker), self.accuracy_over(worker, &tasks)?, what(kind))))
    }

    /// Each task: id, kind, and the favourite wrong answer where there is one.
    pub fn tasks(&self) -> impl Iterator<Item = (String, &'static str, Option<String>)> + '_ {
        self.tasks.iter().enumerate().map(|(task, kind)| {
            let favourite = match kind {
                TaskKind::Misleading { favourite } => Some(id('c', *favourite)),
                _ => None,
            };
            (id('t', self.first + task), kind.name(), favourite)
        })
    }
}

/// The name of the thing of this number: `t1` is task 0.
pub(super) fn id(letter: char, number: usize) -> String {
    format!("{letter}{}", number + 1)
}
