//! What must hold for any data.

use super::moments::sums;
use super::{Estimates, LabelledJudgments, Selector, Spending, Strategy};
use crate::{Context, Judgments};
use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, prop_assert, prop_assert_eq, prop_assume, proptest};
use proptest::strategy::Strategy as _;

/// Rows of (object, attribute, value), and a label for each object by its number.
#[derive(Clone, Debug)]
struct Data {
    rows: Vec<(usize, usize, f64)>,
    labels: Vec<f64>,
    attributes: usize,
}

impl Data {
    fn judgments(&self) -> Judgments {
        let name = |letter: char, number: usize| format!("{letter}{number}");
        let rows: Vec<(String, String, f64)> =
            self.rows.iter().map(|&(o, a, value)| (name('o', o), name('a', a), value)).collect();
        Judgments::from_rows(rows.iter().map(|(o, a, value)| (&o[..], &a[..], "", *value))).unwrap()
    }

    /// The labels in the order of the judgments' objects.
    fn labels_of(&self, judgments: &Judgments) -> Vec<f64> {
        judgments.objects.iter().map(|id| self.labels[id[1..].parse::<usize>().unwrap()]).collect()
    }

    /// The estimates, with the number of the place of each attribute.
    fn estimates(&self) -> (Estimates, Vec<usize>) {
        let judgments = self.judgments();
        let labels = self.labels_of(&judgments);
        let estimates =
            Estimates::new(LabelledJudgments::new(&judgments, &labels).unwrap(), 0.0, &Context::new()).unwrap();
        let place = |a: usize| estimates.attributes.iter().position(|name| *name == format!("a{a}")).unwrap();
        let places = (0..self.attributes).map(place).collect();
        (estimates, places)
    }
}

/// Objects with up to `most` judgments of each attribute, and at least two of the first object's.
fn any_data(fewest: usize, most: usize) -> impl proptest::strategy::Strategy<Value = Data> {
    (5..14usize, 1..5usize).prop_flat_map(move |(objects, attributes)| {
        let pair = (-10.0..10.0f64, vec(-3.0..3.0f64, most), fewest..=most);
        let pairs = vec(pair, objects * attributes);
        (pairs, vec(-50.0..50.0f64, objects)).prop_map(move |(pairs, labels)| {
            let rows = pairs.into_iter().enumerate().flat_map(|(i, (truth, errors, count))| {
                let (object, attribute) = (i / attributes, i % attributes);
                let count = if object == 0 { count.max(2) } else { count };
                errors.into_iter().take(count).map(move |error| (object, attribute, truth + error))
            });
            Data { rows: rows.collect(), labels, attributes }
        })
    })
}

fn close(found: f64, expected: f64, scale: f64) -> bool {
    (found - expected).abs() <= 1e-9 * scale.max(1.0)
}

fn full(budget: u32, attributes: usize) -> Selector {
    Selector { strategy: Strategy::Full, spending: Spending::judgments(budget, attributes) }
}

