use super::*;
use crate::multiselect::estimates::tests::random_judgments;
use crate::multiselect::fit::fit;
use crate::multiselect::{Classes, Estimates, Fitting, LabelledJudgments};

fn fitted(fitting: Fitting, repeats: &[u32], ridge: f64, objects: usize) -> (Predictor, Estimates, Judgments) {
    let (judgments, labels) = random_judgments(31, 4, objects);
    let data = LabelledJudgments::new(&judgments, &labels).unwrap();
    let estimates = Estimates::new(data, ridge, &Context::new()).unwrap();
    let predictor = fit(fitting, &estimates, repeats, data, &Context::new().with_seed(5)).unwrap();
    (predictor, estimates, judgments)
}

#[test]
fn any_pattern_gets_the_predictor_of_its_own_and_nothing_gets_the_mean() {
    let (predictor, estimates, judgments) = fitted(Fitting::Moments, &[2, 0, 1, 2], 0.0, 90);
    // Attributes alternate between two and three judgments, so no object has exactly 2, 1, 2.
    let outcome = predictor.predict(&judgments, &Context::new()).unwrap();
    assert_eq!(outcome.warnings, [Warning::NotAsPlanned { objects: 90, all: 90 }]);
    let (mut counts, mut means) = (vec![0; 4], [0.0; 4]);
    for (a, _, values) in judgments.of(7).by_attribute().filter(|(a, ..)| *a != 1) {
        counts[a] = values.len() as u32;
        means[a] = values.iter().sum::<f64>() / values.len() as f64;
    }
    let weights = estimates.weights_for(&counts);
    let expected = estimates.bias(&weights)[0] + weights.values().iter().zip(&means).map(|(w, x)| w * x).sum::<f64>();
    assert!((outcome.predictions[7] - expected).abs() < 1e-9);
    let rows = [("x", "unknown", "", 1.0), ("y", "a0", "", 1.0)];
    let nothing = predictor.predict(&Judgments::from_rows(rows).unwrap(), &Context::new()).unwrap();
    assert!((nothing.predictions[0] - estimates.label_mean[0]).abs() < 1e-12);
    assert!((nothing.standard_errors[0] - estimates.label_variance.sqrt()).abs() < 1e-12);
    let strangers = Judgments::from_rows(rows[..1].iter().copied()).unwrap();
    let names = ["a0", "a2", "a3"].map(str::to_owned).to_vec();
    assert_eq!(predictor.predict(&strangers, &Context::new()), Err(Error::NoModelAttribute(names)));
}

#[test]
fn planned_counts_get_the_fitted_weights() {
    let (predictor, ..) = fitted(Fitting::LeastSquares, &[2, 0, 1, 2], 0.0, 90);
    let rows = [("a0", 1.0), ("a0", 3.0), ("a2", 5.0), ("a3", 1.0), ("a3", 1.0)];
    let judgments = Judgments::from_rows(rows.map(|(attribute, value)| ("x", attribute, "", value))).unwrap();
    let outcome = predictor.predict(&judgments, &Context::new()).unwrap();
    let w: Vec<f64> = predictor.attributes.iter().map(|a| a.weight.all()[0]).collect();
    assert_eq!((&outcome.planned[..], &outcome.warnings[..]), (&[true][..], &[][..]));
    assert!((outcome.predictions[0] - (predictor.bias.all()[0] + 2.0 * w[0] + 5.0 * w[1] + w[2])).abs() < 1e-12);
}

#[test]
fn the_standard_error_does_not_take_the_ridge_for_noise() {
    let repeats = [2, 2, 2, 2];
    let (plain, ..) = fitted(Fitting::Moments, &repeats, 0.0, 400);
    let (ridged, ..) = fitted(Fitting::Moments, &repeats, 0.5, 400);
    // The loss w' M w - 2 w'b + variance of the ridged weights by the moments without a ridge.
    let w: Vec<f64> = ridged.attributes.iter().map(|a| a.weight.all()[0]).collect();
    let mut loss = plain.label_variance;
    for i in 0..4 {
        loss += w[i] * (w[i] * plain.attributes[i].noise / 2.0 - 2.0 * plain.attributes[i].covariance.all()[0]);
        loss += (0..4).map(|j| w[i] * w[j] * plain.external[(i, j)]).sum::<f64>();
    }
    let error = ridged.for_counts(&repeats).1;
    assert!((error - loss * ridged.inflation).abs() < 1e-9, "{error} and {loss}");
}

#[test]
fn predictions_are_compared_with_the_truth_that_is_there() {
    let (mut predictor, _, judgments) = fitted(Fitting::Moments, &[2, 2, 2, 2], 0.0, 20);
    let outcome = predictor.predict(&judgments, &Context::new()).unwrap();
    let truth = Column::from_rows("y", [("o3", "2.5"), ("o9", ""), ("o0", " -1 "), ("stranger", "7")]).unwrap();
    let expected = ((outcome.predictions[3] - 2.5).powi(2) + (outcome.predictions[0] + 1.0).powi(2)) / 2.0;
    let compared = outcome.compared_with(&truth).unwrap();
    assert_eq!((compared.compared, compared.squared_error, compared.error_rate), (Some(2), Some(expected), None));
    let words = Column::from_rows("y", [("o3", "tall")]).unwrap();
    assert!(matches!(compared.compared_with(&words), Err(Error::NotANumber { .. })));

    predictor.classes = Some(Classes { names: vec!["low".into(), "high".into()], shares: vec![0.5, 0.5] });
    let outcome = predictor.predict(&judgments, &Context::new()).unwrap();
    let of = |i: usize| outcome.rows().nth(i).unwrap().label.unwrap().to_owned();
    let (right, other) = (of(3), of(4));
    let wrong = if other == "low" { "high" } else { "low" };
    let truth = Column::from_rows("y", [("o3", &right[..]), ("o4", wrong)]).unwrap();
    let compared = outcome.compared_with(&truth).unwrap();
    assert_eq!((compared.compared, compared.squared_error, compared.error_rate), (Some(2), None, Some(0.5)));
}

#[test]
fn a_predictor_that_does_not_fit_together_is_not_sound() {
    let (predictor, ..) = fitted(Fitting::Moments, &[2, 0, 1, 2], 0.0, 90);
    assert!(predictor.is_sound());
    let broken: [fn(&mut Predictor); 10] = [
        |p| p.attributes[0].ridge = -0.1,
        |p| p.attributes[1].attribute = p.attributes[0].attribute.clone(),
        |p| p.external[(0, 0)] = -p.external[(0, 0)] - 1.0,
        |p| p.classes = Some(Classes { names: vec!["a".into(), "b".into()], shares: vec![0.9, 0.9] }),
        |p| p.attributes[0].weight = 1e300.into(),
        |p| p.bias = f64::NAN.into(),
        |p| p.error_variance = -1.0,
        |p| p.attributes[0].judgments = 0,
        |p| p.attributes.truncate(2),
        |p| p.classes = Some(Classes { names: vec!["a".into(), "b".into()], shares: vec![0.0, 1.0] }),
    ];
    for (i, break_it) in broken.into_iter().enumerate() {
        let mut predictor = predictor.clone();
        break_it(&mut predictor);
        assert!(!predictor.is_sound(), "{i}");
    }
}
