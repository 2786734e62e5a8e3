//! What `inspect` says of labels.

use super::agreement::LabelAgreement;
use super::alpha::{Alpha, Scale};
use super::kappa::fleiss;
use super::patterns::Patterns;
use crate::judgments::sum_over;
use crate::{Context, Error, Labels, Result};

/// How to inspect labels.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `scale` | how far apart two labels are, for alpha | nominal | |
/// | `bootstrap` | copies of the data for alpha's interval | 1000 | 0 (no interval) to a million |
/// | `seed` | of those copies | 0 | |
#[derive(Clone, Debug)]
pub struct LabelOptions {
    /// How far apart two labels are.
    pub scale: Scale,
    /// How many bootstrap copies; 0 for no interval.
    pub bootstrap: usize,
    /// Of the copies.
    pub seed: u64,
}

impl Default for LabelOptions {
    fn default() -> Self {
        LabelOptions { scale: Scale::Nominal, bootstrap: 1000, seed: 0 }
    }
}

/// How reliable labels are.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LabelsReliability {
    /// How many tasks have a label.
    pub tasks: usize,
    /// How many labels there are.
    pub labels: usize,
    /// How many labels are by a worker who had labelled the task before.
    pub repeated: usize,
    /// The classes, sorted.
    pub classes: Vec<String>,
    /// Each class's share of all labels.
    pub shares: Vec<f64>,
    /// How many tasks have how many votes.
    pub votes_per_task: Vec<VotesPerTask>,
    /// The scale of alpha.
    pub scale: Scale,
    /// Krippendorff's alpha; none if no task has two votes, or all votes are for one class.
    pub alpha: Option<f64>,
    /// The lower end of alpha's 95 percent bootstrap interval over tasks.
    pub alpha_low: Option<f64>,
    /// The upper end of it.
    pub alpha_high: Option<f64>,
    /// Fleiss' kappa; none unless all tasks have the same number of votes.
    pub fleiss_kappa: Option<f64>,
    /// The workers, in order of first appearance.
    pub workers: Vec<LabelWorker>,
}

/// How many tasks have just so many votes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct VotesPerTask {
    /// So many votes.
    pub votes: u64,
    /// On so many tasks.
    pub tasks: u64,
}

/// A worker, and how far they agree with the others.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LabelWorker {
    /// Who.
    pub worker: String,
    /// How many labels they gave.
    pub labels: u64,
    /// The mean, over their labels, of the share of other workers' votes on the same task that are the same;
    /// none for one who was alone everywhere.
    pub agreement: Option<f64>,
}

/// More would tell nothing more.
const MOST_COPIES: usize = 1_000_000;

/// Says how reliable labels are: classes, votes, alpha with its interval, agreement of each worker.
///
/// Cost: O(labels) for everything but the interval, which costs O(different vote patterns) a copy.
pub fn inspect_labels(labels: &Labels, options: &LabelOptions, context: &Context) -> Result<LabelsReliability> {
    if labels.is_empty() {
        return Err(Error::Empty("label"));
    }
    if options.bootstrap > MOST_COPIES {
        let value = options.bootstrap.to_string();
        return Err(Error::OutOfRange { name: "the number of bootstrap copies", value, range: "at most 1,000,000" });
    }
    let patterns = sum_over(labels, context, || Patterns::new(labels.classes.len()));
    let agreement = sum_over(labels, context, || LabelAgreement::new(labels));
    let alpha = Alpha::new(&patterns, options.scale, &labels.classes)?;
    let estimate = alpha.estimate();
    let interval = estimate.and_then(|_| alpha.interval(options.bootstrap, 0.025, options.seed, context));
    Ok(LabelsReliability {
        tasks: labels.tasks.len(),
        labels: labels.len(),
        repeated: labels.repeated(context),
        classes: labels.classes.iter().map(str::to_owned).collect(),
        shares: shares(&patterns, labels),
        votes_per_task: votes_per_task(&patterns),
        scale: options.scale,
        alpha: estimate,
        alpha_low: interval.map(|(low, _)| low),
        alpha_high: interval.map(|(_, high)| high),
        fleiss_kappa: fleiss(&patterns, labels.classes.len()),
        workers: labels
            .workers
            .iter()
            .enumerate()
            .map(|(code, worker)| LabelWorker {
                worker: worker.to_owned(),
                labels: agreement.labels[code],
                agreement: agreement.of(code),
            })
            .collect(),
    })
}

