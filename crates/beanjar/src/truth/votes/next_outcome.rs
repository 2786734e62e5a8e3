use crate::Warning;

/// The questions to ask next.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct NextVotesOutcome {
    /// How many tasks there are, those without a vote too.
    pub tasks: usize,
    /// How many votes there are; those of one worker on one task are one.
    pub votes: usize,
    /// How many tasks have a label with a probability above 0.95.
    pub settled: usize,
    /// The share of labels expected to be right now.
    pub accuracy: f64,
    /// The share expected to be right once the questions are answered.
    pub accuracy_after: f64,
    /// What the answers cost.
    pub price: f64,
    /// Whether to stop, if that was asked.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub stop: Option<StopVotes>,
    /// The questions, those that gain most first.
    #[cfg_attr(feature = "serde", serde(rename = "ask"))]
    pub questions: Vec<NextQuestion>,
    /// What a user should know.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub warnings: Vec<Warning>,
}

/// Whether to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct StopVotes {
    /// The expected accuracy to reach.
    pub accuracy: f64,
    /// Whether it is reached already; then there is no question.
    pub reached: bool,
}

/// A question to ask.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct NextQuestion {
    /// About which task.
    pub task: String,
    /// Whom; none for anyone.
    pub worker: Option<String>,
    /// The most probable class so far; none without a vote.
    pub label: Option<String>,
    /// Its probability.
    pub confidence: Option<f64>,
    /// How many votes the task has.
    pub votes: usize,
    /// How much more probable the task's label is expected to be for this vote.
    pub gain: f64,
}
