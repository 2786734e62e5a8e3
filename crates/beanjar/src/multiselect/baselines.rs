//! What one would do without the paper: standard feature selection on the judgments at hand.

use super::residual::Residual;
use super::spending::Spending;
use super::{Estimates, LabelledJudgments, Step, TargetRows};
use crate::judgments::ANONYMOUS;
use crate::linalg::Symmetric;
use crate::random::{key, key_of_text};
use crate::{Error, Result};

/// 'Averages' (after Isola et al. 2011): forward selection of attributes on the means of the `k` judgments at hand, each
/// taken with all `k`.
pub(super) fn averages(estimates: &Estimates, spending: &Spending, k: u32) -> Vec<Step> {
    let features = (0..estimates.len()).map(|attribute| Feature {
        attribute,
        cost: spending.cost[attribute] * f64::from(k),
        open: estimates.usable[attribute] && spending.at_most[attribute] >= k,
    });
    forward(&estimates.averaged, &estimates.covariance, features.collect(), spending)
}

/// 'Copies': forward selection of single judgments, the `k` judgments of an attribute taken for `k` attributes. Reads the
/// objects with a label and at least `k` judgments of every attribute.
pub(super) fn copies(data: LabelledJudgments<'_>, spending: &Spending, k: u32) -> Result<Vec<Step>> {
    let judgments = data.judgments;
    let (d, k) = (judgments.attributes.len(), k as usize);
    spending.check_numbers(d)?;
    let mut rows: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    for object in data.labelled() {
        let of: Vec<_> = judgments.of(object).by_attribute().collect();
        if of.len() == d && of.iter().all(|(_, _, values)| values.len() >= k) {
            // By the names of workers, or at random: not by where they stand in the file, nor by what they say.
            let first = |(attribute, workers, values): &(usize, &[u32], &[f64])| {
                let name = |row: usize| match workers.get(row) {
                    Some(&worker) if worker != ANONYMOUS => judgments.workers.get(worker as usize),
                    _ => "",
                };
                let place =
                    key_of_text(key_of_text(0, judgments.attributes.get(*attribute)), judgments.objects.get(object));
                let mut named: Vec<(&str, u64, f64)> =
                    values.iter().enumerate().map(|(row, &x)| (name(row), key(place, x.to_bits()), x)).collect();
                named.sort_unstable_by(|one, other| (one.0, one.1).cmp(&(other.0, other.1)));
                named.into_iter().take(k).map(|(_, _, value)| value).collect::<Vec<f64>>()
            };
            rows.push((of.iter().flat_map(first).collect(), data.label(object).to_vec()));
        }
    }
    if rows.len() < 2 {
        return Err(Error::Empty("pair of labelled objects with enough judgments of every attribute"));
    }
    let n = rows.len() as f64;
    let mean = |a: usize| rows.iter().map(|(x, _)| x[a]).sum::<f64>() / n;
    let means: Vec<f64> = (0..d * k).map(mean).collect();
    let mean_label: Vec<f64> =
        (0..data.targets).map(|target| rows.iter().map(|(_, y)| y[target]).sum::<f64>() / n).collect();
    for (x, y) in &mut rows {
        x.iter_mut().zip(&means).for_each(|(x, mean)| *x -= mean);
        y.iter_mut().zip(&mean_label).for_each(|(y, mean)| *y -= mean);
    }
    let scale = n.sqrt();
    let all: Vec<f64> = rows.iter().flat_map(|(x, _)| x.iter().map(|x| x / scale)).collect();
    let mut matrix = Symmetric::zeros(d * k);
    matrix.add_product((0, 0), (&all, d * k), (&all, d * k));
    let mut covariance = TargetRows::zeros(d * k, data.targets);
    for i in 0..d * k {
        for target in 0..data.targets {
            covariance[i][target] = rows.iter().map(|(x, y)| x[i] * y[target]).sum::<f64>() / n;
        }
    }
    let features = (0..d * k).map(|copy| Feature {
        attribute: copy / k,
        cost: spending.cost[copy / k],
        open: copy % k < spending.at_most[copy / k] as usize,
    });
    Ok(forward(&matrix, &covariance, features.collect(), spending))
}

/// The mean of one attribute, as often as can be paid: 'crowd mean'.
pub(super) fn crowd_mean(estimates: &Estimates, spending: &Spending, attribute: usize) -> Vec<Step> {
    let mut residual = Residual::new(&estimates.external, &estimates.covariance);
    let mut steps: Vec<Step> = Vec::new();
    let mut spent = 0.0;
    while spending.affords(spent, spending.cost[attribute]) && (steps.len() as u32) < spending.at_most[attribute] {
        spent += spending.cost[attribute];
        if let Some(noise) = estimates.noise_of_more(attribute, steps.len() as u32, 1) {
            residual.take(attribute, noise);
        }
        steps.push(Step { attribute, spent, explained: residual.explained });
    }
    steps
}

