//! What medians of judgments tell.

use super::{Combined, MEDIANS};
use crate::normal::{cumulative, density};

/// Errors that are normal with one of two deviations.
struct TwoNormals {
    /// The share of the first.
    share: f64,
    variances: [f64; 2],
}

impl TwoNormals {
    /// By EM from differences of two errors each. Cost: O(differences), some tens of times.
    fn fit(differences: &[(f64, f64)]) -> Option<TwoNormals> {
        /// After these steps nothing moves that matters.
        const STEPS: usize = 60;
        let all: f64 = differences.iter().map(|of| of.1).sum();
        let variance = differences.iter().map(|(d, weight)| weight * d * d).sum::<f64>() / (2.0 * all);
        if !(variance > 0.0 && variance.is_finite()) {
            return None;
        }
        let mut found = TwoNormals { share: 0.8, variances: [0.4 * variance, 3.4 * variance] };
        for _ in 0..STEPS {
            let TwoNormals { share, variances } = found;
            let shares = [share, 1.0 - share];
            let (mut counts, mut squares) = ([0.0; 2], [0.0; 2]);
            for &(d, weight) in differences {
                let mut parts = [[0.0; 2]; 2];
                let mut sum = 0.0;
                for i in 0..2 {
                    for j in 0..2 {
                        let both = variances[i] + variances[j];
                        parts[i][j] = shares[i] * shares[j] * (-d * d / (2.0 * both)).exp() / both.sqrt();
                        sum += parts[i][j];
                    }
                }
                if sum <= 0.0 {
                    // Too far off for either: of the wider one.
                    parts[1][1] = 1.0;
                    sum = 1.0;
                }
                for i in 0..2 {
                    for j in 0..2 {
                        let both = variances[i] + variances[j];
                        // The first error, given the difference: its mean is v_i / (v_i + v_j) times it.
                        let square = (variances[i] / both * d).powi(2) + variances[i] * variances[j] / both;
                        let part = weight * parts[i][j] / sum;
                        counts[i] += part;
                        squares[i] += part * square;
                    }
                }
            }
            let least = 1e-6 * variance;
            let of = |i: usize| if counts[i] > 0.0 { (squares[i] / counts[i]).max(least) } else { variance };
            found = TwoNormals { share: (counts[0] / all).clamp(0.01, 0.99), variances: [of(0), of(1)] };
        }
        Some(found)
    }

    fn variance(&self) -> f64 {
        self.share * self.variances[0] + (1.0 - self.share) * self.variances[1]
    }

    fn below(&self, x: f64) -> f64 {
        let of = |i: usize| cumulative(x / self.variances[i].sqrt());
        self.share * of(0) + (1.0 - self.share) * of(1)
    }

    fn density(&self, x: f64) -> f64 {
        let of = |i: usize| density(x / self.variances[i].sqrt()) / self.variances[i].sqrt();
        self.share * of(0) + (1.0 - self.share) * of(1)
    }

    /// The value that a share of errors lies below.
    fn quantile(&self, share: f64) -> f64 {
        let wide = self.variances[0].max(self.variances[1]).sqrt();
        let (mut low, mut high) = (-9.0 * wide, 9.0 * wide);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if self.below(middle) < share { low = middle } else { high = middle }
        }
        let x = (low + high) / 2.0;
        // One step of Newton's, where the density is not next to nothing.
        let slope = self.density(x);
        if slope > 1e-12 / wide { x - (self.below(x) - share) / slope } else { x }
    }
}

/// The variances of medians, as shares of that of one judgment.
pub(super) fn medians(differences: &[(f64, f64)]) -> Combined {
    let Some(errors) = TwoNormals::fit(differences) else { return Combined::default() };
    /// Points of the distribution, equally probable; all that medians of three or more depend on.
    const POINTS: usize = 200;
    let share = |i: usize| (i as f64 + 0.5) / POINTS as f64;
    let x: Vec<f64> = (0..POINTS).map(|i| errors.quantile(share(i))).collect();
    let of = |r: usize| {
        // r! / (k! k!) u^k (1 - u)^k for r = 2 k + 1; of an even number the two in the middle, x <= y, have the density
        // r! / (k! k!) F(x)^k (1 - F(y))^k with k = r / 2 - 1.
        let k = (r - 1) / 2;
        let power = |i: usize, j: usize| share(i).powi(k as i32) * (1.0 - share(j)).powi(k as i32);
        let (mut sum, mut weights) = (0.0, 0.0);
        for i in 0..POINTS {
            let partners = if r % 2 == 1 { i..i + 1 } else { i..POINTS };
            for j in partners {
                let weight = power(i, j) * if r.is_multiple_of(2) && i == j { 0.5 } else { 1.0 };
                sum += weight * ((x[i] + x[j]) / 2.0).powi(2);
                weights += weight;
            }
        }
        sum / weights
    };
    let noise = |r: usize| match r {
        // The median of one or two is the mean.
        1 | 2 => 1.0 / r as f64,
        _ => of(r) / errors.variance(),
    };
    Combined { noise: (1..=MEDIANS).map(noise).collect(), slope: Vec::new(), shift: Vec::new() }
}
