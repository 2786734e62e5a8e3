//! Features brought to mean 0 and variance 1: what penalties are on, and all solvers work with.

mod column;

pub(super) use column::Column;

use super::Features;
use super::features::Values;
use super::products::Products;
use super::row_space::RowSpace;
use crate::linalg::Symmetric;
use crate::{Context, Result};
use column::Measured;
use std::sync::{Arc, OnceLock};

/// Standardised features of units, and what leads back to the user's scale.
///
/// A column that is mostly zeros keeps its other values as they are, and is standardised in the arithmetic; any other
/// column is kept standardised, so that sums over it are plain sums over an array. All of these lie one after the other,
/// so that sums over many are products of matrices.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Standardised {
    units: usize,
    columns: Vec<Column>,
    matrix: Arc<Vec<f64>>,
    /// The directions in which units differ, once they were asked for.
    row_space: OnceLock<Arc<RowSpace>>,
}

/// With more units than this, directions of the space that they span take longer to find than they save.
const MOST_UNITS: usize = 2000;

impl Standardised {
    /// Of all units.
    #[cfg(test)]
    pub(super) fn of(features: &Features) -> Self {
        let units = features.units();
        let numbers: Vec<u32> = (0..units as u32).collect();
        Self::renumbered(features, units, &numbers)
    }

    /// Of some units, which get new numbers in their order here; standardised by their own means and deviations.
    pub(super) fn of_units(features: &Features, units: &[usize]) -> Result<Self> {
        Ok(Self::renumbered(features, units.len(), &features.numbers(units)?))
    }

    fn renumbered(features: &Features, units: usize, numbers: &[u32]) -> Self {
        let dense = features.columns().iter().filter(|values| matches!(values, Values::Dense(_))).count();
        let mut matrix = Vec::with_capacity(dense * units);
        let measured: Vec<Measured> = features
            .columns()
            .iter()
            .map(|values| Measured::new(units, values.renumbered(numbers), &mut matrix))
            .collect();
        let matrix = Arc::new(matrix);
        let columns = measured.into_iter().map(|column| column.into_column(units, &matrix)).collect();
        Standardised { units, columns, matrix, row_space: OnceLock::new() }
    }

    /// Units without features.
    pub(super) fn none(units: usize) -> Self {
        Standardised { units, columns: Vec::new(), matrix: Arc::default(), row_space: OnceLock::new() }
    }

    /// Numbers of units in place of features, one for each direction.
    pub(super) fn of_directions(units: usize, directions: &[Vec<f64>]) -> Self {
        let matrix = Arc::new(directions.concat());
        let columns = (0..directions.len()).map(|at| Column::of_numbers(units, &matrix, at * units)).collect();
        Standardised { units, columns, matrix, row_space: OnceLock::new() }
    }

    /// The directions in which units differ, if these are clearly fewer than features and soon found.
    pub(super) fn row_space(&self, context: &Context) -> Result<Option<Arc<RowSpace>>> {
        if self.units > MOST_UNITS || self.len() < 2 * self.units {
            return Ok(None);
        }
        if let Some(known) = self.row_space.get() {
            return Ok(Some(Arc::clone(known)));
        }
        let found = Arc::new(RowSpace::of(self, context)?);
        Ok(Some(Arc::clone(self.row_space.get_or_init(|| found))))
    }

    /// How many units there are.
    pub(super) fn units(&self) -> usize {
        self.units
    }

    /// How many features there are.
    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// How many values a pass over all features reads, and at least one for each unit.
    pub(super) fn values(&self) -> usize {
        self.columns.iter().map(Column::len).sum::<usize>().max(self.units)
    }

    /// The mean of each feature on the user's scale.
    pub(super) fn means(&self) -> Vec<f64> {
        self.columns.iter().map(|column| column.mean).collect()
    }

    pub(super) fn column(&self, feature: usize) -> &Column {
        &self.columns[feature]
    }

