//! What error to expect on new objects, before paying for their judgments.

use super::estimates::{centred, check_ridge};
use super::held_out_scores::{FoldScores, Recognised, recognised, rule};
use super::moments::{Moments, Sums, sums};
use super::{ClassRule, Estimates, LabelledJudgments, Selector, Step, TargetRows};
use crate::linalg::{Symmetric, dot};
use crate::random::key;
use crate::{Context, Error, Result};

/// Expected squared error on new objects, by what is spent on each.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ValidationFit {
    /// The ridge with the smallest loss.
    pub ridge: f64,
    /// The number of rounds, in each of which all objects are held out once.
    pub rounds: usize,
    label_variance: f64,
    /// Of each round, of each fold: its share of the objects, and the loss by what is spent.
    curves: Vec<Vec<Curve>>,
    /// Of classes, how many are recognised at the end of the budget.
    pub(super) recognised: Option<Recognised>,
    /// Of classes, where the scores of held-out objects lie.
    pub(super) rule: Option<ClassRule>,
}

/// A loss with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ExpectedLoss {
    /// The mean squared error to expect.
    pub loss: f64,
    /// Its standard error, from how folds differ.
    pub se: f64,
}

#[derive(Clone, Debug, PartialEq)]
struct Curve {
    share: f64,
    /// What was spent, rising, and the loss then.
    points: Vec<(f64, f64)>,
    /// Of classes, the scores of the held-out objects at the end of the path.
    scores: Option<FoldScores>,
}

/// Ridges to try.
pub const RIDGES: [f64; 7] = [0.0, 0.01, 0.03, 0.1, 0.2, 0.4, 0.8];
const FOLDS: usize = 10;
/// Rounds: at least, and at most.
const ROUNDS: (usize, usize) = (3, 12);
/// The estimate is steady when the standard error of its mean over rounds is this share of it.
const STEADY: f64 = 0.01;
/// Steps of a path at which the loss is taken: each means solving for weights.
const MOST_POINTS: usize = 100;
/// Attributes beyond which one round with few folds must do: each fold means an eigenvalue decomposition.
const MANY: usize = 200;
/// Labelled objects that cross-validation needs.
const FEWEST: usize = 4;

impl Selector {
    /// Cross-validates the selector with the r-loss of the paper's appendix.
    ///
    /// On the training folds a selection is made and fitted from the moments. On the held-out objects, centred as the
    /// training objects are, its loss at repeats r is w' (Sigma + diag(v / r)) w - 2 w'b + mean y^2, with unbiased moments
    /// of the held-out objects alone. That is an unbiased estimate of the squared error that objects judged r times will
    /// have, from judgments that were made other numbers of times (lemma A.2). Rounds of folds are repeated until the
    /// estimate is steady. Of several ridges the one with the smallest loss plus two standard errors at the end of the
    /// budget is kept: where the loss is unsteady, it is smallest by chance. The loss that is reported is not that of the
    /// kept ridge, which is the best of several and so too small: each fold has the loss of the ridge that the other folds
    /// of its round would have kept. Of classes, the scores of held-out objects are brought to the judgments planned, and
    /// each fold is classified by where the scores of the others lie.
    ///
    /// [`Strategy::Best`](super::Strategy::Best) is validated by the path of `Full`.
    ///
    /// Cost: per round and fold O(judgments + d^3), and O(s^3) for each step of a path that uses s attributes.
    pub fn validate(&self, data: LabelledJudgments<'_>, ridges: &[f64], context: &Context) -> Result<ValidationFit> {
        ridges.iter().try_for_each(|&ridge| check_ridge(ridge))?;
        self.spending.check_numbers(data.judgments.attributes.len())?;
        let (mean, centred) = centred(data)?;
        let held_out = CrossValidation {
            selector: self,
            data,
            centred: LabelledJudgments { labels: &centred, ..data },
            mean,
            objects: data.labelled_objects(),
            ridges,
        };
        held_out.run(context)
    }
}

