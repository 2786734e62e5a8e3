//! Eigenvalues and eigenvectors of symmetric matrices: Householder's tridiagonal form, then implicit QL, or inverse
//! iteration where only some vectors are wanted (Golub and Van Loan, Matrix Computations, chapter 8).

use super::{Square, Symmetric, dot};
use crate::random::stream;
use rand::RngExt;

/// A symmetric matrix A as Q T Q', with T tridiagonal and Q a product of reflections H_i = I - v_i v_i' / h_i.
pub(super) struct Tridiagonal {
    size: usize,
    diagonal: Vec<f64>,
    /// Beside the diagonal; one less than the size, and a last zero.
    beside: Vec<f64>,
    /// Row i holds v_i, of length i.
    reflections: Vec<f64>,
    /// h_i; zero where there is nothing to reflect.
    halves: Vec<f64>,
    /// By which the matrix was divided, so that squares neither overflow nor vanish.
    scale: f64,
}

/// More steps of QL for one eigenvalue mean that something is wrong; two are usual.
const MOST_STEPS: usize = 60;

impl Tridiagonal {
    /// None if a value is not finite. Cost: 4/3 n^3.
    pub(super) fn new(matrix: &Symmetric) -> Option<Self> {
        let n = matrix.size();
        let scale = (0..n).flat_map(|i| matrix.row(i)).fold(0.0, |most: f64, value| most.max(value.abs()));
        if !(0..n).all(|i| matrix.row(i).iter().all(|value| value.is_finite())) {
            return None;
        }
        let scale = if scale > 0.0 { scale } else { 1.0 };
        let mut a: Vec<f64> = (0..n).flat_map(|i| matrix.row(i)).map(|value| value / scale).collect();
        let (mut diagonal, mut beside, mut halves) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        // A <- A - v q' - q v', which is done row by row as the next step reads the rows.
        let (mut v, mut q) = (vec![0.0; n], vec![0.0; n]);
        for i in (1..n).rev() {
            let (before, row) = a.split_at_mut(i * n);
            let row = &mut row[..=i];
            update(row, &v, &q);
            diagonal[i] = row[i];
            let row = &mut row[..i];
            let norm = dot(row, row).sqrt();
            let alone = row[..i - 1].iter().all(|value| *value == 0.0);
            if alone || norm == 0.0 {
                beside[i - 1] = row[i - 1];
                before.chunks_exact_mut(n).enumerate().for_each(|(j, row)| update(&mut row[..=j], &v, &q));
                (v, q) = (vec![0.0; n], vec![0.0; n]);
                continue;
            }
            let side = if row[i - 1] > 0.0 { -norm } else { norm };
            beside[i - 1] = side;
            row[i - 1] -= side;
            // v'v / 2, in the form that does not cancel.
            let half = -side * row[i - 1];
            halves[i] = half;
            let mut product = vec![0.0; i];
            for (j, rows) in before.chunks_exact_mut(n).enumerate() {
                update(&mut rows[..=j], &v, &q);
                let weight = row[j];
                product[j] += dot(&rows[..j], &row[..j]) + rows[j] * weight;
                product[..j].iter_mut().zip(&rows[..j]).for_each(|(sum, entry)| *sum += weight * entry);
            }
            product.iter_mut().for_each(|p| *p /= half);
            let share = dot(&product, row) / (2.0 * half);
            v[..i].copy_from_slice(row);
            q[..i].iter_mut().zip(&product).zip(&v).for_each(|((q, p), v)| *q = p - share * v);
        }
        if let Some(corner) = a.first_mut() {
            // With one row left, what is pending has been applied.
            diagonal[0] = *corner;
        }
        Some(Tridiagonal { size: n, diagonal, beside, reflections: a, halves, scale })
    }

    /// The eigenvalues, in rising order. None if the iteration fails.
    pub(super) fn values(&self) -> Option<Vec<f64>> {
        let mut values = self.ql(|_, _, _| ())?;
        values.sort_by(f64::total_cmp);
        Some(values.iter().map(|value| value * self.scale).collect())
    }

