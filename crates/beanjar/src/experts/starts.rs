//! Where the search begins.

use super::ManyExperts;
use super::em::class_rows;
use super::labelled_units::Labelled;
use super::linear::Linear;
use super::parameters::Parameters;
use super::regression::SoftLabels;
use crate::random::stream;
use crate::truth::{Evidence, OneCoin};
use crate::{Context, Result};
use rand_distr::{Distribution, StandardNormal};
use std::ops::Range;

/// How many experts, those with the most labels, are tried one by one: trusted, or not trusted.
const EXPERTS: usize = 5;

/// An expert is trusted alone only if they labelled this share of the units: who labelled fewer leads to where the votes lead.
const COVERAGE: f64 = 0.1;

/// The experts with the most labels, most first.
fn busiest(data: &Labelled<'_>) -> Vec<usize> {
    let labels = data.ballots.per_worker();
    let mut order: Vec<usize> = (0..labels.len()).filter(|&worker| labels[worker] > 0).collect();
    order.sort_by_key(|&worker| std::cmp::Reverse(labels[worker]));
    order.truncate(EXPERTS);
    order
}

/// Models that differ from one in a part of it: one expert throws a coin, or all units are equally easy, or easy units are
/// hard and hard ones easy.
pub(super) fn neighbours(data: &Labelled<'_>, model: &Parameters) -> Vec<Parameters> {
    let mut models = Vec::new();
    for expert in busiest(data) {
        for skill in (expert..model.skills.len()).step_by(model.experts()) {
            let mut other = model.clone();
            other.skills[skill] = 0.0;
            models.push(other);
        }
    }
    if model.ease.iter().any(|g| *g != 0.0) {
        for factor in [0.0, -1.0] {
            let ease = model.ease.iter().map(|g| factor * g).collect();
            models.push(Parameters { ease, ..model.clone() });
        }
    }
    models
}

impl ManyExperts {
    /// The shares of classes from which EM starts: those without chance, and random ones.
    pub(super) fn starts(&self, data: &Labelled<'_>, context: &Context) -> Result<Vec<Vec<f64>>> {
        let mut starts = self.plain_starts(data, context)?;
        if self.restarts > 0 {
            let centre = self.centre_of_random_starts(data, context)?;
            starts.extend(self.random_starts(data, &centre, 0..self.restarts, context)?);
        }
        Ok(starts)
    }

    /// The shares of the votes, the one-coin fit, and what each of the experts with the most labels says.
    pub(super) fn plain_starts(&self, data: &Labelled<'_>, context: &Context) -> Result<Vec<Vec<f64>>> {
        let votes = data.shares();
        let coins = OneCoin { balanced: false, smoothing: 1.0, ..OneCoin::default() }
            .fit(&Evidence::votes(data.ballots)?, &context.alone())?;
        let coins: Vec<f64> = (0..data.ballots.tasks()).flat_map(|unit| coins.posterior.of(unit).to_vec()).collect();
        let one_by_one = self.one_by_one(data, &votes);
        Ok([votes, coins].into_iter().chain(one_by_one).collect())
    }

    /// The logistic fit of the votes, around which random starts lie.
    pub(super) fn centre_of_random_starts(&self, data: &Labelled<'_>, context: &Context) -> Result<Linear> {
        let labels = SoftLabels { rows: class_rows(data, data.shares()) };
        labels.regress(&data.features, self.penalty.max(1e-3), None, context)
    }

    /// Random starts with some numbers.
    pub(super) fn random_starts(
        &self,
        data: &Labelled<'_>,
        centre: &Linear,
        numbers: Range<usize>,
        context: &Context,
    ) -> Result<Vec<Vec<f64>>> {
        let random = |restart: usize| {
            let mut random = stream(context.seed(), restart as u64);
            let mut model = Parameters { classifier: centre.clone(), ..self.blank(data) };
            let classifier = &mut model.classifier;
            let values = classifier.intercepts.iter_mut().chain(&mut classifier.coefficients);
            for value in values.chain(&mut model.skills).chain(&mut model.ease) {
                *value += Distribution::<f64>::sample(&StandardNormal, &mut random);
            }
            context.worked(data.features.values() + data.ballots.len())?;
            Ok(model.posterior(data))
        };
        numbers.map(random).collect()
    }

    /// The shares of the votes, but where an expert gave a label, nearly that: where most experts throw coins, the likelihood
    /// is often highest near the one who does not.
    fn one_by_one(&self, data: &Labelled<'_>, votes: &[f64]) -> Vec<Vec<f64>> {
        const SURE: f64 = 0.9;
        let classes = data.ballots.classes();
        let says = |&expert: &usize| {
            let mut shares = votes.to_vec();
            for (unit, cells) in shares.chunks_exact_mut(classes).enumerate() {
                if let Some((_, label)) = data.ballots.votes(unit).iter().find(|(worker, _)| *worker == expert) {
                    cells.fill((1.0 - SURE) / (classes - 1) as f64);
                    cells[label] = SURE;
                }
            }
            shares
        };
        let (labels, units) = (data.ballots.per_worker(), data.with_labels().count() as f64);
        let covers = |expert: &&usize| labels[**expert] as f64 >= COVERAGE * units;
        busiest(data).iter().filter(covers).map(says).collect()
    }
}
