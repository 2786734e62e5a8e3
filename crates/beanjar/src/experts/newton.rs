//! Newton's steps on the penalised likelihood of the labels itself, where EM would crawl.

use super::em::Penalties;
use super::hessian::{At, Channel, Working, hessian};
use super::labelled_units::Labelled;
use super::parameters::Parameters;
use super::posterior::Posteriors;
use super::quadratic::{Variable, descend, promise};
use super::unit_hessian::row_class;
use crate::linalg::Symmetric;
use crate::{Context, Result};

/// A climb by Newton's steps: where it begins, and when it ends.
pub(super) struct Newton {
    pub(super) penalties: Penalties,
    /// The end is where a step promises less than this share of the objective.
    pub(super) tolerance: f64,
    /// The most steps.
    pub(super) most: usize,
}

/// Where the steps ended.
pub(super) struct Arrived {
    pub(super) model: Parameters,
    pub(super) objective: f64,
    pub(super) log_likelihood: f64,
    pub(super) steps: usize,
    pub(super) converged: bool,
    /// What one more step promises to add to the objective.
    pub(super) promise: f64,
}

impl Arrived {
    /// How high it may end, were it followed on: what is left to gain is seldom more than a few times what a step promises.
    pub(super) fn may_end_at(&self) -> f64 {
        const TIMES: f64 = 30.0;
        self.objective + TIMES * self.promise.max(0.0)
    }
}

/// A unit's Hessian holds the square of its votes; beyond these EM is left to itself.
const MOST_VOTES: usize = 300;
const MOST_SKILLS: usize = 2000;

/// Whether the data are of a size for [`Newton`].
pub(super) fn suits(data: &Labelled<'_>, skills: usize) -> bool {
    skills <= MOST_SKILLS && (0..data.ballots.tasks()).all(|unit| data.ballots.votes(unit).labels.len() <= MOST_VOTES)
}

/// How much of the missing information is taken off, from all of it, which is Newton's step, to nothing, which is a step
/// of EM that stops halfway.
const MISSING: [f64; 6] = [1.0, 0.95, 0.8, 0.5, 0.2, 0.0];
const ALL: usize = 0;
const NOTHING: usize = MISSING.len() - 1;

/// Skills beyond this are of experts who are always right or always wrong.
pub(super) const FARTHEST: f64 = 20.0;

/// The moves, with skills that would go too far stopped.
fn within_bounds(mut moves: Vec<f64>, skills: &[f64]) -> Vec<f64> {
    let first = moves.len() - skills.len();
    for (by, skill) in moves[first..].iter_mut().zip(skills) {
        *by = by.clamp((-FARTHEST - skill).min(0.0), (FARTHEST - skill).max(0.0));
    }
    moves
}

impl Newton {
    /// Climbs to the nearest maximum from a model.
    ///
    /// With S the complete data's score, the Hessian of the negative log-likelihood is C - V: C the complete data's
    /// information, V the variance of S given the labels (Louis 1982), both sums over units. Where C - V is not positive,
    /// less of V is taken. The quadratic model with its penalty is minimised over a working set (coefficients that are not
    /// zero or whose gradient is beyond the penalty, and all intercepts), and the step shortened until the objective rises
    /// by a share of what the model promised: it never falls. Ends when the promise is below `tolerance` of the objective.
    ///
    /// Cost of a step: O(values of all features, and units times the square of the working set's size).
    pub(super) fn climb(&self, data: &Labelled<'_>, model: Parameters, context: &Context) -> Result<Arrived> {
        let penalties = self.penalties;
        let mut here = Point::new(data, penalties, model);
        let (mut missing, mut steps, mut converged, mut promised) = (ALL, 0, false, f64::INFINITY);
        while steps < self.most && !converged {
            context.worked(data.features.values() + data.ballots.len())?;
            let working = here.working(data, penalties);
            let hessian;
            (missing, hessian) = here.positive_hessian(data, &working, missing, context)?;
            let moves = within_bounds(descend(&hessian, &working.variables, context)?, &here.model.skills);
            promised = promise(&working.variables, &moves);
            // Near a saddle little is promised at first, and much may follow.
            let enough = if missing == ALL { self.tolerance } else { self.tolerance.min(1e-9) };
            if promised <= enough * here.objective.abs().max(1.0) {
                converged = true;
                break;
            }
            steps += 1;
            match here.moved(data, penalties, &working, &Step { moves, promise: promised }) {
                Some(next) => (here, missing) = (next, missing.saturating_sub(1)),
                None if missing < NOTHING => missing += 1,
                // Rounding is all that is left.
                None => converged = true,
            }
        }
        let Point { model, objective, log_likelihood, .. } = here;
        Ok(Arrived { model, objective, log_likelihood, steps, converged, promise: promised })
    }
}

