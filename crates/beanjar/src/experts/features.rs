use crate::{Error, Result};

/// The features of units, column by column, and what brings each to mean 0 and variance 1.
///
/// Only values that are not zero are kept, so sparse features cost what they hold. Standardising is done in the
/// arithmetic, never on the values.
#[derive(Clone, Debug, PartialEq)]
pub struct Features {
    units: usize,
    columns: Vec<Column>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Column {
    /// The units where it is not zero, in rising order, and its values there.
    pub(super) units: Vec<u32>,
    pub(super) values: Vec<f64>,
    pub(super) mean: f64,
    /// The standard deviation, divided by n; 0 for a column that is constant, which then never enters.
    pub(super) deviation: f64,
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
        let column = |(at, entries): (usize, Vec<(u32, f64)>)| {
            let sound = entries.iter().all(|(unit, value)| (*unit as usize) < units && value.is_finite());
            if !sound || !entries.is_sorted_by(|a, b| a.0 < b.0) {
                return Err(Error::OutOfRange {
                    name: "a feature's value",
                    value: format!("in column {}", at + 1),
                    range: "a finite number, one for each unit",
                });
            }
            let (units_of, values): (Vec<u32>, Vec<f64>) = entries.into_iter().unzip();
            let n = units.max(1) as f64;
            let mean = values.iter().sum::<f64>() / n;
            let zeros = n - values.len() as f64;
            let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() + zeros * mean * mean;
            let deviation = (squares / n).sqrt();
            // A deviation of the size of rounding is none.
            let constant = deviation <= 1e-12 * mean.abs().max(f64::MIN_POSITIVE);
            Ok(Column { units: units_of, values, mean, deviation: if constant { 0.0 } else { deviation } })
        };
        Ok(Features { units, columns: columns.into_iter().enumerate().map(column).collect::<Result<_>>()? })
    }

    /// How many units there are.
    pub fn units(&self) -> usize {
        self.units
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
    pub fn of_units(&self, units: &[usize]) -> Result<Features> {
        let mut number = vec![u32::MAX; self.units];
        units.iter().enumerate().for_each(|(at, &unit)| number[unit] = at as u32);
        let entries = |column: &Column| {
            let kept = column.units.iter().zip(&column.values).map(|(&unit, &value)| (number[unit as usize], value));
            let mut kept: Vec<(u32, f64)> = kept.filter(|(at, _)| *at != u32::MAX).collect();
            kept.sort_unstable_by_key(|entry| entry.0);
            kept
        };
        Features::from_entries(units.len(), self.columns.iter().map(entries).collect())
    }

    /// The sum of features as they are times slopes, for each unit.
    pub fn plain_sum(&self, slopes: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.units];
        for (column, slope) in self.columns.iter().zip(slopes).filter(|(_, slope)| **slope != 0.0) {
            for (&unit, value) in column.units.iter().zip(&column.values) {
                sums[unit as usize] += slope * value;
            }
        }
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
            if coefficient != 0.0 && column.deviation > 0.0 {
                let slope = coefficient / column.deviation;
                shift -= slope * column.mean;
                for (&unit, value) in column.units.iter().zip(&column.values) {
                    sums[unit as usize] += slope * value;
                }
            }
        }
        sums.iter_mut().for_each(|sum| *sum += shift);
        sums
    }

    /// Coefficients for features as the user has them, and what to add to an intercept.
    pub fn on_the_users_scale(&self, coefficients: &[f64]) -> (Vec<f64>, f64) {
        let mut shift = 0.0;
        let scaled = self.columns.iter().zip(coefficients).map(|(column, coefficient)| {
            let slope = if column.deviation > 0.0 { coefficient / column.deviation } else { 0.0 };
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
        let columns = [vec![1.0, 0.0, 3.0, 0.0], vec![5.0; 4], vec![-1.0, 2.0, 0.5, 7.0]];
        let features = Features::from_columns(4, &columns).unwrap();
        let coefficients = [0.5, 9.0, -2.0];
        let sums = features.standardised_sum(&coefficients);
        let (slopes, shift) = features.on_the_users_scale(&coefficients);
        for unit in 0..4 {
            let mut direct = 0.0;
            for (column, coefficient) in columns.iter().zip(coefficients).filter(|(column, _)| column[0] != 5.0) {
                let mean = column.iter().sum::<f64>() / 4.0;
                let variance = column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 4.0;
                direct += coefficient * (column[unit] - mean) / variance.sqrt();
            }
            let by_slopes: f64 = columns.iter().zip(&slopes).map(|(column, slope)| slope * column[unit]).sum();
            assert!((sums[unit] - direct).abs() < 1e-12 && (by_slopes + shift - direct).abs() < 1e-12);
        }
        assert_eq!(slopes[1], 0.0, "a constant column never enters");
        assert!(Features::from_columns(2, &[vec![f64::NAN, 1.0]]).is_err());
    }
}
