use crate::linalg::{Symmetric, dot};
use crate::{Error, Result};

/// The features of units, column by column, and what brings each to mean 0 and variance 1.
///
/// A column that is mostly zeros keeps the others only, and is standardised in the arithmetic; any other column is kept
/// standardised, so that sums over it are plain sums over an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Features {
    units: usize,
    columns: Vec<Column>,
}

/// A standardised feature: x times `scale` less `offset`, where x are its values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Column {
    values: Values,
    pub(super) scale: f64,
    pub(super) offset: f64,
    mean: f64,
    /// The standard deviation, divided by n; 0 for a column that is constant, which then never enters.
    deviation: f64,
}

#[derive(Clone, Debug, PartialEq)]
enum Values {
    /// One for each unit, standardised.
    Dense(Vec<f64>),
    /// The units where it is not zero, in rising order, and its values there, as they are.
    Sparse(Vec<u32>, Vec<f64>),
}

/// Larger values would overflow when they are squared and summed.
const LARGEST: f64 = 1e100;

impl Column {
    /// Values as they are, which counts as standardised.
    fn plain(units: usize, at: Vec<u32>, values: Vec<f64>) -> Column {
        let values = match 2 * values.len() < units {
            true => Values::Sparse(at, values),
            false => {
                let mut dense = vec![0.0; units];
                at.iter().zip(&values).for_each(|(&unit, value)| dense[unit as usize] = *value);
                Values::Dense(dense)
            }
        };
        Column { values, scale: 1.0, offset: 0.0, mean: 0.0, deviation: 1.0 }
    }

    /// Of a column with these values, and zero in other units; values that differ by no more than `rounding` are equal.
    fn new(units: usize, (at, values): (Vec<u32>, Vec<f64>), rounding: f64) -> Column {
        let n = units.max(1) as f64;
        let zeros = n - values.len() as f64;
        // Twice, as the first has the rounding of a sum of large numbers.
        let rough = values.iter().sum::<f64>() / n;
        let mean = rough + (values.iter().map(|value| value - rough).sum::<f64>() - zeros * rough) / n;
        let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() + zeros * mean * mean;
        let spread = (squares / n).sqrt();
        // A deviation of the size of rounding is none.
        let deviation = if spread <= rounding.max(1e-15 * mean.abs()).max(f64::MIN_POSITIVE) { 0.0 } else { spread };
        let scale = if deviation > 0.0 { 1.0 / deviation } else { 0.0 };
        if deviation == 0.0 || 2 * values.len() < units {
            return Column { values: Values::Sparse(at, values), scale, offset: mean * scale, mean, deviation };
        }
        let mut dense = vec![-mean * scale; units];
        at.iter().zip(&values).for_each(|(&unit, value)| dense[unit as usize] = (value - mean) * scale);
        Column { values: Values::Dense(dense), scale: 1.0, offset: 0.0, mean, deviation }
    }

    /// How many values are kept.
    pub(super) fn len(&self) -> usize {
        match &self.values {
            Values::Dense(values) | Values::Sparse(_, values) => values.len(),
        }
    }

    /// The mean of its values as they are kept, those that are zero included.
    pub(super) fn centre(&self) -> f64 {
        match &self.values {
            Values::Dense(_) => 0.0,
            Values::Sparse(..) => self.mean,
        }
    }

    /// Whether it varies.
    pub(super) fn varies(&self) -> bool {
        self.deviation > 0.0
    }

    /// Tells of each value that is kept: its unit and itself.
    #[inline]
    pub(super) fn each(&self, mut tell: impl FnMut(usize, f64)) {
        match &self.values {
            Values::Dense(values) => values.iter().enumerate().for_each(|(unit, &x)| tell(unit, x)),
            Values::Sparse(units, values) => {
                units.iter().zip(values).for_each(|(&unit, &x)| tell(unit as usize, x));
            }
        }
    }

    /// The sum of values times `vector`.
    #[inline]
    pub(super) fn times(&self, vector: &[f64]) -> f64 {
        match &self.values {
            Values::Dense(values) => dot(values, vector),
            Values::Sparse(units, values) => units.iter().zip(values).map(|(&unit, x)| x * vector[unit as usize]).sum(),
        }
    }

    /// The sum of the standardised feature times a vector with sum `total`.
    pub(super) fn standardised_times(&self, vector: &[f64], total: f64) -> f64 {
        self.scale * self.times(vector) - self.offset * total
    }

