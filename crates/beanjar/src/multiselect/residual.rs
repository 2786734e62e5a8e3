//! What is left to explain after some judgments: a Gaussian conditioned on measurements.

use super::{Estimates, TargetRows};
use crate::linalg::{Block, Symmetric, add_product};

/// The covariance of true values, K, and of them with the label, q, given the judgments taken so far. A label of several
/// targets has a q for each, and what is explained is summed over them.
///
/// A judgment of a is a measurement of its true value with noise v. It explains q_a^2 / (v + K_aa); afterwards, with k
/// the column a of K and s = v + K_aa, q <- q - k q_a / s and K <- K - k k' / s. The sum of what was explained is
/// obj(r). Of K only the diagonal is kept, and the columns k / sqrt(s) of the judgments taken, until there are as many
/// as attributes: then K itself is the smaller.
///
/// Cost of a judgment: O(d t) for the t-th while t < d, O(d^2) afterwards.
#[derive(Clone)]
pub(super) struct Residual<'a> {
    external: &'a Symmetric,
    pub(super) covariance: TargetRows,
    variance: Vec<f64>,
    pub(super) explained: f64,
    columns: Vec<f64>,
    matrix: Option<Vec<f64>>,
}

/// A variance below this share of what it was is rounding.
const NOTHING: f64 = 1e-11;

/// The variance of a measurement with noise, of what had the variance `whole` and has `left` of it; none if nothing is left
/// to measure.
pub(super) fn spread(whole: f64, left: f64, noise: f64) -> Option<f64> {
    let spread = noise + left.max(0.0);
    (spread > NOTHING * (noise + whole)).then_some(spread)
}

impl<'a> Residual<'a> {
    pub(super) fn new(external: &'a Symmetric, covariance: &TargetRows) -> Self {
        Residual {
            external,
            covariance: covariance.clone(),
            variance: (0..external.size()).map(|a| external[(a, a)]).collect(),
            explained: 0.0,
            columns: Vec::new(),
            matrix: None,
        }
    }

    /// What a measurement of `a` with this noise would explain.
    pub(super) fn gain(&self, a: usize, noise: f64) -> f64 {
        self.spread(a, noise).map_or(0.0, |spread| self.covariance.square(a) / spread)
    }

    /// The variance of a measurement; none if nothing is left to measure.
    fn spread(&self, a: usize, noise: f64) -> Option<f64> {
        spread(self.external[(a, a)], self.variance[a], noise)
    }

    /// Takes a measurement of `a`.
    pub(super) fn take(&mut self, a: usize, noise: f64) {
        let Some(spread) = self.spread(a, noise) else { return };
        let d = self.variance.len();
        let mut column = self.column(a);
        let scale = spread.sqrt();
        column.iter_mut().for_each(|k| *k /= scale);
        let share: Vec<f64> = self.covariance[a].iter().map(|q| q / scale).collect();
        self.explained += share.iter().map(|share| share * share).sum::<f64>();
        for ((q, variance), k) in self.covariance.rows_mut().zip(&mut self.variance).zip(&column) {
            q.iter_mut().zip(&share).for_each(|(q, share)| *q -= k * share);
            *variance -= k * k;
        }
        match &mut self.matrix {
            Some(matrix) => {
                for (row, &k) in matrix.chunks_exact_mut(d).zip(&column) {
                    row.iter_mut().zip(&column).for_each(|(entry, other)| *entry -= k * other);
                }
            }
            None => {
                self.columns.extend_from_slice(&column);
                if self.columns.len() >= d * d {
                    self.matrix = Some(self.whole());
                    self.columns = Vec::new();
                }
            }
        }
    }

    /// The column `a` of K.
    fn column(&self, a: usize) -> Vec<f64> {
        let d = self.variance.len();
        if let Some(matrix) = &self.matrix {
            return matrix[a * d..(a + 1) * d].to_vec();
        }
        let mut column = self.external.row(a).to_vec();
        for taken in self.columns.chunks_exact(d) {
            let weight = taken[a];
            column.iter_mut().zip(taken).for_each(|(entry, k)| *entry -= weight * k);
        }
        column
    }

    /// K, row by row.
    fn whole(&self) -> Vec<f64> {
        let d = self.variance.len();
        let mut matrix = self.external.values().to_vec();
        let block = Block { matrix: &mut matrix, columns: d, corner: (0, 0) };
        add_product(block, -1.0, (&self.columns, d), (&self.columns, d));
        matrix
    }

    /// K as a matrix of its own, with rounding taken off the diagonal.
    pub(super) fn external(&self) -> Symmetric {
        let whole = self.matrix.clone().unwrap_or_else(|| self.whole());
        let mut matrix = Symmetric::of_values(self.variance.len(), whole);
        self.variance.iter().enumerate().for_each(|(a, variance)| matrix[(a, a)] = variance.max(0.0));
        matrix
    }
}

/// What is left after `repeats` judgments of each attribute.
pub(super) fn after<'a>(estimates: &'a Estimates, repeats: &[u32]) -> Residual<'a> {
    let mut residual = Residual::new(&estimates.external, &estimates.covariance);
    for a in (0..repeats.len()).filter(|&a| repeats[a] > 0) {
        residual.take(a, estimates.noise_of(a, repeats[a]));
    }
    residual
}