/// The fold of each unit, at random; of those with labelled objects only.
fn folds_of(data: LabelledJudgments<'_>, folds: usize, seed: u64, round: u64) -> Vec<usize> {
    let mut fold_of = vec![usize::MAX; data.units()];
    data.shuffled(seed, round).iter().enumerate().for_each(|(i, &unit)| fold_of[unit] = i % folds);
    fold_of
}

/// The labelled objects at hand that are in this fold.
fn objects_in(data: LabelledJudgments<'_>, fold_of: &[usize], fold: usize) -> Vec<usize> {
    data.labelled().filter(|&object| fold_of[data.unit_of(object)] == fold).collect()
}

struct CrossValidation<'a> {
    selector: &'a Selector,
    data: LabelledJudgments<'a>,
    centred: LabelledJudgments<'a>,
    mean: Vec<f64>,
    /// How many have a label.
    objects: usize,
    ridges: &'a [f64],
}

impl CrossValidation<'_> {
    fn run(&self, context: &Context) -> Result<ValidationFit> {
        let objects = self.objects;
        let few = Error::FewObjects { objects, needed: FEWEST };
        if objects < FEWEST {
            return Err(few);
        }
        let many = self.data.judgments.attributes.len() > MANY;
        let folds = if many { 3 } else { FOLDS.min(objects) };
        let most_rounds = if many { 1 } else { ROUNDS.1 };
        let label_variance = label_variance(self.centred);
        let of = |ridge: f64, rounds: usize, curves: Vec<Vec<Curve>>| {
            let (recognised, rule) = self.recognised(&curves);
            ValidationFit { ridge, rounds, label_variance, curves, recognised, rule }
        };
        let mut all: Vec<ValidationFit> = self.ridges.iter().map(|&ridge| of(ridge, 0, Vec::new())).collect();
        let budget = self.selector.spending.budget;
        for round in 0..most_rounds {
            let part = |done: usize| done as f64 / most_rounds as f64;
            let curves = self.round(folds, round as u64, &context.part(part(round), part(round + 1)))?;
            for (i, validation) in all.iter_mut().enumerate() {
                validation.rounds += 1;
                validation.curves.push(curves.iter().filter_map(|fold| fold.get(i).cloned()).collect());
            }
            if round + 1 >= ROUNDS.0 && best(&all, budget).is_some_and(|best| best.is_steady(budget)) {
                break;
            }
        }
        let ridge = best(&all, budget).ok_or(few)?.ridge;
        let rounds = all.first().map_or(0, |first| first.rounds);
        Ok(of(ridge, rounds, (0..rounds).map(|round| chosen_by_others(&all, round, budget)).collect()))
    }

    /// How many held-out objects are recognised, on average over rounds, and where their scores lie.
    fn recognised(&self, rounds: &[Vec<Curve>]) -> (Option<Recognised>, Option<ClassRule>) {
        let Some(classes) = self.data.classes else { return (None, None) };
        let scores = |folds: &Vec<Curve>| folds.iter().filter_map(|fold| fold.scores.clone()).collect();
        let rounds: Vec<Vec<FoldScores>> = rounds.iter().map(scores).collect();
        let counted: Vec<Recognised> = rounds.iter().filter_map(|folds| recognised(folds, classes)).collect();
        (Recognised::mean(&counted), rule(&rounds.concat(), classes))
    }

    /// Holds each fold out once: of each fold, the curve of each ridge.
    fn round(&self, folds: usize, round: u64, context: &Context) -> Result<Vec<Vec<Curve>>> {
        let fold_of = folds_of(self.data, folds, context.seed(), round);
        let of = |fold: usize| sums(self.centred, &|unit| u32::from(fold_of[unit] == fold), context);
        let parts: Vec<Sums> = (0..folds).map(of).collect();
        let steps = context.steps("cross-validating", folds * self.ridges.len());
        let curves = context.map((0..folds).collect(), |fold| {
            let mut train: Option<Sums> = None;
            for part in (0..folds).filter(|&other| other != fold).map(|other| parts[other].clone()) {
                match &mut train {
                    Some(train) => train.merge(part),
                    None => train = Some(part),
                }
            }
            let Some(train) = train else { return Ok(Vec::new()) };
            let test = parts[fold].about(&train.centre());
            let share = parts[fold].objects() / self.objects as f64;
            let moments = train.about(&train.centre());
            let raw = moments.external.clone();
            let mut estimates = Estimates::from_moments(self.data, moments, train.objects(), self.mean.clone());
            let noise = estimates.noise.clone();
            let held_out = HeldOut { test: &test, train: &raw, noise: &noise, data: self.data };
            let objects = objects_in(self.data, &fold_of, fold);
            let diagonal = estimates.diagonal();
            let curve = |&ridge: &f64| {
                steps.tick()?;
                // In place: with thousands of attributes a copy takes longer than the curve.
                estimates.set_ridge(ridge, &diagonal);
                let path = self.selector.path(&estimates, self.data).unwrap_or_default();
                let scores = self.data.classes.map(|classes| {
                    let repeats = self.selector.repeats(&path);
                    let from = (&estimates, &estimates.weights_for(&repeats), &repeats[..]);
                    FoldScores::of(self.data, classes, &objects, from, key(context.seed(), round))
                });
                Ok(Curve { share, points: held_out.curve(self.selector, &estimates, &path), scores })
            };
            self.ridges.iter().map(curve).collect()
        });
        curves.into_iter().collect()
    }
}

