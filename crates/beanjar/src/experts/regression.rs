//! Penalised logistic regression on labels that may be soft, for two classes or more.

use super::lasso::{self, LogisticRows};
use super::linear::Linear;
use super::multinomial::{self, ClassRows};
use super::proximal_newton::{Lasso, Sparse};
use super::standardised::Standardised;
use crate::{Context, Error, Result};

/// What a unit's class is thought to be.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SoftLabels {
    pub(super) rows: ClassRows,
}

impl SoftLabels {
    /// Shares of the classes, unit by unit, that sum to 1, or to 0 for a unit that does not count.
    pub(super) fn new(classes: usize, shares: Vec<f64>) -> Result<Self> {
        if shares.iter().all(|share| *share == 0.0) {
            return Err(Error::Empty("known class of a unit"));
        }
        let counts = |unit: &[f64]| if unit.iter().any(|share| *share > 0.0) { 1.0 } else { 0.0 };
        let weight = shares.chunks_exact(classes).map(counts).collect();
        Ok(SoftLabels { rows: ClassRows { classes, weight, target: shares } })
    }

    /// The classifier with the smallest sum of cross entropy and penalty, to a tolerance that is finer than can be seen.
    pub(super) fn regress(
        &self,
        features: &Standardised,
        penalty: f64,
        start: Option<&Linear>,
        context: &Context,
    ) -> Result<Linear> {
        let loss = self.rows.weight.iter().sum::<f64>().max(1.0);
        regress(features, &self.rows, Lasso { penalty, tolerance: 1e-8 * loss }, start, context)
    }

    /// The sum over units that count of share times the logarithm of probability.
    pub(super) fn log_likelihood(&self, classifier: &Linear, features: &Standardised) -> f64 {
        let probabilities = classifier.probabilities(features);
        let terms = self.rows.target.iter().zip(&probabilities).filter(|(share, _)| **share > 0.0);
        terms.map(|(share, p)| share * p.max(f64::MIN_POSITIVE).ln()).sum()
    }
}

/// The classifier with the smallest penalised loss: the sum over units of weight times the cross entropy of the unit's
/// shares of classes and its probabilities.
pub(super) fn regress(
    features: &Standardised,
    rows: &ClassRows,
    lasso: Lasso,
    start: Option<&Linear>,
    context: &Context,
) -> Result<Linear> {
    let start = start.map(|start| Sparse {
        intercepts: start.intercepts.clone(),
        coefficients: start.coefficients.clone(),
        ..Sparse::default()
    });
    let found = match rows.classes {
        2 => lasso::solve(features, &two_classes(rows), lasso, start.as_ref(), context)?,
        _ => multinomial::solve(features, rows, lasso, start.as_ref(), context)?,
    };
    Ok(Linear { classes: rows.classes, intercepts: found.intercepts, coefficients: found.coefficients })
}

/// The smallest penalty at which no feature enters.
pub(super) fn largest_penalty(features: &Standardised, rows: &ClassRows, context: &Context) -> Result<f64> {
    match rows.classes {
        2 => lasso::largest_penalty(features, &two_classes(rows), context),
        _ => multinomial::largest_penalty(features, rows, context),
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
