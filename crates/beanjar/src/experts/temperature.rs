//! How sure a classifier should be, by labels that were held out.

/// The temperature T at which probabilities in proportion to p^(1/T) give labels that were held out the largest likelihood:
/// sum over units of ln sum over classes of P(class) P(labels | class).
///
/// `probabilities` are of classifiers that did not learn from a unit's labels, and `likelihoods` are P(labels | class), but
/// for a factor common to the classes of a unit; both class after class for each unit. Above 1 a classifier was too sure,
/// below 1 not sure enough. Between 1/20 and 20. Cost: O(units times classes).
pub(super) fn temperature(classes: usize, probabilities: &[f64], likelihoods: &[f64]) -> f64 {
    let logs: Vec<f64> = probabilities.iter().map(|p| p.max(1e-300).ln()).collect();
    let likelihood = |log_temperature: f64| -> f64 {
        let units = logs.chunks_exact(classes).zip(likelihoods.chunks_exact(classes));
        units.map(|(logs, likelihoods)| of_unit(logs, likelihoods, (-log_temperature).exp())).sum()
    };
    // Golden section: the likelihood has one peak in nearly all cases, and any is better than none.
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let (mut low, mut high) = (-20f64.ln(), 20f64.ln());
    for _ in 0..40 {
        let (left, right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        if likelihood(left) < likelihood(right) {
            low = left;
        } else {
            high = right;
        }
    }
    let found = 0.5 * (low + high);
    if likelihood(found) > likelihood(0.0) { found.exp() } else { 1.0 }
}

/// ln of the sum over classes of P(class) P(labels | class), probabilities being raised to a power.
fn of_unit(logs: &[f64], likelihoods: &[f64], sharp: f64) -> f64 {
    let most = logs.iter().fold(f64::NEG_INFINITY, |most, log| most.max(*log));
    let (mut all, mut with) = (0.0, 0.0);
    for (log, likelihood) in logs.iter().zip(likelihoods) {
        let odds = (sharp * (log - most)).exp();
        all += odds;
        with += odds * likelihood;
    }
    (with / all).max(1e-300).ln()
}

/// P(class | features, labels) of each unit at a temperature, class after class, from P(labels | class) but for a factor.
pub(super) fn posteriors(classes: usize, probabilities: &[f64], likelihoods: &[f64], temperature: f64) -> Vec<f64> {
    let units = probabilities.chunks_exact(classes).zip(likelihoods.chunks_exact(classes));
    let of_unit = |(probabilities, likelihoods): (&[f64], &[f64])| {
        let most = probabilities.iter().fold(1e-300, |most: f64, p| most.max(*p));
        let odds = |(p, likelihood): (&f64, &f64)| (p / most).powf(1.0 / temperature) * likelihood;
        let odds: Vec<f64> = probabilities.iter().zip(likelihoods).map(odds).collect();
        let all: f64 = odds.iter().sum();
        // Labels that no class allows leave what the features say.
        match all > 0.0 {
            true => odds.into_iter().map(|odds| odds / all).collect(),
            false => probabilities.to_vec(),
        }
    };
    units.flat_map(of_unit).collect()
}

/// The log-likelihood of each unit's labels at a temperature, from ln P(labels | class).
pub(super) fn unit_log_likelihoods(
    classes: usize,
    probabilities: &[f64],
    label_logs: &[f64],
    temperature: f64,
) -> Vec<f64> {
    let units = probabilities.chunks_exact(classes).zip(label_logs.chunks_exact(classes));
    let likelihood = |(probabilities, label_logs): (&[f64], &[f64])| {
        let most = label_logs.iter().fold(f64::NEG_INFINITY, |most: f64, log| most.max(*log));
        let logs: Vec<f64> = probabilities.iter().map(|p| p.max(1e-300).ln()).collect();
        let likelihoods: Vec<f64> = label_logs.iter().map(|log| (log - most).exp()).collect();
        most + of_unit(&logs, &likelihoods, 1.0 / temperature)
    };
    units.map(likelihood).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use crate::experts::{HeldOut, Learn, LearnData, LearnFrom, PenaltyKind};
    use crate::random::stream;
    use crate::simulate::{Crowd, Embeddings};
    use rand::RngExt;

    #[test]
    fn a_temperature_that_was_put_in_is_found() {
        for put_in in [0.4, 1.0, 2.5] {
            let mut random = stream(1, 1);
            let (mut stated, mut likelihoods) = (Vec::new(), Vec::new());
            for _ in 0..20_000 {
                let weights: Vec<f64> = (0..3).map(|_| (3.0 * random.random::<f64>()).exp()).collect();
                let all: f64 = weights.iter().sum();
                let mut left = random.random::<f64>() * all;
                let class = weights.iter().position(|weight| (left -= weight, left < 0.0).1).unwrap_or(2);
                // The classifier that is judged says p^T: too sure for T above 1.
                let sharper: Vec<f64> = weights.iter().map(|weight| weight.powf(put_in)).collect();
                let sum: f64 = sharper.iter().sum();
                stated.extend(sharper.iter().map(|weight| weight / sum));
                // One expert, right seven times in ten.
                let label =
                    if random.random::<f64>() < 0.7 { class } else { (class + 1 + random.random_range(0..2)) % 3 };
                likelihoods.extend((0..3).map(|other| if other == label { 0.7 } else { 0.15 }));
            }
            let found = temperature(3, &stated, &likelihoods);
            // Several standard errors of an estimate from noisy labels.
            assert!((found / put_in).ln().abs() < 0.15, "{found} {put_in}");
        }
    }

    #[test]
    fn probabilities_of_new_units_hold_better_for_it() {
        let crowd = Crowd { tasks: 300, workers: 12, classes: 3, votes: (2, 3), accuracy: 0.75, ..Crowd::default() };
        let embeddings = Embeddings { crowd, unlabelled: 500, features: 30, directions: 6, separation: 3.0 };
        let drawn = embeddings.draw(&Context::new().with_seed(4)).unwrap();
        let (table, labels) = (drawn.table().unwrap(), drawn.to_labels().unwrap());
        for from in [LearnFrom::Experts, LearnFrom::Majority] {
            // A large penalty makes a classifier that is right and unsure.
            let learn = Learn {
                from,
                penalty: Some(600.0),
                penalty_kind: Some(PenaltyKind::L2),
                held_out: HeldOut::Folds(3),
                restarts: 1,
                ..Learn::default()
            };
            let model = learn.fit(&LearnData::new(&table, &labels), &Context::new()).unwrap().model;
            assert!(model.temperature() < 0.9, "{}", model.temperature());
            let loss = |probabilities: &[f64]| -> f64 {
                let class = |unit: usize| {
                    model.classes().iter().position(|name| *name == format!("c{}", drawn.labels.truth[unit] + 1))
                };
                (300..800).map(|unit| -probabilities[3 * unit + class(unit).unwrap()].ln()).sum::<f64>() / 500.0
            };
            let before = model.classifier().probabilities(table.features()).unwrap();
            let after = model.predict(&table, None, &Context::new()).unwrap();
            assert!(loss(&after.probabilities) < loss(&before) - 0.02);
            assert_eq!(after.learned_from.unwrap().iter().filter(|learned| **learned).count(), 300);
        }
    }

    #[test]
    fn nothing_held_out_says_nothing() {
        assert_eq!(temperature(2, &[], &[]), 1.0);
    }
}
