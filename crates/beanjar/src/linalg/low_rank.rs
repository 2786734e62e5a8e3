//! The positive part of a matrix that is one of low rank less a diagonal: covariances of many attributes over few objects,
//! from whose diagonal the noise has been taken.

use super::{Symmetric, dot};

/// Z'Z - D, with Z of few rows and D diagonal and not negative.
///
/// lambda > 0 is an eigenvalue if and only if 1 is one of F(lambda) = Z (D + lambda)^-1 Z', which is as small as Z has
/// rows: (Z'Z - D) x = lambda x means x = (D + lambda)^-1 Z'u with u = Zx. The eigenvalues of F fall in lambda, so each
/// crosses 1 at most once, and there are no more positive eigenvalues than Z has rows.
pub(super) struct LowRank {
    size: usize,
    rank: usize,
    /// Z', row by row.
    factor: Vec<f64>,
    /// D.
    less: Vec<f64>,
}

/// Rounding makes entries of this share of the largest.
const ROUNDING: f64 = 1e-13;
/// Newton's method on a function that is nearly straight: three or four steps are usual.
const MOST_STEPS: usize = 60;

impl LowRank {
    /// The matrix in this form: with `diagonal` in place of its own it is positive semidefinite and of a rank of at most
    /// `most`. None if that is not so, or if its own diagonal is larger. Cost: O(size^2 rank).
    pub(super) fn of(matrix: &Symmetric, diagonal: &[f64], most: usize) -> Option<LowRank> {
        let size = matrix.size();
        let largest = diagonal.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        let tolerance = ROUNDING * largest * size as f64;
        if diagonal.len() != size || !largest.is_finite() || largest <= 0.0 {
            return None;
        }
        let less: Vec<f64> = (0..size).map(|a| diagonal[a] - matrix[(a, a)]).collect();
        if less.iter().any(|less| *less < -tolerance) {
            return None;
        }
        let rows = pivoted_cholesky(matrix, diagonal, most, tolerance)?;
        let rank = rows.len();
        let factor: Vec<f64> = (0..size).flat_map(|a| rows.iter().map(move |row| row[a])).collect();
        let form = LowRank { size, rank, factor, less: less.iter().map(|less| less.max(0.0)).collect() };
        form.is(matrix, &rows, tolerance).then_some(form)
    }

    /// Whether Z'Z is the matrix beside its diagonal, which Cholesky's remainder has shown already.
    fn is(&self, matrix: &Symmetric, rows: &[Vec<f64>], tolerance: f64) -> bool {
        let mut product = Symmetric::zeros(self.size);
        let rows = rows.concat();
        product.add_product((0, 0), (&rows, self.size), (&rows, self.size));
        (0..self.size).all(|a| (0..a).all(|b| (product[(a, b)] - matrix[(a, b)]).abs() <= 10.0 * tolerance))
    }

    /// The sum of lambda x x' over positive eigenvalues. None if vectors of eigenvalues that are nearly equal could not be
    /// separated. Cost: O(size rank^2 + rank^3) for each eigenvalue, and O(size^2) to put them together.
    pub(super) fn positive_part(&self) -> Option<Symmetric> {
        let pairs = self.positive_pairs()?;
        let vectors: Vec<f64> = pairs.iter().flat_map(|(_, vector)| vector.iter().copied()).collect();
        let stretched: Vec<f64> =
            pairs.iter().flat_map(|(value, vector)| vector.iter().map(move |x| x * value)).collect();
        let mut products = Symmetric::zeros(pairs.len());
        let columns: Vec<f64> = (0..self.size).flat_map(|a| pairs.iter().map(move |(_, vector)| vector[a])).collect();
        products.add_product((0, 0), (&columns, pairs.len()), (&columns, pairs.len()));
        /// Vectors that are not at right angles are not those of different eigenvalues.
        const SKEW: f64 = 1e-8;
        let skew = |i: usize| (0..i).any(|j| products[(i, j)].abs() > SKEW);
        if (0..pairs.len()).any(skew) {
            return None;
        }
        let mut part = Symmetric::zeros(self.size);
        part.add_product((0, 0), (&stretched, self.size), (&vectors, self.size));
        part.mirror();
        Some(part)
    }