fn shares(patterns: &Patterns, labels: &Labels) -> Vec<f64> {
    let mut totals = vec![0.0; labels.classes.len()];
    for (pattern, &tasks) in patterns.tasks().iter().enumerate() {
        for (class, votes) in patterns.votes(pattern) {
            totals[class] += tasks as f64 * votes;
        }
    }
    totals.iter().map(|total| total / labels.len() as f64).collect()
}

fn votes_per_task(patterns: &Patterns) -> Vec<VotesPerTask> {
    let mut found = std::collections::BTreeMap::new();
    for (pattern, &tasks) in patterns.tasks().iter().enumerate() {
        *found.entry(patterns.size(pattern)).or_insert(0) += tasks;
    }
    found.into_iter().map(|(votes, tasks)| VotesPerTask { votes, tasks }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroUsize;

    fn rows(n: usize) -> Vec<(String, String, String)> {
        (0..n)
            .map(|i| (format!("{}", (i * 31) % (n / 4 + 1)), format!("w{}", (i * 17) % 23), format!("{}", (i * i) % 5)))
            .collect()
    }

    fn table(rows: &[(String, String, String)]) -> Labels {
        Labels::from_rows(rows.iter().map(|(t, w, l)| (&t[..], &w[..], &l[..]))).unwrap()
    }

    #[test]
    fn agreement_is_the_mean_share_of_others_who_say_the_same() {
        let rows = rows(301);
        let labels = table(&rows);
        let found = inspect_labels(&labels, &LabelOptions::default(), &Context::new()).unwrap();
        for worker in &found.workers {
            let shares: Vec<f64> = rows
                .iter()
                .filter(|row| row.1 == worker.worker)
                .filter_map(|row| {
                    let others: Vec<_> = rows.iter().filter(|other| other.0 == row.0 && other.1 != row.1).collect();
                    let alike = others.iter().filter(|other| other.2 == row.2).count() as f64;
                    (!others.is_empty()).then(|| alike / others.len() as f64)
                })
                .collect();
            let expected = (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64);
            match (worker.agreement, expected) {
                (Some(found), Some(expected)) => assert!((found - expected).abs() < 1e-12),
                (found, expected) => assert_eq!(found, expected),
            }
            assert_eq!(worker.labels as usize, rows.iter().filter(|row| row.1 == worker.worker).count());
        }
    }

    #[test]
    fn threads_do_not_change_a_byte() {
        let labels = table(&rows(70_001));
        let one = inspect_labels(&labels, &LabelOptions::default(), &Context::new()).unwrap();
        for threads in [2, 3, 7] {
            let context = Context::new().with_threads(NonZeroUsize::new(threads).unwrap()).unwrap();
            assert_eq!(inspect_labels(&labels, &LabelOptions::default(), &context).unwrap(), one);
        }
    }

    #[test]
    fn counts_add_up() {
        let labels = table(&rows(1003));
        let found =
            inspect_labels(&labels, &LabelOptions { bootstrap: 10, ..Default::default() }, &Context::new()).unwrap();
        assert_eq!(found.votes_per_task.iter().map(|v| v.votes * v.tasks).sum::<u64>(), 1003);
        assert_eq!(found.votes_per_task.iter().map(|v| v.tasks).sum::<u64>() as usize, found.tasks);
        assert_eq!(found.workers.iter().map(|w| w.labels).sum::<u64>(), 1003);
        assert!((found.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(found.alpha_low.unwrap() <= found.alpha_high.unwrap());
    }

    #[test]
    fn nothing_to_inspect_is_an_error() {
        let none = Labels::from_rows([]).unwrap();
        assert!(inspect_labels(&none, &LabelOptions::default(), &Context::new()).is_err());
    }
}
