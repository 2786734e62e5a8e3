use super::eigen::Tridiagonal;
use super::low_rank::LowRank;
use super::{Block, Rows, Square, add_product, dot};
use std::ops::{Index, IndexMut};

/// A symmetric matrix, kept whole, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Symmetric {
    size: usize,
    values: Vec<f64>,
}

impl Symmetric {
    pub(crate) fn zeros(size: usize) -> Self {
        Symmetric { size, values: super::zeros(size * size) }
    }

    pub(crate) fn from_fn(size: usize, f: impl Fn(usize, usize) -> f64) -> Self {
        let mut matrix = Symmetric::zeros(size);
        for i in 0..size {
            for j in 0..=i {
                matrix[(i, j)] = f(i, j);
            }
        }
        matrix.mirror();
        matrix
    }

    /// Of all values, row by row, of which the upper triangle is the mirror of the lower one but for rounding.
    pub(crate) fn of_values(size: usize, values: Vec<f64>) -> Self {
        let mut matrix = Symmetric { size, values };
        matrix.mirror();
        matrix
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// All values, row by row.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.size..(i + 1) * self.size]
    }

    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.size..(i + 1) * self.size]
    }

    /// Adds left' right to the block that begins at `corner`.
    pub(crate) fn add_product(&mut self, corner: (usize, usize), left: Rows<'_>, right: Rows<'_>) {
        add_product(Block { matrix: &mut self.values, columns: self.size, corner }, 1.0, left, right);
    }

    /// Whether the values are as many as the size says, and finite: a matrix from a file may be anything.
    pub(crate) fn is_sound(&self) -> bool {
        self.values.len() == self.size * self.size && self.values.iter().all(|value| value.is_finite())
    }

    /// Whether it is symmetric and positive semidefinite, but for the rounding of numbers up to `scale`. Cost: n^3 / 3.
    pub(crate) fn is_psd(&self, scale: f64) -> bool {
        /// Many times what rounding makes of a zero eigenvalue.
        const ROUNDING: f64 = 1e-9;
        let alike = |i: usize, j: usize| (self[(i, j)] - self[(j, i)]).abs() <= ROUNDING * scale;
        let zero = || self.values.iter().all(|value| *value == 0.0);
        let mut raised = self.clone();
        (0..self.size).for_each(|i| raised[(i, i)] += ROUNDING * scale);
        zero() || (0..self.size).all(|i| (0..i).all(|j| alike(i, j))) && raised.cholesky().is_some()
    }

    /// Copies the lower triangle to the upper one.
    pub(crate) fn mirror(&mut self) {
        // By blocks that fit in a cache: a column of a large matrix is in as many places as there are rows.
        const BLOCK: usize = 32;
        for rows in (0..self.size).step_by(BLOCK) {
            for columns in (0..=rows).step_by(BLOCK) {
                for i in rows..(rows + BLOCK).min(self.size) {
                    for j in columns..(columns + BLOCK).min(i) {
                        self[(j, i)] = self[(i, j)];
                    }
                }
            }
        }
    }

    /// The point at this share of the way to another matrix of its size.
    pub(crate) fn mixed(&self, other: &Symmetric, share: f64) -> Symmetric {
        let mix = |(a, b): (&f64, &f64)| a + share * (b - a);
        Symmetric { size: self.size, values: self.values.iter().zip(&other.values).map(mix).collect() }
    }

    /// The rows and columns of these numbers.
    pub(crate) fn of(&self, chosen: &[usize]) -> Symmetric {
        Symmetric::from_fn(chosen.len(), |i, j| self[(chosen[i], chosen[j])])
    }

    /// The nearest positive semidefinite matrix in Frobenius norm: negative eigenvalues become 0 (Higham 1988).
    /// A matrix that is positive semidefinite comes back as it was, to the bit.
    pub(crate) fn nearest_psd(&self) -> Symmetric {
        if self.cholesky().is_some() {
            return self.clone();
        }
        let Some(form) = Tridiagonal::new(self) else { return self.clone() };
        let Some(values) = form.values() else { return self.clone() };
        let largest = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        // Rounding alone makes eigenvalues of this size.
        let rounding = largest * f64::EPSILON * self.size as f64;
        let negative: Vec<f64> = values.into_iter().take_while(|value| *value < -rounding).collect();
        if negative.is_empty() {
            return self.clone();
        }
        let vectors = form.vectors_of(&negative);
        let stretched: Vec<f64> =
            vectors.iter().zip(&negative).flat_map(|(vector, value)| vector.iter().map(move |x| x * value)).collect();
        let mut nearest = self.clone();
        let block = Block { matrix: &mut nearest.values, columns: self.size, corner: (0, 0) };
        add_product(block, -1.0, (&stretched, self.size), (&vectors.concat(), self.size));
        nearest.mirror();
        nearest
    }

    /// The same where the matrix is thought to be one of low rank, with this diagonal, less another diagonal: much faster if
    /// that is so, as it is with many attributes of few objects.
    pub(crate) fn nearest_psd_within(&self, diagonal: &[f64]) -> Symmetric {
        /// Of this many columns for each of the rank, finding eigenvalues one by one is faster than all at once.
        const COLUMNS: usize = 15;
        let low_rank = || LowRank::of(self, diagonal, self.size / COLUMNS)?.positive_part();
        low_rank().unwrap_or_else(|| self.nearest_psd())
    }

    /// x with self x = b; where that has no single answer, the pseudo-inverse's.
    pub(crate) fn solve(&self, b: &[f64]) -> Vec<f64> {
        self.cholesky().map_or_else(|| self.pseudo_solve(b), |factor| factor.solve(b))
    }

    /// The pseudo-inverse times b: eigenvalues that are zero but for rounding are left out.
    pub(crate) fn pseudo_solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; self.size];
        let Some((vectors, values)) = self.eigen() else { return x };
        let largest = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        for k in 0..self.size {
            if values[k].abs() > 1e-12 * largest {
                let along: f64 = (0..self.size).map(|i| vectors[(i, k)] * b[i]).sum::<f64>() / values[k];
                for i in 0..self.size {
                    x[i] += along * vectors[(i, k)];
                }
            }
        }
        x
    }

    /// None if the matrix is not positive definite, or hardly so.
    pub(crate) fn cholesky(&self) -> Option<Cholesky> {
        let n = self.size;
        let mut factor = self.values.clone();
        for i in 0..n {
            for j in 0..=i {
                let (row_i, row_j) = (&factor[i * n..i * n + j], &factor[j * n..j * n + j]);
                let rest = self[(i, j)] - dot(row_i, row_j);
                if i != j {
                    factor[i * n + j] = rest / factor[j * n + j];
                } else if rest > 1e-12 * self[(i, i)] {
                    factor[i * n + i] = rest.sqrt();
                } else {
                    return None;
                }
            }
        }
        Some(Cholesky { size: n, factor })
    }

    /// Eigenvectors as columns, and eigenvalues in rising order. None of an empty matrix, of one with infinite values, or
    /// if the iteration fails.
    pub(crate) fn eigen(&self) -> Option<(Square, Vec<f64>)> {
        if self.size == 0 { None } else { Tridiagonal::new(self)?.values_and_vectors() }
    }
}

