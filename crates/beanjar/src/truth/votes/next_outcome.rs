use crate::warning::money;
use crate::{Warning, counted};

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

impl NextVotesOutcome {
    /// What there is, in a sentence.
    #[must_use]
    pub fn headline(&self) -> String {
        format!(
            "{} with {}, {} settled (above 0.95). Expected to be right: {:.3} of the labels.",
            counted(self.tasks, "task"),
            counted(self.votes, "vote"),
            self.settled,
            self.accuracy
        )
    }

    /// What to do, in sentences: whether to stop, and what the questions are expected to come to.
    #[must_use]
    pub fn advice(&self) -> Vec<String> {
        let stop = self.stop.map(|stop| match (stop.reached, self.accuracy_after >= stop.accuracy) {
            (true, _) => format!("That is {} or more: stop asking.", stop.accuracy),
            (false, true) => format!("These questions are expected to reach {}.", stop.accuracy),
            (false, false) => format!("Not yet {}: ask these, then run this again.", stop.accuracy),
        });
        let asked = (!self.questions.is_empty()).then(|| {
            format!(
                "{} to ask, for {}; {:.3} of the labels are then expected to be right.",
                counted(self.questions.len(), "question"),
                money(self.price),
                self.accuracy_after
            )
        });
        [stop, asked].into_iter().flatten().collect()
    }
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
