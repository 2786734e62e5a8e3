//! Symmetric tensors of order three with orthogonal components: sums of weight times v x v x v.

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// A tensor of order three, at `(i * size + j) * size + k`.
#[derive(Clone, Debug)]
pub(super) struct Tensor {
    pub(super) size: usize,
    pub(super) values: Vec<f64>,
}

/// One component: its weight, and its direction of unit length.
pub(super) struct Component {
    pub(super) weight: f64,
    pub(super) direction: Vec<f64>,
}

/// Random directions tried for each component, of which the one that goes furthest is kept, and steps taken from each: near a
/// component every step doubles the digits.
const TRIALS: usize = 30;
const STEPS: usize = 60;

impl Tensor {
    /// The tensor with each side multiplied by its matrix, given as rows: T(A, B, C)_xyz = sum A_ix B_jy C_kz T_ijk.
    pub(super) fn seen_through(&self, sides: [&dyn Fn(usize, usize) -> f64; 3]) -> Tensor {
        let n = self.size;
        let mut values = self.values.clone();
        // Each round turns the last index into a first one, so three rounds come back to the order i, j, k.
        for side in [sides[2], sides[1], sides[0]] {
            let mut turned = vec![0.0; n * n * n];
            for ij in 0..n * n {
                for z in 0..n {
                    turned[z * n * n + ij] = (0..n).map(|k| side(k, z) * values[ij * n + k]).sum();
                }
            }
            values = turned;
        }
        Tensor { size: n, values }
    }

    /// T(I, v, v).
    fn apply(&self, v: &[f64]) -> Vec<f64> {
        let n = self.size;
        let row = |i: usize| {
            let pair = |j: usize| {
                let run = &self.values[(i * n + j) * n..][..n];
                v[j] * run.iter().zip(v).map(|(t, v)| t * v).sum::<f64>()
            };
            (0..n).map(pair).sum()
        };
        (0..n).map(row).collect()
    }

    fn weight(&self, v: &[f64]) -> f64 {
        self.apply(v).iter().zip(v).map(|(t, v)| t * v).sum()
    }

    fn power(&self, mut v: Vec<f64>) -> Vec<f64> {
        for _ in 0..STEPS {
            let next = unit(self.apply(&v));
            let moved: f64 = next.iter().zip(&v).map(|(a, b)| (a - b).powi(2)).sum();
            v = next;
            if moved < 1e-24 {
                break;
            }
        }
        v
    }

    /// The components, by the robust power method: of many random starts the heaviest, taken out before the next.
    pub(super) fn components(mut self, random: &mut impl Rng) -> Vec<Component> {
        let n = self.size;
        let mut found = Vec::with_capacity(n);
        for _ in 0..n {
            let mut best: Option<Component> = None;
            for _ in 0..TRIALS {
                let start = unit((0..n).map(|_| StandardNormal.sample(random)).collect());
                let direction = self.power(start);
                let weight = self.weight(&direction);
                if best.as_ref().is_none_or(|best| weight > best.weight) {
                    best = Some(Component { weight, direction });
                }
            }
            let Some(Component { weight, direction }) = best else { break };
            for i in 0..n {
                for j in 0..n {
                    for k in 0..n {
                        self.values[(i * n + j) * n + k] -= weight * direction[i] * direction[j] * direction[k];
                    }
                }
            }
            found.push(Component { weight, direction });
        }
        found
    }
}

fn unit(mut v: Vec<f64>) -> Vec<f64> {
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 {
        v.iter_mut().for_each(|x| *x /= length);
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    #[test]
    fn orthogonal_components_are_found() {
        let directions = [[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]];
        let weights = [3.0, 1.0, 2.0];
        let cell = |i: usize, j: usize, k: usize| -> f64 {
            directions.iter().zip(weights).map(|(v, w)| w * v[i] * v[j] * v[k]).sum()
        };
        let values = (0..27).map(|at| cell(at / 9, at / 3 % 3, at % 3)).collect();
        let tensor = Tensor { size: 3, values };
        for (component, at) in tensor.components(&mut stream(1, 0)).iter().zip([0, 2, 1]) {
            assert!((component.weight - weights[at]).abs() < 1e-9);
            assert!(component.direction.iter().zip(directions[at]).all(|(a, b)| (a - b).abs() < 1e-9));
        }
    }

    #[test]
    fn each_side_meets_its_own_matrix() {
        let tensor = Tensor { size: 2, values: (1..=8).map(f64::from).collect() };
        let (a, b, c) = ([[1.0, 2.0], [3.0, 4.0]], [[0.5, 1.0], [2.0, -1.0]], [[1.0, 0.0], [1.0, 3.0]]);
        let seen = tensor.seen_through([&|i, x| a[i][x], &|i, x| b[i][x], &|i, x| c[i][x]]);
        for (x, y, z) in [(0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 0)] {
            let mut direct = 0.0;
            for (i, j, k) in (0..8).map(|at| (at / 4, at / 2 % 2, at % 2)) {
                direct += a[i][x] * b[j][y] * c[k][z] * tensor.values[i * 4 + j * 2 + k];
            }
            assert!((seen.values[x * 4 + y * 2 + z] - direct).abs() < 1e-12);
        }
    }
}
