use faer::Mat;

/// A square matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Square {
    pub(crate) size: usize,
    pub(crate) values: Vec<f64>,
}

impl Square {
    pub(crate) fn from_fn(size: usize, f: impl Fn(usize, usize) -> f64) -> Self {
        Square { size, values: (0..size * size).map(|at| f(at / size, at % size)).collect() }
    }

    pub(crate) fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.size + j]
    }

    pub(crate) fn transposed(&self) -> Square {
        Square::from_fn(self.size, |i, j| self.at(j, i))
    }

    pub(crate) fn times(&self, other: &Square) -> Square {
        Square::from_fn(self.size, |i, j| (0..self.size).map(|k| self.at(i, k) * other.at(k, j)).sum())
    }

    /// The inverse; of a singular matrix, the pseudo-inverse. None if the numbers are beyond it.
    pub(crate) fn inverse(&self) -> Option<Square> {
        let matrix = Mat::from_fn(self.size, self.size, |i, j| self.at(i, j));
        let inverse = matrix.svd().ok()?.pseudoinverse();
        let inverse = Square::from_fn(self.size, |i, j| inverse[(i, j)]);
        inverse.values.iter().all(|value| value.is_finite()).then_some(inverse)
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
            assert!(product.values.iter().zip(&identity.values).all(|(a, b)| (a - b).abs() < 1e-10));
        }
    }
}
