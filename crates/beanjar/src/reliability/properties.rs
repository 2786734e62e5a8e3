//! What must hold for any data.

use super::agreement::{JudgmentAgreement, LabelAgreement, Standard};
use super::patterns::Patterns;
use super::variance::Variances;
use super::{InspectJudgments, InspectLabels, InspectLabelsOutcome, Scale};
use crate::judgments::{Grouped, Sum};
use crate::{Context, Judgments, Labels};
use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, prop_assert, prop_assert_eq, proptest};

type LabelRow = (u8, u8, u8);
type JudgmentRow = (u8, u8, u8, i16);

fn labels(rows: &[LabelRow], class: impl Fn(u8) -> u8) -> Labels {
    let text = |(task, worker, label): &LabelRow| (format!("t{task}"), format!("w{worker}"), class(*label).to_string());
    let rows: Vec<_> = rows.iter().map(text).collect();
    Labels::from_rows(rows.iter().map(|(t, w, l)| (&t[..], &w[..], &l[..]))).unwrap()
}

fn judgments(rows: &[JudgmentRow]) -> Judgments {
    let text = |&(o, a, w, v): &JudgmentRow| (format!("o{o}"), format!("a{a}"), format!("w{w}"), f64::from(v) / 8.0);
    let rows: Vec<_> = rows.iter().map(text).collect();
    Judgments::from_rows(rows.iter().map(|(o, a, w, v)| (&o[..], &a[..], &w[..], *v))).unwrap()
}

fn label_rows() -> impl Strategy<Value = Vec<LabelRow>> {
    vec((0..9u8, 0..5u8, 0..4u8), 1..70)
}

fn judgment_rows() -> impl Strategy<Value = Vec<JudgmentRow>> {
    vec((0..9u8, 0..3u8, 0..5u8, -80..80i16), 1..70)
}

fn shuffled<T: Clone + std::fmt::Debug>(
    rows: impl Strategy<Value = Vec<T>>,
) -> impl Strategy<Value = (Vec<T>, Vec<T>)> {
    rows.prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle()))
}

fn inspect(labels: &Labels, scale: Scale) -> InspectLabelsOutcome {
    InspectLabels { scale, ordered: true, bootstrap: 0, ..Default::default() }.run(labels, &Context::new()).unwrap()
}

/// Sums are added in another order; all numbers here are below a thousand.
fn close(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-9,
        (None, None) => true,
        _ => false,
    }
}

/// The sums of consecutive pieces of the objects.
fn pieces<D: Grouped, S: Sum<D>>(data: &D, cuts: &[usize], empty: impl Fn() -> S) -> Vec<S> {
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut % (data.objects() + 1)).collect();
    ends.push(data.objects());
    ends.sort_unstable();
    let mut from = 0;
    ends.into_iter()
        .map(|end| {
            let mut sum = empty();
            (from..end).for_each(|object| sum.observe(data.object(object)));
            from = end;
            sum
        })
        .collect()
}

