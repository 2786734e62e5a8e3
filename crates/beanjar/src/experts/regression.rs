//! Penalised logistic regression on labels that may be soft, for two classes or more.

use super::large::is_large;
use super::lasso::{self, LogisticRows};
use super::linear::{Linear, rows_of};
use super::multinomial::{self, ClassRows};
use super::penalty::{Penalty, PenaltyKind};
use super::proximal_newton::{Lasso, Sparse};
use super::smooth::{CrossEntropy, Smooth};
use super::standardised::Standardised;
use super::truncated_newton::{Limits, Numbers, Problem};
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
        penalty: impl Into<Penalty>,
        start: Option<&Linear>,
        context: &Context,
    ) -> Result<Linear> {
        Ok(self.regress_in_steps(features, penalty.into(), start, context)?.0)
    }

    /// The same, and how many steps it took.
    pub(super) fn regress_in_steps(
        &self,
        features: &Standardised,
        penalty: Penalty,
        start: Option<&Linear>,
        context: &Context,
    ) -> Result<(Linear, usize)> {
        if self.needs_products(features, penalty.kind) {
            let limits = Limits { tolerance: 1e-7, steps: 500 };
            return self.by_products(features, penalty, limits).minimise(start, context);
        }
        let loss = self.rows.weight.iter().sum::<f64>().max(1.0);
        regress(features, &self.rows, Lasso { penalty: penalty.size, tolerance: 1e-8 * loss }, start, context)
    }

    /// Whether features are too many to take one by one, or the penalty is of another kind than L1.
    pub(super) fn needs_products(&self, features: &Standardised, kind: PenaltyKind) -> bool {
        kind != PenaltyKind::L1 || is_large(features.units(), rows_of(self.rows.classes) * (features.len() + 1))
    }

    /// The same for many features or any kind of penalty.
    pub(super) fn by_products<'a>(
        &'a self,
        features: &'a Standardised,
        penalty: Penalty,
        limits: Limits,
    ) -> ByProducts<'a, CrossEntropy<'a>> {
        ByProducts { features, classes: self.rows.classes, loss: CrossEntropy { rows: &self.rows }, penalty, limits }
    }

    /// The sum over units that count of share times the logarithm of probability.
    pub(super) fn log_likelihood(&self, classifier: &Linear, features: &Standardised) -> f64 {
        let probabilities = classifier.probabilities(features);
        let terms = self.rows.target.iter().zip(&probabilities).filter(|(share, _)| **share > 0.0);
        terms.map(|(share, p)| share * p.max(f64::MIN_POSITIVE).ln()).sum()
    }
}

/// A classifier with a smooth loss, found by products of matrices: for many features or any kind of penalty.
pub(super) struct ByProducts<'a, S> {
    pub(super) features: &'a Standardised,
    pub(super) classes: usize,
    pub(super) loss: S,
    pub(super) penalty: Penalty,
    pub(super) limits: Limits,
}

impl<S: Smooth> ByProducts<'_, S> {
    /// The classifier with the smallest penalised loss, from a start or from zero; and how many steps it took.
    pub(super) fn minimise(&self, start: Option<&Linear>, context: &Context) -> Result<(Linear, usize)> {
        let ByProducts { features, classes, ref loss, penalty, limits } = *self;
        let zero = || Linear::zero(classes, features.len());
        let Linear { intercepts, coefficients, .. } = start.cloned().unwrap_or_else(zero);
        let (one, two) = penalty.kind.factors();
        let penalties = vec![(one * penalty.size, two * penalty.size); rows_of(classes)];
        let problem = Problem { features, smooth: loss, penalties, farthest: f64::INFINITY };
        let end = problem.minimise(Numbers { intercepts, coefficients, free: Vec::new() }, limits, context)?;
        let Numbers { intercepts, coefficients, .. } = end.numbers;
        let mut found = Linear { classes, intercepts, coefficients };
        found.centre(penalty.kind);
        Ok((found, end.steps))
    }
}

/// The classifier with the smallest penalised loss: the sum over units of weight times the cross entropy of the unit's
/// shares of classes and its probabilities; and how many steps it took.
pub(super) fn regress(
    features: &Standardised,
    rows: &ClassRows,
    lasso: Lasso,
    start: Option<&Linear>,
    context: &Context,
) -> Result<(Linear, usize)> {
    let start = start.map(|start| Sparse {
        intercepts: start.intercepts.clone(),
        coefficients: start.coefficients.clone(),
        ..Sparse::default()
    });
    let found = match rows.classes {
        2 => lasso::solve(features, &two_classes(rows), lasso, start.as_ref(), context)?,
        _ => multinomial::solve(features, rows, lasso, start.as_ref(), context)?,
    };
    let steps = found.steps;
    Ok((Linear { classes: rows.classes, intercepts: found.intercepts, coefficients: found.coefficients }, steps))
}

/// The smallest penalty at which no feature enters.
pub(super) fn largest_penalty(features: &Standardised, rows: &ClassRows, context: &Context) -> Result<f64> {
    match rows.classes {
        2 => lasso::largest_penalty(features, &two_classes(rows), context),
        _ => multinomial::largest_penalty(features, rows, context),
    }
}

/// One row for each unit that counts: is it of the second class?
pub(super) fn two_classes(rows: &ClassRows) -> LogisticRows {
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
