use super::*;
use crate::multiselect::estimates::tests::{estimated, random_judgments};
use crate::multiselect::{AttributeLabel, FitPredictor};
use crate::random::stream;
use rand_distr::{Distribution, StandardNormal};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

/// Judgments of attributes a0, a1, ..., and a label.
fn data(seed: u64, attributes: usize, objects: usize) -> (Judgments, Column) {
    let (judgments, labels) = random_judgments(seed, attributes, objects);
    let label = label(&judgments, &labels);
    (judgments, label)
}

/// A column of these labels; NaN for none.
fn label(judgments: &Judgments, labels: &[f64]) -> Column {
    let text = |label: &f64| if label.is_finite() { label.to_string() } else { String::new() };
    Column::new("y", judgments.objects.clone(), labels.iter().map(text).collect()).unwrap()
}

fn judgments_of(outcome: &SelectOutcome, attribute: &str) -> u32 {
    outcome.selection.iter().find(|chosen| chosen.attribute == attribute).map_or(0, |chosen| chosen.judgments)
}

#[test]
fn a_break_of_the_callback_stops_every_stage() {
    let (judgments, label) = data(5, 6, 60);
    let params = Select { budget: 9.0, method: Method::Best, bootstrap: Some(30), ..Select::default() };
    let stages = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&stages);
    let context = Context::new().with_progress(move |progress| {
        heard.lock().unwrap().push((progress.stage, progress.done));
        ControlFlow::Continue(())
    });
    let whole = params.fit(&judgments, &label, &context).unwrap();
    assert_eq!(whole, params.fit(&judgments, &label, &Context::new()).unwrap());
    let stages = stages.lock().unwrap();
    assert!(stages.iter().all(|(_, done)| (0.0..=1.0).contains(done)));
    for stage in ["estimating", "cross-validating", "proving", "resampling"] {
        let first = stages.iter().position(|(other, _)| *other == stage).unwrap_or_else(|| panic!("no {stage}"));
        let last = stages.iter().rposition(|(other, _)| *other == stage).unwrap();
        assert!(stage == "estimating" || last > first, "{stage} has one report only");
        let calls = Arc::new(Mutex::new(0));
        let counted = Arc::clone(&calls);
        let context = Context::new().with_progress(move |progress| {
            *counted.lock().unwrap() += 1;
            if progress.stage == stage { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(params.fit(&judgments, &label, &context), Err(Error::Stopped), "{stage}");
        // The first report of the stage is the last that is made.
        assert_eq!(*calls.lock().unwrap(), first + 1, "{stage}");
    }
}

#[test]
fn costs_and_limits_go_by_name() {
    let (judgments, label) = data(7, 5, 80);
    let params = Select {
        budget: 12.0,
        at_most: Some(3),
        always: vec!["a4".into()],
        never: vec!["a1".into()],
        ridge: Some(0.0),
        ..Select::default()
    };
    let params = params
        .with_costs(&Column::from_rows("cost", [("a0", "2.5"), ("a2", "")]).unwrap())
        .unwrap()
        .with_limits(&Column::from_rows("at_most", [("a3", "1")]).unwrap())
        .unwrap();
    let outcome = params.fit(&judgments, &label, &Context::new()).unwrap();
    assert!(judgments_of(&outcome, "a4") >= 1 && outcome.path[0].attribute == "a4");
    assert_eq!(judgments_of(&outcome, "a1"), 0);
    assert!(outcome.attributes.iter().all(|known| known.attribute != "a1"), "it could not be chosen");
    assert!(judgments_of(&outcome, "a3") <= 1);
    assert!(outcome.selection.iter().all(|chosen| chosen.judgments <= 3));
    assert!(outcome.selection.iter().all(|chosen| chosen.cost == if chosen.attribute == "a0" { 2.5 } else { 1.0 }));
    let spent: f64 = outcome.selection.iter().map(|chosen| f64::from(chosen.judgments) * chosen.cost).sum();
    assert!((outcome.spent - spent).abs() < 1e-12 && spent <= 12.0);

    let unknown = |params: Select| match params.fit(&judgments, &label, &Context::new()) {
        Err(Error::UnknownAttribute { name, nearest, known }) => (name, nearest, known.len()),
        other => panic!("{other:?}"),
    };
    let none = Select::default();
    for params in [
        Select { costs: [("a9".into(), 1.0)].into(), ..none.clone() },
        Select { limits: [("a9".into(), 1)].into(), ..none.clone() },
        Select { always: vec!["a9".into()], ..none.clone() },
        Select { never: vec!["a9".into()], ..none.clone() },
    ] {
        assert_eq!(unknown(params), ("a9".into(), Some("a0".into()), 5));
    }
    let both = Select { always: vec!["a1".into()], never: vec!["a1".into()], ..none };
    assert_eq!(both.fit(&judgments, &label, &Context::new()), Err(Error::AlwaysAndNever("a1".into())));
}

#[test]
fn parameters_out_of_range_are_refused_before_any_work() {
    let (judgments, label) = data(7, 2, 20);
    let fine = Select::default;
    for params in [
        Select { budget: 0.0, ..fine() },
        Select { budget: f64::NAN, ..fine() },
        Select { costs: [("a0".into(), -1.0)].into(), ..fine() },
        Select { ridge: Some(-0.1), ..fine() },
        Select { bootstrap: Some(0), ..fine() },
        Select { bootstrap: Some(1_000_000), ..fine() },
    ] {
        let error = params.fit(&judgments, &label, &Context::new()).unwrap_err();
        assert!(matches!(error, Error::OutOfRange { .. }), "{params:?}: {error}");
        assert_eq!(params.check(), Err(error));
    }
    assert_eq!(fine().check(), Ok(()));
}

#[test]
fn the_crowd_mean_is_of_the_named_attribute_or_of_the_best() {
    let (judgments, labels) = random_judgments(11, 4, 60);
    let column = label(&judgments, &labels);
    let params = Select { budget: 6.0, method: Method::CrowdMean, ridge: Some(0.0), ..Select::default() };
    let found = params.fit(&judgments, &column, &Context::new()).unwrap();
    // Six judgments of one attribute explain b^2 / (sigma^2 + v / 6).
    let estimates = estimated(&judgments, &labels);
    let alone = |a: usize| estimates.covariance.square(a) / (estimates.external(a, a) + estimates.noise[a] / 6.0);
    let best = (0..4).max_by(|&a, &b| alone(a).total_cmp(&alone(b))).unwrap();
    assert_eq!((found.selection.len(), judgments_of(&found, &format!("a{best}"))), (1, 6));
    assert!((found.explained - alone(best)).abs() < 1e-9 * alone(best));
    let other = format!("a{}", (best + 1) % 4);
    let named = Select { always: vec![other.clone()], ..params }.fit(&judgments, &column, &Context::new()).unwrap();
    assert_eq!((named.selection.len(), judgments_of(&named, &other)), (1, 6));
    assert!(named.explained < found.explained);
}

#[test]
fn baselines_take_as_many_judgments_as_are_at_hand() {
    // Two or three of each, 2.5 on average, rounded up to three.
    let (judgments, label) = data(11, 4, 60);
    let params = Select { budget: 7.0, method: Method::Averages, ridge: Some(0.0), ..Select::default() };
    let found = params.fit(&judgments, &label, &Context::new()).unwrap();
    assert_eq!(found.spent, 6.0);
    assert!(found.selection.iter().all(|chosen| chosen.judgments == 3));
    assert!(found.cv_loss.is_some());
    let rows = (0..40).flat_map(|object| {
        judgments
            .of(object)
            .by_attribute()
            .flat_map(move |(a, _, values)| values[..2].iter().map(move |v| (object, a, *v)))
    });
    let rows: Vec<(usize, usize, f64)> = rows.collect();
    let names = |object: usize, a: usize| (judgments.objects.get(object), judgments.attributes.get(a));
    let two = Judgments::from_rows(rows.iter().map(|&(object, a, value)| {
        let (object, a) = names(object, a);
        (object, a, "", value)
    }));
    let copies = Select { method: Method::Copies, ..params }.fit(&two.unwrap(), &label, &Context::new()).unwrap();
    assert!(copies.selection.iter().all(|chosen| chosen.judgments <= 2));
    assert_eq!((copies.cv_loss, copies.suggested_budget), (None, None));
}

#[test]
fn what_a_user_should_know_is_said_in_warnings() {
    let (judgments, mut labels) = random_judgments(13, 3, 30);
    labels[4] = f64::NAN;
    labels[9] = f64::NAN;
    let params = Select { budget: 5.0, ..Select::default() };
    let outcome = params.fit(&judgments, &label(&judgments, &labels), &Context::new()).unwrap();
    assert_eq!((outcome.objects, &outcome.warnings[..]), (28, &[Warning::Unlabelled { objects: 2 }][..]));

    let three: Vec<f64> = (0..30).map(|object| if object < 3 { labels[object] } else { f64::NAN }).collect();
    let outcome = params.fit(&judgments, &label(&judgments, &three), &Context::new()).unwrap();
    assert!(outcome.warnings.contains(&Warning::NotValidated { objects: 3, needed: 4 }), "{:?}", outcome.warnings);
    assert_eq!((outcome.cv_loss, outcome.suggested_budget), (None, None));

    // Six objects and five attributes: by the moments, more is explained than there is.
    let found = (0..40).map(|seed| {
        let (judgments, labels) = random_judgments(seed, 5, 6);
        let params = Select { budget: 30.0, ridge: Some(0.0), ..Select::default() };
        let outcome = params.fit(&judgments, &label(&judgments, &labels), &Context::new()).unwrap();
        let too_much = outcome.explained > outcome.label.variance || outcome.cv_loss.unwrap() <= 0.0;
        assert_eq!(outcome.warnings.contains(&Warning::Overfitted), too_much, "seed {seed}");
        too_much
    });
    let warned = found.filter(|warned| *warned).count();
    assert!(warned > 0 && warned < 40, "{warned} of 40");
}

#[test]
fn an_attribute_judged_once_is_left_out_and_named() {
    let (judgments, label) = data(17, 3, 30);
    let rows: Vec<(usize, usize, f64)> = (0..30)
        .flat_map(|object| {
            judgments.of(object).by_attribute().flat_map(move |(a, _, values)| {
                let most = if a == 1 { 1 } else { values.len() };
                values[..most].iter().map(move |value| (object, a, *value))
            })
        })
        .collect();
    let fewer = Judgments::from_rows(
        rows.iter().map(|&(o, a, value)| (judgments.objects.get(o), judgments.attributes.get(a), "", value)),
    )
    .unwrap();
    let outcome = Select { budget: 5.0, ..Select::default() }.fit(&fewer, &label, &Context::new()).unwrap();
    assert_eq!(outcome.left_out, ["a1"]);
    assert_eq!(outcome.warnings, [Warning::JudgedOnce { attributes: vec!["a1".into()] }]);
    assert_eq!(judgments_of(&outcome, "a1"), 0);
}

#[test]
fn the_seed_of_the_context_decides_the_folds() {
    let (judgments, label) = data(19, 4, 40);
    let of = |seed: u64| {
        let params = Select { budget: 6.0, ridge: Some(0.1), ..Select::default() };
        params.fit(&judgments, &label, &Context::new().with_seed(seed)).unwrap()
    };
    assert_eq!(of(3), of(3));
    assert_eq!(of(3).selection, of(4).selection);
    assert_ne!(of(3).cv_loss, of(4).cv_loss);
}

#[cfg(feature = "serde")]
#[test]
fn a_selection_is_read_back_from_the_json_of_an_outcome() {
    let (judgments, label) = data(23, 4, 40);
    let outcome = Select { budget: 6.0, ..Select::default() }.fit(&judgments, &label, &Context::new()).unwrap();
    let json = serde_json::to_string_pretty(&outcome).unwrap();
    let selection = crate::multiselect::Selection::from_json(&json).unwrap();
    assert_eq!(selection, outcome.to_selection());
    assert_eq!(selection.label.as_deref(), Some("y"));
}

#[test]
fn what_is_said_of_the_budget_goes_by_losses_that_are_shown() {
    let params = Select { budget: 12.0, ridge: Some(0.0), ..Select::default() };
    let falling = (0..40).find_map(|seed| {
        let (judgments, label) = data(seed, 5, 60);
        let outcome = params.fit(&judgments, &label, &Context::new()).unwrap();
        outcome.still_falling.then_some((judgments, label, outcome))
    });
    let (judgments, label, outcome) = falling.unwrap();
    // From the middle of the path on all of the error is the label's own.
    let label_noise = outcome.path[outcome.path.len() / 2].cv_loss.unwrap();
    let outcome = Select { label_noise, ..params }.fit(&judgments, &label, &Context::new()).unwrap();
    assert_eq!(outcome.cv_loss, Some(0.0));
    assert!(!outcome.still_falling && outcome.suggested_budget.unwrap() < outcome.spent);
    assert_eq!(outcome.suggested_budget, outcome.advice().and_then(crate::multiselect::BudgetAdvice::suggested));
    assert!(outcome.error_below().unwrap() > 0.0);
}

/// Objects with an attribute 'y' to predict and two others; each of four workers rates all of an object too high or too low.
fn rated_together(seed: u64, objects: usize) -> Judgments {
    let mut random = stream(seed, 0);
    let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
    let mut rows = Vec::new();
    for object in 0..objects {
        let y = normal();
        let truth = [("y", y), ("a", 0.6 * y + 0.8 * normal()), ("b", normal())];
        for worker in 0..4 {
            let added = normal();
            for (attribute, true_value) in truth {
                rows.push((format!("o{object}"), attribute, format!("w{worker}"), true_value + added + 0.5 * normal()));
            }
        }
    }
    Judgments::from_rows(rows.iter().map(|(object, attribute, worker, x)| (&object[..], *attribute, &worker[..], *x)))
        .unwrap()
}

#[test]
fn an_attribute_as_the_label_is_not_predicted_by_what_its_raters_add_to_everything() {
    let (mut stated, mut fitted) = (0.0, 0.0);
    for seed in 0..8 {
        let judgments = rated_together(seed, 250);
        let label = AttributeLabel::of(&judgments, "y").unwrap();
        let params = Select { budget: 4.0, label_noise: label.noise, label_of: Some("y".into()), ..Select::default() };
        let outcome = params.fit(&judgments, &label.column, &Context::new()).unwrap();
        assert_eq!(outcome.selection[0].attribute, "a");
        stated += outcome.cv_loss.unwrap() / 8.0;
        let fit = FitPredictor { selection: outcome.to_selection(), label_of: Some("y".into()), ..Default::default() };
        let fit = fit.fit(&judgments, &label.column, &Context::new()).unwrap();
        assert!(matches!(fit.warnings[..], [Warning::PairedByMoments { .. }]));
        fitted += fit.predictor.error_variance / 8.0;
    }
    // Covariance .6, signal 1 and noise 1.25 of 'a': four judgments by others leave 1 - .36 / (1 + 1.25 / 4). With what raters
    // add to both, which is in the means, it would seem to be .45. The standard error over draws is about .02.
    let is = 1.0 - 0.36 / (1.0 + 1.25 / 4.0);
    assert!((stated - is).abs() < 0.08 && (fitted - is).abs() < 0.08, "{stated}, {fitted} and {is}");
}