impl Index<(usize, usize)> for Symmetric {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.values[i * self.size + j]
    }
}

impl IndexMut<(usize, usize)> for Symmetric {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.values[i * self.size + j]
    }
}

/// The lower triangle L with L L' the matrix.
pub(crate) struct Cholesky {
    size: usize,
    factor: Vec<f64>,
}

impl Cholesky {
    pub(crate) fn solve(&self, b: &[f64]) -> Vec<f64> {
        let n = self.size;
        let mut x = b.to_vec();
        for i in 0..n {
            x[i] = (x[i] - dot(&self.factor[i * n..i * n + i], &x[..i])) / self.factor[i * n + i];
        }
        for i in (0..n).rev() {
            let (before, rest) = x.split_at_mut(i);
            rest[0] /= self.factor[i * n + i];
            before.iter_mut().zip(&self.factor[i * n..]).for_each(|(x, l)| *x -= l * rest[0]);
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some_matrix(n: usize, shift: f64) -> Symmetric {
        Symmetric::from_fn(n, |i, j| ((i * 7 + j * 3 + i * j) % 11) as f64 - 5.0 + if i == j { shift } else { 0.0 })
    }

    #[test]
    fn solving_undoes_multiplying() {
        for n in [0, 1, 2, 5, 17] {
            let matrix = some_matrix(n, 60.0 + 10.0 * n as f64);
            let x: Vec<f64> = (0..n).map(|i| i as f64 - 2.0).collect();
            let b: Vec<f64> = (0..n).map(|i| matrix.row(i).iter().zip(&x).map(|(m, x)| m * x).sum()).collect();
            for solved in [matrix.solve(&b), matrix.pseudo_solve(&b)] {
                assert_eq!(solved.len(), n);
                assert!(solved.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-10), "{n}");
            }
        }
    }

    #[test]
    fn the_nearest_psd_matrix_is_psd_and_keeps_the_positive_part() {
        for n in [1, 2, 3, 8, 21] {
            let matrix = some_matrix(n, 0.0);
            let near = matrix.nearest_psd();
            let (_, values) = near.eigen().unwrap();
            assert!(values.iter().all(|value| *value > -1e-10), "{n}: {values:?}");
            // In Frobenius norm the distance is that of the negative eigenvalues.
            let distance: f64 =
                (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|at| (near[at] - matrix[at]).powi(2)).sum();
            let negative: f64 =
                matrix.eigen().unwrap().1.iter().filter(|value| **value < 0.0).map(|value| value * value).sum();
            assert!((distance - negative).abs() < 1e-9 * negative.max(1.0), "{n}");
        }
        let already = some_matrix(6, 100.0);
        assert_eq!(already.nearest_psd(), already);
        assert_eq!(Symmetric::zeros(0).nearest_psd(), Symmetric::zeros(0));
    }

    #[test]
    fn matrices_that_are_not_positive_are_recognised() {
        for n in [1, 2, 5, 17] {
            let near = some_matrix(n, 0.0).nearest_psd();
            assert!(near.is_psd(10.0) && Symmetric::zeros(n).is_psd(0.0), "{n}");
            assert!(some_matrix(n, 100.0).is_psd(100.0), "{n}");
            let mut negative = near.clone();
            negative[(0, 0)] = -1.0;
            assert!(!negative.is_psd(10.0), "{n}");
        }
        let mut crooked = some_matrix(4, 100.0);
        crooked[(1, 2)] += 1.0;
        assert!(!crooked.is_psd(100.0));
        assert!(!Symmetric::from_fn(2, |i, j| if i == j { 1.0 } else { 1.1 }).is_psd(1.0));
    }

    #[test]
    fn products_are_added_to_a_block() {
        let (left, right) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, -1.0, 2.0]);
        let mut matrix = Symmetric::zeros(4);
        matrix[(2, 1)] = 10.0;
        matrix.add_product((2, 1), (&left, 2), (&right, 1));
        assert_eq!((matrix[(2, 1)], matrix[(3, 1)], matrix[(1, 2)]), (10.0 + 1.0 - 3.0 + 10.0, 2.0 - 4.0 + 12.0, 0.0));
        matrix.add_product((0, 0), (&[], 0), (&right, 1));
        assert_eq!(matrix[(0, 0)], 0.0);
    }

    #[test]
    fn a_singular_matrix_is_solved_by_its_pseudo_inverse() {
        let ones = Symmetric::from_fn(2, |_, _| 1.0);
        assert!(ones.cholesky().is_none());
        let x = ones.solve(&[1.0, 1.0]);
        assert!((x[0] - 0.5).abs() < 1e-12 && (x[1] - 0.5).abs() < 1e-12);
        assert_eq!(Symmetric::zeros(2).solve(&[1.0, 1.0]), [0.0, 0.0]);
    }
}
