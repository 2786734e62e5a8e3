//! Features brought to mean 0 and variance 1: what penalties are on, and all solvers work with.

use super::Features;
use super::features::Values;
use super::products::Products;
use super::row_space::RowSpace;
use crate::linalg::{Symmetric, dot};
use crate::{Context, Result};
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

/// A standardised feature: x times `scale` less `offset`, where x are its values as they are kept.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Column {
    values: Kept,
    units: usize,
    pub(super) scale: f64,
    pub(super) offset: f64,
    mean: f64,
    /// The standard deviation, divided by n; 0 for a column that is constant, which then never enters.
    deviation: f64,
}

/// The values of a column as they are kept.
#[derive(Clone, Debug, PartialEq)]
enum Kept {
    /// One for each unit, standardised, from a place in the matrix on.
    Dense(Arc<Vec<f64>>, usize),
    /// The units where it is not zero, in rising order, and its values there.
    Sparse(Vec<u32>, Vec<f64>),
}

/// A column before all dense ones are put together.
struct Measured {
    at: Vec<u32>,
    values: Vec<f64>,
    mean: f64,
    deviation: f64,
    scale: f64,
    /// Where it begins in the matrix, if it is dense.
    place: Option<usize>,
}

impl Measured {
    /// Measures a column with these values, and zero in other units; a dense one is put into the matrix.
    fn new(units: usize, (at, values): (Vec<u32>, Vec<f64>), matrix: &mut Vec<f64>) -> Measured {
        let n = units.max(1) as f64;
        let zeros = n - values.len() as f64;
        // Twice, as the first has the rounding of a sum of large numbers.
        let rough = values.iter().sum::<f64>() / n;
        let mean = rough + (values.iter().map(|value| value - rough).sum::<f64>() - zeros * rough) / n;
        let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() + zeros * mean * mean;
        let spread = (squares / n).sqrt();
        // A deviation of the size of rounding is none.
        let deviation = if spread <= (1e-15 * mean.abs()).max(f64::MIN_POSITIVE) { 0.0 } else { spread };
        let scale = if deviation > 0.0 { 1.0 / deviation } else { 0.0 };
        if deviation == 0.0 || 2 * values.len() < units {
            return Measured { at, values, mean, deviation, scale, place: None };
        }
        let place = matrix.len();
        matrix.resize(place + units, -mean * scale);
        let cells = &mut matrix[place..];
        at.iter().zip(&values).for_each(|(&unit, value)| cells[unit as usize] = (value - mean) * scale);
        Measured { at: Vec::new(), values: Vec::new(), mean, deviation, scale, place: Some(place) }
    }

    fn into_column(self, units: usize, matrix: &Arc<Vec<f64>>) -> Column {
        let Measured { at, values, mean, deviation, scale, place } = self;
        match place {
            Some(place) => Column {
                values: Kept::Dense(Arc::clone(matrix), place),
                units,
                scale: 1.0,
                offset: 0.0,
                mean,
                deviation,
            },
            None => Column { values: Kept::Sparse(at, values), units, scale, offset: mean * scale, mean, deviation },
        }
    }
}

impl Column {
    /// The standardised values of all units, if they are kept so.
    pub(super) fn dense(&self) -> Option<&[f64]> {
        match &self.values {
            Kept::Dense(matrix, place) => Some(&matrix[*place..*place + self.units]),
            Kept::Sparse(..) => None,
        }
    }

    /// How many values are kept.
    pub(super) fn len(&self) -> usize {
        match &self.values {
            Kept::Dense(..) => self.units,
            Kept::Sparse(_, values) => values.len(),
        }
    }

    /// The mean of its values as they are kept, those that are zero included.
    pub(super) fn centre(&self) -> f64 {
        match &self.values {
            Kept::Dense(..) => 0.0,
            Kept::Sparse(..) => self.mean,
        }
    }

    /// Whether it varies.
    pub(super) fn varies(&self) -> bool {
        self.deviation > 0.0
    }

    /// Calls `visit` with the unit and the value of each value that is kept.
    #[inline]
    pub(super) fn each(&self, mut visit: impl FnMut(usize, f64)) {
        match &self.values {
            Kept::Dense(matrix, place) => {
                matrix[*place..*place + self.units].iter().enumerate().for_each(|(unit, &x)| visit(unit, x));
            }
            Kept::Sparse(units, values) => {
                units.iter().zip(values).for_each(|(&unit, &x)| visit(unit as usize, x));
            }
        }
    }

    /// The sum of values as they are kept times `vector`.
    #[inline]
    pub(super) fn times(&self, vector: &[f64]) -> f64 {
        match &self.values {
            Kept::Dense(matrix, place) => dot(&matrix[*place..*place + self.units], vector),
            Kept::Sparse(units, values) => units.iter().zip(values).map(|(&unit, x)| x * vector[unit as usize]).sum(),
        }
    }

    /// The sum of the standardised feature times a vector with sum `total`.
    fn standardised_times(&self, vector: &[f64], total: f64) -> f64 {
        self.scale * self.times(vector) - self.offset * total
    }

    /// Writes the standardised feature of some units into cells that are `stride` apart.
    pub(super) fn write(&self, from: usize, to: usize, cells: &mut [f64], stride: usize) {
        match &self.values {
            Kept::Dense(matrix, place) => {
                matrix[place + from..place + to]
                    .iter()
                    .zip(cells.iter_mut().step_by(stride))
                    .for_each(|(x, cell)| *cell = *x);
            }
            Kept::Sparse(units, values) => {
                cells.iter_mut().step_by(stride).take(to - from).for_each(|cell| *cell = -self.offset);
                let first = units.partition_point(|&unit| (unit as usize) < from);
                let inside = units[first..].iter().zip(&values[first..]).take_while(|(unit, _)| (**unit as usize) < to);
                inside.for_each(|(&unit, x)| cells[(unit as usize - from) * stride] += self.scale * x);
            }
        }
    }
}

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
        let count = directions.len();
        let matrix = Arc::new(directions.concat());
        let column = |at: usize| Column {
            values: Kept::Dense(Arc::clone(&matrix), at * units),
            units,
            scale: 1.0,
            offset: 0.0,
            mean: 0.0,
            deviation: 1.0,
        };
        let columns = (0..count).map(column).collect();
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