    /// The eigenvalues in rising order, and the eigenvectors as columns. Cost: about 9 n^3.
    pub(super) fn values_and_vectors(&self) -> Option<(Square, Vec<f64>)> {
        let n = self.size;
        let mut vectors: Vec<Vec<f64>> =
            (0..n).map(|k| (0..n).map(|i| f64::from(u8::from(i == k))).collect()).collect();
        let values = self.ql(|i, sine, cosine| {
            let (first, second) = vectors.split_at_mut(i + 1);
            for (x, y) in first[i].iter_mut().zip(&mut second[0]) {
                (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
            }
        })?;
        self.reflect(&mut vectors);
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
        let columns = Square::from_fn(n, |i, k| vectors[order[k]][i]);
        Some((columns, order.iter().map(|&k| values[k] * self.scale).collect()))
    }

    /// Eigenvectors of some eigenvalues, which are neighbours in rising order: row by row, orthogonal.
    ///
    /// Inverse iteration, each vector kept apart from those of eigenvalues so near that it could fall together with them.
    /// Cost: n^2 for each, and n for each pair that is near.
    pub(super) fn vectors_of(&self, values: &[f64]) -> Vec<Vec<f64>> {
        const NEAR: f64 = 1e-3;
        let n = self.size;
        let beside = |i: usize| self.beside[i].abs();
        let norm = (0..n)
            .map(|i| self.diagonal[i].abs() + beside(i) + if i > 0 { beside(i - 1) } else { 0.0 })
            .fold(0.0, f64::max);
        // A matrix of zeros has every vector.
        let norm = if norm > 0.0 { norm } else { 1.0 };
        let mut vectors: Vec<Vec<f64>> = Vec::with_capacity(values.len());
        let (mut first_near, mut last_shift) = (0, f64::NEG_INFINITY);
        for (k, value) in values.iter().map(|value| value / self.scale).enumerate() {
            if k > 0 && value - values[k - 1] / self.scale > NEAR * norm {
                first_near = k;
            }
            // Equal eigenvalues are moved apart a little, or the same vector would be found twice.
            let shift = value.max(last_shift + 10.0 * f64::EPSILON * norm);
            last_shift = shift;
            let factors = Shifted::new(&self.diagonal, &self.beside, shift, f64::EPSILON * norm);
            let mut random = stream(0, k as u64);
            let mut vector: Vec<f64> = (0..n).map(|_| random.random_range(-1.0..1.0)).collect();
            for round in 0..4 {
                if round > 0 {
                    factors.solve(&mut vector);
                    normalise(&mut vector);
                }
                if round != 1 {
                    for other in &vectors[first_near..] {
                        let along = dot(&vector, other);
                        vector.iter_mut().zip(other).for_each(|(x, y)| *x -= along * y);
                    }
                    normalise(&mut vector);
                }
            }
            vectors.push(vector);
        }
        self.reflect(&mut vectors);
        vectors
    }

    /// Vectors of T become those of the matrix: Q times each.
    fn reflect(&self, vectors: &mut [Vec<f64>]) {
        let n = self.size;
        // So few vectors stay in the cache while the reflections pass.
        for some in vectors.chunks_mut(16) {
            for i in (1..n).filter(|&i| self.halves[i] != 0.0) {
                let v = &self.reflections[i * n..i * n + i];
                for vector in &mut *some {
                    let along = dot(v, &vector[..i]) / self.halves[i];
                    vector.iter_mut().zip(v).for_each(|(x, v)| *x -= along * v);
                }
            }
        }
    }

    /// Implicit QL: the eigenvalues, in no order. `rotate` hears each rotation of neighbours: (i, sine, cosine).
    fn ql(&self, mut rotate: impl FnMut(usize, f64, f64)) -> Option<Vec<f64>> {
        let (mut d, mut e) = (self.diagonal.clone(), self.beside.clone());
        let n = d.len();
        for low in 0..n {
            for step in 0.. {
                let small = |i: usize| e[i].abs() <= f64::EPSILON * (d[i].abs() + d[i + 1].abs());
                let high = (low..n - 1).find(|&i| small(i)).unwrap_or(n - 1);
                if high == low {
                    break;
                }
                if step == MOST_STEPS {
                    return None;
                }
                let g = (d[low + 1] - d[low]) / (2.0 * e[low]);
                let r = g.hypot(1.0);
                let mut g = d[high] - d[low] + e[low] / (g + if g < 0.0 { -r } else { r });
                let (mut sine, mut cosine, mut moved) = (1.0, 1.0, 0.0);
                let mut ended_early = false;
                for i in (low..high).rev() {
                    let (f, b) = (sine * e[i], cosine * e[i]);
                    let r = f.hypot(g);
                    e[i + 1] = r;
                    if r == 0.0 {
                        d[i + 1] -= moved;
                        e[high] = 0.0;
                        ended_early = true;
                        break;
                    }
                    (sine, cosine) = (f / r, g / r);
                    let shifted = d[i + 1] - moved;
                    let r = (d[i] - shifted) * sine + 2.0 * cosine * b;
                    moved = sine * r;
                    d[i + 1] = shifted + moved;
                    g = cosine * r - b;
                    rotate(i, sine, cosine);
                }
                if !ended_early {
                    d[low] -= moved;
                    e[low] = g;
                    e[high] = 0.0;
                }
            }
        }
        Some(d)
    }
}

/// The part of a row that is kept, of A - v q' - q v'.
fn update(row: &mut [f64], v: &[f64], q: &[f64]) {
    let last = row.len() - 1;
    let (weight_v, weight_q) = (v[last], q[last]);
    if weight_v != 0.0 || weight_q != 0.0 {
        for ((entry, v), q) in row.iter_mut().zip(v).zip(q) {
            *entry -= weight_v * q + weight_q * v;
        }
    }
}

fn normalise(vector: &mut [f64]) {
    let most = vector.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    if most > 0.0 && most.is_finite() {
        vector.iter_mut().for_each(|x| *x /= most);
        let norm = dot(vector, vector).sqrt();
        vector.iter_mut().for_each(|x| *x /= norm);
    }
}

/// T less a shift, as a product of triangles, by elimination with exchange of neighbouring rows.
struct Shifted {
    /// The diagonal and the two beside it of the upper triangle.
    upper: Vec<[f64; 3]>,
    /// By how much each row was taken off the next, and whether the two were exchanged first.
    steps: Vec<(f64, bool)>,
}

impl Shifted {
    fn new(diagonal: &[f64], beside: &[f64], shift: f64, least: f64) -> Self {
        let n = diagonal.len();
        let (mut upper, mut steps) = (Vec::with_capacity(n), Vec::with_capacity(n));
        let mut row = [diagonal[0] - shift, beside[0], 0.0];
        for i in 0..n - 1 {
            let next = [beside[i], diagonal[i + 1] - shift, beside[i + 1]];
            let exchanged = next[0].abs() > row[0].abs();
            let (pivot, other) = if exchanged { (next, row) } else { (row, next) };
            let pivot = [above(pivot[0], least), pivot[1], pivot[2]];
            let factor = other[0] / pivot[0];
            steps.push((factor, exchanged));
            upper.push(pivot);
            row = [other[1] - factor * pivot[1], other[2] - factor * pivot[2], 0.0];
        }
        upper.push([above(row[0], least), 0.0, 0.0]);
        Shifted { upper, steps }
    }

