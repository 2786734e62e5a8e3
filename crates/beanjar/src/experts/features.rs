use crate::{Error, Result};

/// The features of units, column by column, on the user's scale.
///
/// A column that is mostly zeros keeps the other values only.
///
/// ```
/// use beanjar::experts::Features;
///
/// // Three units; their heights, and whether they are red.
/// let features = Features::from_columns(3, &[vec![1.5, 2.0, 0.5], vec![0.0, 0.0, 1.0]])?;
/// assert_eq!((features.units(), features.len()), (3, 2));
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Features {
    units: usize,
    columns: Vec<Values>,
}

/// The values of one feature.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Values {
    /// One for each unit.
    Dense(Vec<f64>),
    /// The units where it is not zero, in rising order, and its values there.
    Sparse(Vec<u32>, Vec<f64>),
}

/// Larger values would overflow when they are squared and summed.
const LARGEST: f64 = 1e100;

impl Values {
    /// Values of some units, in rising order, and zero elsewhere.
    fn new(units: usize, at: Vec<u32>, values: Vec<f64>) -> Values {
        if 2 * values.len() < units {
            return Values::Sparse(at, values);
        }
        let mut dense = vec![0.0; units];
        at.iter().zip(&values).for_each(|(&unit, value)| dense[unit as usize] = *value);
        Values::Dense(dense)
    }

    /// Calls `visit` with the unit and the value of each value that is kept.
    #[inline]
    pub(super) fn each(&self, mut visit: impl FnMut(usize, f64)) {
        match self {
            Values::Dense(values) => values.iter().enumerate().for_each(|(unit, &x)| visit(unit, x)),
            Values::Sparse(units, values) => {
                units.iter().zip(values).for_each(|(&unit, &x)| visit(unit as usize, x));
            }
        }
    }

    /// The values that are not zero, of units that have a number in `numbers`, in the order of these numbers.
    pub(super) fn renumbered(&self, numbers: &[u32]) -> (Vec<u32>, Vec<f64>) {
        let mut kept: Vec<(u32, f64)> = Vec::new();
        self.each(|unit, value| {
            if value != 0.0 && numbers[unit] != u32::MAX {
                kept.push((numbers[unit], value));
            }
        });
        kept.sort_unstable_by_key(|entry| entry.0);
        kept.into_iter().unzip()
    }
}

impl Features {
    /// Columns of one value for each unit.
    pub fn from_columns(units: usize, columns: &[Vec<f64>]) -> Result<Self> {
        if let Some(at) = columns.iter().position(|column| column.len() != units) {
            return Err(bad_column(at));
        }
        let sparse = |column: &Vec<f64>| {
            let entries = column.iter().enumerate().filter(|(_, value)| **value != 0.0);
            entries.map(|(unit, &value)| (unit as u32, value)).unzip()
        };
        Self::from_sparse(units, columns.iter().map(sparse).collect())
    }

    /// Columns of units, in rising order, and of their values; other units have 0.
    pub fn from_sparse(units: usize, columns: Vec<(Vec<u32>, Vec<f64>)>) -> Result<Self> {
        let column = |(at, (units_of, values)): (usize, (Vec<u32>, Vec<f64>))| {
            let known = units_of.last().is_none_or(|&last| (last as usize) < units);
            let rising = units_of.is_sorted_by(|a, b| a < b) && units_of.len() == values.len();
            match known && rising && values.iter().all(|value| value.abs() <= LARGEST) {
                true => Ok(Values::new(units, units_of, values)),
                false => Err(bad_column(at)),
            }
        };
        Ok(Features { units, columns: columns.into_iter().enumerate().map(column).collect::<Result<_>>()? })
    }

    /// How many units there are.
    #[must_use]
    pub fn units(&self) -> usize {
        self.units
    }

    /// How many features there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The features of some units, which get new numbers in their order here.
    pub fn of_units(&self, units: &[usize]) -> Result<Features> {
        let numbers = self.numbers(units)?;
        let of_them = |column: &Values| {
            let (at, values) = column.renumbered(&numbers);
            Values::new(units.len(), at, values)
        };
        Ok(Features { units: units.len(), columns: self.columns.iter().map(of_them).collect() })
    }

    /// Some of the features, in this order.
    pub fn of_columns(&self, columns: &[usize]) -> Result<Features> {
        let column = |&at: &usize| self.columns.get(at).cloned().ok_or_else(|| bad_column(at));
        Ok(Features { units: self.units, columns: columns.iter().map(column).collect::<Result<_>>()? })
    }

    /// Of each unit its place in `units`, or `u32::MAX`.
    pub(super) fn numbers(&self, units: &[usize]) -> Result<Vec<u32>> {
        let mut numbers = vec![u32::MAX; self.units];
        for (at, &unit) in units.iter().enumerate() {
            match numbers.get_mut(unit) {
                Some(number) if *number == u32::MAX => *number = at as u32,
                _ => {
                    let range = "one of the units with features, each once";
                    return Err(Error::OutOfRange { name: "a unit", value: unit.to_string(), range });
                }
            }
        }
        Ok(numbers)
    }

    pub(super) fn columns(&self) -> &[Values] {
        &self.columns
    }

    /// The sum of features times slopes, for each unit.
    pub(super) fn sums(&self, slopes: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.units];
        for (column, &slope) in self.columns.iter().zip(slopes).filter(|(_, slope)| **slope != 0.0) {
            column.each(|unit, x| sums[unit] += slope * x);
        }
        sums
    }
}

fn bad_column(at: usize) -> Error {
    Error::OutOfRange {
        name: "a feature's value",
        value: format!("in column {}", at + 1),
        range: "a number of at most 1e100, one for each unit",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_units_and_columns_are_as_if_read_alone() {
        let columns = [vec![1.0, 0.0, 3.0, 0.0, 2.5], vec![0.0, 0.0, 0.0, 4.0, 0.0], vec![2.0, 1e3, 0.1, 5.0, 2.0]];
        let features = Features::from_columns(5, &columns).unwrap();
        let alone: Vec<Vec<f64>> = columns.iter().map(|column| vec![column[4], column[0]]).collect();
        assert_eq!(features.of_units(&[4, 0]).unwrap(), Features::from_columns(2, &alone).unwrap());
        let turned = Features::from_columns(5, &[columns[2].clone(), columns[0].clone()]).unwrap();
        assert_eq!(features.of_columns(&[2, 0]).unwrap(), turned);
        assert!(features.of_units(&[5]).is_err() && features.of_units(&[1, 1]).is_err());
        assert!(features.of_columns(&[3]).is_err());
    }

    #[test]
    fn sums_are_of_values_times_slopes() {
        let features = Features::from_columns(3, &[vec![1.0, 0.0, 3.0], vec![0.0, 0.0, 4.0]]).unwrap();
        assert_eq!(features.sums(&[2.0, 0.5]), [2.0, 0.0, 8.0]);
    }

    #[test]
    fn columns_are_checked() {
        let sparse = |units, units_of: &[u32], values: &[f64]| {
            Features::from_sparse(units, vec![(units_of.to_vec(), values.to_vec())])
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
        assert!(Features::from_columns(2, &[vec![f64::NAN, 1.0]]).is_err());
        assert!(Features::from_columns(2, &[vec![1.0]]).is_err());
    }
}
