//! The classifier with a confusion matrix for each expert, from where the fit with one skill each ended.

use super::expert_rows::ExpertRows;
use super::labelled_units::Labelled;
use super::learner::{ClassifierFit, Fitted};
use super::linear::{Linear, rows_of};
use super::mixture_loss::MixtureLoss;
use super::parameters::Parameters;
use super::smooth::{Place, Smooth};
use super::truncated_newton::{Limits, Numbers, Problem};
use super::{ExpertModel, ManyExperts};
use crate::truth::WorkerRows;
use crate::{Context, Result};

/// The numbers of the model, for standardised features.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RowParameters {
    pub(super) classifier: Linear,
    pub(super) rows: ExpertRows,
    /// The log-odds of being right, of each expert.
    pub(super) skills: Vec<f64>,
}

/// Beyond this many probabilities a matrix for each expert is not worth its memory.
const MOST_CELLS: usize = 20_000_000;
/// Rounds of rows and classifier in turn.
const ROUNDS: usize = 30;
/// The steps of rows in each, which cost little.
const STEPS: usize = 4;
/// The end is where a round changes the posteriors of classes by no more than this, root mean square: far less than
/// labels can tell.
const CHANGE: f64 = 1e-3;

impl ManyExperts {
    /// Whether experts can have a matrix each.
    pub(super) fn rows_fit(&self, data: &Labelled<'_>) -> bool {
        let classes = data.ballots.classes();
        !self.asymmetric && data.ballots.workers().saturating_mul(classes * classes) <= MOST_CELLS
    }

    /// Learns a classifier and a confusion matrix for each expert, from where the fit with a skill each ended.
    ///
    /// P(label | class) of expert k is a row around the population's, tilted by the expert's skill, as in
    /// [`Skilled`](crate::truth::Skilled); features say nothing of how easy a unit is. The rows follow from the posteriors of the
    /// classes, given the classifier; the classifier maximises the likelihood of the labels, given the rows; in turn, until
    /// posteriors no longer change. Cost of a round: O(labels times classes), and a few steps of Newton by products.
    pub(super) fn with_rows(
        &self,
        data: &Labelled<'_>,
        start: &Parameters,
        context: &Context,
    ) -> Result<ClassifierFit> {
        let (ballots, classes) = (data.ballots, data.ballots.classes());
        let mut classifier = start.classifier.clone();
        let mut posterior = start.posterior(data);
        let mut prior = classifier.probabilities_of(&classifier.sums_by_products(&data.features, context)?);
        let mut model = WorkerRows::new(ballots);
        let (mut steps, mut converged) = (0, false);
        let tolerance = self.tolerance.max(1e-6);
        let (rows, skills) = loop {
            let mut found = model.step(ballots, &posterior);
            for _ in 1..STEPS {
                let rows = ExpertRows::new(classes, found);
                posterior = rows.posterior(&prior, ballots, |_, _| false);
                found = model.step(ballots, &posterior);
            }
            let skills = std::mem::take(&mut found.skills);
            let rows = ExpertRows::new(classes, found);
            let (likelihoods, _) = rows.likelihoods(ballots);
            let end =
                self.classifier_given(data, &likelihoods, &classifier, Limits { tolerance, steps: 5 }, context)?;
            classifier = end.0;
            steps += end.1;
            prior = classifier.probabilities_of(&classifier.sums_by_products(&data.features, context)?);
            let next = rows.posterior(&prior, ballots, |_, _| false);
            let squares: f64 = next.iter().zip(&posterior).map(|(a, b)| (a - b) * (a - b)).sum();
            posterior = next;
            converged = converged || squares <= CHANGE * CHANGE * posterior.len() as f64;
            if converged || steps >= ROUNDS * 5 {
                break (rows, skills);
            }
        };
        let (likelihoods, log) = rows.likelihoods(ballots);
        let limits = Limits { tolerance, steps: 50 };
        let (classifier, more) = self.classifier_given(data, &likelihoods, &classifier, limits, context)?;
        let parameters = RowParameters { classifier, rows, skills };
        let log_likelihood = parameters.log_likelihood(data, &likelihoods, context)? + log;
        let penalty = self.penalty_of_truth().of(&parameters.classifier.coefficients);
        let model = ExpertModel::of_rows(
            parameters.classifier.on_the_users_scale(&data.features),
            parameters.skills.clone(),
            parameters.rows.clone(),
        );
        Ok(ClassifierFit {
            classifier: model.classifier().clone(),
            experts: Some(model),
            objective: log_likelihood - penalty,
            log_likelihood,
            iterations: steps + more,
            converged,
            standardised: Fitted::Rows(parameters),
        })
    }

