use super::*;
use crate::Judgments;
use crate::multiselect::Strategy;
use crate::multiselect::estimates::tests::{estimated, unit};
use crate::random::stream;
use rand_distr::{Distribution, StandardNormal};

fn full(budget: u32) -> Selector {
    Selector { strategy: Strategy::Full, spending: unit(budget, 4) }
}

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
        let data = LabelledJudgments::new(&judgments, &labels).unwrap();
        let sums = sums(data, &|_| 1, &Context::new());
        // About the true centre, which is 0: the labels' own mean would make the loss a little smaller.
        let moments = sums.about(&sums.centre_at_zero(&judgments));
        let held = HeldOut { test: &moments, train: &moments.external, noise: &moments.noise, data };
        losses.push(held.loss(&weights.to_vec().into(), &repeats));
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
    for seed in 0..40 {
        let (judgments, labels) = draw(seed, 60, &[2, 2, 2, 2]);
        let selector = full(8);
        let data = LabelledJudgments::new(&judgments, &labels).unwrap();
        let validation = selector.validate(data, &[0.0], &Context::new()).unwrap();
        let estimates = estimated(&judgments, &labels);
        let selection = selector.fit(&estimates, data, &Context::new()).unwrap();
        expected += validation.loss(8.0).loss / 40.0;
        projected += (estimates.label_variance - selection.explained) / 40.0;
        let weights = estimates.weights_for(&selection.repeats);
        let repeats: [u32; 4] = std::array::from_fn(|a| selection.repeats[a].max(1));
        let (judgments, labels) = draw(5000 + seed, 4000, &repeats);
        fresh += (0..4000)
            .map(|object| {
                let judged = judgments.of(object).by_attribute();
                let of = |(a, _, values): (usize, &[u32], &[f64])| {
                    weights[a][0] * values.iter().sum::<f64>() / values.len() as f64
                };
                (estimates.bias(&weights)[0] + judged.map(of).sum::<f64>() - labels[object]).powi(2)
            })
            .sum::<f64>()
            / 4000.0
            / 40.0;
    }
    assert!(projected < fresh, "projected {projected}, fresh {fresh}");
    // Forty data sets of 60 objects: cross-validation trains on a tenth fewer, and varies by a few percent.
    assert!((expected - fresh).abs() < 0.15 * fresh, "expected {expected}, fresh {fresh}");
}

#[test]
fn threads_do_not_change_a_digit_and_few_objects_are_refused() {
    let validate = |objects: usize, ridges: &[f64], context: &Context| {
        let (judgments, labels) = draw(3, objects, &[2, 2, 2, 2]);
        full(5).validate(LabelledJudgments::new(&judgments, &labels)?, ridges, context)
    };
    let three = Context::new().with_threads(std::num::NonZeroUsize::new(3).unwrap()).unwrap();
    let one = validate(40, &RIDGES, &Context::new().with_seed(1)).unwrap();
    assert_eq!(one, validate(40, &RIDGES, &three.with_seed(1)).unwrap());
    assert_ne!(one.loss(5.0), validate(40, &RIDGES, &Context::new().with_seed(2)).unwrap().loss(5.0));
    let few = Err(Error::FewObjects { objects: 3, needed: 4 });
    assert_eq!(validate(3, &[0.0], &Context::new()), few);
    assert!(validate(40, &[f64::NAN], &Context::new()).is_err());
}