/// The pieces merged from the left, and merged from the right.
fn merged<D: Grouped, S: Sum<D>>(data: &D, cuts: &[usize], empty: impl Fn() -> S) -> [S; 2] {
    let from_left = pieces(data, cuts, &empty).into_iter().reduce(|mut sum, later| {
        sum.merge(later);
        sum
    });
    let from_right = pieces(data, cuts, &empty).into_iter().rev().reduce(|later, mut sum| {
        sum.merge(later);
        sum
    });
    [from_left.unwrap(), from_right.unwrap()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_order_of_labels_does_not_matter((rows, other) in shuffled(label_rows())) {
        for scale in [Scale::Nominal, Scale::Ordinal, Scale::Interval, Scale::Ratio] {
            let (one, two) = (inspect(&labels(&rows, |c| c), scale), inspect(&labels(&other, |c| c), scale));
            prop_assert!(close(one.alpha, two.alpha), "{scale:?}: {:?}, {:?}", one.alpha, two.alpha);
            prop_assert!(close(one.fleiss_kappa, two.fleiss_kappa));
            prop_assert_eq!(&one.votes_per_task, &two.votes_per_task);
            prop_assert_eq!((one.repeated, &one.classes), (two.repeated, &two.classes));
            for worker in &one.workers {
                let same = two.workers.iter().find(|other| other.worker == worker.worker).unwrap();
                prop_assert!(same.labels == worker.labels && close(same.agreement, worker.agreement));
            }
        }
    }

    #[test]
    fn the_names_of_classes_do_not_matter(rows in label_rows(), names in Just([0, 1, 2, 3u8]).prop_shuffle()) {
        let one = inspect(&labels(&rows, |class| class), Scale::Nominal);
        let two = inspect(&labels(&rows, |class| names[usize::from(class)]), Scale::Nominal);
        prop_assert!(close(one.alpha, two.alpha) && close(one.fleiss_kappa, two.fleiss_kappa));
        for (one, two) in one.workers.iter().zip(&two.workers) {
            prop_assert!(close(one.agreement, two.agreement));
        }
    }

    #[test]
    fn the_order_of_judgments_does_not_matter((rows, other) in shuffled(judgment_rows())) {
        let inspect = |rows: &[JudgmentRow]| InspectJudgments::default().run(&judgments(rows), &Context::new()).unwrap();
        let (one, two) = (inspect(&rows), inspect(&other));
        for attribute in &one.attributes {
            let same = two.attributes.iter().find(|other| other.attribute == attribute.attribute).unwrap();
            prop_assert_eq!((same.objects, same.judgments), (attribute.objects, attribute.judgments));
            prop_assert!(close(Some(same.mean), Some(attribute.mean)));
            prop_assert!(close(same.noise, attribute.noise) && close(same.signal, attribute.signal));
            prop_assert!(close(same.icc, attribute.icc) && close(same.alpha, attribute.alpha));
        }
        for worker in &one.workers {
            let same = two.workers.iter().find(|other| other.worker == worker.worker).unwrap();
            prop_assert!(same.judgments == worker.judgments && close(same.agreement, worker.agreement));
        }
    }

    #[test]
    fn sums_over_labels_merge_in_any_cut(rows in label_rows(), cuts in vec(0..9usize, 0..4)) {
        let labels = labels(&rows, |class| class);
        let patterns = |sum: &Patterns| -> Vec<(u64, Vec<(usize, f64)>)> {
            (0..sum.len()).map(|pattern| (sum.tasks()[pattern], sum.votes(pattern).collect())).collect()
        };
        let whole = &merged(&labels, &[], || Patterns::new(labels.classes.len()))[0];
        for sum in merged(&labels, &cuts, || Patterns::new(labels.classes.len())) {
            prop_assert_eq!(patterns(&sum), patterns(whole));
        }
        let whole = &merged(&labels, &[], || LabelAgreement::new(labels.workers.len(), labels.classes.len()))[0];
        for sum in merged(&labels, &cuts, || LabelAgreement::new(labels.workers.len(), labels.classes.len())) {
            prop_assert_eq!(&sum.labels, &whole.labels);
            prop_assert!((0..labels.workers.len()).all(|worker| close(sum.of(worker), whole.of(worker))));
        }
    }

    #[test]
    fn sums_over_judgments_merge_in_any_cut(rows in judgment_rows(), cuts in vec(0..9usize, 0..4)) {
        let judgments = judgments(&rows);
        let whole = &merged(&judgments, &[], || Variances::new(&judgments))[0];
        for sum in merged(&judgments, &cuts, || Variances::new(&judgments)) {
            for attribute in 0..judgments.attributes.len() {
                let (sum, whole) = (sum.of(attribute), whole.of(attribute));
                prop_assert_eq!((sum.objects, sum.judgments), (whole.objects, whole.judgments));
                prop_assert!(close(sum.noise(), whole.noise()) && close(sum.signal(), whole.signal()));
                prop_assert!(close(sum.icc(), whole.icc()) && close(sum.alpha(), whole.alpha()));
                prop_assert!(close(Some(sum.mean()), Some(whole.mean())));
            }
        }
        let scales = vec![Standard { mean: 1.0, deviation: 4.0 }; judgments.attributes.len()];
        let whole = &merged(&judgments, &[], || JudgmentAgreement::new(&judgments, &scales))[0];
        for sum in merged(&judgments, &cuts, || JudgmentAgreement::new(&judgments, &scales)) {
            prop_assert_eq!(&sum.judgments, &whole.judgments);
            prop_assert!((0..judgments.workers.len()).all(|worker| close(sum.of(worker), whole.of(worker))));
        }
    }
}