/// The mean square of labels that are less their mean, summed over targets.
fn label_variance(centred: LabelledJudgments<'_>) -> f64 {
    if let Some(elsewhere) = centred.elsewhere {
        return elsewhere.label_variance();
    }
    let square = |object: usize| centred.label(object).iter().map(|label| label * label).sum::<f64>();
    centred.labelled().map(square).sum::<f64>() / centred.labelled_objects() as f64
}

/// Of each fold of a round, its curve under the ridge that the other folds would keep.
fn chosen_by_others(all: &[ValidationFit], round: usize, budget: f64) -> Vec<Curve> {
    let folds = all.first().map_or(0, |first| first.curves[round].len());
    let chosen = |fold: usize| {
        let cautious = |validation: &&ValidationFit| {
            let mut others = validation.curves[round].clone();
            others.remove(fold);
            let all: f64 = others.iter().map(|curve| curve.share).sum();
            others.iter_mut().for_each(|curve| curve.share /= all.max(f64::MIN_POSITIVE));
            let ExpectedLoss { loss, se } = validation.round_loss(&others, budget);
            loss + 2.0 * se
        };
        let kept = all.iter().min_by(|a, b| cautious(a).total_cmp(&cautious(b)));
        kept.map(|validation| validation.curves[round][fold].clone())
    };
    (0..folds).filter_map(chosen).collect()
}

fn best(all: &[ValidationFit], budget: f64) -> Option<&ValidationFit> {
    let cautious = |validation: &ValidationFit| {
        let ExpectedLoss { loss, se } = validation.loss(budget);
        loss + 2.0 * se
    };
    all.iter().min_by(|a, b| cautious(a).total_cmp(&cautious(b)))
}

impl ValidationFit {
    /// The expected loss when this much is spent on each object.
    #[must_use]
    pub fn loss(&self, spent: f64) -> ExpectedLoss {
        let rounds: Vec<ExpectedLoss> = self.curves.iter().map(|folds| self.round_loss(folds, spent)).collect();
        let n = rounds.len().max(1) as f64;
        let mean = |of: fn(&ExpectedLoss) -> f64| rounds.iter().map(of).sum::<f64>() / n;
        ExpectedLoss { loss: mean(|round| round.loss), se: mean(|round| round.se) }
    }