    fn solve(&self, x: &mut [f64]) {
        for (i, &(factor, exchanged)) in self.steps.iter().enumerate() {
            if exchanged {
                x.swap(i, i + 1);
            }
            x[i + 1] -= factor * x[i];
        }
        for i in (0..x.len()).rev() {
            let after = |k: usize| x.get(i + k).map_or(0.0, |value| self.upper[i][k] * value);
            x[i] = (x[i] - after(1) - after(2)) / self.upper[i][0];
        }
    }
}

/// A pivot that is zero but for rounding becomes as large as rounding.
fn above(pivot: f64, least: f64) -> f64 {
    if pivot.abs() >= least { pivot } else { least.copysign(pivot) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(matrix: &Symmetric, x: &[f64]) -> Vec<f64> {
        (0..x.len()).map(|i| matrix.row(i).iter().zip(x).map(|(m, x)| m * x).sum()).collect()
    }

    /// Matrices of all kinds: full, of low rank, diagonal, in blocks, of zeros, with equal and with opposite eigenvalues.
    fn matrices() -> Vec<Symmetric> {
        let mut found = Vec::new();
        for n in [1, 2, 3, 4, 7, 16, 33, 60] {
            let some = |i: usize, j: usize| ((i * 7 + j * 3 + i * j) % 11) as f64 - 5.0;
            found.push(Symmetric::from_fn(n, some));
            found.push(Symmetric::from_fn(n, |i, j| 1e160 * some(i, j)));
            found.push(Symmetric::from_fn(n, |i, j| 1e-160 * some(i, j)));
            found.push(Symmetric::from_fn(n, |i, j| (i + 1) as f64 * (j + 1) as f64));
            found.push(Symmetric::from_fn(n, |i, j| if i == j { (i % 3) as f64 - 1.0 } else { 0.0 }));
            found.push(Symmetric::from_fn(n, |i, j| if i / 2 == j / 2 { some(i % 2, j % 2) } else { 0.0 }));
            found.push(Symmetric::from_fn(n, |i, j| if i + j + 1 == n { 1.0 } else { 0.0 }));
            found.push(Symmetric::from_fn(n, |i, j| if i == j { 1.0 } else { 1.0 - 1e-9 }));
            found.push(Symmetric::zeros(n));
        }
        found
    }

    #[test]
    fn vectors_are_orthogonal_and_are_stretched_by_their_values() {
        for (which, matrix) in matrices().iter().enumerate() {
            let n = matrix.size();
            let form = Tridiagonal::new(matrix).unwrap();
            let size = form.scale;
            let (columns, values) = form.values_and_vectors().unwrap();
            assert!(values.windows(2).all(|pair| pair[0] <= pair[1]));
            for (one, other) in values.iter().zip(form.values().unwrap()) {
                assert!((one - other).abs() <= 1e-13 * n as f64 * size);
            }
            let by_ql: Vec<Vec<f64>> = (0..n).map(|k| (0..n).map(|i| columns.at(i, k)).collect()).collect();
            for (way, vectors) in [by_ql, form.vectors_of(&values)].iter().enumerate() {
                for (k, vector) in vectors.iter().enumerate() {
                    for (x, stretched) in vector.iter().zip(product(matrix, vector)) {
                        let error = (stretched / size - values[k] / size * x).abs();
                        assert!(error <= 1e-13 * n as f64, "matrix {which} of {n}, way {way}, value {k}: {error}");
                    }
                    for (l, other) in vectors.iter().enumerate() {
                        let expected = f64::from(u8::from(k == l));
                        let found = dot(vector, other);
                        assert!((found - expected).abs() < 1e-11, "matrix {which} of {n}, way {way}: {k} {l} {found}");
                    }
                }
            }
        }
    }

    #[test]
    fn known_eigenvalues_are_found() {
        // 2 on the diagonal, -1 beside it: 2 - 2 cos(pi k / (n + 1)).
        let n = 50;
        let matrix = Symmetric::from_fn(n, |i, j| match i - j {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        });
        let values = Tridiagonal::new(&matrix).unwrap().values().unwrap();
        for (k, value) in values.iter().enumerate() {
            let known = 2.0 - 2.0 * (std::f64::consts::PI * (k + 1) as f64 / (n + 1) as f64).cos();
            assert!((value - known).abs() < 1e-13, "{k}: {value} {known}");
        }
        assert!(Tridiagonal::new(&Symmetric::from_fn(2, |_, _| f64::NAN)).is_none());
        assert!(Tridiagonal::new(&Symmetric::from_fn(2, |_, _| f64::INFINITY)).is_none());
    }
}