    /// Writes the standardised feature of some units into cells that are `stride` apart.
    pub(super) fn write(&self, from: usize, to: usize, cells: &mut [f64], stride: usize) {
        match &self.values {
            Values::Dense(values) => {
                values[from..to].iter().zip(cells.iter_mut().step_by(stride)).for_each(|(x, cell)| *cell = *x);
            }
            Values::Sparse(units, values) => {
                cells.iter_mut().step_by(stride).take(to - from).for_each(|cell| *cell = -self.offset);
                let first = units.partition_point(|&unit| (unit as usize) < from);
                let inside = units[first..].iter().zip(&values[first..]).take_while(|(unit, _)| (**unit as usize) < to);
                inside.for_each(|(&unit, x)| cells[(unit as usize - from) * stride] += self.scale * x);
            }
        }
    }

    /// By how much [`entries`](Self::entries) may be off.
    fn rounding(&self) -> f64 {
        match &self.values {
            Values::Dense(_) if self.mean != 0.0 || self.deviation != 1.0 => 1e-14 * (self.mean.abs() + self.deviation),
            _ => 0.0,
        }
    }

    /// Its values that are not zero, as the user has them.
    fn entries(&self) -> Vec<(u32, f64)> {
        match &self.values {
            Values::Dense(values) => {
                let plain = values.iter().enumerate().map(|(unit, x)| (unit as u32, self.mean + self.deviation * x));
                plain.filter(|entry| entry.1 != 0.0).collect()
            }
            Values::Sparse(units, values) => units.iter().copied().zip(values.iter().copied()).collect(),
        }
    }
}

impl Features {
    /// Columns of one value for each unit.
    pub fn from_columns(units: usize, columns: &[Vec<f64>]) -> Result<Self> {
        let sparse = |column: &Vec<f64>| {
            let entries = column.iter().enumerate().filter(|(_, value)| **value != 0.0);
            entries.map(|(unit, &value)| (unit as u32, value)).collect()
        };
        Self::from_entries(units, columns.iter().map(sparse).collect())
    }

    /// Columns of unit and value where the value is not zero, units in rising order.
    pub fn from_entries(units: usize, columns: Vec<Vec<(u32, f64)>>) -> Result<Self> {
        Self::from_units_and_values(units, columns.into_iter().map(|entries| entries.into_iter().unzip()).collect())
    }

    fn from_units_and_values(units: usize, columns: Vec<(Vec<u32>, Vec<f64>)>) -> Result<Self> {
        let plain = Self::as_they_are(units, columns)?;
        let standard = |column: Column| Column::new(units, column.entries().into_iter().unzip(), 0.0);
        Ok(Features { units, columns: plain.columns.into_iter().map(standard).collect() })
    }

    /// Columns, each of units in rising order and of values, that are not standardised: to take some units of, or for sums
    /// of features as they are.
    pub fn as_they_are(units: usize, columns: Vec<(Vec<u32>, Vec<f64>)>) -> Result<Self> {
        let column = |(at, (units_of, values)): (usize, (Vec<u32>, Vec<f64>))| {
            let known = units_of.last().is_none_or(|&last| (last as usize) < units);
            let rising = units_of.is_sorted_by(|a, b| a < b) && units_of.len() == values.len();
            match known && rising && values.iter().all(|value| value.abs() <= LARGEST) {
                true => Ok(Column::plain(units, units_of, values)),
                false => Err(Error::OutOfRange {
                    name: "a feature's value",
                    value: format!("in column {}", at + 1),
                    range: "a number of at most 1e100, one for each unit",
                }),
            }
        };
        Ok(Features { units, columns: columns.into_iter().enumerate().map(column).collect::<Result<_>>()? })
    }

    /// How many units there are.
    pub fn units(&self) -> usize {
        self.units
    }

    /// The mean of each feature as the user has it.
    pub fn means(&self) -> Vec<f64> {
        self.columns.iter().map(|column| column.mean).collect()
    }

    /// How many features there are.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The features of some units, which get new numbers in their order here.
    pub fn of_units(&self, units: &[usize]) -> Features {
        let mut number = vec![u32::MAX; self.units];
        units.iter().enumerate().for_each(|(at, &unit)| number[unit] = at as u32);
        let of_them = |column: &Column| {
            let kept = column.entries().into_iter().map(|(unit, value)| (number[unit as usize], value));
            let mut kept: Vec<(u32, f64)> = kept.filter(|(at, _)| *at != u32::MAX).collect();
            kept.sort_unstable_by_key(|entry| entry.0);
            Column::new(units.len(), kept.into_iter().unzip(), column.rounding())
        };
        Features { units: units.len(), columns: self.columns.iter().map(of_them).collect() }
    }

