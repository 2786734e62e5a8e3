//! The classifier with a confusion matrix for each expert, from where the fit with one skill each ended.

use super::expert_rows::ExpertRows;
use super::labelled_units::Labelled;
use super::learner::{ClassifierFit, StandardisedFit};
use super::linear::Linear;
use super::mixture_loss::MixtureLoss;
use super::parameters::Parameters;
use super::regression::ByProducts;
use super::rights::Rights;
use super::smooth::{Place, Smooth};
use super::truncated_newton::Limits;
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
            let given = self.given_rows(data, &likelihoods, Limits { tolerance, steps: 5 });
            let end = given.minimise(Some(&classifier), context)?;
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
        let given = self.given_rows(data, &likelihoods, Limits { tolerance, steps: 50 });
        let (classifier, more) = given.minimise(Some(&classifier), context)?;
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
            standardised: StandardisedFit::Rows(parameters),
        })
    }

    /// The classifier under which labels are likeliest, given P(labels | class) of each unit.
    fn given_rows<'a>(
        &self,
        data: &'a Labelled<'_>,
        likelihoods: &'a [f64],
        limits: Limits,
    ) -> ByProducts<'a, MixtureLoss<'a>> {
        let classes = data.ballots.classes();
        let (loss, penalty) = (MixtureLoss { classes, likelihoods }, self.penalty_of_truth());
        ByProducts { features: &data.features, classes, loss, penalty, limits }
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
}

impl Rights for RowParameters {
    fn number_of_experts(&self) -> usize {
        self.rows.experts()
    }

    fn rights(&self, data: &Labelled<'_>, visit: &mut dyn FnMut(usize, usize, f64, f64)) {
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
