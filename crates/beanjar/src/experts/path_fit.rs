//! Penalties that were compared: S, and the fit, of each.

use super::ClassifierFit;
use super::penalty::{Penalty, PenaltyKind};
use crate::Result;
use crate::judgments::Ballots;
use crate::surrogate::{disagreements, surrogate};

/// One penalty of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PathPoint {
    /// The penalty.
    pub penalty: f64,
    /// Its kind.
    #[cfg_attr(feature = "serde", serde(rename = "penalty_kind"))]
    pub kind: PenaltyKind,
    /// The log-likelihood less the penalties, of the fit to all units.
    pub objective: f64,
    /// Its log-likelihood.
    pub log_likelihood: f64,
    /// S of labels that were held out.
    pub surrogate: Option<f64>,
    /// Its standard error.
    pub surrogate_se: Option<f64>,
    /// The share of units with a known class that are predicted wrongly, by fits that did not learn from them.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub true_risk: Option<f64>,
    /// How many features entered, for the class or for ease.
    pub nonzero: usize,
}

impl PathPoint {
    /// A fit, and the labels it is judged by with its predictions of them.
    pub(super) fn new(penalty: Penalty, fit: &ClassifierFit, judged: Option<(&Ballots, &[Option<usize>])>) -> Self {
        let found = judged.and_then(|(ballots, predicted)| surrogate(&disagreements(ballots, predicted)));
        PathPoint {
            penalty: penalty.size,
            kind: penalty.kind,
            objective: fit.objective,
            log_likelihood: fit.log_likelihood,
            surrogate: found.map(|found| found.surrogate),
            surrogate_se: found.and_then(|found| found.se),
            true_risk: None,
            nonzero: fit.features_used(),
        }
    }

    /// The penalty with its kind.
    pub(super) fn penalty(&self) -> Penalty {
        Penalty { kind: self.kind, size: self.penalty }
    }

    /// The same with the share of wrong predictions among units whose class is known.
    pub(super) fn against(self, truth: Option<&[Option<u16>]>, predicted: &[Option<usize>]) -> Self {
        let known = truth.unwrap_or_default().iter().zip(predicted);
        let (mut units, mut wrong) = (0.0, 0.0);
        for (class, predicted) in known.filter_map(|(class, predicted)| Some(((*class)?, (*predicted)?))) {
            units += 1.0;
            wrong += f64::from(u8::from(usize::from(class) != predicted));
        }
        PathPoint { true_risk: (units > 0.0).then(|| wrong / units), ..self }
    }
}

/// A fit with each of several penalties.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PathFit {
    /// The penalties, with S of each.
    pub points: Vec<PathPoint>,
    /// The fit of each to all units to learn from.
    pub fits: Vec<ClassifierFit>,
    /// With the best penalty, the probabilities of the classes of the units that S is taken on, unit by unit, by fits that
    /// did not learn from them.
    pub held_out: Vec<f64>,
    /// With the best penalty, the fits to all but each part of the units, if parts were held out.
    pub parts: Vec<ClassifierFit>,
}

impl PathFit {
    /// Of fits, each with its point of the path and its probabilities of units.
    pub(super) fn new(
        fits: Vec<ClassifierFit>,
        point: impl Fn(usize, &ClassifierFit) -> Result<(PathPoint, Vec<f64>)>,
    ) -> Result<Self> {
        let found = fits.into_iter().enumerate().map(|(i, fit)| {
            let (point, probabilities) = point(i, &fit)?;
            Ok((point, fit, probabilities))
        });
        Ok(PathFit::of(found.collect::<Result<_>>()?))
    }

    /// Of points with their fits and probabilities of units.
    pub(super) fn of(found: Vec<(PathPoint, ClassifierFit, Vec<f64>)>) -> Self {
        let mut path = PathFit { points: Vec::new(), fits: Vec::new(), held_out: Vec::new(), parts: Vec::new() };
        for (point, fit, probabilities) in found {
            path.points.push(point);
            path.fits.push(fit);
            if path.best() + 1 == path.points.len() {
                path.held_out = probabilities;
            }
        }
        path
    }

    /// With the points of another path behind; what was held out is of the path with the smaller S.
    pub(super) fn joined(mut self, other: PathFit) -> Self {
        let least = |path: &PathFit| path.points[path.best()].surrogate.unwrap_or(f64::INFINITY);
        if least(&other) < least(&self) {
            (self.held_out, self.parts) = (other.held_out, other.parts);
        }
        self.points.extend(other.points);
        self.fits.extend(other.fits);
        self
    }

    /// The number of the penalty with the smallest S; of equals the largest penalty.
    #[must_use]
    pub fn best(&self) -> usize {
        let surrogate = |i: usize| self.points[i].surrogate.unwrap_or(f64::INFINITY);
        (0..self.points.len()).reduce(|best, i| if surrogate(i) < surrogate(best) { i } else { best }).unwrap_or(0)
    }
}
