//! One standardised feature.

use crate::linalg::dot;
use std::sync::Arc;

/// A standardised feature: x times `scale` less `offset`, where x are its values as they are kept.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::experts) struct Column {
    values: Kept,
    units: usize,
    pub(in crate::experts) scale: f64,
    pub(in crate::experts) offset: f64,
    pub(super) mean: f64,
    /// The standard deviation, divided by n; 0 for a column that is constant, which then never enters.
    pub(super) deviation: f64,
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
pub(super) struct Measured {
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
    pub(super) fn new(units: usize, (at, values): (Vec<u32>, Vec<f64>), matrix: &mut Vec<f64>) -> Measured {
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

    pub(super) fn into_column(self, units: usize, matrix: &Arc<Vec<f64>>) -> Column {
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
    /// Numbers of units in place of a feature, from a place in the matrix on.
    pub(super) fn of_numbers(units: usize, matrix: &Arc<Vec<f64>>, place: usize) -> Self {
        let values = Kept::Dense(Arc::clone(matrix), place);
        Column { values, units, scale: 1.0, offset: 0.0, mean: 0.0, deviation: 1.0 }
    }

    /// The standardised values of all units, if they are kept so.
    pub(in crate::experts) fn dense(&self) -> Option<&[f64]> {
        match &self.values {
            Kept::Dense(matrix, place) => Some(&matrix[*place..*place + self.units]),
            Kept::Sparse(..) => None,
        }
    }

    /// How many values are kept.
    pub(in crate::experts) fn len(&self) -> usize {
        match &self.values {
            Kept::Dense(..) => self.units,
            Kept::Sparse(_, values) => values.len(),
        }
    }

    /// The mean of its values as they are kept, those that are zero included.
    pub(in crate::experts) fn centre(&self) -> f64 {
        match &self.values {
            Kept::Dense(..) => 0.0,
            Kept::Sparse(..) => self.mean,
        }
    }

    /// Whether it varies.
    pub(in crate::experts) fn varies(&self) -> bool {
        self.deviation > 0.0
    }

    /// Calls `visit` with the unit and the value of each value that is kept.
    #[inline]
    pub(in crate::experts) fn each(&self, mut visit: impl FnMut(usize, f64)) {
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
    pub(in crate::experts) fn times(&self, vector: &[f64]) -> f64 {
        match &self.values {
            Kept::Dense(matrix, place) => dot(&matrix[*place..*place + self.units], vector),
            Kept::Sparse(units, values) => units.iter().zip(values).map(|(&unit, x)| x * vector[unit as usize]).sum(),
        }
    }

    /// The sum of the standardised feature times a vector with sum `total`.
    pub(super) fn standardised_times(&self, vector: &[f64], total: f64) -> f64 {
        self.scale * self.times(vector) - self.offset * total
    }

    /// Writes the standardised feature of some units into cells that are `stride` apart.
    pub(in crate::experts) fn write(&self, from: usize, to: usize, cells: &mut [f64], stride: usize) {
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
