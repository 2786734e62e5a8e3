//! The choice of the penalty by S, the share of held-out labels that differ from the prediction.

use super::coefficient_lines::{CoefficientLine, largest_coefficients};
use super::learn::{HeldOut, Learn, LearnFrom};
use super::path::checked_folds;
use super::units::Others;
use super::{
    ClassifierFit, ErrorModels, Labelled, Learner, ManyExperts, PathFit, PathPoint, Penalty, PenaltyKind, PenaltyPath,
    Validation,
};
use crate::truth::{Auto, Method};
use crate::{Context, Error, Result};

/// The penalty that was chosen, all that were tried, and the fit.
pub(super) struct PenaltyChoice {
    pub(super) penalty: Penalty,
    pub(super) path: Vec<PathPoint>,
    pub(super) fit: ClassifierFit,
    /// The largest coefficients along the path.
    pub(super) coefficients: Vec<CoefficientLine>,
    /// If labels of parts of the units were held out.
    pub(super) held_out: Option<HeldOutFits>,
    /// If both ways in which experts may err were tried.
    pub(super) error_models: Option<ErrorModels>,
}

/// Fits to all but each part of the units.
pub(super) struct HeldOutFits {
    /// The probabilities of each unit's classes, unit by unit, by the fit that did not learn from it.
    pub(super) probabilities: Vec<f64>,
    /// The fits.
    pub(super) parts: Vec<ClassifierFit>,
    /// Of each unit, the part that it is held out in.
    pub(super) fold: Vec<usize>,
}

impl Learn {
    /// The penalty, S of all that were tried, and the model.
    pub(super) fn choose(
        &self,
        data: &Labelled<'_>,
        others: Option<&Others>,
        context: &Context,
    ) -> Result<PenaltyChoice> {
        let learner = self.learner();
        let chosen = match self.validation(data.units(), others)? {
            None => self.fit_given(&learner, data, &context.part(0.0, 0.9))?,
            Some(validation) => {
                let compared = self.compare_kinds(&learner, data, validation, &context.part(0.0, 0.8))?;
                let best = compared.best();
                let penalty = compared.points[best].penalty();
                let fit = learner.fit(data, penalty, Some(&compared.fits[best]), &context.part(0.8, 0.9))?;
                PenaltyChoice {
                    penalty,
                    path: path_with(&fit, &compared, validation, others)?,
                    fit,
                    coefficients: largest_coefficients(&compared.fits, best),
                    held_out: HeldOutFits::of(compared, data, validation, context)?,
                    error_models: None,
                }
            }
        };
        match &learner {
            Learner::Experts(method) => self.settle_error_model(data, method, chosen, &context.part(0.9, 1.0)),
            _ => Ok(chosen),
        }
    }

    fn learner(&self) -> Learner {
        match self.from {
            LearnFrom::Experts => Learner::Experts(ManyExperts {
                penalty_ease: self.penalty_ease,
                restarts: self.restarts,
                asymmetric: self.asymmetric,
                ..ManyExperts::default()
            }),
            LearnFrom::Majority => Learner::Majority,
            LearnFrom::Aggregate => Learner::Aggregate(Method::Auto(Auto::default())),
            LearnFrom::Truth => Learner::Truth,
        }
    }

