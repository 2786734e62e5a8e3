//! Whole tasks on their way between processes: their ids and their votes.

use super::ballots::Ballots;
use super::dictionary::{Dictionary, Interner};
use super::folds::sample_key;
use crate::bytes::{Reader, Writer, broken};
use crate::random::key_of_text;
use crate::{Error, Result};
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
    pub fn tasks(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many votes there are.
    pub fn votes(&self) -> usize {
        self.worker.len()
    }

    /// How many votes were repeats of others, before they became one opinion.
    pub fn repeated(&self) -> u64 {
        self.repeated
    }

    /// As bytes.
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

    /// The votes for a method, of so many workers and classes.
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
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter()
    }

    pub(crate) fn keys(&self) -> Vec<u64> {
        self.0.iter().map(key_of_task).collect()
    }

    /// As bytes.
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
const VOTES_IN_A_BLOCK: usize = 1 << 16;

impl TaskGathering {
    /// How many votes there are.
    pub fn len(&self) -> usize {
        self.task.len()
    }

    /// Whether there is none.
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

/// Rows on their way to partitions: texts become numbers, and whole parts of the tasks travel together.
#[derive(Debug)]
pub struct TaskPlacer {
    workers: Interner,
    labels: Interner,
    class: Vec<u16>,
    bits: u32,
    parts: Vec<TaskGathering>,
    rows: usize,
}

impl TaskPlacer {
    /// Of these workers, each once, and these labels with the numbers of their classes, for 2 to the power of `bits` parts.
    pub fn new<'a>(
        workers: impl IntoIterator<Item = &'a str>,
        labels: impl IntoIterator<Item = (&'a str, u16)>,
        bits: u32,
    ) -> Self {
        let intern = |texts: Vec<&str>| {
            let mut interner = Interner::default();
            interner.intern_all(&texts, 0, &mut Vec::new());
            interner
        };
        let (labels, class): (Vec<&str>, Vec<u16>) = labels.into_iter().unzip();
        let (workers, labels) = (intern(workers.into_iter().collect()), intern(labels));
        TaskPlacer { workers, labels, class, bits, parts: vec![TaskGathering::default(); 1 << bits], rows: 0 }
    }

    /// How many rows are waiting.
    pub fn waiting(&self) -> usize {
        self.rows
    }

    /// Takes rows of task, worker and label. A worker or class that is not among those given is an error.
    pub fn push(&mut self, rows: &[(&str, &str, &str)]) -> Result<()> {
        let known = |interner: &Interner, text: &str, what: &'static str| {
            let why = || format!("'{text}' was not there when the rows were first read; cache the table and try again");
            interner.code(text).ok_or_else(|| Error::Inconsistent { what, why: why() })
        };
        let mut of_part: Vec<(Vec<&str>, Vec<u32>, Vec<u16>)> = vec![Default::default(); self.parts.len()];
        for (task, worker, label) in rows {
            let (ids, workers, labels) = &mut of_part[leaf_of_key(key_of_task(task), self.bits) as usize];
            ids.push(task);
            workers.push(known(&self.workers, worker, "workers")?);
            labels.push(self.class[known(&self.labels, label, "labels")? as usize]);
        }
        for (part, (ids, workers, labels)) in self.parts.iter_mut().zip(&of_part) {
            part.push(ids, workers, labels)?;
        }
        self.rows += rows.len();
        Ok(())
    }

