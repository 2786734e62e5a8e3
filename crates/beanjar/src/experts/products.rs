//! Sums over features and over units of several rows of numbers at once, as products of matrices.

use super::standardised::Standardised;
use crate::linalg::dot;
use crate::{Context, Result};
use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2, Axis, Slice};
use std::borrow::Cow;
use std::ops::Range;

/// Some of the features, ready for products.
pub(super) struct Products<'a> {
    features: &'a Standardised,
    /// The features whose values are in the matrix, in its order.
    dense: Vec<usize>,
    /// Their standardised values, feature after feature.
    matrix: Cow<'a, [f64]>,
    sparse: Vec<usize>,
}

/// Units are taken this many at a time; the sums of these parts are added in their order, so that threads change nothing.
const BLOCK: usize = 2048;

/// Up to this many rows, the matrix is read as it lies. A product of matrices packs it first, which takes about as long as the
/// products of four rows do: of 10,000 units, 1,024 features and 2 rows a product took a third of the time.
const FEW_ROWS: usize = 3;

impl<'a> Products<'a> {
    /// Of some features; `matrix` has the values of all that are dense.
    pub(super) fn new(features: &'a Standardised, matrix: &'a [f64], chosen: &[usize]) -> Self {
        let varies = chosen.iter().copied().filter(|&j| features.column(j).varies());
        let (dense, sparse): (Vec<usize>, Vec<usize>) = varies.partition(|&j| features.column(j).dense().is_some());
        let all = dense.len() * features.units() == matrix.len();
        let matrix = match all {
            true => Cow::Borrowed(matrix),
            false => Cow::Owned(dense.iter().filter_map(|&j| features.column(j).dense()).flatten().copied().collect()),
        };
        Products { features, dense, matrix, sparse }
    }

    /// How many products of two numbers a row takes.
    pub(super) fn work(&self) -> usize {
        let sparse: usize = self.sparse.iter().map(|&j| self.features.column(j).len()).sum();
        (self.matrix.len() + sparse).max(self.features.units())
    }

    fn blocks(&self) -> Vec<(usize, usize)> {
        let units = self.features.units();
        (0..units).step_by(BLOCK).map(|from| (from, (from + BLOCK).min(units))).collect()
    }

