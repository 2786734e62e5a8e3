//! The search where features are many: starts are compared on a sample and after few steps, and only the best are followed.

use super::labelled_units::Labelled;
use super::linear::{Linear, rows_of};
use super::many_experts::ExpertsFit;
use super::newton::{self, FARTHEST};
use super::parameters::Parameters;
use super::regression::SoftLabels;
use super::smooth::LabelLoss;
use super::split::random_split;
use super::truncated_newton::{Limits, Numbers, Problem};
use super::{ManyExperts, PenaltyKind};
use crate::{Context, Error, Result};

/// A matrix of second derivatives is not worth its products beyond this many.
const MOST_PRODUCTS: f64 = 3e8;

/// Whether there are too many numbers to learn for matrices of their second derivatives.
pub(super) fn is_large(units: usize, numbers: usize) -> bool {
    units as f64 * (numbers as f64).powi(2) > MOST_PRODUCTS
}

/// With more units than this, a random sample of them decides which starts are promising.
const SAMPLE: usize = 1000;

/// How far starts are followed before only the highest are kept, and how many these are.
const ROUNDS: [(Limits, usize); 3] = [
    (Limits { tolerance: 1e-3, steps: 2 }, 8),
    (Limits { tolerance: 1e-4, steps: 4 }, 3),
    (Limits { tolerance: 1e-5, steps: 20 }, 1),
];

impl ManyExperts {
    /// Whether matrices of second derivatives are too large, or the penalty is of a kind that needs none.
    pub(super) fn needs_products(&self, data: &Labelled<'_>) -> bool {
        let large = is_large(data.units(), self.blank(data).size());
        self.kind != PenaltyKind::L1 || large || !newton::suits(data, self.skills(data))
    }

    /// Whether trying all starts again costs little beside a path of penalties.
    pub(super) fn starts_are_cheap(&self, data: &Labelled<'_>) -> bool {
        data.with_labels().count() <= SAMPLE
    }

    /// Learns from the best of all starts.
    pub(super) fn best_start(&self, data: &Labelled<'_>, context: &Context) -> Result<ExpertsFit> {
        let labelled: Vec<usize> = data.with_labels().collect();
        let best = match labelled.len() > SAMPLE {
            false => self.most_promising(data, &context.part(0.0, 0.7))?.parameters,
            true => {
                let share = SAMPLE as f64 / labelled.len() as f64;
                let (some, _) = random_split(labelled.len(), share, context);
                let some: Vec<usize> = some.iter().map(|&at| labelled[at]).collect();
                let ballots = data.ballots.of_tasks(&some)?;
                let sample = data.part(&some, &ballots)?;
                let penalty_ease = self.penalty_ease.map(|penalty| share * penalty);
                let alike = ManyExperts { penalty: share * self.penalty, penalty_ease, ..self.clone() };
                let by_sample =
                    alike.most_promising(&sample, &context.part(0.0, 0.5))?.parameters.restandardised(&sample, data);
                self.highest_on_all(data, by_sample, &context.part(0.5, 0.7))?
            }
        };
        let rest = context.part(0.7, 1.0);
        rest.report("learning", 0.0)?;
        self.follow(data, best, self.limits(), &rest)
    }

    /// The highest after some steps on all units: of what a sample led to, the votes and the one-coin fit. With many
    /// features a sample may be too small to lead anywhere.
    fn highest_on_all(&self, data: &Labelled<'_>, by_sample: Parameters, context: &Context) -> Result<Parameters> {
        let plain = ManyExperts { restarts: 0, ..self.clone() }.starts(data, context)?;
        let mut models = vec![by_sample];
        for shares in plain.into_iter().take(2) {
            models.push(self.model_of_shares(data, shares, context)?);
        }
        let steps = context.steps("trying starts", models.len());
        let mut best: Option<ExpertsFit> = None;
        for model in models {
            let end = self.follow(data, model, ROUNDS[1].0, context)?;
            steps.tick()?;
            if best.as_ref().is_none_or(|best| end.objective > best.objective) {
                best = Some(end);
            }
        }
        best.map(|best| best.parameters).ok_or(Error::Empty("start"))
    }