    /// What is waiting, part by part.
    pub fn drain(&mut self) -> Vec<(u32, TaskBlock, TaskIds)> {
        self.rows = 0;
        let parts = self.parts.iter_mut().map(std::mem::take).enumerate();
        let block = |(part, gathering): (usize, TaskGathering)| {
            let (block, ids) = gathering.into_block();
            (part as u32, block, ids)
        };
        parts.filter(|(_, gathering)| !gathering.is_empty()).map(block).collect()
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
mod tests {
    use super::super::repeats::averaged;
    use super::*;

    fn rows(n: usize) -> Vec<(String, String, String)> {
        (0..n)
            .map(|i| (format!("task {}", i * 7919 % (n / 4 + 1)), format!("w{}", i % 7), format!("{}", i * i % 3)))
            .collect()
    }

    /// The rows through so many placers and partitions; what comes out in the order of leaves.
    fn through(rows: &[(String, String, String)], cut: usize, part_bits: u32) -> Vec<(u32, Vec<u8>, Vec<u8>)> {
        let workers: Vec<String> = (0..7).map(|i| format!("w{i}")).collect();
        let mut parts: Vec<TaskGathering> = vec![TaskGathering::default(); 1 << part_bits];
        for piece in rows.chunks(cut) {
            let mut placer =
                TaskPlacer::new(workers.iter().map(String::as_str), [("0", 0), ("1", 1), ("2", 2)], part_bits);
            let piece: Vec<_> = piece.iter().map(|(t, w, l)| (t.as_str(), w.as_str(), l.as_str())).collect();
            placer.push(&piece).unwrap();
            for (part, block, ids) in placer.drain() {
                let block = TaskBlock::from_bytes(&block.to_bytes()).unwrap();
                parts[part as usize].push_block(&block, &TaskIds::from_bytes(&ids.to_bytes()).unwrap()).unwrap();
            }
        }
        let bytes = |(leaf, block, ids): (u32, TaskBlock, TaskIds)| (leaf, block.to_bytes(), ids.to_bytes());
        parts.into_iter().flat_map(|part| part.into_blocks(5, true)).map(bytes).collect()
    }

    #[test]
    fn neither_the_order_of_rows_nor_the_number_of_partitions_changes_a_byte() {
        let rows = rows(3000);
        let turned: Vec<_> = rows.iter().rev().cloned().collect();
        let first = through(&rows, 3000, 0);
        assert!(first.is_sorted_by_key(|block| block.0) && first.len() == 32);
        assert!(first == through(&turned, 17, 5) && first == through(&rows, 251, 3));
    }

    #[test]
    fn blocks_hold_the_votes_of_the_rows() {
        let rows = rows(400);
        let labels = crate::Labels::from_rows(rows.iter().map(|(t, w, l)| (&t[..], &w[..], &l[..]))).unwrap();
        let direct = averaged(labels.ballots()).unwrap_or_else(|| labels.ballots().clone());
        let mut repeated = 0;
        for (leaf, block, ids) in through(&rows, 100, 2) {
            let (block, ids) = (TaskBlock::from_bytes(&block).unwrap(), TaskIds::from_bytes(&ids).unwrap());
            repeated += block.repeated();
            let ballots = block.into_ballots(7, 3).unwrap();
            for (task, id) in ids.iter().enumerate() {
                assert_eq!(leaf_of_key(key_of_task(id), 5), leaf);
                let number = labels.tasks.lookup().code(id).unwrap();
                let worker = |w: usize| labels.workers.get(w)[1..].parse::<usize>().unwrap();
                let mut here: Vec<_> = ballots.votes(task).weighted().collect();
                let mut there: Vec<_> =
                    direct.votes(number).weighted().map(|(w, l, weight)| (worker(w), l, weight)).collect();
                here.sort_by(|a, b| a.partial_cmp(b).unwrap());
                there.sort_by(|a, b| a.partial_cmp(b).unwrap());
                assert_eq!(here, there, "{id}");
            }
        }
        assert_eq!(repeated, labels.repeated(&crate::Context::new()) as u64);
    }

    #[test]
    fn what_is_no_block_is_refused() {
        let mut gathering = TaskGathering::default();
        gathering.push(&["a", "b", "a"], &[0, 1, 2], &[0, 0, 1]).unwrap();
        let (block, ids) = gathering.into_block();
        assert!(block.clone().into_ballots(2, 2).is_err() && block.clone().into_ballots(3, 1).is_err());
        let bytes = block.to_bytes();
        for end in 0..bytes.len() {
            assert!(TaskBlock::from_bytes(&bytes[..end]).is_err());
        }
        assert!(TaskIds::from_bytes(&ids.to_bytes()[..9]).is_err());
        let mut placer = TaskPlacer::new(["w"], [("x", 0)], 0);
        assert!(placer.push(&[("t", "w", "y")]).is_err() && placer.push(&[("t", "v", "x")]).is_err());
    }

    #[test]
    fn a_task_with_very_many_votes_is_one_block() {
        let votes = 3 * VOTES_IN_A_BLOCK;
        let mut gathering = TaskGathering::default();
        let workers: Vec<u32> = (0..votes as u32).collect();
        gathering.push(&vec!["one"; votes], &workers, &vec![0; votes]).unwrap();
        gathering.push(&["two"], &[0], &[0]).unwrap();
        let blocks = gathering.into_blocks(0, true);
        assert_eq!(blocks.iter().map(|(_, block, _)| block.votes()).sum::<usize>(), votes + 1);
        assert!(blocks.len() <= 2);
    }
}
