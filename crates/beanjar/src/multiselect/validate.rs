//! What error to expect on new objects, before paying for their judgments.

use super::estimates::centred;
use super::moments::{Moments, Sums, sums};
use super::selection::{path, repeats};
use super::{Estimates, Method, Spending};
use crate::random::stream;
use crate::{Context, Error, Judgments, Result};
use rand::seq::SliceRandom;

/// Expected squared error on new objects, by what is spent on each.
#[derive(Clone, Debug)]
pub struct Validation {
    /// The ridge that did best.
    pub ridge: f64,
    /// How often the objects were dealt into folds anew.
    pub rounds: usize,
    label_variance: f64,
    /// Of each round, of each fold: its share of the objects, and the loss after each sum spent.
    curves: Vec<Vec<Curve>>,
}

#[derive(Clone, Debug)]
struct Curve {
    share: f64,
    /// What was spent, rising, and the loss then.
    points: Vec<(f64, f64)>,
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

/// Cross-validates a method with the r-loss of the paper's appendix.
///
/// On the training folds a selection is made and fitted from the moments; on the held-out objects, centred as the
/// training objects are, its loss at repeats r is w' (Sigma + diag(v / r)) w - 2 w'b + mean y^2, every moment unbiased
/// and from the held-out objects alone: an unbiased estimate of the squared error that objects judged r times will have,
/// from judgments that were made other numbers of times (lemma A.2). Folds are dealt anew until the estimate is steady.
/// Of several ridges the one with the smallest loss plus two standard errors at the end of the budget is kept: where the
/// loss is unsteady, it is smallest by chance. Its loss is still the best of several, and so a little too good. `Best` is
/// validated by the path of
/// `Full`; `Copies` looks at single judgments and is not validated.
///
/// Cost: per round and fold O(judgments + d^3), and O(s^3) for each step of a path that uses s attributes.
pub fn validate(
    method: Method,
    data: (&Judgments, &[f64]),
    spending: &Spending,
    ridges: &[f64],
    seed: u64,
    context: &Context,
) -> Result<Validation> {
    let (judgments, labels) = data;
    let (mean, centred) = centred(labels)?;
    let known: Vec<usize> = (0..centred.len()).filter(|&object| centred[object].is_finite()).collect();
    if known.len() < 4 {
        return Err(Error::FewObjects { objects: known.len(), needed: 4 });
    }
    let many = judgments.attributes.len() > MANY;
    let folds = if many { 3 } else { FOLDS.min(known.len()) };
    let most_rounds = if many { 1 } else { ROUNDS.1 };
    let label_variance = known.iter().map(|&object| centred[object].powi(2)).sum::<f64>() / known.len() as f64;
    let mut all: Vec<Validation> =
        ridges.iter().map(|&ridge| Validation { ridge, rounds: 0, label_variance, curves: Vec::new() }).collect();
    for round in 0..most_rounds {
        let mut order = known.clone();
        order.shuffle(&mut stream(seed, round as u64));
        let mut fold_of = vec![usize::MAX; centred.len()];
        order.iter().enumerate().for_each(|(i, &object)| fold_of[object] = i % folds);
        let parts: Vec<Sums> = (0..folds)
            .map(|fold| sums(judgments, &centred, &|object| u32::from(fold_of[object] == fold), context))
            .collect();
        let names: Vec<String> = judgments.attributes.iter().map(str::to_owned).collect();
        let curves: Vec<Vec<Curve>> = context.map((0..folds).collect(), |fold| {
            let mut train: Option<Sums> = None;
            for part in (0..folds).filter(|&other| other != fold).map(|other| parts[other].clone()) {
                match &mut train {
                    Some(train) => train.merge(part),
                    None => train = Some(part),
                }
            }
            let Some(train) = train else { return Vec::new() };
            let test = parts[fold].about(&train.centre());
            let share = parts[fold].objects() / known.len() as f64;
            let moments = train.about(&train.centre());
            let raw = moments.external.clone();
            let estimates = Estimates::from_moments(names.clone(), moments, train.objects(), mean);
            let held = HeldOut { test: &test, train: &raw, noise: &estimates.noise };
            ridges
                .iter()
                .map(|&ridge| {
                    let points = held.curve(method, &estimates.clone().ridged(ridge), data, spending);
                    Curve { share, points }
                })
                .collect()
        });
        for (i, validation) in all.iter_mut().enumerate() {
            validation.rounds += 1;
            validation.curves.push(curves.iter().filter_map(|fold| fold.get(i).cloned()).collect());
        }
        if round + 1 >= ROUNDS.0 && best(&all, spending.budget).is_some_and(|best| best.is_steady(spending.budget)) {
            break;
        }
    }
    best(&all, spending.budget).cloned().ok_or(Error::FewObjects { objects: known.len(), needed: 4 })
}

fn best(all: &[Validation], budget: f64) -> Option<&Validation> {
    let cautious = |validation: &Validation| {
        let (loss, se) = validation.loss(budget);
        loss + 2.0 * se
    };
    all.iter().min_by(|a, b| cautious(a).total_cmp(&cautious(b)))
}

impl Validation {
    /// The expected loss when so much is spent on each object, and its standard error, from how folds differ.
    pub fn loss(&self, spent: f64) -> (f64, f64) {
        let rounds: Vec<(f64, f64)> = self.curves.iter().map(|folds| self.round_loss(folds, spent)).collect();
        let n = rounds.len().max(1) as f64;
        (rounds.iter().map(|round| round.0).sum::<f64>() / n, rounds.iter().map(|round| round.1).sum::<f64>() / n)
    }

