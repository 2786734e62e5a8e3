//! Several fits, weighed by how well they predict held-out labels.

mod held_out;
mod weigh;

pub use weigh::BlendWeights;

use super::rule::{Blend, Rule, sharpen};
use super::{ClassPrior, Evidence, Posterior, Skilled, TruthFit};
use crate::{Context, Error, Result};

/// The method to use when nothing is known but the labels.
///
/// The [`Skilled`] model contains the usual ones as corners and learns from the data which of them it should be. What
/// one fit cannot decide is the class prior, and whether to discount workers whose labels tell little. So the model is
/// fitted under three class priors (anchored at the votes, estimated, uniform), each with and without a discount of one
/// half, and the six posteriors are averaged by how well the fits predict held-out labels:
/// - the discount's weight is s(z), z the standardised mean gain in ln P(held-out label) with it over without it, under the
///   anchored prior;
/// - a class prior's weight is proportional to exp(30 (J / the best J - 1)), J the mutual information between the held-out
///   labels and the class predicted from the kept votes;
/// - the mean's power, from 0.3 to 1, is the one that gives the held-out labels the highest probability: below 1 it makes
///   the posterior less sure.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `folds` | each label is held out in one of these fits | 5 | 2 to 20 |
/// | `prior` | one class prior instead of the three | none | |
///
/// Cost: 6 fits of all labels and 6 `folds` of at most 200,000 (whole tasks drawn by the seed).
#[derive(Clone, Debug, PartialEq)]
pub struct Auto {
    /// Each label is held out in one of these fits.
    pub folds: usize,
    /// One class prior instead of the three.
    pub prior: Option<ClassPrior>,
}

impl Default for Auto {
    fn default() -> Self {
        Auto { folds: 5, prior: None }
    }
}

/// How much less below-average workers count where they are discounted.
const DISCOUNT: f64 = 0.5;

/// One of the fits to weigh.
struct Candidate {
    class_prior: &'static str,
    method: Skilled,
}

impl Auto {
    /// Fits the candidates, weighs them, and averages.
    pub fn fit(&self, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
        let classes = evidence.ballots.classes();
        if !(2..=20).contains(&self.folds) {
            let value = self.folds.to_string();
            return Err(Error::OutOfRange { name: "the number of folds", value, range: "2 to 20" });
        }
        let candidates = self.candidates();
        evidence.check_tables(classes)?;
        candidates.iter().try_for_each(|candidate| candidate.method.check(classes))?;
        let weighed = weigh::weigh(&candidates, evidence, self.folds, &context.part(0.0, 0.7))?;
        let mut posterior = Posterior::equal(evidence.ballots.tasks(), classes);
        posterior.values.fill(0.0);
        let (mut rules, mut iterations, mut converged) = (Vec::new(), 0, true);
        let start = |number: usize| 0.7 + 0.3 * number as f64 / candidates.len() as f64;
        for (number, (candidate, weight)) in candidates.iter().zip(&weighed.weights).enumerate() {
            let context = context.part(start(number), start(number + 1));
            let fit = candidate.method.climb(evidence, &context)?;
            let own = fit.leave_one_out(evidence, &context);
            posterior.values.iter_mut().zip(&own.values).for_each(|(sum, p)| *sum += weight * p);
            iterations = iterations.max(fit.climb.objective.len());
            converged &= fit.climb.converged;
            rules.push(Rule::Confusion(fit.climb.tables));
        }
        posterior.fill(context, |_, row| sharpen(row, weighed.blend.sharpness));
        posterior.settle(evidence.ballots, &evidence.gold);
        Ok(TruthFit {
            rule: Rule::Blend(Blend::new(rules, weighed.weights, weighed.blend.sharpness)?),
            posterior,
            // An average of fits has none.
            log_likelihood: None,
            iterations,
            converged,
            blend: Some(weighed.blend),
        })
    }

    /// The fits to weigh: each class prior without the discount, then with it.
    fn candidates(&self) -> Vec<Candidate> {
        let priors = match &self.prior {
            Some(prior) => vec![("given", prior.clone())],
            None => vec![
                ("anchored", ClassPrior::Anchored),
                ("estimated", ClassPrior::Estimated),
                ("uniform", ClassPrior::Uniform),
            ],
        };
        let with = |discount: f64| {
            move |(name, prior): &(&'static str, ClassPrior)| {
                let method = Skilled { prior: prior.clone(), discount, ..Skilled::default() };
                Candidate { class_prior: name, method }
            }
        };
        priors.iter().map(with(0.0)).chain(priors.iter().map(with(DISCOUNT))).collect()
    }
}

#[cfg(test)]
mod tests;