    /// The positive eigenvalues, the largest first, with their vectors.
    fn positive_pairs(&self) -> Option<Vec<(f64, Vec<f64>)>> {
        let mut gram = Symmetric::zeros(self.rank);
        gram.add_product((0, 0), (&self.factor, self.rank), (&self.factor, self.rank));
        let Some((_, values)) = gram.eigen() else { return Some(Vec::new()) };
        let top = values.last().copied().unwrap_or(0.0);
        let least = f64::EPSILON * self.size as f64 * top;
        if least <= 0.0 {
            return Some(Vec::new());
        }
        let positive = self.at(least)?.values.iter().filter(|value| **value > 1.0).count();
        let mut found = Vec::with_capacity(positive);
        let mut guess = top;
        for which in 0..positive {
            let (value, vector, next) =
                self.crossing(which, guess, (least, found.last().map_or(top, |(value, _)| *value)))?;
            found.push((value, vector));
            guess = next;
        }
        Some(found)
    }

    /// Where the eigenvalue of F of this rank crosses 1, its vector x, and a guess at where the next one does.
    fn crossing(&self, which: usize, guess: f64, within: (f64, f64)) -> Option<(f64, Vec<f64>, f64)> {
        let ((mut low, mut high), mut at) = (within, guess.clamp(within.0, within.1));
        for _ in 0..MOST_STEPS {
            let small = self.at(at)?;
            let newton = |which: usize| {
                let (vector, square) = self.vector(at, &small.vectors[which]);
                let value = small.values[which];
                // One over the eigenvalue is nearly straight, and its slope is |x|^2 over the eigenvalue's square.
                (at + value * (value - 1.0) / square, vector, square)
            };
            let (next, mut vector, square) = newton(which);
            if (next - at).abs() <= f64::EPSILON * 8.0 * within.1 {
                let length = square.sqrt();
                vector.iter_mut().for_each(|x| *x /= length);
                let after = if which + 1 < self.rank { newton(which + 1).0 } else { at };
                return Some((at, vector, after));
            }
            if next > at {
                low = at;
            } else {
                high = at;
            }
            at = if next > low && next < high { next } else { (low + high) / 2.0 };
        }
        None
    }

    /// F(lambda).
    fn at(&self, lambda: f64) -> Option<Small> {
        let mut weighted = self.factor.clone();
        for (row, less) in weighted.chunks_exact_mut(self.rank).zip(&self.less) {
            let weight = (1.0 / (less + lambda)).sqrt();
            row.iter_mut().for_each(|z| *z *= weight);
        }
        let mut matrix = Symmetric::zeros(self.rank);
        matrix.add_product((0, 0), (&weighted, self.rank), (&weighted, self.rank));
        matrix.mirror();
        let (columns, mut values) = matrix.eigen()?;
        values.reverse();
        let vector = |k: usize| (0..self.rank).map(|i| columns[(i, self.rank - 1 - k)]).collect();
        Some(Small { values, vectors: (0..self.rank).map(vector).collect() })
    }

    /// x = (D + lambda)^-1 Z'u, and its square.
    fn vector(&self, lambda: f64, u: &[f64]) -> (Vec<f64>, f64) {
        let rows = self.factor.chunks_exact(self.rank).zip(&self.less);
        let x: Vec<f64> = rows.map(|(row, less)| dot(row, u) / (less + lambda)).collect();
        let square = dot(&x, &x);
        (x, square)
    }
}

/// The eigenvalues of F, the largest first, and its vectors.
struct Small {
    values: Vec<f64>,
    vectors: Vec<Vec<f64>>,
}