    fn of_units(&self, from: usize, to: usize) -> Option<ArrayView2<'_, f64>> {
        let mut all = ArrayView2::from_shape((self.dense.len(), self.features.units()), &self.matrix).ok()?;
        all.slice_axis_inplace(Axis(1), Slice::from(from..to));
        Some(all)
    }

    /// Of each row of coefficients, one for each feature there is, the sum over features for each unit: row after row.
    pub(super) fn over_features(&self, rows: usize, coefficients: &[f64], context: &Context) -> Result<Vec<f64>> {
        let (width, units) = (self.features.len(), self.features.units());
        context.worked(rows * self.work())?;
        let mut sums = vec![0.0; rows * units];
        if (1..=FEW_ROWS).contains(&rows) && units > 0 && !self.dense.is_empty() {
            let blocks = context.map(self.blocks(), |(from, to)| self.few_over_features(rows, coefficients, from..to));
            for ((from, to), block) in self.blocks().into_iter().zip(blocks) {
                for (row, cells) in block.chunks_exact(to - from).enumerate() {
                    sums[row * units + from..][..to - from].copy_from_slice(cells);
                }
            }
        } else if rows > 0 && units > 0 && !self.dense.is_empty() {
            // Feature by feature, a coefficient for each row.
            let mut turned = Vec::with_capacity(self.dense.len() * rows);
            for &j in &self.dense {
                turned.extend((0..rows).map(|row| coefficients[row * width + j]));
            }
            let of_block = |(from, to): (usize, usize)| -> Vec<f64> {
                let mut block = vec![0.0; (to - from) * rows];
                if let (Some(x), Ok(b), Ok(mut out)) = (
                    self.of_units(from, to),
                    ArrayView2::from_shape((self.dense.len(), rows), &turned),
                    ArrayViewMut2::from_shape((to - from, rows), &mut block),
                ) {
                    general_mat_mul(1.0, &x.t(), &b, 0.0, &mut out);
                }
                block
            };
            for ((from, _), block) in self.blocks().into_iter().zip(context.map(self.blocks(), of_block)) {
                for (at, cells) in block.chunks_exact(rows).enumerate() {
                    cells.iter().enumerate().for_each(|(row, sum)| sums[row * units + from + at] = *sum);
                }
            }
        }
        for row in 0..rows {
            self.add_sparse(&coefficients[row * width..(row + 1) * width], &mut sums[row * units..(row + 1) * units]);
        }
        Ok(sums)
    }

    /// [`over_features`](Self::over_features) of some units and few rows, dense features alone.
    fn few_over_features(&self, rows: usize, coefficients: &[f64], of: Range<usize>) -> Vec<f64> {
        let (width, units, count) = (self.features.len(), self.features.units(), of.len());
        let mut sums = vec![0.0; rows * count];
        let column = |at: usize| &self.matrix[at * units..][of.clone()];
        // Four features at a time: sums are then read and written a quarter as often.
        for (at, four) in self.dense.chunks(4).enumerate().map(|(at, four)| (4 * at, four)) {
            for (row, sums) in sums.chunks_exact_mut(count).enumerate() {
                let b = |i: usize| coefficients[row * width + four[i]];
                match four.len() {
                    4 if (0..4).all(|i| b(i) == 0.0) => {}
                    4 => {
                        let [b0, b1, b2, b3] = [b(0), b(1), b(2), b(3)];
                        let pairs =
                            column(at).iter().zip(column(at + 1)).zip(column(at + 2).iter().zip(column(at + 3)));
                        for (sum, ((x0, x1), (x2, x3))) in sums.iter_mut().zip(pairs) {
                            *sum += (b0 * x0 + b1 * x1) + (b2 * x2 + b3 * x3);
                        }
                    }
                    few => (0..few).for_each(|i| {
                        sums.iter_mut().zip(column(at + i)).for_each(|(sum, x)| *sum += b(i) * x);
                    }),
                }
            }
        }
        sums
    }

    fn add_sparse(&self, coefficients: &[f64], sums: &mut [f64]) {
        let mut shift = 0.0;
        for &j in self.sparse.iter().filter(|&&j| coefficients[j] != 0.0) {
            let column = self.features.column(j);
            let slope = coefficients[j] * column.scale;
            shift -= coefficients[j] * column.offset;
            column.each(|unit, x| sums[unit] += slope * x);
        }
        if shift != 0.0 {
            sums.iter_mut().for_each(|sum| *sum += shift);
        }
    }

    /// Of each row of numbers, one for each unit, the sum over units of it times each feature: row after row; 0 of features
    /// that were not chosen.
    pub(super) fn over_units(&self, rows: usize, numbers: &[f64], context: &Context) -> Result<Vec<f64>> {
        let (width, units) = (self.features.len(), self.features.units());
        context.worked(rows * self.work())?;
        let mut sums = vec![0.0; rows * width];
        if rows > 0 && units > 0 && !self.dense.is_empty() {
            let of_block = |(from, to): (usize, usize)| -> Vec<f64> {
                if rows <= FEW_ROWS {
                    let cells = |at: usize| {
                        let column = &self.matrix[at * units + from..at * units + to];
                        (0..rows).map(move |row| dot(column, &numbers[row * units + from..row * units + to]))
                    };
                    return (0..self.dense.len()).flat_map(cells).collect();
                }
                let mut block = vec![0.0; self.dense.len() * rows];
                if let (Some(x), Ok(r), Ok(mut out)) = (
                    self.of_units(from, to),
                    ArrayView2::from_shape((rows, units), numbers),
                    ArrayViewMut2::from_shape((self.dense.len(), rows), &mut block),
                ) {
                    general_mat_mul(1.0, &x, &r.slice_axis(Axis(1), Slice::from(from..to)).t(), 0.0, &mut out);
                }
                block
            };
            for block in context.map(self.blocks(), of_block) {
                for (&j, cells) in self.dense.iter().zip(block.chunks_exact(rows)) {
                    cells.iter().enumerate().for_each(|(row, sum)| sums[row * width + j] += sum);
                }
            }
        }
        for (sums, numbers) in sums.chunks_exact_mut(width.max(1)).zip(numbers.chunks_exact(units.max(1))) {
            let total: f64 = if self.sparse.is_empty() { 0.0 } else { numbers.iter().sum() };
            for &j in &self.sparse {
                let column = self.features.column(j);
                sums[j] = column.scale * column.times(numbers) - column.offset * total;
            }
        }
        Ok(sums)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experts::Features;
    use std::num::NonZeroUsize;

    #[test]
    fn products_agree_with_sums_column_by_column() {
        // Rows few and many; features in fours and not.
        for (units, width, rows) in [(1, 1, 1), (7, 5, 3), (2048, 3, 2), (5000, 9, 4), (5000, 19, 2), (3, 0, 2)] {
            let value = |i: usize, j: usize| match j % 3 {
                0 => ((i * 7 + j * 3) % 11) as f64 - 4.0,
                1 => f64::from(u8::from((i + j).is_multiple_of(5))),
                _ => 2.0,
            };
            let columns: Vec<Vec<f64>> = (0..width).map(|j| (0..units).map(|i| value(i, j)).collect()).collect();
            let features = Standardised::of(&Features::from_columns(units, &columns).unwrap());
            let coefficients: Vec<f64> = (0..rows * width).map(|i| ((i * 5) % 7) as f64 - 3.0).collect();
            let numbers: Vec<f64> = (0..rows * units).map(|i| ((i * 3) % 13) as f64 / 6.0 - 1.0).collect();
            let threads = Context::new().with_threads(NonZeroUsize::new(3).unwrap()).unwrap();
            for chosen in [(0..width).collect::<Vec<_>>(), (0..width).step_by(2).collect()] {
                let products = features.products(&chosen);
                let sums = products.over_features(rows, &coefficients, &Context::new()).unwrap();
                let with = products.over_units(rows, &numbers, &Context::new()).unwrap();
                assert_eq!(sums, products.over_features(rows, &coefficients, &threads).unwrap());
                assert_eq!(with, products.over_units(rows, &numbers, &threads).unwrap());
                for row in 0..rows {
                    let mut some = vec![0.0; width];
                    chosen.iter().for_each(|&j| some[j] = coefficients[row * width + j]);
                    let close = |a: f64, b: f64| (a - b).abs() < 1e-9 * (1.0 + b.abs());
                    let direct = features.sums(&some);
                    assert!(sums[row * units..].iter().zip(&direct).all(|(a, b)| close(*a, *b)), "{units} {width}");
                    let direct = features.sums_with(&numbers[row * units..(row + 1) * units]);
                    let expected = |j: usize| if chosen.contains(&j) { direct[j] } else { 0.0 };
                    assert!((0..width).all(|j| close(with[row * width + j], expected(j))), "{units} {width}");
                }
            }
        }
    }
}
