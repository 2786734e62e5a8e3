//! EM: from the posteriors of the units' classes to the model, and back.

use super::labelled_units::Labelled;
use super::lasso::{self, LogisticRows};
use super::multinomial::ClassRows;
use super::parameters::Parameters;
use super::penalty::{Penalty, PenaltyKind};
use super::proximal_newton::{Lasso, Sparse};
use super::regression::regress;
use crate::{Context, Result};

/// The penalties on the coefficients of the class and of ease.
#[derive(Clone, Copy, Debug)]
pub(super) struct Penalties {
    pub(super) kind: PenaltyKind,
    pub(super) truth: f64,
    pub(super) ease: f64,
}

impl Penalties {
    /// Whether nothing is penalised.
    pub(super) fn are_none(&self) -> bool {
        self.truth == 0.0 && self.ease == 0.0
    }

    pub(super) fn of(&self, model: &Parameters) -> f64 {
        let penalty = |size: f64| Penalty { kind: self.kind, size };
        penalty(self.truth).of(&model.classifier.coefficients) + penalty(self.ease).of(&model.ease)
    }
}

/// Units with labels, each with the shares of its classes.
pub(super) fn class_rows(data: &Labelled<'_>, shares: Vec<f64>) -> ClassRows {
    let counts = |unit: usize| f64::from(u8::from(!data.ballots.votes(unit).labels.is_empty()));
    let weight = (0..data.ballots.tasks()).map(counts).collect();
    ClassRows { classes: data.ballots.classes(), weight, target: shares }
}

/// One row for each label: was the expert right? If asymmetric two, for a unit of the first class and for one of the
/// second.
pub(super) fn right_rows(data: &Labelled<'_>, asymmetric: bool) -> LogisticRows {
    let each = if asymmetric { 2 } else { 1 };
    let experts = data.ballots.workers();
    let (mut offsets, mut group, mut weight) = (vec![0], Vec::new(), Vec::new());
    for unit in 0..data.ballots.tasks() {
        for class in 0..each {
            let votes = data.ballots.votes(unit);
            group.extend(votes.workers.iter().map(|&worker| worker + (class * experts) as u32));
            weight.extend(votes.weighted().map(|(_, _, weight)| weight));
        }
        offsets.push(group.len());
    }
    let rows = group.len();
    LogisticRows { offsets, group, groups: each * experts, weight, target: vec![0.5; rows] }
}

pub(super) fn set_rights(data: &Labelled<'_>, rows: &mut LogisticRows, asymmetric: bool, classes: &ClassRows) {
    for (unit, z) in classes.target.chunks_exact(classes.classes).enumerate() {
        let votes = data.ballots.votes(unit);
        let (labels, first) = (votes.labels, rows.offsets[unit]);
        for (i, &label) in labels.iter().enumerate() {
            match asymmetric {
                false => rows.target[first + i] = z[usize::from(label)],
                true => {
                    for class in 0..2 {
                        let row = first + class * labels.len() + i;
                        rows.weight[row] = z[class] * votes.weight(i);
                        rows.target[row] = f64::from(u8::from(usize::from(label) == class));
                    }
                }
            }
        }
    }
}

/// EM on its way up.
pub(super) struct Climb<'a> {
    penalties: Penalties,
    asymmetric: bool,
    data: &'a Labelled<'a>,
    classes: ClassRows,
    experts: Option<Sparse>,
    pub(super) model: Option<Parameters>,
    pub(super) objective: f64,
    /// By how much the last step raised it.
    gain: f64,
    pub(super) log_likelihood: f64,
    pub(super) steps: usize,
    pub(super) converged: bool,
}

impl<'a> Climb<'a> {
    /// Starts from shares of the classes for each unit.
    pub(super) fn new(penalties: Penalties, asymmetric: bool, data: &'a Labelled<'a>, shares: Vec<f64>) -> Self {
        Climb {
            penalties,
            asymmetric,
            data,
            classes: class_rows(data, shares),
            experts: None,
            model: None,
            objective: f64::NEG_INFINITY,
            gain: f64::INFINITY,
            log_likelihood: f64::NEG_INFINITY,
            steps: 0,
            converged: false,
        }
    }

    /// Takes steps until one gains no more than a share of the objective, or `most` were taken in all.
    pub(super) fn run(mut self, most: usize, tolerance: f64, context: &Context) -> Result<Self> {
        let mut rights = right_rows(self.data, self.asymmetric);
        while self.steps < most && !self.converged {
            self.step(&mut rights, context)?;
            self.converged = self.gain <= tolerance * self.objective.abs();
        }
        Ok(self)
    }

    /// M from the shares there are, then E.
    pub(super) fn step(&mut self, rights: &mut LogisticRows, context: &Context) -> Result<()> {
        let (before, features) = (self.objective, &self.data.features);
        set_rights(self.data, rights, self.asymmetric, &self.classes);
        // The regressions need come no nearer to their optimum than EM comes to its own in a step; none lowers the objective.
        let tolerance =
            if self.gain.is_finite() { 0.2 * self.gain.abs() } else { 1e-3 * self.data.ballots.len() as f64 };
        let lasso = |penalty: f64| Lasso { penalty, tolerance };
        let start = self.model.as_ref().map(|model| &model.classifier);
        let (classifier, _) = regress(features, &self.classes, lasso(self.penalties.truth), start, context)?;
        let experts = lasso::solve(features, rights, lasso(self.penalties.ease), self.experts.as_ref(), context)?;
        let model = Parameters {
            classifier,
            skills: experts.intercepts.clone(),
            ease: experts.coefficients.clone(),
            asymmetric: self.asymmetric,
        };
        let found = model.posteriors(self.data);
        (self.classes.target, self.log_likelihood) = (found.posterior, found.log_likelihood);
        self.objective = self.log_likelihood - self.penalties.of(&model);
        (self.model, self.experts) = (Some(model), Some(experts));
        self.gain = self.objective - before;
        self.steps += 1;
        Ok(())
    }
}