    /// The labels that S is taken on; none where nothing is to be chosen or judged.
    fn validation<'a>(&self, units: usize, others: Option<&'a Others>) -> Result<Option<Validation<'a>>> {
        if let Some(Others { features, ballots, .. }) = others {
            return Ok(Some(Validation::Others { features, ballots }));
        }
        match (self.held_out, self.penalty) {
            (HeldOut::Folds(folds), _) => Ok(Some(Validation::Folds(folds))),
            (_, Some(_)) => Ok(None),
            (_, None) if units < 2 => Err(Error::FewUnits(units)),
            (_, None) => Ok(Some(Validation::Folds(units.min(5)))),
        }
    }

    /// The fit with the penalty that is given.
    fn fit_given(&self, learner: &Learner, data: &Labelled<'_>, context: &Context) -> Result<PenaltyChoice> {
        let kind = self.penalty_kind.unwrap_or_default();
        let penalty = Penalty { kind, size: self.penalty.unwrap_or_default() };
        let fit = learner.fit(data, penalty, None, context)?;
        let path = vec![PathPoint::new(penalty, &fit, None)];
        Ok(PenaltyChoice { penalty, path, fit, coefficients: Vec::new(), held_out: None, error_models: None })
    }

    /// The penalties of all kinds that may be chosen, with the held-out predictions of the best.
    fn compare_kinds(
        &self,
        learner: &Learner,
        data: &Labelled<'_>,
        validation: Validation<'_>,
        context: &Context,
    ) -> Result<PathFit> {
        // To choose among penalties, predictions need be no finer.
        let roughly = match learner {
            Learner::Experts(method) => Learner::Experts(ManyExperts { tolerance: 1e-7, ..method.clone() }),
            other => other.clone(),
        };
        let given = self.penalty.or(self.penalty_ease).is_some();
        let kinds = match self.penalty_kind {
            Some(kind) => vec![kind],
            None if given => vec![PenaltyKind::default()],
            None => vec![PenaltyKind::L1, PenaltyKind::L2],
        };
        let mut all: Option<PathFit> = None;
        for (at, &kind) in kinds.iter().enumerate() {
            let share = |i: usize| i as f64 / kinds.len() as f64;
            let part = context.part(share(at), share(at + 1));
            let sizes = match self.penalty {
                Some(size) => vec![size],
                None => PenaltyPath { kind, ..PenaltyPath::default() }.of(learner, data, &part.part(0.0, 0.1))?,
            };
            let penalties: Vec<Penalty> = sizes.into_iter().map(|size| Penalty { kind, size }).collect();
            let compared = roughly.walk(data, &penalties, validation, &part.part(0.1, 1.0))?;
            all = Some(match all {
                None => compared,
                Some(all) => all.joined(compared),
            });
        }
        all.ok_or(Error::Empty("kind of penalty"))
    }
}

/// The points of the penalties that were compared, that of the best with the fit to all units.
fn path_with(
    fit: &ClassifierFit,
    compared: &PathFit,
    validation: Validation<'_>,
    others: Option<&Others>,
) -> Result<Vec<PathPoint>> {
    let (mut path, best) = (compared.points.clone(), compared.best());
    let penalty = path[best].penalty();
    path[best] = match validation {
        Validation::Others { features, ballots } => {
            PathPoint::new(penalty, fit, Some((ballots, &fit.predictions(features)?)))
        }
        // S and the true risk are of fits to parts of the units, the rest of the fit to all.
        Validation::Folds(_) => {
            let PathPoint { surrogate, surrogate_se, true_risk, .. } = path[best];
            PathPoint { surrogate, surrogate_se, true_risk, ..PathPoint::new(penalty, fit, None) }
        }
    };
    if let Some(Others { features, truth: Some(truth), .. }) = others {
        for (point, fit) in path.iter_mut().zip(&compared.fits) {
            *point = point.against(Some(truth), &fit.predictions(features)?);
        }
    }
    Ok(path)
}

impl HeldOutFits {
    /// Of the best penalty, if parts of the units were held out.
    fn of(
        compared: PathFit,
        data: &Labelled<'_>,
        validation: Validation<'_>,
        context: &Context,
    ) -> Result<Option<Self>> {
        let Validation::Folds(folds) = validation else { return Ok(None) };
        let fold = checked_folds(data, folds, context)?;
        Ok(Some(HeldOutFits { probabilities: compared.held_out, parts: compared.parts, fold }))
    }
}

/// Whether, without a penalty, the classifier is certain of every unit with labels: larger coefficients are then ever better.
pub(super) fn has_no_finite_fit(data: &Labelled<'_>, chosen: &PenaltyChoice) -> bool {
    const CERTAIN: f64 = 0.999;
    if chosen.penalty.size > 0.0 {
        return false;
    }
    let (classes, probabilities) = (data.ballots.classes(), chosen.fit.linear().probabilities(&data.features));
    data.with_labels().all(|unit| probabilities[unit * classes..(unit + 1) * classes].iter().any(|p| *p > CERTAIN))
}