/// One column of a least-squares regression.
struct Feature {
    /// The attribute that it belongs to.
    attribute: usize,
    cost: f64,
    /// Whether it may still be taken.
    open: bool,
}

/// Forward selection by least squares: the feature that explains most for its cost, each at most once. What a step
/// explains is what the features at hand explain.
fn forward(matrix: &Symmetric, covariance: &TargetRows, mut features: Vec<Feature>, spending: &Spending) -> Vec<Step> {
    let mut residual = Residual::new(matrix, covariance);
    let (mut steps, mut spent) = (Vec::new(), 0.0);
    loop {
        let mut best = None;
        let mut most = 0.0;
        for (i, feature) in features.iter().enumerate().filter(|(_, feature)| feature.open) {
            let rate = residual.gain(i, 0.0) / feature.cost;
            if rate > most && spending.affords(spent, feature.cost) {
                (best, most) = (Some(i), rate);
            }
        }
        let Some(taken) = best else { return steps };
        residual.take(taken, 0.0);
        let feature = &mut features[taken];
        feature.open = false;
        spent += feature.cost;
        steps.push(Step { attribute: feature.attribute, spent, explained: residual.explained });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Judgments;
    use crate::linalg::least_squares;
    use crate::multiselect::estimates::tests::{estimated, unit};
    use crate::random::stream;
    use rand_distr::{Distribution, StandardNormal};

    fn data() -> (Judgments, Vec<f64>, Vec<Vec<[f64; 2]>>) {
        let mut random = stream(4, 4);
        let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
        let labels: Vec<f64> = (0..60).map(|_| normal()).collect();
        let values: Vec<Vec<[f64; 2]>> = labels
            .iter()
            .map(|y| (0..5).map(|a| [(); 2].map(|()| y * (1.0 + a as f64) / 4.0 + normal())).collect())
            .collect();
        let ids: Vec<String> = (0..60).map(|o| format!("o{o}")).collect();
        let names = ["a", "b", "c", "d", "e"];
        let rows = values.iter().zip(&ids).flat_map(|(row, id)| {
            row.iter().zip(names).flat_map(move |(pair, name)| {
                pair.iter().zip(["ann", "bob"]).map(move |(&v, who)| (&id[..], name, who, v))
            })
        });
        (Judgments::from_rows(rows).unwrap(), labels, values)
    }

    /// Forward selection with a least-squares fit per candidate.
    fn slow(columns: &[Vec<f64>], labels: &[f64], steps: usize) -> Vec<usize> {
        let mut chosen: Vec<usize> = Vec::new();
        for _ in 0..steps {
            let error = |candidate: usize| {
                let used: Vec<usize> = chosen.iter().copied().chain([candidate]).collect();
                let x: Vec<Vec<f64>> =
                    (0..labels.len()).map(|o| used.iter().map(|&c| columns[c][o]).collect()).collect();
                let (weights, bias) = least_squares(&x, labels);
                let predict = |row: &Vec<f64>| bias + row.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>();
                x.iter().zip(labels).map(|(row, y)| (y - predict(row)).powi(2)).sum::<f64>()
            };
            let rest = (0..columns.len()).filter(|c| !chosen.contains(c));
            let next = rest.min_by(|&a, &b| error(a).total_cmp(&error(b))).unwrap();
            chosen.push(next);
        }
        chosen
    }

    #[test]
    fn averages_and_copies_are_forward_selection_by_least_squares() {
        let (judgments, labels, values) = data();
        let estimates = estimated(&judgments, &labels);
        let means: Vec<Vec<f64>> =
            (0..5).map(|a| values.iter().map(|row| (row[a][0] + row[a][1]) / 2.0).collect()).collect();
        let found: Vec<usize> = averages(&estimates, &unit(8, 5), 2).iter().map(|step| step.attribute).collect();
        assert_eq!(found, slow(&means, &labels, 4));
        let single: Vec<Vec<f64>> = (0..10).map(|c| values.iter().map(|row| row[c / 2][c % 2]).collect()).collect();
        let data = LabelledJudgments::new(&judgments, &labels).unwrap();
        let found = copies(data, &unit(7, 5), 2).unwrap();
        let expected: Vec<usize> = slow(&single, &labels, 7).iter().map(|copy| copy / 2).collect();
        assert_eq!(found.iter().map(|step| step.attribute).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_crowd_mean_is_one_attribute_as_often_as_can_be_paid() {
        let (judgments, labels, _) = data();
        let estimates = estimated(&judgments, &labels);
        let mut spending = unit(9, 5);
        spending.cost[2] = 4.0;
        let steps = crowd_mean(&estimates, &spending, 2);
        assert_eq!((steps.len(), steps[1].spent), (2, 8.0));
    }
}
