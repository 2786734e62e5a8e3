use super::super::Evidence;
use super::super::skilled::SkilledClimb;
use super::Candidate;
use super::held_out::{HeldOut, Sample};
use crate::{Context, Result};

/// How the candidates of [`Auto`](super::Auto) were weighed.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct BlendWeights {
    /// How many held-out labels decided.
    #[cfg_attr(feature = "serde", serde(rename = "hidden"))]
    pub held_out: usize,
    /// The weight of the fits that discount workers whose labels tell little.
    pub discount: f64,
    /// The class priors, and their weights.
    #[cfg_attr(feature = "serde", serde(rename = "views"))]
    pub class_priors: Vec<(&'static str, f64)>,
    /// The power to which probabilities were raised.
    pub sharpness: f64,
}

/// How sharply class priors are separated by what they predict.
const SHARPLY: f64 = 30.0;
/// The powers tried.
pub(super) const POWERS: [f64; 8] = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

/// The weight of each candidate.
pub(super) struct Weighed {
    pub(super) weights: Vec<f64>,
    pub(super) blend: BlendWeights,
}

/// Weighs the candidates by held-out labels.
pub(super) fn weigh(
    candidates: &[Candidate],
    evidence: &Evidence<'_>,
    folds: usize,
    context: &Context,
) -> Result<Weighed> {
    let sample = Sample::draw(evidence, folds, context.seed())?;
    let jobs: Vec<(usize, usize)> =
        (0..folds).flat_map(|fold| (0..candidates.len()).map(move |candidate| (fold, candidate))).collect();
    // Each fit is small, so fits go side by side and each by itself.
    let steps = context.steps("aggregating", jobs.len());
    let fits = context.map(jobs, |(fold, candidate)| {
        let evidence = sample.evidence(fold);
        let fit = candidates[candidate].method.climb(&evidence, &context.alone())?;
        steps.tick().map(|()| fit)
    });
    let fits: Vec<SkilledClimb> = fits.into_iter().collect::<Result<_>>()?;
    let of_fold = |fold: usize| &fits[fold * candidates.len()..(fold + 1) * candidates.len()];
    let mut held_out = HeldOut::new(candidates.len(), evidence.ballots.classes());
    (0..folds).for_each(|fold| held_out.observe(&sample, fold, of_fold(fold)));

    let priors = candidates.len() / 2;
    let discount = held_out.discount();
    let information =
        |prior: usize| discount * held_out.information(priors + prior) + (1.0 - discount) * held_out.information(prior);
    let information: Vec<f64> = (0..priors).map(information).collect();
    let most = information.iter().fold(1e-9, |most: f64, &of| most.max(of));
    let sharp: Vec<f64> = information.iter().map(|of| (SHARPLY * (of / most - 1.0)).exp()).collect();
    let sum: f64 = sharp.iter().sum();
    let of_prior = |prior: usize| sharp[prior] / sum;
    let of_discount = |candidate: usize| if candidate < priors { 1.0 - discount } else { discount };
    let weights: Vec<f64> = (0..2 * priors).map(|c| of_prior(c % priors) * of_discount(c)).collect();

    let mut scores = [0.0; POWERS.len()];
    (0..folds).for_each(|fold| sample.try_powers(fold, of_fold(fold), &weights, &mut scores));
    let last = POWERS.len() - 1;
    let best = (0..last).rev().fold(last, |best, i| if scores[i] > scores[best] { i } else { best });
    let class_priors = (0..priors).map(|prior| (candidates[prior].class_prior, of_prior(prior))).collect();
    let blend = BlendWeights { held_out: held_out.count, discount, class_priors, sharpness: POWERS[best] };
    Ok(Weighed { weights, blend })
}
