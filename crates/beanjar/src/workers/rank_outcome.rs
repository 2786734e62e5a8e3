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
    /// How often each two workers agree, if details were asked for.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub agreement: Option<AgreementMap>,
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