/// How far each variable moves, and by how much the quadratic model says the objective rises.
struct Step {
    moves: Vec<f64>,
    promise: f64,
}

/// A model, and the likelihood of the labels at it.
struct Point {
    model: Parameters,
    objective: f64,
    log_likelihood: f64,
    /// Sums for the class of each unit and row, and the ease of each unit.
    sums: Vec<f64>,
    ease: Vec<f64>,
    /// Of all units, one after the other.
    posteriors: Posteriors,
    /// Row by row and last for ease, the derivative of the log-likelihood along each unit's sum.
    slopes: Vec<Vec<f64>>,
    skill_slopes: Vec<f64>,
}

/// Sums for the class of each unit and row, and the ease of each unit.
struct Sums {
    class: Vec<f64>,
    ease: Vec<f64>,
}

impl Point {
    fn new(data: &Labelled<'_>, penalties: Penalties, model: Parameters) -> Self {
        let sums = model.classifier.sums(&data.features);
        let ease = data.features.sums(&model.ease);
        Point::at(data, penalties, model, Sums { class: sums, ease })
    }

    fn at(data: &Labelled<'_>, penalties: Penalties, model: Parameters, sums: Sums) -> Self {
        let Sums { class: sums, ease } = sums;
        let (rows, units) = (model.classifier.rows(), ease.len());
        let (each, experts, classes) = (model.skills_each(), model.experts(), model.classifier.classes);
        let posteriors = Posteriors::of(model.how_experts_err(), &sums, &ease, data.ballots);
        let mut slopes = vec![vec![0.0; units]; rows + 1];
        for (row, slopes) in slopes[..rows].iter_mut().enumerate() {
            let of_class = |shares: &[f64], unit: usize| shares[unit * classes + row_class(rows, row)];
            let slope = |unit: usize| of_class(&posteriors.posterior, unit) - of_class(&posteriors.prior, unit);
            slopes.iter_mut().enumerate().for_each(|(unit, cell)| *cell = slope(unit));
        }
        let mut skill_slopes = vec![0.0; model.skills.len()];
        let mut rights = posteriors.right.chunks_exact(each);
        for (unit, cell) in slopes[rows].iter_mut().enumerate() {
            let posterior = &posteriors.posterior[unit * classes..(unit + 1) * classes];
            for ((worker, label), right) in data.ballots.votes(unit).iter().zip(&mut rights) {
                for (class, right) in right.iter().enumerate() {
                    let slope = match model.asymmetric {
                        false => posterior[label] - right,
                        true => posterior[class] * (f64::from(u8::from(label == class)) - right),
                    };
                    *cell += slope;
                    skill_slopes[class * experts + worker] += slope;
                }
            }
        }
        let log_likelihood = posteriors.log_likelihood;
        let objective = log_likelihood - penalties.of(&model);
        Point { model, objective, log_likelihood, sums, ease, posteriors, slopes, skill_slopes }
    }

    /// The parameters that may move, with their gradients.
    fn working(&self, data: &Labelled<'_>, penalties: Penalties) -> Working {
        let rows = self.model.classifier.rows();
        let mut working = Working { channels: Vec::new(), variables: Vec::new() };
        for channel in 0..=rows {
            let (values, penalty) = match channel < rows {
                true => (self.model.classifier.row(channel), penalties.truth),
                false => (&self.model.ease[..], penalties.ease),
            };
            let gradients = data.features.sums_with(&self.slopes[channel]);
            let enters =
                |j: &usize| data.features.column(*j).varies() && (values[*j] != 0.0 || gradients[*j].abs() > penalty);
            let features: Vec<usize> = (0..values.len()).filter(enters).collect();
            let intercept = channel < rows;
            working.channels.push(Channel { first: working.variables.len(), intercept, features });
            if intercept {
                let gradient = -self.slopes[channel].iter().sum::<f64>();
                let value = self.model.classifier.intercepts[channel];
                working.variables.push(Variable { value, gradient, penalty: 0.0 });
            }
            for &j in &working.channels[channel].features {
                working.variables.push(Variable { value: values[j], gradient: -gradients[j], penalty });
            }
        }
        for (&value, slope) in self.model.skills.iter().zip(&self.skill_slopes) {
            let at_its_bound = value.abs() >= FARTHEST && value * slope > 0.0;
            working.variables.push(Variable { value, gradient: if at_its_bound { 0.0 } else { -slope }, penalty: 0.0 });
        }
        working
    }

