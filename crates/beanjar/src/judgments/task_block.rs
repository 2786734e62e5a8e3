//! Whole tasks on their way between processes: their ids and their votes.

mod gathering;
mod placer;

pub use gathering::TaskGathering;
pub use placer::TaskPlacer;

use super::ballots::Ballots;
use super::dictionary::Dictionary;
use super::folds::sample_key;
use crate::Result;
use crate::bytes::{Reader, Writer, broken};
use crate::random::key_of_text;
use std::sync::Arc;

/// The votes on some whole tasks, with numbers for workers and classes.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskBlock {
    offsets: Vec<u32>,
    worker: Vec<u32>,
    label: Vec<u16>,
    /// What each vote counts; empty where each counts as one.
    weight: Vec<f64>,
    /// How many votes were repeats of others, before they became one opinion.
    repeated: u64,
}

/// The ids of the tasks of a block, in the same order.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskIds(Dictionary);

/// The key by which a task finds its place: the same in every process.
pub(crate) fn key_of_task(id: &str) -> u64 {
    key_of_text(0, id)
}

/// The leaf of a key where there are 2 to the power of `bits` leaves.
pub(crate) fn leaf_of_key(key: u64, bits: u32) -> u32 {
    key.checked_shr(64 - bits).unwrap_or(0) as u32
}

impl TaskBlock {
    /// How many tasks there are.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many votes there are.
    #[must_use]
    pub fn votes(&self) -> usize {
        self.worker.len()
    }

    /// How many votes were repeats of others, before they became one opinion.
    #[must_use]
    pub fn repeated(&self) -> u64 {
        self.repeated
    }

    /// As bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Writer::default();
        bytes.integers(&self.offsets);
        bytes.integers(&self.worker);
        bytes.shorts(&self.label);
        bytes.floats(&self.weight);
        bytes.number(self.repeated);
        bytes.finish()
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader(bytes);
        let (offsets, worker) = (reader.integers()?, reader.integers()?);
        let block = TaskBlock {
            offsets,
            worker,
            label: reader.shorts()?,
            weight: reader.floats()?,
            repeated: reader.number()?,
        };
        let votes = block.worker.len();
        let whole = block.offsets.first() == Some(&0)
            && block.offsets.last().map(|last| *last as usize) == Some(votes)
            && block.offsets.is_sorted()
            && block.label.len() == votes
            && (block.weight.is_empty() || block.weight.len() == votes);
        if whole { Ok(block) } else { Err(broken()) }
    }

    /// The votes for a method, with the numbers of workers and classes.
    pub(crate) fn into_ballots(self, workers: usize, classes: usize) -> Result<Ballots> {
        let known = self.worker.iter().all(|worker| (*worker as usize) < workers)
            && self.label.iter().all(|label| usize::from(*label) < classes);
        if !known {
            return Err(broken());
        }
        let offsets = self.offsets.into_iter().map(|offset| offset as usize).collect();
        Ok(Ballots::new(offsets, self.worker, self.label, workers, classes).with_weights(self.weight))
    }

    /// The votes on some of the tasks.
    fn of_tasks(&self, tasks: &[usize]) -> TaskBlock {
        let mut some = TaskBlock { offsets: vec![0], worker: vec![], label: vec![], weight: vec![], repeated: 0 };
        for &task in tasks {
            let rows = self.offsets[task] as usize..self.offsets[task + 1] as usize;
            some.worker.extend_from_slice(&self.worker[rows.clone()]);
            some.label.extend_from_slice(&self.label[rows.clone()]);
            some.weight.extend_from_slice(self.weight.get(rows).unwrap_or_default());
            some.offsets.push(some.worker.len() as u32);
        }
        some
    }
}

impl TaskIds {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The ids.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter()
    }

    pub(crate) fn keys(&self) -> Vec<u64> {
        self.0.iter().map(key_of_task).collect()
    }

    /// As bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Writer::default();
        let lengths: Vec<u32> = self.0.iter().map(|id| id.len() as u32).collect();
        bytes.integers(&lengths);
        bytes.text(&self.0.iter().collect::<String>());
        bytes.finish()
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader(bytes);
        let (lengths, mut text) = (reader.integers()?, reader.text()?);
        let mut ids = Dictionary::default();
        for length in lengths {
            let (id, rest) = text.split_at_checked(length as usize).ok_or_else(broken)?;
            ids.push(id);
            text = rest;
        }
        Ok(TaskIds(ids))
    }
}

/// Whole tasks drawn by a seed and their ids: the first in the order in which one machine would draw them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskSample {
    /// Tasks are drawn by this.
    pub seed: u64,
    /// The largest key of a task that is drawn.
    pub bound: u64,
    /// The most votes that a task may have.
    pub votes: u64,
}

impl TaskSample {
    /// Of this share of the tasks, all if it is one or more.
    pub(crate) fn of_share(share: f64, votes: u64, seed: u64) -> Self {
        let bound = if share >= 1.0 { u64::MAX } else { (share * u64::MAX as f64) as u64 };
        TaskSample { seed, bound, votes }
    }

    /// The tasks of a block that are drawn.
    pub fn of(&self, block: &TaskBlock, ids: &TaskIds) -> Result<(TaskBlock, TaskIds)> {
        if ids.len() != block.tasks() {
            return Err(broken());
        }
        let votes = |task: usize| u64::from(block.offsets[task + 1] - block.offsets[task]);
        let drawn: Vec<usize> = (ids.keys().into_iter().enumerate())
            .filter(|&(task, key)| sample_key(self.seed, key) <= self.bound && votes(task) <= self.votes)
            .map(|(task, _)| task)
            .collect();
        Ok((block.of_tasks(&drawn), TaskIds(drawn.iter().map(|&task| ids.0.get(task)).collect())))
    }
}

/// The votes of several blocks as one, with the keys of tasks and workers. Tasks come in the order of their keys.
pub(crate) fn united(blocks: &[(TaskBlock, TaskIds)], worker_keys: Arc<[u64]>, classes: usize) -> Result<Ballots> {
    let mut places: Vec<(u64, &str, usize, usize)> = Vec::new();
    for (number, (block, ids)) in blocks.iter().enumerate() {
        if ids.len() != block.tasks() {
            return Err(broken());
        }
        places.extend(ids.iter().enumerate().map(|(task, id)| (key_of_task(id), id, number, task)));
    }
    places.sort_unstable();
    let weighted = blocks.iter().any(|(block, _)| !block.weight.is_empty());
    let mut all = TaskBlock { offsets: vec![0], worker: vec![], label: vec![], weight: vec![], repeated: 0 };
    for &(_, _, number, task) in &places {
        let one = blocks[number].0.of_tasks(&[task]);
        if weighted {
            all.weight.extend(if one.weight.is_empty() { vec![1.0; one.votes()] } else { one.weight });
        }
        all.worker.extend(one.worker);
        all.label.extend(one.label);
        all.offsets.push(all.worker.len() as u32);
    }
    let keys = places.iter().map(|place| place.0).collect();
    Ok(all.into_ballots(worker_keys.len(), classes)?.with_keys(keys, worker_keys))
}

#[cfg(test)]
mod tests;
