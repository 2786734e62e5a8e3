use super::*;
use crate::experts::Features;
use crate::experts::em::Penalties;
use crate::experts::labelled_units::Labelled;
use crate::experts::lasso;
use crate::experts::linear::rows_of;
use crate::experts::multinomial::{self, ClassRows};
use crate::experts::newton::Newton;
use crate::experts::parameters::Parameters;
use crate::experts::penalty::PenaltyKind;
use crate::experts::proximal_newton::Lasso;
use crate::experts::regression::two_classes;
use crate::experts::smooth::{CrossEntropy, LabelLoss};
use crate::judgments::Ballots;
use crate::random::stream;
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

/// Correlated features, and soft labels that follow some of them.
fn drawn(units: usize, width: usize, classes: usize, seed: u64) -> (Features, ClassRows) {
    let mut random = stream(seed, 0);
    let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
    let common: Vec<f64> = (0..units).map(|_| normal()).collect();
    let columns: Vec<Vec<f64>> =
        (0..width).map(|j| (0..units).map(|i| common[i] * (j % 3) as f64 + normal()).collect()).collect();
    let mut target = vec![0.0; units * classes];
    for (i, cells) in target.chunks_exact_mut(classes).enumerate() {
        cells.iter_mut().enumerate().for_each(|(c, cell)| *cell = (0.7 * columns[c % width][i] + 0.5 * normal()).exp());
        let sum: f64 = cells.iter().sum();
        cells.iter_mut().for_each(|cell| *cell /= sum);
    }
    let weight = (0..units).map(|i| f64::from(u8::from(i % 11 != 0))).collect();
    (Features::from_columns(units, &columns).unwrap(), ClassRows { classes, weight, target })
}

fn zero(shape: Shape, width: usize) -> Numbers {
    Numbers {
        intercepts: vec![0.0; shape.intercepts],
        coefficients: vec![0.0; shape.rows * width],
        free: vec![0.0; shape.free],
    }
}

const FINE: Limits = Limits { tolerance: 1e-12, steps: 500 };

#[test]
fn l1_regressions_end_where_coordinate_descent_does() {
    for (units, width, classes) in [(60, 5, 2), (80, 30, 3), (40, 70, 4)] {
        let (features, rows) = drawn(units, width, classes, 7);
        let features = Standardised::of(&features);
        for penalty in [0.5, 3.0, 1e5] {
            let smooth = CrossEntropy { rows: &rows };
            let penalties = vec![(penalty, 0.0); rows_of(classes)];
            let problem = Problem { features: &features, smooth: &smooth, penalties, farthest: 20.0 };
            let found = problem.minimise(zero(smooth.shape(), width), FINE, &Context::new()).unwrap();
            let lasso = Lasso { penalty, tolerance: 1e-9 };
            let other = match classes {
                2 => lasso::solve(&features, &two_classes(&rows), lasso, None, &Context::new()),
                _ => multinomial::solve(&features, &rows, lasso, None, &Context::new()),
            };
            let other = other.unwrap().objective;
            assert!(
                found.converged && (found.objective - other).abs() < 1e-6,
                "{classes}: {} {other}",
                found.objective
            );
        }
    }
}

#[test]
fn gradients_meet_the_penalties_of_every_kind() {
    for kind in [PenaltyKind::L1, PenaltyKind::L2, PenaltyKind::Elastic] {
        let (features, rows) = drawn(90, 25, 3, 3);
        let features = Standardised::of(&features);
        let smooth = CrossEntropy { rows: &rows };
        let (one, two) = kind.factors();
        let (one, two) = (2.0 * one, 2.0 * two);
        let problem = Problem { features: &features, smooth: &smooth, penalties: vec![(one, two); 3], farthest: 20.0 };
        let found = problem.minimise(zero(smooth.shape(), 25), FINE, &Context::new()).unwrap();
        // Written out: the softmax, feature by feature.
        let Numbers { intercepts, coefficients, .. } = &found.numbers;
        let sums: Vec<Vec<f64>> = (0..3).map(|c| features.sums(&coefficients[c * 25..(c + 1) * 25])).collect();
        for c in 0..3 {
            let slope = |i: usize| {
                let odds = |c: usize| (intercepts[c] + sums[c][i]).exp();
                rows.weight[i] * (odds(c) / (odds(0) + odds(1) + odds(2)) - rows.target[3 * i + c])
            };
            let slopes: Vec<f64> = (0..90).map(slope).collect();
            assert!(slopes.iter().sum::<f64>().abs() < 1e-4);
            for (b, gradient) in coefficients[c * 25..(c + 1) * 25].iter().zip(features.sums_with(&slopes)) {
                let slope = gradient + two * b;
                let excess = if *b == 0.0 { (slope.abs() - one).max(0.0) } else { slope + one * b.signum() };
                assert!(excess.abs() < 1e-4, "{kind}: {b} {excess}");
            }
        }
        let zeros = coefficients.iter().filter(|b| **b == 0.0).count();
        assert_eq!(zeros > 0, kind != PenaltyKind::L2);
    }
}

