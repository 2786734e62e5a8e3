use super::*;
use crate::judgments::Grouped;
use std::num::NonZeroUsize;

/// Judgments of `objects` by `d` attributes, `k(object, attribute)` of each, and labels.
pub(crate) fn some_data(objects: usize, d: usize, k: impl Fn(usize, usize) -> usize) -> (Judgments, Vec<f64>) {
    let rows: Vec<(String, String, f64)> = (0..objects)
        .flat_map(|o| (0..d).flat_map(move |a| (0..64).map(move |j| (o, a, j))))
        .filter(|&(o, a, j)| j < k(o, a))
        .map(|(o, a, j)| {
            let value = ((o * (a + 3) * 31 + o * o) % 17) as f64 + ((o * 13 + a * 7 + j * 29 + o * j) % 9) as f64 / 2.0;
            (format!("o{o}"), format!("a{a}"), value + 50.0 * a as f64)
        })
        .collect();
    let judgments = Judgments::from_rows(rows.iter().map(|(o, a, v)| (&o[..], &a[..], "", *v))).unwrap();
    let labels = judgments.objects.iter().map(|id| ((id[1..].parse::<usize>().unwrap() * 37) % 23) as f64).collect();
    (judgments, labels)
}

fn moments(judgments: &Judgments, labels: &[f64]) -> Moments {
    let sums = sums(LabelledJudgments::new(judgments, labels).unwrap(), &|_| 1, &Context::new());
    sums.about(&sums.centre())
}

type MeanAndValues = Option<(f64, Vec<f64>)>;

/// The means of each object's judgments of each attribute, where there are any.
fn means(judgments: &Judgments) -> Vec<Vec<MeanAndValues>> {
    (0..judgments.objects())
        .map(|object| {
            let mut row = vec![None; judgments.attributes.len()];
            for (a, _, values) in judgments.of(object).by_attribute() {
                row[a] = Some((values.iter().sum::<f64>() / values.len() as f64, values.to_vec()));
            }
            row
        })
        .collect()
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{found}, expected {expected}");
}

#[test]
fn with_equal_counts_the_moments_are_those_of_algorithm_1() {
    for (objects, d, k) in [(2, 1, 2), (37, 4, 2), (300, 6, 3)] {
        let (judgments, labels) = some_data(objects, d, |_, _| k);
        let found = moments(&judgments, &labels);
        let x = means(&judgments);
        let m = objects as f64;
        let mean = |a: usize| x.iter().map(|row| row[a].as_ref().unwrap().0).sum::<f64>() / m;
        let mean_y = labels.iter().sum::<f64>() / m;
        let bar = |o: usize, a: usize| x[o][a].as_ref().unwrap().0 - mean(a);
        for a in 0..d {
            let noise = x
                .iter()
                .map(|row| {
                    let (mean, values) = row[a].as_ref().unwrap();
                    values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (k as f64 - 1.0)
                })
                .sum::<f64>()
                / m;
            close(found.noise[a], noise);
            close(found.covariance[a][0], (0..objects).map(|o| bar(o, a) * (labels[o] - mean_y)).sum::<f64>() / m);
            for b in 0..d {
                let of_means = (0..objects).map(|o| bar(o, a) * bar(o, b)).sum::<f64>() / m;
                close(found.external[(a, b)], of_means - if a == b { noise / k as f64 } else { 0.0 });
            }
            close(found.of_means[a], found.external[(a, a)] + noise / k as f64);
        }
        close(found.label_variance, labels.iter().map(|y| (y - mean_y).powi(2)).sum::<f64>() / m);
    }
}

#[test]
fn with_unequal_counts_each_entry_uses_the_objects_that_have_it() {
    let (judgments, mut labels) = some_data(301, 5, |o, a| (o * 3 + a * 5 + o / 7) % 4);
    labels[7] = f64::NAN;
    let found = moments(&judgments, &labels);
    let x = means(&judgments);
    let known: Vec<usize> = (0..x.len()).filter(|&o| labels[o].is_finite()).collect();
    let mean_y = known.iter().map(|&o| labels[o]).sum::<f64>() / known.len() as f64;
    let average = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    let centre = |a: usize| average(known.iter().filter_map(|&o| x[o][a].as_ref().map(|(mean, _)| *mean)).collect());
    for a in 0..5 {
        let of_label = |&o: &usize| x[o][a].as_ref().map(|(mean, _)| (mean - centre(a)) * (labels[o] - mean_y));
        close(found.covariance[a][0], average(known.iter().filter_map(of_label).collect()));
        for b in 0..a {
            let of_both = |&o: &usize| Some((x[o][a].as_ref()?.0 - centre(a)) * (x[o][b].as_ref()?.0 - centre(b)));
            close(found.external[(a, b)], average(known.iter().filter_map(of_both).collect()));
        }
        let of_pairs = |&o: &usize| {
            let values = &x[o][a].as_ref()?.1;
            let n = values.len() as f64;
            let (sum, squares) = values.iter().map(|v| v - centre(a)).fold((0.0, 0.0), |(s, q), v| (s + v, q + v * v));
            (n >= 2.0).then(|| (sum * sum - squares) / (n * (n - 1.0)))
        };
        close(found.external[(a, a)], average(known.iter().filter_map(of_pairs).collect()));
    }
}

#[test]
fn merged_sums_and_any_number_of_threads_give_the_same() {
    let (judgments, labels) = some_data(2000, 7, |o, a| 1 + (o + a) % 3);
    let data = LabelledJudgments::new(&judgments, &labels).unwrap();
    let whole = sums(data, &|_| 1, &Context::new());
    let mut halves = sums(data, &|o| u32::from(o % 2 == 0), &Context::new());
    halves.merge(sums(data, &|o| u32::from(o % 2 == 1), &Context::new()));
    let (whole_moments, merged) = (whole.about(&whole.centre()), halves.about(&halves.centre()));
    for a in 0..7 {
        close(merged.covariance[a][0], whole_moments.covariance[a][0]);
        for b in 0..7 {
            close(merged.external[(a, b)], whole_moments.external[(a, b)]);
        }
    }
    let threads = sums(data, &|_| 1, &Context::new().with_threads(NonZeroUsize::new(3).unwrap()).unwrap());
    let threads = threads.about(&threads.centre());
    assert_eq!(threads.external, whole_moments.external);
    assert_eq!(threads.covariance, whole_moments.covariance);
}

#[test]
fn an_attribute_never_judged_twice_is_not_usable() {
    let (judgments, labels) = some_data(20, 2, |_, a| 2 - a);
    let found = moments(&judgments, &labels);
    assert_eq!(found.usable, [true, false]);
    assert_eq!((found.covariance[1][0], found.external[(0, 1)]), (0.0, 0.0));
}