    /// The sum of standardised features times coefficients, for each unit.
    pub(super) fn sums(&self, coefficients: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.units];
        let mut shift = 0.0;
        for (column, &coefficient) in self.columns.iter().zip(coefficients) {
            if coefficient != 0.0 && column.varies() {
                let slope = coefficient * column.scale;
                shift -= coefficient * column.offset;
                column.each(|unit, x| sums[unit] += slope * x);
            }
        }
        sums.iter_mut().for_each(|sum| *sum += shift);
        sums
    }

    /// The sum of features on the user's scale times slopes, for each unit.
    pub(super) fn sums_on_the_users_scale(&self, slopes: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.units];
        let mut shift = 0.0;
        for (column, &slope) in self.columns.iter().zip(slopes).filter(|(_, slope)| **slope != 0.0) {
            match column.dense() {
                Some(values) => {
                    shift += slope * column.mean;
                    let slope = slope * column.deviation;
                    sums.iter_mut().zip(values).for_each(|(sum, x)| *sum += slope * x);
                }
                None => column.each(|unit, x| sums[unit] += slope * x),
            }
        }
        sums.iter_mut().for_each(|sum| *sum += shift);
        sums
    }

    /// Of each standardised feature, the sum over units of it times `vector`; 0 of a constant one.
    pub(super) fn sums_with(&self, vector: &[f64]) -> Vec<f64> {
        let total = vector.iter().sum();
        let of = |column: &Column| if column.varies() { column.standardised_times(vector, total) } else { 0.0 };
        self.columns.iter().map(of).collect()
    }

    /// Ready for sums of several rows of numbers at once, over some of the features: all others count as zero.
    pub(super) fn products(&self, chosen: &[usize]) -> Products<'_> {
        Products::new(self, &self.matrix, chosen)
    }

    /// The same over all features.
    pub(super) fn products_of_all(&self) -> Products<'_> {
        let all: Vec<usize> = (0..self.len()).collect();
        self.products(&all)
    }

    /// Of each pair of some standardised features, the sum over units of both times a weight.
    pub(super) fn gram(&self, chosen: &[usize], weights: &[f64], context: &Context) -> Result<Symmetric> {
        const BLOCK: usize = 128;
        let size = chosen.len();
        let mut gram = Symmetric::zeros(size);
        let mut design = vec![0.0; size * BLOCK];
        let mut scaled = Vec::new();
        for from in (0..self.units).step_by(BLOCK) {
            let to = (from + BLOCK).min(self.units);
            for (at, &j) in chosen.iter().enumerate() {
                self.columns[j].write(from, to, &mut design[at..], size);
            }
            scaled.clear();
            for (row, weight) in design.chunks_exact(size.max(1)).zip(&weights[from..to]) {
                scaled.extend(row.iter().map(|x| weight * x));
            }
            gram.add_product((0, 0), (&scaled, size), (&design[..(to - from) * size], size));
            context.worked(size * size * (to - from))?;
        }
        Ok(gram)
    }

    /// Coefficients for standardised features, of slopes for features on the user's scale, and what to add to an intercept.
    pub(super) fn standardised_slopes(&self, slopes: &[f64]) -> (Vec<f64>, f64) {
        let shift = self.columns.iter().zip(slopes).map(|(column, slope)| slope * column.mean).sum();
        (self.columns.iter().zip(slopes).map(|(column, slope)| slope * column.deviation).collect(), shift)
    }

    /// Coefficients for features on the user's scale, and what to add to an intercept.
    pub(super) fn on_the_users_scale(&self, coefficients: &[f64]) -> (Vec<f64>, f64) {
        let mut shift = 0.0;
        let scaled = self.columns.iter().zip(coefficients).map(|(column, coefficient)| {
            let slope = if column.varies() { coefficient / column.deviation } else { 0.0 };
            shift -= slope * column.mean;
            slope
        });
        (scaled.collect(), shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standardising_in_the_arithmetic_is_standardising() {
        let columns = [
            vec![1.0, 0.0, 3.0, 0.0, 0.0],
            vec![5.0; 5],
            vec![-1.0, 2.0, 0.5, 7.0, 0.0],
            vec![0.0, 0.0, 0.0, 4.0, 0.0],
        ];
        let plain = Features::from_columns(5, &columns).unwrap();
        let features = Standardised::of(&plain);
        let coefficients = [0.5, 9.0, -2.0, 1.5];
        let sums = features.sums(&coefficients);
        let (slopes, shift) = features.on_the_users_scale(&coefficients);
        let (on_theirs, from_plain) = (features.sums_on_the_users_scale(&slopes), plain.sums(&slopes));
        let vector = [0.3, -1.0, 2.0, 0.7, 0.1];
        let with = features.sums_with(&vector);
        let mut direct = [0.0; 5];
        for (j, column) in columns.iter().enumerate().filter(|(_, column)| column[0] != 5.0) {
            let mean = column.iter().sum::<f64>() / 5.0;
            let variance = column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 5.0;
            let standard: Vec<f64> = column.iter().map(|x| (x - mean) / variance.sqrt()).collect();
            let sum: f64 = standard.iter().zip(vector).map(|(x, v)| x * v).sum();
            assert!((with[j] - sum).abs() < 1e-12);
            let mut cells = vec![f64::NAN; 6];
            features.column(j).write(1, 4, &mut cells, 2);
            for unit in 0..5 {
                direct[unit] += coefficients[j] * standard[unit];
                assert!(!(1..4).contains(&unit) || (cells[2 * (unit - 1)] - standard[unit]).abs() < 1e-12);
            }
        }
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        for unit in 0..5 {
            assert!(close(sums[unit], direct[unit]) && close(from_plain[unit] + shift, direct[unit]));
            assert!(close(on_theirs[unit], from_plain[unit]));
        }
        let (back, less) = features.standardised_slopes(&slopes);
        assert!(close(less, -shift) && close(back[0], 0.5) && close(back[2], -2.0) && back[1] == 0.0);
        assert_eq!((slopes[1], with[1]), (0.0, 0.0), "a constant column never enters");
    }

    #[test]
    fn some_units_are_standardised_as_if_read_alone() {
        // The third is dense with all its units, and constant, zero or one third, with these.
        for constant in [0.0, 1.0 / 3.0] {
            let columns =
                [vec![1.0, 0.0, 3.0, 0.0, 2.5], vec![0.0, 0.0, 0.0, 4.0, 0.0], vec![constant, 1e3, 2.0, 5.0, constant]];
            let some = Standardised::of_units(&Features::from_columns(5, &columns).unwrap(), &[4, 0]).unwrap();
            let alone: Vec<Vec<f64>> = columns.iter().map(|column| vec![column[4], column[0]]).collect();
            assert_eq!(some, Standardised::of(&Features::from_columns(2, &alone).unwrap()));
            assert!(!some.column(2).varies());
        }
    }
}
