use super::*;
use crate::Context;
use crate::judgments::sum_over;

fn sums(objects: &[&[f64]]) -> AttributeSums {
    let names: Vec<String> = (0..objects.len()).map(|i| format!("o{i}")).collect();
    let rows = names.iter().zip(objects).flat_map(|(name, values)| values.iter().map(|&v| (&name[..], "a", "", v)));
    let judgments = Judgments::from_rows(rows).unwrap();
    *sum_over(&judgments, &Context::new(), || Variances::new(&judgments)).of(0)
}

fn some_objects(equal: bool, offset: f64) -> Vec<Vec<f64>> {
    (0..23usize)
        .map(|i| {
            let n = if equal { 3 } else { 1 + i % 4 };
            (0..n).map(|j| offset + ((i * i) % 11) as f64 + ((i * 5 + j * 7 + i * j) % 6) as f64 / 3.0).collect()
        })
        .collect()
}

fn borrowed(objects: &[Vec<f64>]) -> Vec<&[f64]> {
    objects.iter().map(Vec::as_slice).collect()
}

fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.into_iter().collect();
    values.iter().sum::<f64>() / values.len() as f64
}

fn close(found: Option<f64>, expected: f64) {
    let found = found.unwrap();
    assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{found}, expected {expected}");
}

#[test]
fn noise_and_signal_are_the_papers_for_equal_counts() {
    for offset in [0.0, -40.0, 1e7] {
        let objects = some_objects(true, offset);
        let k = 3.0;
        let var_est = |x: &Vec<f64>| x.iter().map(|v| (v - mean(x.clone())).powi(2)).sum::<f64>() / (k - 1.0);
        let centre = mean(objects.iter().map(|x| mean(x.clone())));
        let noise = mean(objects.iter().map(var_est));
        let signal = mean(objects.iter().map(|x| (mean(x.clone()) - centre).powi(2))) - noise / k;
        let found = sums(&borrowed(&objects));
        close(found.noise(), noise);
        close(found.signal(), signal);
    }
}

#[test]
fn signal_is_the_mean_product_of_two_different_judgments() {
    let objects = some_objects(false, 5.0);
    let centre = mean(objects.iter().map(|x| mean(x.clone())));
    let products = objects.iter().filter(|x| x.len() >= 2).map(|x| {
        let pairs = (0..x.len()).flat_map(|i| (0..x.len()).filter(move |&j| i != j).map(move |j| (i, j)));
        mean(pairs.map(|(i, j)| (x[i] - centre) * (x[j] - centre)))
    });
    close(sums(&borrowed(&objects)).signal(), mean(products));
}

#[test]
fn icc_is_that_of_the_analysis_of_variance() {
    for equal in [true, false] {
        let objects = some_objects(equal, 3.0);
        let all: Vec<f64> = objects.concat();
        let (m, n, grand) = (objects.len() as f64, all.len() as f64, mean(all.clone()));
        let msb = objects.iter().map(|x| x.len() as f64 * (mean(x.clone()) - grand).powi(2)).sum::<f64>() / (m - 1.0);
        let msw = objects.iter().flat_map(|x| x.iter().map(|v| (v - mean(x.clone())).powi(2))).sum::<f64>() / (n - m);
        let n0 = (n - objects.iter().map(|x| (x.len() as f64).powi(2)).sum::<f64>() / n) / (m - 1.0);
        close(sums(&borrowed(&objects)).icc(), (msb - msw) / (msb + (n0 - 1.0) * msw));
    }
}

#[test]
fn alpha_agrees_with_all_pairs() {
    let objects = some_objects(false, -2.0);
    let paired: Vec<&Vec<f64>> = objects.iter().filter(|x| x.len() > 1).collect();
    let all: Vec<f64> = paired.iter().flat_map(|x| x.iter().copied()).collect();
    let pairs = |x: &[f64]| -> f64 { x.iter().map(|a| x.iter().map(|b| (a - b).powi(2)).sum::<f64>()).sum() };
    let n = all.len() as f64;
    let observed = paired.iter().map(|x| pairs(x) / (x.len() as f64 - 1.0)).sum::<f64>() / n;
    close(sums(&borrowed(&objects)).alpha(), 1.0 - observed / (pairs(&all) / (n * (n - 1.0))));
}

#[test]
fn one_wild_judgment_that_no_pair_has_does_not_drown_the_rest() {
    let mut objects = some_objects(true, 0.0);
    let expected = sums(&borrowed(&objects)).alpha().unwrap();
    objects.insert(0, vec![3e9]);
    close(sums(&borrowed(&objects)).alpha(), expected);
}

#[test]
fn merged_sums_equal_one_pass() {
    let objects = some_objects(false, 1.0);
    let whole = sums(&borrowed(&objects));
    let mut merged = AttributeSums::new(whole.shift);
    let mut later = merged;
    for x in &objects[..9] {
        merged.observe(x);
    }
    for x in &objects[9..] {
        later.observe(x);
    }
    merged.merge(&later);
    close(merged.noise(), whole.noise().unwrap());
    close(merged.signal(), whole.signal().unwrap());
    close(merged.icc(), whole.icc().unwrap());
    close(merged.alpha(), whole.alpha().unwrap());
}

#[test]
fn little_or_nothing_to_go_by_is_said_and_does_not_panic() {
    let once = sums(&[&[1.0], &[2.0]]);
    assert_eq!((once.noise(), once.signal(), once.icc(), once.alpha()), (None, None, None, None));
    let constant = sums(&[&[0.1, 0.1], &[0.1, 0.1]]);
    assert_eq!(
        (constant.noise(), constant.signal(), constant.icc(), constant.alpha()),
        (Some(0.0), Some(0.0), None, None)
    );
    assert!(constant.is_constant());
    let one_object = sums(&[&[1.0, 2.0]]);
    assert_eq!(one_object.icc(), None);
    // Objects that are more alike than judges: the estimate is negative and rounded up.
    assert_eq!(sums(&[&[1.0, 2.0], &[2.0, 1.0]]).signal(), Some(0.0));
}

#[test]
fn needed_judgments_reach_the_wanted_reliability_and_one_fewer_does_not() {
    for icc in [0.9, 0.8, 0.5, 0.31, 0.1, 0.01] {
        let needed = judgments_needed(icc, 0.8).unwrap() as f64;
        assert!(reliability_of_mean(icc, needed) >= 0.8 - 1e-9);
        assert!(needed == 1.0 || reliability_of_mean(icc, needed - 1.0) < 0.8);
    }
    assert_eq!(judgments_needed(0.0, 0.8), None);
    assert_eq!(judgments_needed(1.0, 0.8), Some(1));
}
