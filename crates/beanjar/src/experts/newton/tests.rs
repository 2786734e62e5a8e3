use super::*;
use crate::experts::Features;
use crate::experts::PenaltyKind;
use crate::experts::em::Climb;
use crate::experts::linear::Linear;
use crate::judgments::Ballots;
use crate::random::stream;
use rand::RngExt;

const NONE: Penalties = Penalties { kind: PenaltyKind::L1, truth: 0.0, ease: 0.0 };

/// Units with two features, one sparse, and votes of four experts, some of whom vote twice or not at all.
fn drawn(units: usize, classes: usize) -> (Features, Ballots) {
    let mut random = stream(8, classes as u64);
    let dense: Vec<f64> = (0..units).map(|_| random.random_range(-1.0..3.0)).collect();
    let sparse: Vec<f64> =
        (0..units).map(|_| if random.random_bool(0.2) { random.random_range(0.0..2.0) } else { 0.0 }).collect();
    let votes: Vec<Vec<(usize, usize)>> = dense
        .iter()
        .map(|x| {
            let class = ((x + 1.0) / 4.0 * classes as f64) as usize;
            let says = |random: &mut rand_pcg::Pcg64Mcg| match random.random_bool(0.7) {
                true => class,
                false => random.random_range(0..classes),
            };
            (0..random.random_range(0..6)).map(|_| (random.random_range(0..4), says(&mut random))).collect()
        })
        .collect();
    (Features::from_columns(units, &[dense, sparse]).unwrap(), Ballots::from_tasks(&votes, 4, classes).unwrap())
}

fn some_model(classes: usize, asymmetric: bool) -> Parameters {
    let rows = if classes == 2 { 1 } else { classes };
    Parameters {
        classifier: Linear {
            classes,
            intercepts: (0..rows).map(|row| 0.3 - 0.2 * row as f64).collect(),
            coefficients: (0..2 * rows).map(|i| 0.7 - 0.4 * i as f64).collect(),
        },
        skills: (0..if asymmetric { 8 } else { 4 }).map(|k| 0.9 - 0.2 * k as f64).collect(),
        ease: vec![0.4, -0.3],
        asymmetric,
    }
}

#[test]
fn gradient_and_hessian_are_those_of_the_likelihood() {
    for (classes, asymmetric) in [(2, false), (2, true), (3, false)] {
        let (features, ballots) = drawn(150, classes);
        let data = Labelled::new(&features, &ballots).unwrap();
        let here = Point::new(&data, NONE, some_model(classes, asymmetric));
        let working = here.working(&data, NONE);
        let hessian = here.hessian(&data, &working, 1.0, &Context::new()).unwrap();
        let rows = here.model.classifier.rows();
        let size = working.variables.len();
        assert_eq!(size, rows * 3 + 2 + here.model.skills.len());
        let shifted = |i: usize, by: f64| {
            let mut model = here.model.clone();
            match i {
                i if i < rows * 3 && i % 3 == 0 => model.classifier.intercepts[i / 3] += by,
                i if i < rows * 3 => model.classifier.coefficients[i / 3 * 2 + i % 3 - 1] += by,
                i if i < rows * 3 + 2 => model.ease[i - rows * 3] += by,
                i => model.skills[i - rows * 3 - 2] += by,
            }
            Point::new(&data, NONE, model)
        };
        for i in 0..size {
            let (up, down) = (shifted(i, 1e-5), shifted(i, -1e-5));
            let slope = -(up.log_likelihood - down.log_likelihood) / 2e-5;
            assert!((slope - working.variables[i].gradient).abs() < 1e-4, "{classes} {asymmetric} {i}: {slope}");
            let (up, down) = (up.working(&data, NONE), down.working(&data, NONE));
            for j in 0..size {
                let curvature = (up.variables[j].gradient - down.variables[j].gradient) / 2e-5;
                assert!((curvature - hessian[(i, j)]).abs() < 1e-4, "{i} {j}: {curvature} {}", hessian[(i, j)]);
            }
        }
    }
}

#[test]
fn the_end_is_where_em_ends_after_very_many_steps() {
    for (classes, asymmetric) in [(2, false), (2, true), (3, false)] {
        let (features, ballots) = drawn(200, classes);
        let data = Labelled::new(&features, &ballots).unwrap();
        let penalties = Penalties { kind: PenaltyKind::L1, truth: 1.0, ease: 2.0 };
        let context = Context::new();
        let climb = Climb::new(penalties, asymmetric, &data, data.shares()).run(5, 0.0, &context).unwrap();
        let start = climb.model.clone().unwrap();
        let quick = Newton { penalties, tolerance: 1e-12, most: 200 }.climb(&data, start, &context).unwrap();
        let slow = climb.run(3000, 0.0, &context).unwrap();
        assert!(quick.converged && quick.steps < 60, "{}", quick.steps);
        let gap = (quick.objective - slow.objective) / slow.objective.abs();
        assert!(gap > -1e-9 && gap < 1e-5, "{classes} {asymmetric}: {} {}", quick.objective, slow.objective);
    }
}

#[test]
fn too_many_votes_of_a_unit_are_left_to_em() {
    let votes = |count: usize| vec![(0..count).map(|i| (i % 4, i % 2)).collect::<Vec<_>>()];
    let features = Features::from_columns(1, &[]).unwrap();
    let few = Ballots::from_tasks(&votes(MOST_VOTES), 4, 2).unwrap();
    let many = Ballots::from_tasks(&votes(MOST_VOTES + 1), 4, 2).unwrap();
    assert!(suits(&Labelled::new(&features, &few).unwrap(), 4));
    assert!(!suits(&Labelled::new(&features, &many).unwrap(), 4));
}