/// What the greedy selection explains.
fn explained(estimates: &Estimates) -> f64 {
    let steps = super::full::path(estimates, &full(6, estimates.len()).spending);
    steps.last().map_or(0.0, |step| step.explained)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_order_of_rows_changes_neither_moments_nor_selection(
        (data, rows) in any_data(0, 4).prop_flat_map(|data| {
            let rows = Just(data.rows.clone()).prop_shuffle();
            (Just(data), rows)
        })
    ) {
        let (one, place_in_one) = data.estimates();
        let (two, place_in_two) = Data { rows, ..data.clone() }.estimates();
        prop_assert!(close(two.label_mean[0], one.label_mean[0], 50.0));
        prop_assert!(close(two.label_variance, one.label_variance, 2500.0));
        for a in 0..data.attributes {
            let (i, j) = (place_in_one[a], place_in_two[a]);
            prop_assert!(close(two.noise[j], one.noise[i], 100.0));
            prop_assert!(close(two.signal[j], one.signal[i], 100.0));
            prop_assert!(close(two.covariance[j][0], one.covariance[i][0], 1000.0));
            for b in 0..data.attributes {
                let (k, l) = (place_in_one[b], place_in_two[b]);
                prop_assert!(close(two.external(j, l), one.external(i, k), 100.0));
            }
        }
        prop_assert!((explained(&two) - explained(&one)).abs() <= 1e-6 * one.label_variance);
    }

    #[test]
    fn sums_of_any_cut_merge_into_those_of_the_whole(
        data in any_data(0, 4),
        cut in vec(0..3u32, 14),
    ) {
        let judgments = data.judgments();
        let labels = data.labels_of(&judgments);
        let labelled = LabelledJudgments::new(&judgments, &labels).unwrap();
        let whole = sums(labelled, &|_| 1, &Context::new());
        let part = |part: u32| sums(labelled, &|object| u32::from(cut[object] == part), &Context::new());
        let mut merged = part(0);
        merged.merge(part(1));
        merged.merge(part(2));
        prop_assert_eq!(merged.objects(), whole.objects());
        let (merged, whole) = (merged.about(&merged.centre()), whole.about(&whole.centre()));
        prop_assert!(close(merged.label_variance, whole.label_variance, 2500.0));
        prop_assert_eq!(&merged.usable, &whole.usable);
        for a in 0..data.attributes {
            prop_assert!(close(merged.noise[a], whole.noise[a], 100.0));
            prop_assert!(close(merged.covariance[a][0], whole.covariance[a][0], 1000.0));
            prop_assert!(close(merged.centres[a], whole.centres[a], 10.0));
            for b in 0..data.attributes {
                prop_assert!(close(merged.external[(a, b)], whole.external[(a, b)], 100.0));
                prop_assert_eq!(merged.seen_together(a, b), whole.seen_together(a, b));
            }
        }
    }

    #[test]
    fn rescaling_an_attribute_leaves_the_selection_alone(
        data in any_data(2, 4),
        attribute in 0..4usize,
        power in -8..8i32,
        shift in -100..100i32,
    ) {
        let attribute = attribute % data.attributes;
        let (before, _) = data.estimates();
        // The nearest positive semidefinite matrix depends on the scale, where there is one to be found.
        prop_assume!(before.external.cholesky().is_some());
        // Powers of two are exact, so that ties stay ties.
        let change = |&(o, a, value): &(usize, usize, f64)| {
            let changed = value * 2f64.powi(power) + f64::from(shift);
            (o, a, if a == attribute { changed } else { value })
        };
        let rescaled = Data { rows: data.rows.iter().map(change).collect(), ..data.clone() };
        let (after, _) = rescaled.estimates();
        prop_assume!(after.external.cholesky().is_some());
        let counts = |estimates: &Estimates| {
            let selector = full(8, data.attributes);
            selector.repeats(&super::full::path(estimates, &selector.spending))
        };
        prop_assert_eq!(counts(&before), counts(&after));
        prop_assert!((explained(&after) - explained(&before)).abs() <= 1e-6 * before.label_variance);
    }
}

#[cfg(feature = "serde")]
proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_predictor_survives_being_saved_and_loaded(
        data in any_data(2, 4),
        repeats in vec(1..4u32, 4),
        ridge in 0.0..1.0f64,
    ) {
        use super::{Fitting, Predictor};
        let judgments = data.judgments();
        let labels = data.labels_of(&judgments);
        let labelled = LabelledJudgments::new(&judgments, &labels).unwrap();
        let estimates = Estimates::new(labelled, ridge, &Context::new()).unwrap();
        let repeats = &repeats[..data.attributes];
        let predictor = super::fit::fit(Fitting::Moments, &estimates, repeats, labelled, &Context::new()).unwrap();
        let json = serde_json::to_string(&predictor).unwrap();
        let loaded: Predictor = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(&loaded, &predictor);
        prop_assert!(loaded.is_sound());
        let predict = |predictor: &Predictor| predictor.predict(&judgments, &Context::new()).unwrap();
        prop_assert_eq!(predict(&loaded), predict(&predictor));
    }
}
