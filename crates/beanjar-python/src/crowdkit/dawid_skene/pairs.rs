//! Votes as pairs of worker and label, of which there are far fewer than votes.

use super::super::{Rows, Votes};
use crate::numbers::view;
use beanjar::judgments::Grouped;
use pyo3::prelude::*;

/// The pairs of worker and label that occur, in order of first appearance, and of each vote its pair.
pub(super) struct Pairs {
    pub(super) worker: Vec<i32>,
    pub(super) label: Vec<i32>,
    /// How many votes are of this pair.
    pub(super) count: Vec<u32>,
    pub(super) workers: usize,
    pub(super) labels: usize,
    /// Where each task's votes begin, and after the last where they end.
    starts: Vec<usize>,
    /// Of each vote its pair, task by task.
    of_vote: Vec<u32>,
}

impl Pairs {
    pub(super) fn of(rows: &Rows<'_>, votes: Votes) -> PyResult<Pairs> {
        let (_, worker, label, _, workers, labels) = rows;
        let (worker, label): (&[i32], &[i32]) = (view(worker)?, view(label)?);
        let mut number = vec![u32::MAX; workers * labels];
        let Votes { starts, worker: of_worker, label: of_label, workers, labels } = votes;
        let mut pairs = Pairs {
            worker: Vec::new(),
            label: Vec::new(),
            count: Vec::new(),
            workers,
            labels,
            starts,
            of_vote: of_worker,
        };
        for (&worker, &label) in worker.iter().zip(label) {
            let number = &mut number[worker as usize * labels + label as usize];
            if *number == u32::MAX {
                *number = pairs.worker.len() as u32;
                pairs.worker.push(worker);
                pairs.label.push(label);
                pairs.count.push(0);
            }
            pairs.count[*number as usize] += 1;
        }
        for (worker, label) in pairs.of_vote.iter_mut().zip(of_label) {
            *worker = number[*worker as usize * labels + label as usize];
        }
        Ok(pairs)
    }

    pub(super) fn tasks(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many votes there are.
    pub(super) fn len(&self) -> usize {
        self.of_vote.len()
    }

    /// How many numbers a table by pair and class has.
    pub(super) fn cells(&self) -> usize {
        self.worker.len() * self.labels
    }

    /// The pairs of a task's votes.
    pub(super) fn of_task(&self, task: usize) -> &[u32] {
        &self.of_vote[self.starts[task]..self.starts[task + 1]]
    }
}

impl Grouped for Pairs {
    type Object<'a> = usize;

    fn objects(&self) -> usize {
        self.tasks()
    }

    fn rows(&self) -> usize {
        self.len()
    }

    fn object(&self, task: usize) -> usize {
        task
    }
}