    fn round_loss(&self, folds: &[Curve], spent: f64) -> ExpectedLoss {
        let at = |curve: &Curve| {
            let before = curve.points.partition_point(|point| point.0 <= spent * (1.0 + 1e-12));
            before.checked_sub(1).map_or(self.label_variance, |last| curve.points[last].1)
        };
        let mean: f64 = folds.iter().map(|curve| curve.share * at(curve)).sum();
        let n = folds.len() as f64;
        let spread = folds.iter().map(|curve| (at(curve) - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        ExpectedLoss { loss: mean, se: (spread / n).sqrt() }
    }

    fn is_steady(&self, spent: f64) -> bool {
        let rounds: Vec<f64> = self.curves.iter().map(|folds| self.round_loss(folds, spent).loss).collect();
        let n = rounds.len() as f64;
        let mean = rounds.iter().sum::<f64>() / n;
        let variance = rounds.iter().map(|loss| (loss - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        (variance / n).sqrt() <= STEADY * mean.abs()
    }
}

/// What the errors of held-out objects are, and of classes their scores by fold.
pub(super) struct HeldOutErrors {
    pub(super) loss: f64,
    pub(super) scores: Vec<FoldScores>,
}

/// The expected squared error of weights from the moments at given repeats, by the same r-loss on held-out objects. None
/// if there are too few objects to hold some out.
pub(super) fn held_out_errors(
    data: LabelledJudgments<'_>,
    wanted: &[u32],
    ridge: f64,
    context: &Context,
) -> Result<Option<HeldOutErrors>> {
    let (mean, centred) = centred(data)?;
    let known = data.labelled_objects();
    if known < FEWEST {
        return Ok(None);
    }
    let folds = FOLDS.min(known);
    let fold_of = folds_of(data, folds, context.seed(), 0);
    let centred = LabelledJudgments { labels: &centred, ..data };
    let steps = context.steps("cross-validating", folds);
    let mut found = HeldOutErrors { loss: 0.0, scores: Vec::new() };
    for fold in 0..folds {
        let of = |inside: bool| sums(centred, &|unit| u32::from((fold_of[unit] == fold) == inside), context);
        let (train, test) = (of(false), of(true));
        let moments = train.about(&train.centre());
        let raw = moments.external.clone();
        let estimates = Estimates::from_moments(data, moments, train.objects(), mean.clone()).ridged(ridge);
        let held_out = test.about(&train.centre());
        let held_out = HeldOut { test: &held_out, train: &raw, noise: &estimates.noise, data };
        let weights = estimates.weights_for(wanted);
        found.loss += test.objects() * held_out.loss(&weights, wanted) / known as f64;
        found.scores.extend(data.classes.map(|classes| {
            let objects = objects_in(data, &fold_of, fold);
            FoldScores::of(data, classes, &objects, (&estimates, &weights, wanted), context.seed())
        }));
        steps.tick()?;
    }
    Ok(Some(found))
}

/// Moments of held-out objects; what they do not have is taken from the training objects.
struct HeldOut<'a> {
    test: &'a Moments,
    train: &'a Symmetric,
    noise: &'a [f64],
    data: LabelledJudgments<'a>,
}

impl HeldOut<'_> {
    /// The loss of the method's selection after each step, or after some of them if they are many.
    fn curve(&self, selector: &Selector, estimates: &Estimates, steps: &[Step]) -> Vec<(f64, f64)> {
        let every = steps.len().div_ceil(MOST_POINTS).max(1);
        (1..=steps.len())
            .filter(|taken| taken % every == 0 || *taken == steps.len())
            .map(|taken| {
                let repeats = selector.repeats(&steps[..taken]);
                (steps[taken - 1].spent, self.loss(&estimates.weights_for(&repeats), &repeats))
            })
            .collect()
    }

    /// The r-loss of these weights, summed over targets.
    fn loss(&self, weights: &TargetRows, repeats: &[u32]) -> f64 {
        let test = self.test;
        let used: Vec<usize> = (0..repeats.len()).filter(|&a| repeats[a] > 0).collect();
        let mut loss = test.label_variance;
        for &a in &used {
            let noise = if test.usable[a] { test.noise[a] * self.data.noise_factor(a) } else { self.noise[a] };
            let noise = noise * self.data.noise_share(a, repeats[a]);
            loss += weights.square(a) * noise - 2.0 * dot(&weights[a], &test.covariance[a]);
            for &b in &used {
                let seen = test.usable[a] && test.usable[b] && test.seen_together(a, b) > 0.0;
                let external = if seen { test.external[(a, b)] } else { self.train[(a, b)] };
                loss += dot(&weights[a], &weights[b]) * external;
            }
        }
        loss
    }
}

#[cfg(test)]
mod tests;
