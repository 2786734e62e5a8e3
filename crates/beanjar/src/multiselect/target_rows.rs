//! For each attribute, a number for each target.

use std::ops::{Index, IndexMut};

/// For each attribute a row with one number for each target: covariances, or weights.
///
/// A label that is a number, or has two classes, is one target; one of more classes has a target for each class.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetRows {
    targets: usize,
    values: Vec<f64>,
}

impl TargetRows {
    pub(super) fn zeros(attributes: usize, targets: usize) -> Self {
        TargetRows { targets, values: vec![0.0; attributes * targets] }
    }

    /// These numbers, row by row.
    pub(super) fn of(targets: usize, values: Vec<f64>) -> Self {
        TargetRows { targets, values }
    }

    /// How many attributes there are.
    pub(super) fn len(&self) -> usize {
        self.values.len() / self.targets.max(1)
    }

    /// How many targets there are.
    #[must_use]
    pub fn targets(&self) -> usize {
        self.targets
    }

    /// All numbers, row by row.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    pub(super) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    pub(super) fn rows_mut(&mut self) -> impl Iterator<Item = &mut [f64]> {
        self.values.chunks_exact_mut(self.targets.max(1))
    }

    /// Adds to each attribute's row this row, times its count for the attribute.
    pub(super) fn add_product(&mut self, times: &[f64], row: &[f64]) {
        if let [once] = row {
            self.values.iter_mut().zip(times).for_each(|(sum, times)| *sum += times * once);
            return;
        }
        for (sums, times) in self.rows_mut().zip(times) {
            sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += times * value);
        }
    }

    /// The sum of the squares of an attribute's row.
    pub(super) fn square(&self, attribute: usize) -> f64 {
        self[attribute].iter().map(|x| x * x).sum()
    }
}

/// One target.
impl From<Vec<f64>> for TargetRows {
    fn from(values: Vec<f64>) -> Self {
        TargetRows { targets: 1, values }
    }
}

impl Index<usize> for TargetRows {
    type Output = [f64];

    fn index(&self, attribute: usize) -> &[f64] {
        &self.values[attribute * self.targets..(attribute + 1) * self.targets]
    }
}

impl IndexMut<usize> for TargetRows {
    fn index_mut(&mut self, attribute: usize) -> &mut [f64] {
        &mut self.values[attribute * self.targets..(attribute + 1) * self.targets]
    }
}
