use super::lasso::{self, LogisticRows, Sparse};
use super::multinomial::{self, ClassRows, SparseClasses};
use super::{Features, check_penalty};
use crate::{Error, Result};

/// P(class c | x) in proportion to exp(intercept_c + x b_c).
///
/// Two classes have one row, of the second class, the first's being zero; more classes have a row each.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Classifier {
    /// How many classes.
    pub classes: usize,
    /// An intercept for each row.
    pub intercepts: Vec<f64>,
    /// Row after row, a coefficient for each feature.
    pub coefficients: Vec<f64>,
}

/// How many rows a classifier has.
pub(super) fn rows_of(classes: usize) -> usize {
    if classes == 2 { 1 } else { classes }
}

impl Classifier {
    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.intercepts.len()
    }

    /// The coefficients of one row.
    pub fn row(&self, row: usize) -> &[f64] {
        let features = self.coefficients.len() / self.rows();
        &self.coefficients[row * features..(row + 1) * features]
    }

    /// Whether a feature has a coefficient that is not zero.
    pub fn uses(&self, feature: usize) -> bool {
        (0..self.rows()).any(|row| self.row(row)[feature] != 0.0)
    }

    /// How many features have a coefficient that is not zero.
    pub fn features_used(&self) -> usize {
        (0..self.coefficients.len() / self.rows()).filter(|&feature| self.uses(feature)).count()
    }

    /// Intercept and x b of each unit and row, unit by unit, of standardised features.
    pub(super) fn sums(&self, features: &Features) -> Vec<f64> {
        self.sums_by(features, |coefficients| features.standardised_sum(coefficients))
    }

    pub(super) fn plain_sums(&self, features: &Features) -> Vec<f64> {
        self.sums_by(features, |slopes| features.plain_sum(slopes))
    }

    fn sums_by(&self, features: &Features, sum: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
        let rows = self.rows();
        let mut sums = vec![0.0; features.units() * rows];
        for row in 0..rows {
            let of_row = sum(self.row(row));
            for (cell, value) in sums.iter_mut().skip(row).step_by(rows).zip(of_row) {
                *cell = self.intercepts[row] + value;
            }
        }
        sums
    }

    /// The probability of each class for each unit, unit by unit, of features standardised as those it was learned from.
    pub fn probabilities(&self, features: &Features) -> Vec<f64> {
        self.probabilities_of(&self.sums(features))
    }

    /// The probability of each class for each unit, of features as they are; the coefficients are on their scale.
    pub fn plain_probabilities(&self, features: &Features) -> Vec<f64> {
        self.probabilities_of(&self.plain_sums(features))
    }

    fn probabilities_of(&self, sums: &[f64]) -> Vec<f64> {
        let mut probabilities = vec![0.0; sums.len() / self.rows() * self.classes];
        for (sums, cells) in sums.chunks_exact(self.rows()).zip(probabilities.chunks_exact_mut(self.classes)) {
            softmax(sums, cells);
        }
        probabilities
    }

    /// The same for features as the user has them.
    pub fn on_the_users_scale(&self, features: &Features) -> Classifier {
        let mut scaled = Classifier { classes: self.classes, intercepts: Vec::new(), coefficients: Vec::new() };
        for row in 0..self.rows() {
            let (slopes, shift) = features.on_the_users_scale(self.row(row));
            scaled.intercepts.push(self.intercepts[row] + shift);
            scaled.coefficients.extend(slopes);
        }
        scaled
    }

    /// Whether its numbers fit together.
    pub fn is_sound(&self, features: usize) -> bool {
        let sizes = self.rows() == rows_of(self.classes) && self.coefficients.len() == self.rows() * features;
        sizes && self.classes > 1 && self.intercepts.iter().chain(&self.coefficients).all(|value| value.is_finite())
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

/// Turns logarithms of what classes weigh into their shares; returns what divides them.
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

/// Logistic regression with an L1 penalty on labels that may be soft, for two classes or more.
///
/// Minimised is the sum over units of weight times the cross entropy of the unit's shares of classes and
/// [`Classifier`]'s probabilities, plus `penalty` times the sum of absolute coefficients of standardised features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Regression {
    /// The penalty, 0 or more.
    pub penalty: f64,
}

/// What a unit's class is thought to be.
#[derive(Clone, Debug, PartialEq)]
pub struct SoftLabels {
    pub(super) rows: ClassRows,
}