/// Rows z with the sum of z z' the matrix with this diagonal, at most `most` of them; none if more are needed, or if the
/// matrix is seen not to be positive semidefinite.
fn pivoted_cholesky(matrix: &Symmetric, diagonal: &[f64], most: usize, tolerance: f64) -> Option<Vec<Vec<f64>>> {
    let mut left = diagonal.to_vec();
    let mut rows: Vec<Vec<f64>> = Vec::new();
    loop {
        let pivot = (0..left.len()).max_by(|&a, &b| left[a].total_cmp(&left[b]))?;
        if left.iter().any(|left| *left < -10.0 * tolerance) {
            return None;
        }
        if left[pivot] <= tolerance {
            return Some(rows);
        }
        if rows.len() == most {
            return None;
        }
        let mut row = matrix.row(pivot).to_vec();
        row[pivot] = diagonal[pivot];
        for earlier in &rows {
            let along = earlier[pivot];
            row.iter_mut().zip(earlier).for_each(|(rest, z)| *rest -= along * z);
        }
        let root = left[pivot].sqrt();
        row.iter_mut().for_each(|rest| *rest /= root);
        left.iter_mut().zip(&row).for_each(|(left, z)| *left -= z * z);
        left[pivot] = 0.0;
        rows.push(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use rand::RngExt;

    /// Z'Z - D and the diagonal of Z'Z.
    fn low_rank(seed: u64, size: usize, rank: usize, less: impl Fn(usize) -> f64) -> (Symmetric, Vec<f64>) {
        let mut random = stream(seed, 0);
        let z: Vec<f64> = (0..size * rank).map(|_| random.random_range(-1.0..1.0)).collect();
        let mut matrix = Symmetric::zeros(size);
        matrix.add_product((0, 0), (&z, size), (&z, size));
        let diagonal: Vec<f64> = (0..size).map(|a| matrix[(a, a)]).collect();
        (0..size).for_each(|a| matrix[(a, a)] -= less(a));
        (matrix, diagonal)
    }

    fn close(one: &Symmetric, other: &Symmetric, tolerance: f64) -> bool {
        (0..one.size()).all(|i| one.row(i).iter().zip(other.row(i)).all(|(a, b)| (a - b).abs() <= tolerance))
    }

    #[test]
    fn the_positive_part_is_that_of_all_eigenvalues() {
        /// How much the diagonal is less, by its place.
        type Less = fn(usize) -> f64;
        let cases: [(usize, usize, Less); 6] = [
            (40, 5, |a| 0.1 + a as f64 / 40.0),
            (60, 8, |_| 0.5),
            (50, 4, |a| if a % 3 == 0 { 0.0 } else { 1e-3 * a as f64 }),
            (30, 2, |a| 100.0 * (a as f64 + 1.0)),
            (25, 1, |a| if a == 3 { 1e6 } else { 1e-6 }),
            (30, 3, |_| 0.0),
        ];
        for (seed, (size, rank, less)) in cases.into_iter().enumerate() {
            let (matrix, diagonal) = low_rank(seed as u64, size, rank, less);
            let form = LowRank::of(&matrix, &diagonal, rank).expect("this form");
            let part = form.positive_part().expect("a positive part");
            let scale = (0..size).flat_map(|a| matrix.row(a)).fold(1.0, |most: f64, value| most.max(value.abs()));
            assert!(close(&part, &matrix.nearest_psd(), 1e-10 * scale), "{size} {rank}");
        }
    }

    #[test]
    fn equal_eigenvalues_are_separated_or_left_to_others() {
        // Two rows of the same length at right angles.
        let matrix =
            Symmetric::from_fn(6, |a, b| f64::from(u8::from(a % 2 == b % 2)) - if a == b { 0.25 } else { 0.0 });
        let form = LowRank::of(&matrix, &[1.0; 6], 3).expect("this form");
        if let Some(part) = form.positive_part() {
            assert!(close(&part, &matrix.nearest_psd(), 1e-10));
        }
    }

    #[test]
    fn other_matrices_are_refused() {
        let (matrix, diagonal) = low_rank(7, 20, 6, |_| 0.5);
        assert!(LowRank::of(&matrix, &diagonal, 5).is_none(), "of a higher rank");
        let smaller: Vec<f64> = diagonal.iter().map(|value| value - 0.6).collect();
        assert!(LowRank::of(&matrix, &smaller, 20).is_none(), "a diagonal that is larger");
        let mut wrong = matrix.clone();
        (wrong[(3, 4)], wrong[(4, 3)]) = (wrong[(3, 4)] + 0.01, wrong[(4, 3)] + 0.01);
        assert!(LowRank::of(&wrong, &diagonal, 6).is_none(), "an entry that is not that of the product");
        assert!(LowRank::of(&Symmetric::zeros(3), &[0.0; 3], 1).is_none());
        assert!(LowRank::of(&matrix, &[f64::NAN; 20], 6).is_none());
    }
}