    /// C - missing V where that is positive, with as much missing as may be from one of [`MISSING`] down, and which it is.
    fn positive_hessian(
        &self,
        data: &Labelled<'_>,
        working: &Working,
        most: usize,
        context: &Context,
    ) -> Result<(usize, Symmetric)> {
        // A trifle on the diagonal, for directions in which nothing changes.
        let firm = |mut hessian: Symmetric| {
            let size = hessian.size();
            let mean = (0..size).map(|i| hessian[(i, i)].max(0.0)).sum::<f64>() / size as f64;
            (0..size).for_each(|i| hessian[(i, i)] += 1e-9 * (hessian[(i, i)].abs() + mean));
            hessian
        };
        let far = firm(self.hessian(data, working, MISSING[most], context)?);
        if most == NOTHING || far.cholesky().is_some() {
            return Ok((most, far));
        }
        let near = firm(self.hessian(data, working, MISSING[NOTHING], context)?);
        for missing in most + 1..NOTHING {
            let between = near.mixed(&far, MISSING[missing] / MISSING[most]);
            if between.cholesky().is_some() {
                return Ok((missing, between));
            }
        }
        Ok((NOTHING, near))
    }

    /// C - missing V over the working set.
    fn hessian(&self, data: &Labelled<'_>, working: &Working, missing: f64, context: &Context) -> Result<Symmetric> {
        hessian(data, &At { model: &self.model, posteriors: &self.posteriors }, working, missing, context)
    }

    /// The point after the moves, or half of them, or a quarter, until the objective rises as promised.
    fn moved(&self, data: &Labelled<'_>, penalties: Penalties, working: &Working, step: &Step) -> Option<Point> {
        const HALVINGS: usize = 12;
        let Step { moves, promise } = step;
        let rows = self.model.classifier.rows();
        let features = self.model.ease.len();
        // What the moves do to each unit's sums.
        let mut full = vec![vec![0.0; features]; rows + 1];
        for (channel, full) in working.channels.iter().zip(&mut full) {
            channel.features.iter().enumerate().for_each(|(at, &j)| full[j] = moves[channel.first + channel.place(at)]);
        }
        let along: Vec<Vec<f64>> = full.iter().map(|full| data.features.sums(full)).collect();
        let first_skill = moves.len() - self.model.skills.len();
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            let mut model = self.model.clone();
            let (mut sums, mut ease) = (self.sums.clone(), self.ease.clone());
            for row in 0..rows {
                let intercept = share * moves[working.channels[row].first];
                model.classifier.intercepts[row] += intercept;
                let coefficients = &mut model.classifier.coefficients[row * features..(row + 1) * features];
                coefficients.iter_mut().zip(&full[row]).for_each(|(b, by)| *b += share * by);
                let cells = sums.iter_mut().skip(row).step_by(rows);
                cells.zip(&along[row]).for_each(|(sum, by)| *sum += intercept + share * by);
            }
            model.ease.iter_mut().zip(&full[rows]).for_each(|(g, by)| *g += share * by);
            ease.iter_mut().zip(&along[rows]).for_each(|(ease, by)| *ease += share * by);
            for (skill, by) in model.skills.iter_mut().zip(&moves[first_skill..]) {
                *skill += share * by;
            }
            let next = Point::at(data, penalties, model, Sums { class: sums, ease });
            if next.objective >= self.objective + 1e-3 * share * promise {
                return Some(next);
            }
            share /= 2.0;
        }
        None
    }
}

#[cfg(test)]
mod tests;