#[test]
fn in_the_space_that_units_span_steps_end_where_they_do_with_all_features() {
    for (classes, penalty) in [(2, 0.7), (3, 4.0)] {
        let (features, rows) = drawn(30, 100, classes, 4);
        let features = Standardised::of(&features);
        let smooth = CrossEntropy { rows: &rows };
        let penalties = vec![(0.0, penalty); rows_of(classes)];
        let problem = Problem { features: &features, smooth: &smooth, penalties, farthest: 20.0 };
        // From a start that is not in that space.
        let start = Numbers { coefficients: vec![0.1; 100 * rows_of(classes)], ..zero(smooth.shape(), 100) };
        assert!(features.row_space(&Context::new()).unwrap().is_some());
        let found = problem.minimise(start.clone(), FINE, &Context::new()).unwrap();
        let other = problem.descend(start, FINE, &Context::new()).unwrap();
        assert!((found.objective - other.objective).abs() < 1e-8, "{} {}", found.objective, other.objective);
        // The objective is that of the coefficients that are returned, and these are the same.
        let same = found.numbers.coefficients.iter().zip(&other.numbers.coefficients);
        assert!(same.into_iter().all(|(one, other)| (one - other).abs() < 1e-5));
    }
}

#[test]
fn many_that_would_enter_at_once_end_where_coordinate_descent_does() {
    // Hundreds of features are steep at zero, and a few dozen units can tell no more than as many.
    let (features, rows) = drawn(40, 400, 2, 8);
    let features = Standardised::of(&features);
    let smooth = CrossEntropy { rows: &rows };
    let problem = Problem { features: &features, smooth: &smooth, penalties: vec![(0.3, 0.0)], farthest: 20.0 };
    let found = problem.minimise(zero(smooth.shape(), 400), FINE, &Context::new()).unwrap();
    let lasso = Lasso { penalty: 0.3, tolerance: 1e-9 };
    let other = lasso::solve(&features, &two_classes(&rows), lasso, None, &Context::new()).unwrap();
    assert!(found.converged && (found.objective - other.objective).abs() < 1e-6, "{found:?} {}", other.objective);
}

#[test]
fn experts_end_where_newtons_steps_with_a_matrix_do() {
    for (classes, asymmetric) in [(2, false), (2, true), (3, false)] {
        let (features, rows) = drawn(150, 8, classes, 5);
        let mut random = stream(9, 9);
        let votes: Vec<Vec<(usize, usize)>> = rows
            .target
            .chunks_exact(classes)
            .map(|shares| {
                let best = (0..classes).max_by(|&a, &b| shares[a].total_cmp(&shares[b])).unwrap();
                let label = |k: usize, u: f64| if u < 0.6 + 0.1 * k as f64 { best } else { (best + 1) % classes };
                (0..4).map(|k| (k, label(k, random.random()))).collect()
            })
            .collect();
        let ballots = Ballots::from_tasks(&votes, 4, classes).unwrap();
        let data = Labelled::new(&features, &ballots).unwrap();
        let skills = vec![1.0; if asymmetric { 8 } else { 4 }];
        let classifier = crate::experts::linear::Linear::zero(classes, 8);
        let start = Parameters { classifier, skills: skills.clone(), ease: vec![0.0; 8], asymmetric };
        let penalties = Penalties { kind: PenaltyKind::L1, truth: 3.0, ease: 2.0 };
        let newton = Newton { penalties, tolerance: 1e-13, most: 500 };
        let other = newton.climb(&data, start, &Context::new()).unwrap();
        let smooth = LabelLoss { data: &data, asymmetric };
        let mut costs = vec![(3.0, 0.0); rows_of(classes)];
        costs.push((2.0, 0.0));
        let problem = Problem { features: &data.features, smooth: &smooth, penalties: costs, farthest: 20.0 };
        let start = Numbers { free: skills, ..zero(smooth.shape(), 8) };
        let found = problem.minimise(start, FINE, &Context::new()).unwrap();
        assert!((found.objective + other.objective).abs() < 1e-5, "{} {}", found.objective, other.objective);
    }
}

#[test]
fn nothing_to_move_is_an_end() {
    let features = Standardised::of(&Features::from_columns(3, &[vec![1.0; 3]]).unwrap());
    let rows = ClassRows { classes: 2, weight: vec![1.0; 3], target: vec![0.5; 6] };
    let smooth = CrossEntropy { rows: &rows };
    let problem = Problem { features: &features, smooth: &smooth, penalties: vec![(1.0, 0.0)], farthest: 20.0 };
    let found = problem.minimise(zero(smooth.shape(), 1), FINE, &Context::new()).unwrap();
    assert!(found.converged && found.steps == 0 && (found.loss - 3.0 * 2f64.ln()).abs() < 1e-12);
}
