use super::{Block, Rows, add_product, dot};
use std::ops::Index;

/// A square matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Square {
    pub(crate) size: usize,
    pub(crate) values: Vec<f64>,
}

impl Square {
    pub(crate) fn zeros(size: usize) -> Self {
        Square { size, values: super::zeros(size * size) }
    }

    pub(crate) fn from_fn(size: usize, f: impl Fn(usize, usize) -> f64) -> Self {
        Square { size, values: (0..size * size).map(|at| f(at / size, at % size)).collect() }
    }

    pub(crate) fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.size + j]
    }

    /// Adds left' right.
    pub(crate) fn add_product(&mut self, left: Rows<'_>, right: Rows<'_>) {
        add_product(Block { matrix: &mut self.values, columns: self.size, corner: (0, 0) }, 1.0, left, right);
    }

    /// Adds another matrix of the same size.
    pub(crate) fn add(&mut self, other: &Square) {
        self.values.iter_mut().zip(&other.values).for_each(|(value, more)| *value += more);
    }

    pub(crate) fn transposed(&self) -> Square {
        Square::from_fn(self.size, |i, j| self.at(j, i))
    }

    pub(crate) fn times(&self, other: &Square) -> Square {
        Square::from_fn(self.size, |i, j| (0..self.size).map(|k| self.at(i, k) * other.at(k, j)).sum())
    }

    /// The inverse; of a singular matrix, the pseudo-inverse. None if the numbers are beyond it.
    ///
    /// Jacobi's rotations make the columns of A V orthogonal, which gives A = U S V' and the inverse V S^-1 U'. Singular
    /// values that are zero but for rounding are left out.
    pub(crate) fn inverse(&self) -> Option<Square> {
        const MOST_SWEEPS: usize = 60;
        let n = self.size;
        if !self.values.iter().all(|value| value.is_finite()) {
            return None;
        }
        let mut columns: Vec<Vec<f64>> = (0..n).map(|j| (0..n).map(|i| self.at(i, j)).collect()).collect();
        let mut v: Vec<Vec<f64>> = (0..n).map(|j| (0..n).map(|i| f64::from(u8::from(i == j))).collect()).collect();
        for sweep in 0.. {
            let mut turned = false;
            for p in 0..n {
                for q in p + 1..n {
                    if let Some(turn) = orthogonal(&columns[p], &columns[q]) {
                        rotate(&mut columns, p, q, turn);
                        rotate(&mut v, p, q, turn);
                        turned = true;
                    }
                }
            }
            if !turned || sweep == MOST_SWEEPS {
                break;
            }
        }
        let squares: Vec<f64> = columns.iter().map(|column| dot(column, column)).collect();
        let largest = squares.iter().fold(0.0, |most: f64, square| most.max(*square)).sqrt();
        let kept: Vec<usize> = (0..n).filter(|&k| squares[k].sqrt() > f64::EPSILON * n as f64 * largest).collect();
        let inverse = Square::from_fn(n, |i, j| kept.iter().map(|&k| v[k][i] * columns[k][j] / squares[k]).sum());
        inverse.values.iter().all(|value| value.is_finite()).then_some(inverse)
    }
}

/// The sine and cosine of the rotation that makes two columns orthogonal; none if they are.
fn orthogonal(one: &[f64], other: &[f64]) -> Option<(f64, f64)> {
    let (a, b, c) = (dot(one, one), dot(other, other), dot(one, other));
    // Not a number: no rotation helps.
    if c.abs() <= f64::EPSILON * (a * b).sqrt() || !c.is_finite() {
        return None;
    }
    let ratio = (b - a) / (2.0 * c);
    let tangent = 1.0 / (ratio.abs() + ratio.hypot(1.0));
    let tangent = if ratio < 0.0 { -tangent } else { tangent };
    let cosine = 1.0 / tangent.hypot(1.0);
    Some((cosine * tangent, cosine))
}

fn rotate(columns: &mut [Vec<f64>], p: usize, q: usize, (sine, cosine): (f64, f64)) {
    let (before, after) = columns.split_at_mut(q);
    for (x, y) in before[p].iter_mut().zip(&mut after[0]) {
        (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
    }
}

impl Index<(usize, usize)> for Square {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.values[i * self.size + j]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_undoes_the_matrix() {
        for n in [1, 2, 5, 9] {
            let matrix =
                Square::from_fn(n, |i, j| ((i * 5 + j * 3 + i * j) % 7) as f64 + if i == j { 9.0 } else { 0.0 });
            let product = matrix.times(&matrix.inverse().unwrap());
            let identity = Square::from_fn(n, |i, j| f64::from(u8::from(i == j)));
            assert_eq!(product.values.len(), n * n);
            assert!(product.values.iter().zip(&identity.values).all(|(a, b)| (a - b).abs() < 1e-10));
        }
    }

    #[test]
    fn the_pseudo_inverse_of_a_singular_matrix_has_its_four_properties() {
        for n in [1, 2, 4, 8] {
            // Of rank two at most.
            let a = Square::from_fn(n, |i, j| (i as f64 + 1.0) * (j as f64 - 1.5) + ((i % 2) * (j % 2)) as f64);
            let b = a.inverse().unwrap();
            let close = |one: &Square, other: &Square| {
                one.values.iter().zip(&other.values).all(|(x, y)| (x - y).abs() < 1e-10 * (1.0 + y.abs()))
            };
            assert!(close(&a.times(&b).times(&a), &a) && close(&b.times(&a).times(&b), &b), "{n}");
            assert!(close(&a.times(&b).transposed(), &a.times(&b)) && close(&b.times(&a).transposed(), &b.times(&a)));
        }
        assert_eq!(Square::from_fn(3, |_, _| 0.0).inverse(), Some(Square::from_fn(3, |_, _| 0.0)));
        assert_eq!(Square::from_fn(2, |_, _| f64::NAN).inverse(), None);
    }
}
