//! The methods of crowd-kit, with its numbers: its starts, its rules to stop, and its defects.
//!
//! Votes come as numbers of tasks, workers and labels, numbered by first appearance or in sorted order as crowd-kit has
//! them. What beanjar's own methods do better is in the library; here are only the parts that differ.

pub(crate) mod codes;
pub(crate) mod dawid_skene;
mod digamma;
pub(crate) mod glad;
pub(crate) mod mace;
pub(crate) mod mmsr;

use crate::numbers::view;
use crate::watch::BeanjarError;
use beanjar::judgments::Ballots;
use pyo3::prelude::*;

/// As many as the machine has; no result depends on them.
fn threads() -> std::num::NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(std::num::NonZeroUsize::MIN)
}

/// Votes in the order of their tasks; within a task in the order of the rows.
struct Votes {
    /// Where each task's votes begin, and after the last where they end.
    starts: Vec<usize>,
    worker: Vec<u32>,
    label: Vec<u32>,
    workers: usize,
    labels: usize,
}

/// Rows as arrays of 32-bit numbers of tasks, workers and labels, and how many of each there are.
type Rows<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, usize, usize, usize);

impl Votes {
    fn of((task, worker, label, tasks, workers, labels): &Rows<'_>) -> PyResult<Votes> {
        let (task, worker, label): (&[i32], &[i32], &[i32]) = (view(task)?, view(worker)?, view(label)?);
        // As numbers without a sign, negative ones are beyond any.
        let below = |codes: &[i32], most: usize| codes.iter().fold(0, |top, &code| top.max(code as u32)) < most as u32;
        let rows = task.len();
        let coded = rows == 0 || below(task, *tasks) && below(worker, *workers) && below(label, *labels);
        if (worker.len(), label.len()) != (rows, rows) || !coded {
            return Err(BeanjarError::new_err("these are not the numbers of tasks, workers and labels"));
        }
        let mut starts = vec![0; tasks + 1];
        task.iter().for_each(|&task| starts[task as usize + 1] += 1);
        (0..*tasks).for_each(|at| starts[at + 1] += starts[at]);
        let mut next = starts.clone();
        let mut votes =
            Votes { starts, worker: vec![0; rows], label: vec![0; rows], workers: *workers, labels: *labels };
        for ((&task, &worker), &label) in task.iter().zip(worker).zip(label) {
            let at = &mut next[task as usize];
            votes.worker[*at] = worker as u32;
            votes.label[*at] = label as u32;
            *at += 1;
        }
        Ok(votes)
    }

    fn tasks(&self) -> usize {
        self.starts.len() - 1
    }

    /// Who gave which label to a task.
    fn of_task(&self, task: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let rows = self.starts[task]..self.starts[task + 1];
        self.worker[rows.clone()]
            .iter()
            .zip(&self.label[rows])
            .map(|(&worker, &label)| (worker as usize, label as usize))
    }

    /// The same for the library.
    fn ballots(&self) -> PyResult<Ballots> {
        let tasks: Vec<Vec<(usize, usize)>> = (0..self.tasks()).map(|task| self.of_task(task).collect()).collect();
        Ballots::from_tasks(&tasks, self.workers, self.labels).map_err(|error| BeanjarError::new_err(error.to_string()))
    }
}
