use super::{AgreementMap, KeepTrial, WorkerPair};
use crate::Warning;

/// What each worker is, and whom to keep.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RankWorkersOutcome {
    /// How many are kept.
    pub keep: usize,
    /// What decided that: `verdict`, a rule's name, `all`, or `given`.
    pub rule: &'static str,
    /// Where the elbow of the curve of scores is: how many workers come before its flat tail.
    pub elbow: usize,
    /// The numbers of workers tried, where a rule chose by trials.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub tried: Vec<KeepTrial>,
    /// The workers, best first.
    pub workers: Vec<RankedWorker>,
    /// Groups of workers who copy one another, the one with the most labels first.
    pub families: Vec<Vec<String>>,
    /// The information between workers that the classes leave, if pairs were looked for.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub goodness: Option<f64>,
    /// The pairs that depend on one another, if they were looked for.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub suspicious: Option<SuspiciousPairs>,
    /// The classes, in the order of the confusion matrices, if details were asked for.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub classes: Vec<String>,
    /// How often each two workers agree, if details were asked for.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub agreement: Option<AgreementMap>,
    /// The labels of all held against the truth, if there is one.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub truth: Option<ComparedWorkers>,
    /// What a user should know.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub warnings: Vec<Warning>,
}

/// One worker's place.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RankedWorker {
    /// The worker's id.
    pub worker: String,
    /// How many tasks they labelled.
    pub labels: usize,
    /// The mutual information between their labels and those of each other worker, summed; in nats.
    pub score: f64,
    /// Their place by score, from 1.
    pub rank: usize,
    /// Whether they are kept.
    pub kept: bool,
    /// What they are, in plain words.
    pub verdict: String,
    /// Chance-corrected accuracy: 1 if always right, 0 if labels have nothing to do with the tasks, below 0 if they avoid
    /// the truth.
    pub accuracy: f64,
    /// The interval that holds the accuracy with 95 percent probability.
    pub accuracy_low: f64,
    /// Its upper end.
    pub accuracy_high: f64,
    /// The share of the label that they give most.
    pub most_given: f64,
    /// Whom they copy, if anybody.
    pub copies: Option<String>,
    /// P(label | class), class by class, as the others see the classes of the worker's tasks; if details were asked for,
    /// and classes and workers are few enough.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub confusion: Option<Vec<Vec<f64>>>,
    /// Their labels held against the truth, if there is one.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub truth: Option<ComparedLabels>,
}

/// Labels on tasks whose true label is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ComparedLabels {
    /// How many there are.
    pub labels: usize,
    /// How many are the true one.
    pub right: usize,
    /// The share that is the true one; none without a label.
    pub accuracy: Option<f64>,
}

impl ComparedLabels {
    /// Counts one label more.
    pub(super) fn count(&mut self, right: bool) {
        self.add(ComparedLabels { labels: 1, right: usize::from(right), accuracy: None });
    }

    fn add(&mut self, more: ComparedLabels) {
        self.labels += more.labels;
        self.right += more.right;
        self.accuracy = (self.labels > 0).then(|| self.right as f64 / self.labels as f64);
    }
}

/// The labels of those who are kept and of the others, on tasks whose true label is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ComparedWorkers {
    /// Of those who are kept.
    pub kept: ComparedLabels,
    /// Of the others.
    pub others: ComparedLabels,
}

impl ComparedWorkers {
    pub(super) fn of(workers: &[ComparedLabels], kept: &[bool]) -> Self {
        let mut sums = ComparedWorkers::default();
        for (labels, &kept) in workers.iter().zip(kept) {
            if kept { sums.kept.add(*labels) } else { sums.others.add(*labels) }
        }
        sums
    }
}

/// Pairs of workers who depend on one another beyond what the tasks explain.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SuspiciousPairs {
    /// How many pairs share enough tasks to be looked at.
    pub looked_at: usize,
    /// Those that stand out, the most suspicious first.
    pub pairs: Vec<SuspiciousPair>,
}

/// Two workers by name, and how far their labels depend on one another.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SuspiciousPair {
    /// Their ids.
    pub workers: [String; 2],
    /// Their labels compared.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub pair: WorkerPair,
}
