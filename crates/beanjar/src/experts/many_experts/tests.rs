use super::*;
use crate::experts::em::right_rows;
use crate::experts::simulated::simulated;
use crate::judgments::Ballots;
use crate::logistic::logistic;
use crate::simulate::ExpertCase;

#[test]
fn the_objective_never_falls() {
    for asymmetric in [false, true] {
        let drawn = simulated(200, 6, ExpertCase::Model, 1);
        let data = Labelled::new(&drawn.features, &drawn.ballots).unwrap();
        let method = ManyExperts { penalty: 2.0, asymmetric, ..ManyExperts::default() };
        let mut climb = Climb::new(method.penalties(), asymmetric, &data, data.shares());
        let mut rights = right_rows(&data, asymmetric);
        let mut last = f64::NEG_INFINITY;
        for _ in 0..60 {
            climb.step(&mut rights, &Context::new()).unwrap();
            assert!(climb.objective >= last - 1e-9 * last.abs(), "{} after {last}", climb.objective);
            last = climb.objective;
        }
    }
}

#[test]
fn gradients_of_the_marginal_likelihood_meet_the_penalty() {
    let drawn = simulated(300, 4, ExpertCase::Model, 2);
    let data = Labelled::new(&drawn.features, &drawn.ballots).unwrap();
    let penalty = 5.0;
    let method = ManyExperts { penalty, restarts: 3, tolerance: 1e-13, iterations: 20_000, ..ManyExperts::default() };
    let fit = method.fit(&data, &Context::new()).unwrap();
    // Written out: the sum over the two classes of what the labels' probability is.
    let likelihood = |model: &Parameters| -> f64 {
        let prior = data.features.sums(&model.classifier.coefficients);
        let ease = data.features.sums(&model.ease);
        let of = |i: usize| {
            let yes = logistic(model.classifier.intercepts[0] + prior[i]);
            let labels = |class: usize| -> f64 {
                let right = |k: usize| logistic(model.skills[k] + ease[i]);
                let votes = data.ballots.votes(i);
                votes.iter().map(|(k, label)| if label == class { right(k) } else { 1.0 - right(k) }).product()
            };
            (yes * labels(1) + (1.0 - yes) * labels(0)).ln()
        };
        (0..300).map(of).sum()
    };
    assert!((likelihood(&fit.parameters) - fit.log_likelihood).abs() < 1e-6);
    let slope = |change: &dyn Fn(&mut Parameters, f64)| {
        let at = |by: f64| {
            let mut other = fit.parameters.clone();
            change(&mut other, by);
            likelihood(&other)
        };
        (at(1e-5) - at(-1e-5)) / 2e-5
    };
    assert!(slope(&|model, by| model.classifier.intercepts[0] += by).abs() < 1e-2);
    for k in 0..3 {
        assert!(slope(&|model, by| model.skills[k] += by).abs() < 1e-2);
    }
    for j in 0..9 {
        let slopes =
            [slope(&|model, by| model.classifier.coefficients[j] += by), slope(&|model, by| model.ease[j] += by)];
        for (slope, value) in slopes.iter().zip([fit.parameters.classifier.coefficients[j], fit.parameters.ease[j]]) {
            match value != 0.0 {
                true => assert!((slope - penalty * value.signum()).abs() < 2e-2, "{j}: {slope} {value}"),
                false => assert!(slope.abs() < penalty + 2e-2, "{j}: {slope}"),
            }
        }
    }
}

#[test]
fn swapping_the_classes_mirrors_the_fit() {
    let drawn = simulated(250, 3, ExpertCase::Constant, 3);
    let swapped: Vec<Vec<(usize, usize)>> =
        (0..250).map(|unit| drawn.ballots.votes(unit).iter().map(|(k, label)| (k, 1 - label)).collect()).collect();
    let swapped = Ballots::from_tasks(&swapped, 3, 2).unwrap();
    let fit = |ballots: &Ballots| {
        let data = Labelled::new(&drawn.features, ballots).unwrap();
        ManyExperts { penalty: 3.0, restarts: 0, ..ManyExperts::default() }.fit(&data, &Context::new()).unwrap()
    };
    let (one, other) = (fit(&drawn.ballots), fit(&swapped));
    assert!((one.objective - other.objective).abs() < 1e-6 * one.objective.abs());
    assert!((one.parameters.classifier.intercepts[0] + other.parameters.classifier.intercepts[0]).abs() < 1e-3);
    assert!(
        one.parameters
            .classifier
            .coefficients
            .iter()
            .zip(&other.parameters.classifier.coefficients)
            .all(|(a, b)| (a + b).abs() < 1e-3)
    );
    assert!(one.parameters.skills.iter().zip(&other.parameters.skills).all(|(a, b)| (a - b).abs() < 1e-3));
}

#[test]
fn finds_the_better_expert_and_beats_chance() {
    let drawn = simulated(1200, 20, ExpertCase::Constant, 4);
    let data = Labelled::new(&drawn.features, &drawn.ballots).unwrap();
    let method = ManyExperts { penalty: 12.0, restarts: 3, ..ManyExperts::default() };
    let fit = method.fit(&data, &Context::new()).unwrap();
    // Experts err with probabilities 0.5, 0.15 and 0.47.
    assert!(
        fit.parameters.skills[1] > fit.parameters.skills[0] + 0.5
            && fit.parameters.skills[1] > fit.parameters.skills[2] + 0.5,
        "{:?}",
        fit.parameters.skills
    );
    let wrong = fit
        .parameters
        .posterior(&data)
        .chunks_exact(2)
        .zip(&drawn.truth)
        .filter(|(p, z)| (p[1] > 0.5) != (**z == 1))
        .count();
    assert!((wrong as f64) < 0.25 * 1200.0, "{wrong}");
    let entered = fit.parameters.classifier.coefficients.iter().filter(|b| **b != 0.0).count();
    assert!(entered < 15, "{entered}");
}

#[test]
fn odd_experts_get_an_answer() {
    let drawn = simulated(40, 2, ExpertCase::Constant, 5);
    let only = |keep: &dyn Fn(usize, usize) -> bool| -> Ballots {
        let votes: Vec<Vec<(usize, usize)>> =
            (0..40).map(|unit| drawn.ballots.votes(unit).iter().filter(|(k, _)| keep(unit, *k)).collect()).collect();
        Ballots::from_tasks(&votes, 3, 2).unwrap()
    };
    let one_expert = only(&|_, k| k == 1);
    let some_units = only(&|unit, _| unit % 3 == 0);
    let equal: Vec<Vec<(usize, usize)>> =
        (0..40).map(|unit| (0..3).map(|k| (k, usize::from(drawn.truth[unit]))).collect()).collect();
    for ballots in [one_expert, some_units, Ballots::from_tasks(&equal, 3, 2).unwrap()] {
        let data = Labelled::new(&drawn.features, &ballots).unwrap();
        for penalty in [0.0, 1.0, 1e6] {
            let method = ManyExperts { penalty, restarts: 1, iterations: 50, ..ManyExperts::default() };
            let fit = method.fit(&data, &Context::new()).unwrap();
            assert!(fit.objective.is_finite());
            assert!(
                fit.model.classifier().probabilities(&drawn.features).unwrap().iter().all(|p| (0.0..=1.0).contains(p))
            );
        }
    }
}
