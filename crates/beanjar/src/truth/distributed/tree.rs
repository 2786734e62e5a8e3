//! Sums that do not depend on how tasks were divided.

use crate::{Error, Result};

/// Labels for each leaf, about; more leaves would be blocks of next to nothing.
const LABELS_IN_A_LEAF: u64 = 128;
/// As many partitions can work at once at most: 2 to the power of this.
const MOST_BITS: u32 = 12;

/// How many leaves tasks are divided into, as a power of two; it depends on the number of labels alone.
#[must_use]
pub fn leaf_bits(labels: u64) -> u32 {
    (labels / LABELS_IN_A_LEAF).checked_ilog2().unwrap_or(0).min(MOST_BITS)
}

/// The same by how many numbers a sum has, each of which costs as much to add for every leaf: a leaf has as many labels at least.
#[must_use]
pub fn sum_bits(labels: u64, numbers: u64) -> u32 {
    (labels / numbers.max(1)).checked_ilog2().unwrap_or(0).min(leaf_bits(labels))
}

/// Sums of leaves that come in order, added pair by pair as the tree has it, up to the branches of one level. Absent
/// leaves are zero.
pub(super) struct Tree {
    /// The level of the branches that are wanted; leaves are of level 0.
    wanted: u32,
    /// Branches that wait for what comes after them: level, place and sum. Each has all later ones in its other half.
    waiting: Vec<(u32, u32, Vec<f64>)>,
    found: Vec<(u32, Vec<f64>)>,
    last: Option<u32>,
}

impl Tree {
    pub(super) fn new(wanted: u32) -> Self {
        Tree { wanted, waiting: Vec::new(), found: Vec::new(), last: None }
    }

    pub(super) fn push(&mut self, leaf: u32, sum: Vec<f64>) -> Result<()> {
        if self.last.replace(leaf).is_some_and(|last| last >= leaf) {
            let why = "the blocks of a partition are out of order".to_owned();
            return Err(Error::Inconsistent { what: "sums of a partition", why });
        }
        while self.waiting.last().is_some_and(|(level, place, _)| place >> 1 != leaf >> (level + 1)) {
            self.raise();
        }
        self.waiting.push((0, leaf, sum));
        if self.wanted == 0 {
            self.keep();
        }
        Ok(())
    }

    /// Makes the last branch part of the one above it, with its other half if that is there.
    fn raise(&mut self) {
        let Some((level, place, mut sum)) = self.waiting.pop() else { return };
        if let Some((_, _, mut before)) = self.waiting.pop_if(|before| before.0 == level) {
            before.iter_mut().zip(sum).for_each(|(sum, more)| *sum += more);
            sum = before;
        }
        self.waiting.push((level + 1, place >> 1, sum));
        if level + 1 == self.wanted {
            self.keep();
        }
    }

    fn keep(&mut self) {
        self.found.extend(self.waiting.pop().map(|(_, place, sum)| (place, sum)));
    }

    /// The branches that are wanted, with their places.
    pub(super) fn finish(mut self) -> Vec<(u32, Vec<f64>)> {
        while !self.waiting.is_empty() {
            self.raise();
        }
        self.found
    }
}

/// The sum of the parts, each with its place among 2 to the power of `bits`. None without a part.
pub fn add_parts(mut parts: Vec<(u32, Vec<f64>)>, bits: u32) -> Result<Option<Vec<f64>>> {
    parts.sort_by_key(|part| part.0);
    let numbers = parts.first().map_or(0, |part| part.1.len());
    if parts.iter().any(|(place, sum)| sum.len() != numbers || u64::from(*place) >> bits > 0) {
        let why = "they are not of one kind".to_owned();
        return Err(Error::Inconsistent { what: "sums of partitions", why });
    }
    let mut tree = Tree::new(bits);
    for (place, sum) in parts {
        tree.push(place, sum)?;
    }
    Ok(tree.finish().pop().map(|(_, sum)| sum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::{Config, RngSeed};

    /// The sum of a branch as its definition has it.
    fn direct(leaves: &[Option<f64>]) -> Option<f64> {
        if let [leaf] = leaves {
            return *leaf;
        }
        let (left, right) = leaves.split_at(leaves.len() / 2);
        match (direct(left), direct(right)) {
            (Some(left), Some(right)) => Some(left + right),
            (left, right) => left.or(right),
        }
    }

    proptest! {
        #![proptest_config(Config { cases: 400, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::default() })]

        #[test]
        fn sums_by_branches_are_those_of_the_whole_tree(
            leaves in prop::collection::vec(prop::option::weighted(0.6, -1.0..1.0f64), 32),
            part_bits in 0..=5u32,
        ) {
            let bits = 5;
            let size = 1usize << (bits - part_bits);
            let mut parts = Vec::new();
            for (part, of_part) in leaves.chunks(size).enumerate() {
                let mut tree = Tree::new(bits - part_bits);
                for (at, leaf) in of_part.iter().enumerate() {
                    if let Some(x) = leaf {
                        tree.push((part * size + at) as u32, vec![*x]).unwrap();
                    }
                }
                let found = tree.finish();
                prop_assert_eq!(found.first().map(|part| part.1[0]), direct(of_part));
                parts.extend(found);
            }
            let whole = add_parts(parts, part_bits).unwrap();
            prop_assert_eq!(whole.map(|sum| sum[0].to_bits()), direct(&leaves).map(f64::to_bits));
            // Several parts in one partition are still different parts.
            let mut tree = Tree::new(bits - part_bits);
            for (at, leaf) in leaves.iter().enumerate() {
                if let Some(x) = leaf {
                    tree.push(at as u32, vec![*x]).unwrap();
                }
            }
            for (place, sum) in tree.finish() {
                prop_assert_eq!(Some(sum[0]), direct(&leaves[place as usize * size..(place as usize + 1) * size]));
            }
        }
    }

    #[test]
    fn leaves_follow_the_data_alone() {
        assert_eq!((leaf_bits(0), leaf_bits(5000), leaf_bits(1 << 40)), (0, 5, 12));
        assert_eq!(sum_bits(200_000_000, 2_500_000), 6);
        assert_eq!(sum_bits(1000, 1_000_000), 0);
        assert!(add_parts(vec![(0, vec![1.0]), (0, vec![2.0])], 1).is_err());
        assert!(add_parts(vec![(4, vec![1.0])], 2).is_err());
        assert_eq!(add_parts(vec![], 2).unwrap(), None);
    }
}