    /// Some of the features, in this order.
    pub fn of_columns(&self, columns: &[usize]) -> Features {
        Features { units: self.units, columns: columns.iter().map(|&column| self.columns[column].clone()).collect() }
    }

    /// The sum of features as they are times slopes, for each unit.
    pub fn plain_sum(&self, slopes: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.units];
        let mut shift = 0.0;
        for (column, &slope) in self.columns.iter().zip(slopes).filter(|(_, slope)| **slope != 0.0) {
            match &column.values {
                Values::Dense(values) => {
                    shift += slope * column.mean;
                    let slope = slope * column.deviation;
                    sums.iter_mut().zip(values).for_each(|(sum, x)| *sum += slope * x);
                }
                Values::Sparse(..) => column.each(|unit, x| sums[unit] += slope * x),
            }
        }
        sums.iter_mut().for_each(|sum| *sum += shift);
        sums
    }

    pub(super) fn column(&self, feature: usize) -> &Column {
        &self.columns[feature]
    }

    /// The sum of standardised features times coefficients, for each unit.
    pub fn standardised_sum(&self, coefficients: &[f64]) -> Vec<f64> {
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

    /// Of each standardised feature, the sum over units of it times `vector`; 0 of a constant one.
    pub(super) fn sums_with(&self, vector: &[f64]) -> Vec<f64> {
        let total = vector.iter().sum();
        let of = |column: &Column| if column.varies() { column.standardised_times(vector, total) } else { 0.0 };
        self.columns.iter().map(of).collect()
    }

    /// Of each pair of some standardised features, the sum over units of both times a weight.
    pub(super) fn gram(&self, chosen: &[usize], weights: &[f64]) -> Symmetric {
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
        }
        gram
    }

    /// Coefficients for features as the user has them, and what to add to an intercept.
    pub fn on_the_users_scale(&self, coefficients: &[f64]) -> (Vec<f64>, f64) {
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
        let features = Features::from_columns(5, &columns).unwrap();
        let coefficients = [0.5, 9.0, -2.0, 1.5];
        let sums = features.standardised_sum(&coefficients);
        let (slopes, shift) = features.on_the_users_scale(&coefficients);
        let plain = features.plain_sum(&slopes);
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
        for unit in 0..5 {
            assert!((sums[unit] - direct[unit]).abs() < 1e-12 && (plain[unit] + shift - direct[unit]).abs() < 1e-12);
        }
        assert_eq!((slopes[1], with[1]), (0.0, 0.0), "a constant column never enters");
        assert!(Features::from_columns(2, &[vec![f64::NAN, 1.0]]).is_err());
    }

    #[test]
    fn some_units_are_as_if_read_alone() {
        // The third is dense with all its units, and constant, zero or one third, with these.
        for constant in [0.0, 1.0 / 3.0] {
            some_units(&[
                vec![1.0, 0.0, 3.0, 0.0, 2.5],
                vec![0.0, 0.0, 0.0, 4.0, 0.0],
                vec![constant, 1e3, 2.0, 5.0, constant],
            ]);
        }
    }

    fn some_units(columns: &[Vec<f64>; 3]) {
        let some = Features::from_columns(5, columns).unwrap().of_units(&[4, 0]);
        let alone: Vec<Vec<f64>> = columns.iter().map(|column| vec![column[4], column[0]]).collect();
        let alone = Features::from_columns(2, &alone).unwrap();
        for slopes in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(close(&some.plain_sum(&slopes), &alone.plain_sum(&slopes)));
            assert!(close(&some.standardised_sum(&slopes), &alone.standardised_sum(&slopes)));
        }
    }

    #[test]
    fn units_and_values_apart_are_checked() {
        let sparse = |units, units_of: &[u32], values: &[f64]| {
            Features::from_units_and_values(units, vec![(units_of.to_vec(), values.to_vec())])
        };
        let direct = Features::from_columns(4, &[vec![0.0, 2.0, 0.0, -1.0]]).unwrap();
        assert_eq!(sparse(4, &[1, 3], &[2.0, -1.0]).unwrap(), direct);
        assert_eq!(sparse(0, &[], &[]).unwrap(), Features::from_columns(0, &[vec![]]).unwrap());
        for (units_of, values) in [
            (&[1, 4][..], &[1.0, 1.0][..]),
            (&[3, 1], &[1.0, 1.0]),
            (&[1, 1], &[1.0, 1.0]),
            (&[1, 2], &[1.0]),
            (&[1], &[f64::INFINITY]),
            (&[1], &[1e101]),
        ] {
            assert!(sparse(4, units_of, values).is_err(), "{units_of:?} {values:?}");
        }
    }
}