    /// The classifier under which labels are likeliest, given P(labels | class) of each unit; and how many steps it took.
    fn classifier_given(
        &self,
        data: &Labelled<'_>,
        likelihoods: &[f64],
        start: &Linear,
        limits: Limits,
        context: &Context,
    ) -> Result<(Linear, usize)> {
        let (classes, (one, two)) = (data.ballots.classes(), self.kind.factors());
        let smooth = MixtureLoss { classes, likelihoods };
        let penalties = vec![(one * self.penalty, two * self.penalty); rows_of(classes)];
        let problem = Problem { features: &data.features, smooth: &smooth, penalties, farthest: f64::INFINITY };
        let Linear { intercepts, coefficients, .. } = start.clone();
        let end = problem.minimise(Numbers { intercepts, coefficients, free: Vec::new() }, limits, context)?;
        let Numbers { intercepts, coefficients, .. } = end.numbers;
        let mut found = Linear { classes, intercepts, coefficients };
        found.centre(self.kind);
        Ok((found, end.steps))
    }
}

impl RowParameters {
    /// The log-likelihood of the labels, but for what the likelihoods were divided by.
    fn log_likelihood(&self, data: &Labelled<'_>, likelihoods: &[f64], context: &Context) -> Result<f64> {
        let smooth = MixtureLoss { classes: self.classifier.classes, likelihoods };
        let (rows, units) = (self.classifier.rows(), data.units());
        let by_unit = self.classifier.sums_by_products(&data.features, context)?;
        let mut sums = vec![0.0; by_unit.len()];
        by_unit.iter().enumerate().for_each(|(at, sum)| sums[at % rows * units + at / rows] = *sum);
        Ok(-smooth.loss(&smooth.at(&Place { sums, free: Vec::new() })))
    }

    /// How often each expert is right, in expectation over the units they labelled; none for one without labels.
    pub(super) fn accuracies(&self, data: &Labelled<'_>) -> Vec<Option<f64>> {
        let (mut right, mut labels) = (vec![0.0; self.rows.experts()], vec![0.0; self.rows.experts()]);
        self.rights(data, |_, expert, weight, chance| {
            right[expert] += weight * chance;
            labels[expert] += weight;
        });
        right.iter().zip(&labels).map(|(right, labels)| (*labels > 0.0).then(|| right / labels)).collect()
    }

    /// The mean error of experts by this model, weighted as S is: the mean over units of the mean over their labels.
    pub(super) fn expert_error(&self, data: &Labelled<'_>) -> Option<f64> {
        let (mut wrong, mut units) = (0.0, 0.0);
        self.rights(data, |unit, _, weight, chance| {
            let share = weight / data.ballots.votes(unit).opinions();
            wrong += share * (1.0 - chance);
            units += share;
        });
        (units > 0.0).then(|| wrong / units)
    }

    /// Calls `visit` with the unit, the expert and the weight of each label, and the probability, before it was seen, that
    /// it is right.
    fn rights(&self, data: &Labelled<'_>, mut visit: impl FnMut(usize, usize, f64, f64)) {
        let classes = self.classifier.classes;
        let prior = self.classifier.probabilities(&data.features);
        for (unit, prior) in prior.chunks_exact(classes).enumerate() {
            for (expert, _, weight) in data.ballots.votes(unit).weighted() {
                let right = |(class, p): (usize, &f64)| p * self.rows.probability(expert, class, class);
                visit(unit, expert, weight, prior.iter().enumerate().map(right).sum());
            }
        }
    }
}
