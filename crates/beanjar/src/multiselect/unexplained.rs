//! What is left to explain after given judgments, where nothing more will be judged.

use super::TargetRows;
use super::residual::spread;
use crate::linalg::{Symmetric, dot};

/// As [`Residual`](super::residual::Residual), without what judgments leave of K.
///
/// With A the Cholesky factor of Sigma and the noise among the s attributes that were judged, and b their covariances with
/// the label, A e = b and A'w = e: what is explained is e'e, and Sigma w is no longer to be explained.
///
/// Cost: O(s^3 + d s), against O(d s^2) where K is followed.
pub(super) struct Unexplained {
    pub(super) covariance: TargetRows,
    pub(super) explained: f64,
}

impl Unexplained {
    /// After judgments of these attributes, each with its noise.
    pub(super) fn after(
        external: &Symmetric,
        covariance: &TargetRows,
        judged: impl Iterator<Item = (usize, f64)>,
    ) -> Self {
        let targets = covariance.targets();
        let mut used: Vec<usize> = Vec::new();
        // The rows of A, and e, row by row.
        let mut factor: Vec<Vec<f64>> = Vec::new();
        let mut shares: Vec<f64> = Vec::new();
        for (a, noise) in judged {
            let mut row: Vec<f64> = Vec::with_capacity(used.len() + 1);
            for (i, &other) in used.iter().enumerate() {
                row.push((external[(a, other)] - dot(&row, &factor[i][..i])) / factor[i][i]);
            }
            let Some(spread) = spread(external[(a, a)], external[(a, a)] - dot(&row, &row), noise) else { continue };
            let scale = spread.sqrt();
            for target in 0..targets {
                let known = row.iter().enumerate().map(|(i, entry)| entry * shares[i * targets + target]).sum::<f64>();
                shares.push((covariance[a][target] - known) / scale);
            }
            row.push(scale);
            factor.push(row);
            used.push(a);
        }
        let explained = shares.iter().map(|share| share * share).sum();
        let mut left = covariance.clone();
        for j in (0..used.len()).rev() {
            let (before, own) = shares.split_at_mut(j * targets);
            let weights = &mut own[..targets];
            weights.iter_mut().for_each(|share| *share /= factor[j][j]);
            for (i, entry) in factor[j][..j].iter().enumerate() {
                let rest = &mut before[i * targets..(i + 1) * targets];
                rest.iter_mut().zip(&*weights).for_each(|(share, weight)| *share -= entry * weight);
            }
            weights.iter_mut().for_each(|weight| *weight = -*weight);
            left.add_product(external.row(used[j]), weights);
        }
        Unexplained { covariance: left, explained }
    }
}

#[cfg(test)]
mod tests {
    use super::super::residual::Residual;
    use super::*;

    #[test]
    fn it_is_what_one_judgment_after_the_other_leaves() {
        for targets in [1, 3] {
            // Of rank 4, so that the last judgments without noise have nothing left to measure.
            let factor = |i: usize, j: usize| ((i * 7 + j * 5) % 11) as f64 / 11.0 - 0.4;
            let external = Symmetric::from_fn(9, |i, j| (0..4).map(|k| factor(i, k) * factor(j, k)).sum());
            let mut covariance = TargetRows::zeros(9, targets);
            covariance.values_mut().iter_mut().enumerate().for_each(|(i, x)| *x = ((i * 3) % 7) as f64 - 2.5);
            let judged = [(3, 0.2), (0, 1.5), (7, 0.01), (1, 0.0), (2, 0.0), (5, 0.0), (6, 0.0), (8, 1e3)];
            for taken in 0..=judged.len() {
                let mut residual = Residual::new(&external, &covariance);
                judged[..taken].iter().for_each(|&(a, noise)| residual.take(a, noise));
                let found = Unexplained::after(&external, &covariance, judged[..taken].iter().copied());
                let close = |x: f64, y: f64| (x - y).abs() < 1e-9 * (1.0 + y.abs());
                assert!(close(found.explained, residual.explained), "{taken}");
                let all = found.covariance.values().iter().zip(residual.covariance.values());
                assert!(all.into_iter().all(|(x, y)| close(*x, *y)), "{targets} {taken}");
            }
        }
    }
}
