//! Tasks with the same votes are alike: count them once.

use crate::judgments::{Labels, Sum, Votes};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// The different ways in which the votes on a task fall, and how many tasks have each.
///
/// A million tasks with ten votes on five classes have at most 1001 ways, so that what follows (alpha, and a
/// thousand bootstrap copies of it) does not depend on the number of tasks. In order of first appearance.
pub(super) struct Patterns {
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
    pub(super) fn new(classes: usize) -> Self {
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

impl Sum<Labels> for Patterns {
    fn observe(&mut self, votes: Votes<'_>) {
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

    fn merge(&mut self, later: Self) {
        for pattern in 0..later.len() {
            let rows = later.rows(pattern);
            self.add(&later.classes[rows.clone()], &later.counts[rows], later.tasks[pattern]);
        }
    }
}
