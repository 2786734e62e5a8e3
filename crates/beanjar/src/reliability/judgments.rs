//! What `inspect` says of judgments.

use super::agreement::{JudgmentAgreement, Standard};
use super::variance::{Variances, judgments_needed, reliability_of_mean};
use crate::judgments::sum_over;
use crate::{Context, Error, Judgments, Result};

/// How to inspect judgments.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `repeats` | whose mean's reliability to report | 5 | 1 or more |
/// | `wanted` | the reliability to find the number of judgments for | 0.8 | above 0, below 1 |
#[derive(Clone, Debug)]
pub struct JudgmentOptions {
    /// The number of judgments whose mean's reliability to report.
    pub repeats: u32,
    /// The reliability for which to say how many judgments are needed.
    pub wanted: f64,
}

impl Default for JudgmentOptions {
    fn default() -> Self {
        JudgmentOptions { repeats: 5, wanted: 0.8 }
    }
}

/// How reliable judgments are.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct JudgmentsReliability {
    /// How many objects were judged.
    pub objects: usize,
    /// How many judgments there are.
    pub judgments: usize,
    /// How many judgments are by a worker who had judged the same attribute of the same object before.
    pub repeated: usize,
    /// The number of judgments whose mean's reliability is reported.
    pub repeats: u32,
    /// The reliability for which the judgments needed are reported.
    pub wanted: f64,
    /// The attributes, in order of first appearance.
    pub attributes: Vec<AttributeReliability>,
    /// The workers, in order of first appearance; none if the table has none.
    pub workers: Vec<JudgmentWorker>,
}

/// How reliable the judgments of one attribute are.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct AttributeReliability {
    /// Its name.
    pub attribute: String,
    /// How many objects it was judged of.
    pub objects: u64,
    /// How often it was judged.
    pub judgments: u64,
    /// The mean of all its judgments.
    pub mean: f64,
    /// The internal variance v: how much judgments of one object differ. None if no object was judged twice.
    pub noise: Option<f64>,
    /// The external variance sigma^2: how much objects differ. None if no object was judged twice.
    pub signal: Option<f64>,
    /// ICC(1), the reliability of one judgment, from the one-way analysis of variance.
    pub icc: Option<f64>,
    /// The reliability of the mean of [`repeats`](JudgmentsReliability::repeats) judgments.
    pub reliability: Option<f64>,
    /// How many judgments have a mean of reliability [`wanted`](JudgmentsReliability::wanted). None if no number has.
    pub needed: Option<u64>,
    /// Krippendorff's alpha on the interval scale.
    pub alpha: Option<f64>,
    /// Whether all judgments are the same.
    pub constant: bool,
}

/// A worker, and how far they agree with the others.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct JudgmentWorker {
    /// Who.
    pub worker: String,
    /// How many judgments they gave.
    pub judgments: u64,
    /// The correlation of their judgments with the mean of the others' on the same attribute of the same object, each
    /// attribute brought to mean 0 and variance 1 first. None with fewer than three to compare, or if nothing varies.
    pub agreement: Option<f64>,
}