    fn round_loss(&self, folds: &[Curve], spent: f64) -> (f64, f64) {
        let at = |curve: &Curve| {
            let before = curve.points.partition_point(|point| point.0 <= spent * (1.0 + 1e-12));
            before.checked_sub(1).map_or(self.label_variance, |last| curve.points[last].1)
        };
        let mean: f64 = folds.iter().map(|curve| curve.share * at(curve)).sum();
        let n = folds.len() as f64;
        let spread = folds.iter().map(|curve| (at(curve) - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        (mean, (spread / n).sqrt())
    }

    fn is_steady(&self, spent: f64) -> bool {
        let rounds: Vec<f64> = self.curves.iter().map(|folds| self.round_loss(folds, spent).0).collect();
        let n = rounds.len() as f64;
        let mean = rounds.iter().sum::<f64>() / n;
        let variance = rounds.iter().map(|loss| (loss - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        (variance / n).sqrt() <= STEADY * mean.abs()
    }
}

/// The expected squared error of weights from the moments at given repeats, by the same r-loss on held-out objects.
pub(super) fn expected_loss(
    (judgments, labels): (&Judgments, &[f64]),
    wanted: &[u32],
    ridge: f64,
    seed: u64,
) -> Option<f64> {
    let (mean, centred) = centred(labels).ok()?;
    let mut order: Vec<usize> = (0..centred.len()).filter(|&object| centred[object].is_finite()).collect();
    let folds = FOLDS.min(order.len());
    if order.len() < 4 {
        return None;
    }
    order.shuffle(&mut stream(seed, 0));
    let mut fold_of = vec![usize::MAX; centred.len()];
    order.iter().enumerate().for_each(|(i, &object)| fold_of[object] = i % folds);
    let names: Vec<String> = judgments.attributes.iter().map(str::to_owned).collect();
    let total: f64 = (0..folds)
        .map(|fold| {
            let of = |inside: bool| {
                sums(judgments, &centred, &|object| u32::from((fold_of[object] == fold) == inside), &Context::new())
            };
            let (train, test) = (of(false), of(true));
            let moments = train.about(&train.centre());
            let raw = moments.external.clone();
            let estimates = Estimates::from_moments(names.clone(), moments, train.objects(), mean).ridged(ridge);
            let held_out = test.about(&train.centre());
            let held = HeldOut { test: &held_out, train: &raw, noise: &estimates.noise };
            test.objects() * held.loss(&estimates.weights(wanted), wanted)
        })
        .sum();
    Some(total / order.len() as f64)
}

/// Moments of held-out objects; what they do not have is taken from the training objects.
struct HeldOut<'a> {
    test: &'a Moments,
    train: &'a crate::linalg::Symmetric,
    noise: &'a [f64],
}

impl HeldOut<'_> {
    /// The loss of the method's selection after each step, or after some of them if they are many.
    fn curve(
        &self,
        method: Method,
        estimates: &Estimates,
        data: (&Judgments, &[f64]),
        spending: &Spending,
    ) -> Vec<(f64, f64)> {
        let Ok(steps) = path(method, estimates, spending, data) else { return Vec::new() };
        let every = steps.len().div_ceil(MOST_POINTS).max(1);
        (1..=steps.len())
            .filter(|taken| taken % every == 0 || *taken == steps.len())
            .map(|taken| {
                let repeats = repeats(method, &steps[..taken], estimates.len());
                (steps[taken - 1].spent, self.loss(&estimates.weights(&repeats), &repeats))
            })
            .collect()
    }

    /// The r-loss of these weights.
    fn loss(&self, weights: &[f64], repeats: &[u32]) -> f64 {
        let test = self.test;
        let used: Vec<usize> = (0..repeats.len()).filter(|&a| repeats[a] > 0).collect();
        let mut loss = test.label_variance;
        for &a in &used {
            let noise = if test.usable[a] { test.noise[a] } else { self.noise[a] };
            loss += weights[a] * (weights[a] * noise / f64::from(repeats[a]) - 2.0 * test.covariance[a]);
            for &b in &used {
                let seen = test.usable[a] && test.usable[b] && test.seen_together[(a, b)] > 0.0;
                let external = if seen { test.external[(a, b)] } else { self.train[(a, b)] };
                loss += weights[a] * weights[b] * external;
            }
        }
        loss
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multiselect::estimates::tests::unit;
    use crate::multiselect::select;
    use rand_distr::{Distribution, StandardNormal};

    /// Objects with `repeats` judgments of four attributes of known noise, and labels.
    fn draw(seed: u64, objects: usize, repeats: &[u32; 4]) -> (Judgments, Vec<f64>) {
        let mut random = stream(seed, 77);
        let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
        let (mut rows, mut labels) = (Vec::new(), Vec::new());
        for object in 0..objects {
            let common = normal();
            labels.push(2.0 * common + 0.5 * normal());
            for (a, noise) in [0.5, 1.0, 2.0, 1.0].into_iter().enumerate() {
                let truth = common * (1.0 - 0.2 * a as f64) + 0.6 * normal();
                for _ in 0..repeats[a] {
                    rows.push((format!("o{object}"), ["a", "b", "c", "d"][a], truth + noise * normal()));
                }
            }
        }
        (Judgments::from_rows(rows.iter().map(|(o, a, v)| (&o[..], *a, "", *v))).unwrap(), labels)
    }

    #[test]
    fn the_r_loss_is_unbiased() {
        // Weights that are no optimum of anything, at repeats that are not those of the judgments at hand.
        let (weights, repeats) = ([0.5, -0.3, 0.8, 0.2], [1, 5, 3, 2]);
        let mut losses = Vec::new();
        for seed in 0..400 {
            let (judgments, labels) = draw(seed, 50, &[2, 3, 2, 4]);
            let sums = sums(&judgments, &labels, &|_| 1, &Context::new());
            // About the true centre, which is 0: the labels' own mean would make the loss a little smaller.
            let moments = sums.about(&sums.centre_at_zero(&judgments));
            let held = HeldOut { test: &moments, train: &moments.external, noise: &moments.noise };
            losses.push(held.loss(&weights, &repeats));
        }
        let (judgments, labels) = draw(1_000_000, 40_000, &repeats);
        let direct: f64 = (0..40_000)
            .map(|object| {
                let predicted: f64 = judgments
                    .of(object)
                    .by_attribute()
                    .map(|(a, _, values)| weights[a] * values.iter().sum::<f64>() / values.len() as f64)
                    .sum();
                (predicted - labels[object]).powi(2)
            })
            .sum::<f64>()
            / 40_000.0;
        let n = losses.len() as f64;
        let mean = losses.iter().sum::<f64>() / n;
        let error = (losses.iter().map(|loss| (loss - mean).powi(2)).sum::<f64>() / n / n).sqrt();
        // The direct loss has a relative standard error of about sqrt(2 / 40,000) of its own: 0.7 percent.
        assert!((mean - direct).abs() < 4.0 * (error + 0.007 * direct), "{mean} with {error}, direct {direct}");
    }

    #[test]
    fn the_expected_loss_is_that_of_new_objects_and_the_projected_one_is_too_good() {
        let (mut expected, mut projected, mut fresh) = (0.0, 0.0, 0.0);
        for seed in 0..12 {
            let (judgments, labels) = draw(seed, 60, &[2, 2, 2, 2]);
            let spending = unit(8, 4);
            let data = (&judgments, &labels[..]);
            let validation = validate(Method::Full, data, &spending, &[0.0], 0, &Context::new()).unwrap();
            let estimates = Estimates::new(&judgments, &labels, 0.0, &Context::new()).unwrap();
            let selection = select(Method::Full, &estimates, &spending, data).unwrap();
            expected += validation.loss(8.0).0 / 12.0;
            projected += (estimates.label_variance - selection.explained) / 12.0;
            let weights = estimates.weights(&selection.repeats);
            let repeats: [u32; 4] = std::array::from_fn(|a| selection.repeats[a].max(1));
            let (judgments, labels) = draw(5000 + seed, 4000, &repeats);
            fresh += (0..4000)
                .map(|object| {
                    let judged = judgments.of(object).by_attribute();
                    let of = |(a, _, values): (usize, &[u32], &[f64])| {
                        weights[a] * values.iter().sum::<f64>() / values.len() as f64
                    };
                    (estimates.bias(&weights) + judged.map(of).sum::<f64>() - labels[object]).powi(2)
                })
                .sum::<f64>()
                / 4000.0
                / 12.0;
        }
        assert!(projected < fresh, "projected {projected}, fresh {fresh}");
        // Twelve data sets of 60 objects: cross-validation trains on a tenth fewer, and varies by a few percent.
        assert!((expected - fresh).abs() < 0.15 * fresh, "expected {expected}, fresh {fresh}");
    }

    #[test]
    fn threads_do_not_change_a_digit_and_few_objects_are_refused() {
        let (judgments, labels) = draw(3, 40, &[2, 2, 2, 2]);
        let run = |context: &Context| {
            validate(Method::Full, (&judgments, &labels), &unit(5, 4), &RIDGES, 1, context).unwrap().loss(5.0)
        };
        assert_eq!(
            run(&Context::new()),
            run(&Context::new().with_threads(std::num::NonZeroUsize::new(3).unwrap()).unwrap())
        );
        let (judgments, labels) = draw(3, 3, &[2, 2, 2, 2]);
        assert!(validate(Method::Full, (&judgments, &labels), &unit(5, 4), &[0.0], 1, &Context::new()).is_err());
    }
}
