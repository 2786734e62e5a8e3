//! Intercepts and coefficients of classes, and the probabilities they give.

use super::standardised::Standardised;
use super::{Classifier, PenaltyKind};
use crate::{Context, Result};

/// P(class c | x) in proportion to exp(intercept_c + x b_c), for standardised features x.
///
/// Two classes have one row, of the second class, the first's being zero; more classes have a row each.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Linear {
    pub(super) classes: usize,
    /// An intercept for each row.
    pub(super) intercepts: Vec<f64>,
    /// Row after row, a coefficient for each feature.
    pub(super) coefficients: Vec<f64>,
}

/// How many rows there are for this many classes.
pub(super) fn rows_of(classes: usize) -> usize {
    if classes == 2 { 1 } else { classes }
}

impl Linear {
    /// All zero.
    pub(super) fn zero(classes: usize, features: usize) -> Self {
        let rows = rows_of(classes);
        Linear { classes, intercepts: vec![0.0; rows], coefficients: vec![0.0; rows * features] }
    }

    /// How many rows it has.
    pub(super) fn rows(&self) -> usize {
        self.intercepts.len()
    }

    /// The coefficients of one row.
    pub(super) fn row(&self, row: usize) -> &[f64] {
        let features = self.coefficients.len() / self.rows();
        &self.coefficients[row * features..(row + 1) * features]
    }

    /// Whether a feature has a coefficient that is not zero.
    pub(super) fn uses(&self, feature: usize) -> bool {
        (0..self.rows()).any(|row| self.row(row)[feature] != 0.0)
    }

    /// How many features have a coefficient that is not zero.
    pub(super) fn features_used(&self) -> usize {
        (0..self.coefficients.len() / self.rows()).filter(|&feature| self.uses(feature)).count()
    }

    /// Intercept and x b of each unit and row, unit by unit.
    pub(super) fn sums(&self, features: &Standardised) -> Vec<f64> {
        self.sums_by(features.units(), |coefficients| features.sums(coefficients))
    }

    /// The same for many rows and features at once.
    pub(super) fn sums_by_products(&self, features: &Standardised, context: &Context) -> Result<Vec<f64>> {
        let (rows, units) = (self.rows(), features.units());
        let chosen: Vec<usize> = (0..features.len()).filter(|&feature| self.uses(feature)).collect();
        let by_row = features.products(&chosen).over_features(rows, &self.coefficients, context)?;
        let mut sums = vec![0.0; units * rows];
        for (row, intercept) in self.intercepts.iter().enumerate() {
            let cells = sums.iter_mut().skip(row).step_by(rows);
            cells.zip(&by_row[row * units..]).for_each(|(cell, sum)| *cell = intercept + sum);
        }
        Ok(sums)
    }

    /// The same with another way to sum coefficients times features over the features of each unit.
    pub(super) fn sums_by(&self, units: usize, sum: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
        let rows = self.rows();
        let mut sums = vec![0.0; units * rows];
        for row in 0..rows {
            let of_row = sum(self.row(row));
            for (cell, value) in sums.iter_mut().skip(row).step_by(rows).zip(of_row) {
                *cell = self.intercepts[row] + value;
            }
        }
        sums
    }

    /// The probability of each class for each unit, unit by unit.
    pub(super) fn probabilities(&self, features: &Standardised) -> Vec<f64> {
        self.probabilities_of(&self.sums(features))
    }

    /// The probability of each class for each unit, from the sums of its rows.
    pub(super) fn probabilities_of(&self, sums: &[f64]) -> Vec<f64> {
        let mut probabilities = vec![0.0; sums.len() / self.rows() * self.classes];
        for (sums, cells) in sums.chunks_exact(self.rows()).zip(probabilities.chunks_exact_mut(self.classes)) {
            softmax(sums, cells);
        }
        probabilities
    }

    /// The same classifier for standardised features, this one being for features on the user's scale.
    pub(super) fn standardised_as(&self, features: &Standardised) -> Linear {
        let mut standardised = Linear { classes: self.classes, intercepts: Vec::new(), coefficients: Vec::new() };
        for row in 0..self.rows() {
            let (coefficients, shift) = features.standardised_slopes(self.row(row));
            standardised.intercepts.push(self.intercepts[row] + shift);
            standardised.coefficients.extend(coefficients);
        }
        standardised
    }

    /// Takes from the intercepts, and from the coefficients of each feature, what is common to all rows and changes no
    /// probability: where the penalty on them is smallest.
    pub(super) fn centre(&mut self, kind: PenaltyKind) {
        let (rows, width) = (self.rows(), self.coefficients.len() / self.rows());
        if rows == 1 {
            return;
        }
        let mean = self.intercepts.iter().sum::<f64>() / rows as f64;
        self.intercepts.iter_mut().for_each(|intercept| *intercept -= mean);
        let mut sorted = vec![0.0; rows];
        for feature in 0..width {
            (0..rows).for_each(|row| sorted[row] = self.coefficients[row * width + feature]);
            let centre = match kind {
                PenaltyKind::L1 => {
                    sorted.sort_unstable_by(f64::total_cmp);
                    // Of an even number of rows, all between the two in the middle are medians.
                    0f64.clamp(sorted[(rows - 1) / 2], sorted[rows / 2])
                }
                PenaltyKind::L2 => sorted.iter().sum::<f64>() / rows as f64,
                // Between the two, and rarely far from zero.
                PenaltyKind::Elastic => 0.0,
            };
            if centre != 0.0 {
                (0..rows).for_each(|row| self.coefficients[row * width + feature] -= centre);
            }
        }
    }

    /// The classifier for features on the user's scale.
    pub(super) fn on_the_users_scale(&self, features: &Standardised) -> Classifier {
        let mut scaled = Linear { classes: self.classes, intercepts: Vec::new(), coefficients: Vec::new() };
        for row in 0..self.rows() {
            let (slopes, shift) = features.on_the_users_scale(self.row(row));
            scaled.intercepts.push(self.intercepts[row] + shift);
            scaled.coefficients.extend(slopes);
        }
        Classifier::of(scaled)
    }
}

/// Probabilities of classes from the sums of rows; returns what divides them, as [`normalise`].
pub(super) fn softmax(sums: &[f64], cells: &mut [f64]) -> Divisor {
    match sums {
        [sum] => cells.copy_from_slice(&[0.0, *sum]),
        _ => cells.copy_from_slice(sums),
    }
    normalise(cells)
}

/// e^log times a factor from 1 to the number of classes: a product of these needs one logarithm.
#[derive(Clone, Copy, Debug)]
pub(super) struct Divisor {
    pub(super) log: f64,
    pub(super) factor: f64,
}

/// Turns the logarithms of the classes' weights into probabilities; returns what divides them.
pub(super) fn normalise(cells: &mut [f64]) -> Divisor {
    if let [no, yes] = cells {
        let (log, small, large_is_yes) = (no.max(*yes), (-(*yes - *no).abs()).exp(), yes > no);
        let large = 1.0 / (1.0 + small);
        (*no, *yes) = if large_is_yes { (small * large, large) } else { (large, small * large) };
        return Divisor { log, factor: 1.0 + small };
    }
    let log = cells.iter().fold(f64::NEG_INFINITY, |most, cell| most.max(*cell));
    cells.iter_mut().for_each(|cell| *cell = (*cell - log).exp());
    let factor = cells.iter().sum();
    cells.iter_mut().for_each(|cell| *cell /= factor);
    Divisor { log, factor }
}