/// Says how reliable judgments are: noise, signal and reliability of each attribute, agreement of each worker.
///
/// Cost: O(judgments), in two passes.
///
/// ```
/// use beanjar::{Context, Judgments, reliability::{JudgmentOptions, inspect_judgments}};
///
/// let judgments = Judgments::from_rows([
///     ("jar 1", "beans", "ann", 300.0), ("jar 1", "beans", "bob", 340.0),
///     ("jar 2", "beans", "ann", 40.0), ("jar 2", "beans", "bob", 60.0),
/// ])?;
/// let found = inspect_judgments(&judgments, &JudgmentOptions::default(), &Context::new())?;
/// assert_eq!(found.attributes[0].noise, Some((800.0 + 200.0) / 2.0));
/// assert_eq!(found.attributes[0].signal, Some((320.0 - 50.0) * (320.0 - 50.0) / 4.0 - 500.0 / 2.0));
/// # Ok::<(), beanjar::Error>(())
/// ```
pub fn inspect_judgments(
    judgments: &Judgments,
    options: &JudgmentOptions,
    context: &Context,
) -> Result<JudgmentsReliability> {
    if judgments.is_empty() {
        return Err(Error::Empty("judgment"));
    }
    if options.repeats == 0 {
        return Err(Error::OutOfRange { name: "repeats", value: "0".into(), range: "1 or more" });
    }
    if !(options.wanted > 0.0 && options.wanted < 1.0) {
        let value = options.wanted.to_string();
        return Err(Error::OutOfRange { name: "the wanted reliability", value, range: "above 0 and below 1" });
    }
    let start = Variances::new(judgments);
    let variances = sum_over(judgments, context, || start.clone());
    let scales: Vec<Standard> = (0..judgments.attributes.len())
        .map(|attribute| {
            let sums = variances.of(attribute);
            let deviation = if sums.is_constant() { 0.0 } else { sums.total_variance().sqrt() };
            Standard { mean: sums.mean(), deviation }
        })
        .collect();
    let agreement = sum_over(judgments, context, || JudgmentAgreement::new(judgments, &scales));
    Ok(JudgmentsReliability {
        objects: judgments.objects.len(),
        judgments: judgments.len(),
        repeated: judgments.repeated(context),
        repeats: options.repeats,
        wanted: options.wanted,
        attributes: judgments
            .attributes
            .iter()
            .enumerate()
            .map(|(code, attribute)| {
                let sums = variances.of(code);
                let icc = sums.icc();
                AttributeReliability {
                    attribute: attribute.to_owned(),
                    objects: sums.objects as u64,
                    judgments: sums.judgments as u64,
                    mean: sums.mean(),
                    noise: sums.noise(),
                    signal: sums.signal(),
                    icc,
                    // A negative estimate says that nothing was found, not that averaging makes it worse.
                    reliability: icc.map(|icc| reliability_of_mean(icc.max(0.0), f64::from(options.repeats))),
                    needed: icc.and_then(|icc| judgments_needed(icc, options.wanted)),
                    alpha: sums.alpha(),
                    constant: sums.is_constant(),
                }
            })
            .collect(),
        workers: judgments
            .workers
            .iter()
            .enumerate()
            .map(|(code, worker)| JudgmentWorker {
                worker: worker.to_owned(),
                judgments: agreement.judgments[code],
                agreement: agreement.of(code),
            })
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroUsize;

    fn rows(n: usize) -> Vec<(String, String, String, f64)> {
        (0..n)
            .map(|i| {
                let (object, attribute, worker) = (i % (n / 12 + 1), (i / 5) % 4, (i * 29) % 13);
                let value = ((object * 37 + attribute) % 19) as f64 + ((i * i) % 7) as f64 / 2.0;
                (format!("o{object}"), format!("a{attribute}"), format!("w{worker}"), value)
            })
            .collect()
    }

    fn table(rows: &[(String, String, String, f64)]) -> Judgments {
        Judgments::from_rows(rows.iter().map(|(o, a, w, v)| (&o[..], &a[..], &w[..], *v))).unwrap()
    }

    fn inspect(judgments: &Judgments, context: &Context) -> JudgmentsReliability {
        inspect_judgments(judgments, &JudgmentOptions::default(), context).unwrap()
    }

    #[test]
    fn agreement_is_the_correlation_with_the_mean_of_the_others() {
        let rows = rows(400);
        let found = inspect(&table(&rows), &Context::new());
        let standard = |row: &(String, String, String, f64)| {
            let all: Vec<f64> = rows.iter().filter(|other| other.1 == row.1).map(|other| other.3).collect();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            let variance = all.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / all.len() as f64;
            (row.3 - mean) / variance.sqrt()
        };
        for worker in &found.workers {
            let mut pairs = Vec::new();
            for row in rows.iter().filter(|row| row.2 == worker.worker) {
                let others: Vec<f64> = rows
                    .iter()
                    .filter(|other| other.0 == row.0 && other.1 == row.1 && other.2 != row.2)
                    .map(standard)
                    .collect();
                if !others.is_empty() {
                    pairs.push((standard(row), others.iter().sum::<f64>() / others.len() as f64));
                }
            }
            let n = pairs.len() as f64;
            let (mx, my) = (pairs.iter().map(|p| p.0).sum::<f64>() / n, pairs.iter().map(|p| p.1).sum::<f64>() / n);
            let cov = |f: fn((f64, f64)) -> f64| pairs.iter().map(|p| f((p.0 - mx, p.1 - my))).sum::<f64>();
            let expected = cov(|(x, y)| x * y) / (cov(|(x, _)| x * x) * cov(|(_, y)| y * y)).sqrt();
            assert!((worker.agreement.unwrap() - expected).abs() < 1e-10);
        }
    }

    #[test]
    fn shifting_and_scaling_an_attribute_changes_only_its_units() {
        let before = inspect(&table(&rows(600)), &Context::new());
        let mut moved = rows(600);
        moved.iter_mut().for_each(|row| row.3 = 1e6 - 3.0 * row.3);
        let after = inspect(&table(&moved), &Context::new());
        let close = |a: Option<f64>, b: Option<f64>| assert!((a.unwrap() - b.unwrap()).abs() < 1e-8);
        for (before, after) in before.attributes.iter().zip(&after.attributes) {
            close(after.noise, before.noise.map(|noise| 9.0 * noise));
            close(after.signal, before.signal.map(|signal| 9.0 * signal));
            close(after.icc, before.icc);
            close(after.alpha, before.alpha);
        }
        for (before, after) in before.workers.iter().zip(&after.workers) {
            close(after.agreement, before.agreement);
        }
    }

    #[test]
    fn threads_do_not_change_a_byte() {
        let judgments = table(&rows(60_000));
        let one = inspect(&judgments, &Context::new());
        for threads in [2, 5] {
            assert_eq!(
                inspect(&judgments, &Context::new().with_threads(NonZeroUsize::new(threads).unwrap()).unwrap()),
                one
            );
        }
    }

    #[test]
    fn bad_options_are_named() {
        let judgments = table(&rows(10));
        let options = JudgmentOptions { repeats: 0, ..Default::default() };
        assert!(inspect_judgments(&judgments, &options, &Context::new()).unwrap_err().to_string().contains("repeats"));
        let options = JudgmentOptions { wanted: 1.0, ..Default::default() };
        assert!(inspect_judgments(&judgments, &options, &Context::new()).is_err());
    }
}
