//! Votes in any order become blocks of whole tasks.

use super::{TaskBlock, TaskIds, leaf_of_key};
use crate::bytes::broken;
use crate::judgments::dictionary::Interner;
use crate::{Error, Result};

/// Votes on their way into blocks, in any order.
#[derive(Clone, Debug, Default)]
pub struct TaskGathering {
    ids: Interner,
    task: Vec<u32>,
    worker: Vec<u32>,
    label: Vec<u16>,
    codes: Vec<u32>,
}

/// Votes of a block beyond which the next one begins; a task is never cut.
pub(super) const VOTES_IN_A_BLOCK: usize = 1 << 16;

impl TaskGathering {
    /// How many votes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.task.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.task.is_empty()
    }

    /// Takes votes: of each the task's id, and the numbers of the worker and the class.
    pub(crate) fn push(&mut self, ids: &[&str], workers: &[u32], labels: &[u16]) -> Result<()> {
        self.ids.intern_all(ids, 0, &mut self.task);
        self.worker.extend_from_slice(workers);
        self.label.extend_from_slice(labels);
        self.check()
    }

    /// Takes a block with its ids. Weights are made when all votes on a task are together, so it may have none.
    pub fn push_block(&mut self, block: &TaskBlock, ids: &TaskIds) -> Result<()> {
        if ids.len() != block.tasks() || !block.weight.is_empty() {
            return Err(broken());
        }
        let texts: Vec<&str> = ids.iter().collect();
        let mut codes = std::mem::take(&mut self.codes);
        codes.clear();
        self.ids.intern_all(&texts, 0, &mut codes);
        for (code, rows) in codes.iter().zip(block.offsets.windows(2)) {
            self.task.extend(std::iter::repeat_n(*code, (rows[1] - rows[0]) as usize));
        }
        self.codes = codes;
        self.worker.extend_from_slice(&block.worker);
        self.label.extend_from_slice(&block.label);
        self.check()
    }

    fn check(&self) -> Result<()> {
        match self.task.len() >= u32::MAX as usize {
            true => Err(Error::TooMany { what: "labels in one partition", limit: u64::from(u32::MAX) }),
            false => Ok(()),
        }
    }

    /// One block, its tasks in the order of first appearance.
    #[must_use]
    pub fn into_block(self) -> (TaskBlock, TaskIds) {
        let tasks = self.ids.len();
        let mut offsets = vec![0u32; tasks + 1];
        self.task.iter().for_each(|&task| offsets[task as usize + 1] += 1);
        (0..tasks).for_each(|task| offsets[task + 1] += offsets[task]);
        let mut next = offsets.clone();
        let (mut worker, mut label) = (vec![0; self.task.len()], vec![0; self.task.len()]);
        for ((task, from), given) in self.task.into_iter().zip(self.worker).zip(self.label) {
            let at = &mut next[task as usize];
            worker[*at as usize] = from;
            label[*at as usize] = given;
            *at += 1;
        }
        (TaskBlock { offsets, worker, label, weight: Vec::new(), repeated: 0 }, TaskIds(self.ids.into_dictionary()))
    }

    /// The blocks of each leaf, in an order that neither rows nor partitions change: leaf by leaf, tasks by their keys,
    /// votes by worker. Votes of one worker on a task become one opinion if `average`. There are 2 to the power of
    /// `bits` leaves.
    #[must_use]
    pub fn into_blocks(self, bits: u32, average: bool) -> Vec<(u32, TaskBlock, TaskIds)> {
        let (mut whole, ids) = self.into_block();
        sort_votes(&mut whole);
        let keys = ids.keys();
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_unstable_by(|&a, &b| keys[a].cmp(&keys[b]).then_with(|| ids.0.get(a).cmp(ids.0.get(b))));
        let mut blocks = Vec::new();
        for leaf in order.chunk_by(|&a, &b| leaf_of_key(keys[a], bits) == leaf_of_key(keys[b], bits)) {
            let mut rest = leaf;
            while !rest.is_empty() {
                let mut votes = 0;
                let fits = rest.iter().take_while(|&&task| {
                    let before = votes;
                    votes += (whole.offsets[task + 1] - whole.offsets[task]) as usize;
                    before < VOTES_IN_A_BLOCK
                });
                let (tasks, later) = rest.split_at(fits.count());
                rest = later;
                let block = whole.of_tasks(tasks);
                let block = if average { as_opinions(&block) } else { block };
                let names = tasks.iter().map(|&task| ids.0.get(task)).collect();
                blocks.push((leaf_of_key(keys[tasks[0]], bits), block, TaskIds(names)));
            }
        }
        blocks
    }
}

/// The votes of each task by worker, then by label.
fn sort_votes(block: &mut TaskBlock) {
    let mut votes: Vec<(u32, u16)> = Vec::new();
    for rows in block.offsets.windows(2) {
        let rows = rows[0] as usize..rows[1] as usize;
        votes.clear();
        votes.extend(block.worker[rows.clone()].iter().copied().zip(block.label[rows.clone()].iter().copied()));
        votes.sort_unstable();
        for (at, (worker, label)) in rows.zip(&votes) {
            (block.worker[at], block.label[at]) = (*worker, *label);
        }
    }
}

/// The same with the votes of one worker on a task as one opinion: equal ones become one vote, and different ones share
/// a weight of one. Votes are sorted.
fn as_opinions(block: &TaskBlock) -> TaskBlock {
    let mut found = TaskBlock { offsets: vec![0], worker: vec![], label: vec![], weight: vec![], repeated: 0 };
    let mut split = false;
    for rows in block.offsets.windows(2) {
        let rows = rows[0] as usize..rows[1] as usize;
        let votes: Vec<(u32, u16)> =
            block.worker[rows.clone()].iter().copied().zip(block.label[rows].iter().copied()).collect();
        for of_worker in votes.chunk_by(|a, b| a.0 == b.0) {
            found.repeated += of_worker.len() as u64 - 1;
            for equal in of_worker.chunk_by(|a, b| a.1 == b.1) {
                found.worker.push(equal[0].0);
                found.label.push(equal[0].1);
                found.weight.push(equal.len() as f64 / of_worker.len() as f64);
                split |= equal.len() < of_worker.len();
            }
        }
        found.offsets.push(found.worker.len() as u32);
    }
    if !split {
        found.weight.clear();
    }
    found
}
