//! Tasks with the same votes are alike: count them once.

use crate::Result;
use crate::bytes::{Reader, Writer, broken};
use crate::judgments::{Labels, Sum, TaskBlock, Votes};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// The different ways in which the votes on a task fall, and how many tasks have each.
///
/// A million tasks with ten votes on five classes have at most 1001 ways, so that what follows (alpha, and a
/// thousand bootstrap copies of it) does not depend on the number of tasks. In order of first appearance.
#[derive(Clone, Debug)]
pub struct Patterns {
    classes: Vec<u16>,
    counts: Vec<u32>,
    ends: Vec<usize>,
    tasks: Vec<u64>,
    index: HashTable<u32>,
    scratch: Vec<u32>,
    touched: Vec<u16>,
    touched_counts: Vec<u32>,
}

impl Patterns {
    /// Of no task yet, with the number of classes.
    #[must_use]
    pub fn new(classes: usize) -> Self {
        Patterns {
            classes: Vec::new(),
            counts: Vec::new(),
            ends: Vec::new(),
            tasks: Vec::new(),
            index: HashTable::new(),
            scratch: vec![0; classes],
            touched: Vec::new(),
            touched_counts: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many tasks have each pattern.
    pub(super) fn tasks(&self) -> &[u64] {
        &self.tasks
    }

    /// The classes voted for in a pattern, rising, and the votes for each.
    pub(super) fn votes(&self, pattern: usize) -> impl Iterator<Item = (usize, f64)> + Clone {
        let rows = self.rows(pattern);
        self.classes[rows.clone()]
            .iter()
            .zip(&self.counts[rows])
            .map(|(&class, &count)| (usize::from(class), f64::from(count)))
    }

    /// How many votes a pattern has.
    pub(super) fn size(&self, pattern: usize) -> u64 {
        self.counts[self.rows(pattern)].iter().map(|&count| u64::from(count)).sum()
    }

    /// The patterns in an order that does not depend on that of the tasks.
    pub(super) fn sorted(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_unstable_by_key(|&pattern| (&self.classes[self.rows(pattern)], &self.counts[self.rows(pattern)]));
        order
    }

    fn rows(&self, pattern: usize) -> std::ops::Range<usize> {
        let start = if pattern == 0 { 0 } else { self.ends[pattern - 1] };
        start..self.ends[pattern]
    }

    fn add(&mut self, classes: &[u16], counts: &[u32], tasks: u64) {
        let hasher = FixedState::with_seed(0);
        let hash = hasher.hash_one((classes, counts));
        let same = |&at: &u32| {
            let rows = self.rows(at as usize);
            self.classes[rows.clone()] == *classes && self.counts[rows] == *counts
        };
        if let Some(&at) = self.index.find(hash, same) {
            self.tasks[at as usize] += tasks;
            return;
        }
        let at = self.len() as u32;
        self.classes.extend_from_slice(classes);
        self.counts.extend_from_slice(counts);
        self.ends.push(self.classes.len());
        self.tasks.push(tasks);
        let Patterns { classes, counts, ends, index, .. } = self;
        index.insert_unique(hash, at, |&at| {
            let at = at as usize;
            let rows = if at == 0 { 0 } else { ends[at - 1] }..ends[at];
            hasher.hash_one((&classes[rows.clone()], &counts[rows]))
        });
    }
}

impl Patterns {
    /// Counts the tasks of a block.
    pub fn observe_block(&mut self, block: TaskBlock, workers: usize) -> Result<()> {
        let ballots = block.into_ballots(workers, self.scratch.len())?;
        (0..ballots.tasks()).for_each(|task| self.count(ballots.votes(task)));
        Ok(())
    }

    /// As bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Writer::default();
        bytes.number(self.scratch.len() as u64);
        bytes.number(self.len() as u64);
        for (pattern, tasks) in self.tasks.iter().enumerate() {
            let rows = self.rows(pattern);
            bytes.shorts(&self.classes[rows.clone()]);
            bytes.integers(&self.counts[rows]);
            bytes.number(*tasks);
        }
        bytes.finish()
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut bytes = Reader(bytes);
        let mut patterns = Patterns::new(bytes.count()?);
        for _ in 0..bytes.number()? {
            let (classes, counts, tasks) = (bytes.shorts()?, bytes.integers()?, bytes.number()?);
            let known = classes.is_sorted_by(|a, b| a < b)
                && classes.last().is_none_or(|last| usize::from(*last) < patterns.scratch.len());
            if !known || classes.len() != counts.len() {
                return Err(broken());
            }
            patterns.add(&classes, &counts, tasks);
        }
        Ok(patterns)
    }

    /// All of these together, in an order that depends on the patterns alone.
    pub(super) fn united(parts: &[Patterns], classes: usize) -> Self {
        let mut all = Patterns::new(classes);
        parts.iter().for_each(|part| all.add_all(part, 0..part.len()));
        let mut sorted = Patterns::new(classes);
        sorted.add_all(&all, all.sorted());
        sorted
    }

    fn add_all(&mut self, other: &Patterns, patterns: impl IntoIterator<Item = usize>) {
        for pattern in patterns {
            let rows = other.rows(pattern);
            self.add(&other.classes[rows.clone()], &other.counts[rows], other.tasks[pattern]);
        }
    }

    /// Counts one task.
    fn count(&mut self, votes: Votes<'_>) {
        let mut touched = std::mem::take(&mut self.touched);
        touched.clear();
        for &label in votes.labels {
            let count = &mut self.scratch[usize::from(label)];
            if *count == 0 {
                touched.push(label);
            }
            *count += 1;
        }
        touched.sort_unstable();
        let mut counts = std::mem::take(&mut self.touched_counts);
        counts.clear();
        counts.extend(touched.iter().map(|&class| std::mem::take(&mut self.scratch[usize::from(class)])));
        self.add(&touched, &counts, 1);
        (self.touched, self.touched_counts) = (touched, counts);
    }
}

impl Sum<Labels> for Patterns {
    fn observe(&mut self, votes: Votes<'_>) {
        self.count(votes);
    }

    fn merge(&mut self, later: Self) {
        self.add_all(&later, 0..later.len());
    }
}