impl SoftLabels {
    /// Shares of the classes, unit by unit, that sum to 1, or to 0 for a unit that does not count.
    pub fn new(classes: usize, shares: Vec<f64>) -> Result<Self> {
        let sum = |unit: &[f64]| unit.iter().sum::<f64>();
        let sound = |unit: &[f64]| {
            unit.iter().all(|share| (0.0..=1.0).contains(share)) && (sum(unit) == 0.0 || (sum(unit) - 1.0).abs() < 1e-6)
        };
        if classes < 2 || !shares.len().is_multiple_of(classes) || !shares.chunks_exact(classes).all(sound) {
            let range = "from 0 to 1, and 1 in all for a unit";
            return Err(Error::OutOfRange { name: "a share of a class", value: "another number".into(), range });
        }
        let weight = shares.chunks_exact(classes).map(|unit| if sum(unit) > 0.0 { 1.0 } else { 0.0 }).collect();
        Ok(SoftLabels { rows: ClassRows { classes, weight, target: shares } })
    }

    /// The sum over units that count of share times the logarithm of probability.
    pub(super) fn log_likelihood(&self, classifier: &Classifier, features: &Features) -> f64 {
        let probabilities = classifier.probabilities(features);
        let terms = self.rows.target.iter().zip(&probabilities).filter(|(share, _)| **share > 0.0);
        terms.map(|(share, p)| share * p.max(f64::MIN_POSITIVE).ln()).sum()
    }
}

impl Regression {
    /// Fits a classifier to soft labels.
    pub fn fit(&self, features: &Features, labels: &SoftLabels, start: Option<&Classifier>) -> Result<Classifier> {
        check_penalty("the penalty", self.penalty)?;
        check_units(features, labels)?;
        let loss = labels.rows.weight.iter().sum::<f64>().max(1.0);
        Ok(regress(features, &labels.rows, self.penalty, 1e-8 * loss, start).0)
    }

    /// The smallest penalty at which no feature enters.
    pub fn largest_penalty(features: &Features, labels: &SoftLabels) -> Result<f64> {
        check_units(features, labels)?;
        Ok(largest_penalty(features, &labels.rows))
    }
}

fn check_units(features: &Features, labels: &SoftLabels) -> Result<()> {
    match features.units() == labels.rows.weight.len() {
        true => Ok(()),
        false => Err(Error::OutOfRange {
            name: "the number of units with features",
            value: features.units().to_string(),
            range: "that of the units with labels",
        }),
    }
}

/// The classifier with the smallest penalised loss, and the gap left.
pub(super) fn regress(
    features: &Features,
    rows: &ClassRows,
    penalty: f64,
    tolerance: f64,
    start: Option<&Classifier>,
) -> (Classifier, f64) {
    if rows.classes == 2 {
        let start = start.map(|start| Sparse {
            intercepts: start.intercepts.clone(),
            coefficients: start.coefficients.clone(),
            ..Sparse::default()
        });
        let found = lasso::solve(features, &two_classes(rows), penalty, tolerance, start.as_ref());
        return (Classifier { classes: 2, intercepts: found.intercepts, coefficients: found.coefficients }, found.gap);
    }
    let start = start.map(|start| SparseClasses {
        intercepts: start.intercepts.clone(),
        coefficients: start.coefficients.clone(),
        ..SparseClasses::default()
    });
    let found = multinomial::solve(features, rows, penalty, tolerance, start.as_ref());
    (Classifier { classes: rows.classes, intercepts: found.intercepts, coefficients: found.coefficients }, found.gap)
}

/// The smallest penalty at which no feature enters.
pub(super) fn largest_penalty(features: &Features, rows: &ClassRows) -> f64 {
    match rows.classes {
        2 => lasso::largest_penalty(features, &two_classes(rows)),
        _ => multinomial::largest_penalty(features, rows),
    }
}

/// One row for each unit that counts: is it of the second class?
fn two_classes(rows: &ClassRows) -> LogisticRows {
    let (mut offsets, mut weight, mut target) = (vec![0], Vec::new(), Vec::new());
    for (unit, &counts) in rows.weight.iter().enumerate() {
        if counts > 0.0 {
            weight.push(counts);
            target.push(rows.target[2 * unit + 1]);
        }
        offsets.push(weight.len());
    }
    LogisticRows { offsets, group: vec![0; weight.len()], groups: 1, weight, target }
}