    /// The highest after some steps from each start.
    fn most_promising(&self, data: &Labelled<'_>, context: &Context) -> Result<ExpertsFit> {
        let starts = self.starts(data, context)?;
        let alone = context.alone();
        let total = ROUNDS.iter().scan(starts.len(), |left, round| Some(std::mem::replace(left, (*left).min(round.1))));
        let steps = context.steps("trying starts", total.sum());
        let models = context.map(starts, |shares| self.model_of_shares(data, shares, &alone));
        let mut models = models.into_iter().collect::<Result<Vec<Parameters>>>()?;
        let mut best = None;
        for (limits, kept) in ROUNDS {
            let ends = context.map(std::mem::take(&mut models), |start| {
                let end = self.follow(data, start, limits, &alone)?;
                steps.tick()?;
                Ok(end)
            });
            let mut ends = ends.into_iter().collect::<Result<Vec<ExpertsFit>>>()?;
            ends.sort_by(|a, b| b.objective.total_cmp(&a.objective));
            models = ends.iter().take(kept).map(|end| end.parameters.clone()).collect();
            best = ends.into_iter().next();
        }
        best.ok_or(Error::Empty("start"))
    }

    /// A model of units whose classes are in these shares: the classifier roughly, experts by how often they agree.
    fn model_of_shares(&self, data: &Labelled<'_>, shares: Vec<f64>, context: &Context) -> Result<Parameters> {
        let mut model = self.blank(data);
        let (each, experts, classes) = (model.skills_each(), model.experts(), data.ballots.classes());
        // One label right and one wrong for each expert, before any is seen.
        let (mut right, mut count) = (vec![1.0; each * experts], vec![2.0; each * experts]);
        for unit in data.with_labels() {
            for (worker, label) in data.ballots.votes(unit).iter() {
                match self.asymmetric {
                    false => {
                        right[worker] += shares[unit * classes + label];
                        count[worker] += 1.0;
                    }
                    true => {
                        right[label * experts + worker] += shares[unit * classes + label];
                        (0..2).for_each(|class| count[class * experts + worker] += shares[unit * classes + class]);
                    }
                }
            }
        }
        for (skill, (right, count)) in model.skills.iter_mut().zip(right.iter().zip(&count)) {
            *skill = (right / (count - right).max(1e-9)).ln().clamp(-FARTHEST, FARTHEST);
        }
        let labels = SoftLabels { rows: super::em::class_rows(data, shares) };
        let limits = Limits { tolerance: 1e-3, steps: 2 };
        model.classifier = labels.by_products(&data.features, self.penalty_of_truth(), None, limits, context)?.0;
        Ok(model)
    }

    pub(super) fn limits(&self) -> Limits {
        Limits { tolerance: self.tolerance, steps: self.iterations }
    }

    /// Climbs from a model to its maximum, or as far as the limits go.
    pub(super) fn follow(
        &self,
        data: &Labelled<'_>,
        start: Parameters,
        limits: Limits,
        context: &Context,
    ) -> Result<ExpertsFit> {
        let (penalties, width, classes) = (self.penalties(), data.features.len(), data.ballots.classes());
        let (one, two) = self.kind.factors();
        let smooth = LabelLoss { data, asymmetric: self.asymmetric };
        let mut costs = vec![(one * penalties.truth, two * penalties.truth); rows_of(classes)];
        costs.push((one * penalties.ease, two * penalties.ease));
        let problem = Problem { features: &data.features, smooth: &smooth, penalties: costs, farthest: FARTHEST };
        let mut coefficients = start.classifier.coefficients;
        coefficients.extend(start.ease);
        let start = Numbers { intercepts: start.classifier.intercepts, coefficients, free: start.skills };
        let end = problem.minimise(start, limits, context)?;
        let Numbers { intercepts, mut coefficients, free: skills } = end.numbers;
        let ease = coefficients.split_off(rows_of(classes) * width);
        let mut classifier = Linear { classes, intercepts, coefficients };
        classifier.centre(self.kind);
        let parameters = Parameters { classifier, skills, ease, asymmetric: self.asymmetric };
        let parameters = parameters.agreeing_with_the_majority(data);
        Ok(ExpertsFit {
            model: parameters.on_the_users_scale(data),
            objective: -end.loss - penalties.of(&parameters),
            log_likelihood: -end.loss,
            iterations: end.steps,
            converged: end.converged,
            parameters,
        })
    }
}
