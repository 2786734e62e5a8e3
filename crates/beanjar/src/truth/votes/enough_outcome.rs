use crate::warning::money;
use crate::{Warning, counted};

/// What to expect of 1, 2, 3, ... votes per task, and how many are enough.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct EnoughVotesOutcome {
    /// How many tasks have votes.
    pub tasks: usize,
    /// How many votes there are; those of one worker on one task are one.
    pub votes: usize,
    /// How many votes a task has, on average.
    pub votes_per_task: f64,
    /// How many of the tasks the figures are from.
    pub sampled_tasks: usize,
    /// How many known answers the accuracies were corrected by.
    pub known_answers: usize,
    /// The price of a vote.
    pub cost: f64,
    /// What a corrected label is worth, in the same money.
    pub worth: f64,
    /// What the votes there are come to.
    pub now: VotesNow,
    /// The fewest votes per task after which further ones cost more than the labels they correct are worth; none if they still
    /// pay at the end of the curve.
    pub stops_paying: Option<usize>,
    /// What the accuracy that was asked for takes.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub target: Option<TargetVotes>,
    /// What to expect, by rising numbers of votes.
    pub curve: Vec<VotesRow>,
    /// What a user should know.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub warnings: Vec<Warning>,
}

impl EnoughVotesOutcome {
    /// How many votes there are and what they come to, in a sentence.
    #[must_use]
    pub fn headline(&self) -> String {
        let VotesNow { accuracy, accuracy_low, accuracy_high } = self.now;
        let percent = |share: f64| format!("{:.1}%", 100.0 * share);
        format!(
            "{} with {} ({:.1} a task): {} of labels are expected to be right ({} to {}).",
            counted(self.tasks, "task"),
            counted(self.votes, "vote"),
            self.votes_per_task,
            percent(accuracy),
            percent(accuracy_low),
            percent(accuracy_high)
        )
    }

    /// What to do, in sentences: up to where votes pay, and what the accuracy that was asked for takes; then what the
    /// figures are from.
    #[must_use]
    pub fn advice(&self) -> Vec<String> {
        let (most, worth) = (self.curve.last().map_or(0, |row| row.votes), money(self.worth));
        let pays = match self.stops_paying {
            Some(votes) => format!(
                "Votes pay up to {votes} a task: beyond, to correct a label costs more than it is worth ({worth})."
            ),
            None => format!("Votes still pay at {most} a task, where a corrected label is worth {worth}."),
        };
        let known = self.known_answers;
        let corrected = (known > 0).then(|| format!("Corrected by {}.", counted(known, "known answer")));
        let sampled = (self.sampled_tasks < self.tasks)
            .then(|| format!("Figures are from {} of the tasks, drawn by the seed.", self.sampled_tasks));
        let target = self.target.map(|target| target.sentence(most));
        [Some(pays), target, corrected, sampled].into_iter().flatten().collect()
    }
}

/// What the votes there are come to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct VotesNow {
    /// The share of labels expected to be right.
    pub accuracy: f64,
    /// The lower end of its band.
    pub accuracy_low: f64,
    /// The upper end.
    pub accuracy_high: f64,
}

/// What to expect of a number of votes per task.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct VotesRow {
    /// How many votes each task has.
    pub votes: usize,
    /// The share of tasks that have as many, where votes were left out; of the others the models drew some.
    pub measured: f64,
    /// The share of labels expected to be right.
    pub accuracy: f64,
    /// The lower end of its band: workers who share their errors.
    pub accuracy_low: f64,
    /// The upper end: workers who err independently.
    pub accuracy_high: f64,
    /// The share of tasks that as many other votes would give the same label.
    pub agreement: f64,
    /// The lower end of its band.
    pub agreement_low: f64,
    /// The upper end.
    pub agreement_high: f64,
    /// The expected calibration error, how far confidence is from the share that is right: on average over the band of
    /// accuracy.
    pub ece: f64,
    /// The lower end of its band.
    pub ece_low: f64,
    /// The upper end: where accuracy is at an end of its own.
    pub ece_high: f64,
    /// How much accuracy the next vote on every task would gain; none at the end.
    pub gain: Option<f64>,
    /// What all votes cost, had none been bought.
    pub price: f64,
    /// What the votes cost that are still to be bought.
    pub price_of_more: f64,
}

/// What an accuracy takes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TargetVotes {
    /// The accuracy.
    pub accuracy: f64,
    /// How many votes per task are expected to reach it; none if no number in the curve is.
    pub votes: Option<usize>,
    /// How many reach it at the lower end of the band.
    pub votes_if_errors_are_shared: Option<usize>,
    /// How many reach it at the upper end.
    pub votes_if_errors_are_independent: Option<usize>,
    /// What all votes cost, had none been bought.
    pub price: Option<f64>,
    /// What the votes cost that are still to be bought.
    pub price_of_more: Option<f64>,
}

impl TargetVotes {
    pub(super) fn of(accuracy: f64, curve: &[VotesRow]) -> Self {
        let first = |figure: fn(&VotesRow) -> f64| curve.iter().find(|row| figure(row) >= accuracy);
        let reached = first(|row| row.accuracy);
        TargetVotes {
            accuracy,
            votes: reached.map(|row| row.votes),
            votes_if_errors_are_shared: first(|row| row.accuracy_low).map(|row| row.votes),
            votes_if_errors_are_independent: first(|row| row.accuracy_high).map(|row| row.votes),
            price: reached.map(|row| row.price),
            price_of_more: reached.map(|row| row.price_of_more),
        }
    }
    /// The same as a sentence, where the curve goes up to `most` votes.
    fn sentence(&self, most: usize) -> String {
        let votes = |votes: Option<usize>| votes.map_or(format!("more than {most}"), |votes| votes.to_string());
        let band = format!(
            "{} if workers err independently, {} if they share their errors",
            votes(self.votes_if_errors_are_independent),
            votes(self.votes_if_errors_are_shared)
        );
        let accuracy = self.accuracy;
        match (self.votes, self.price, self.price_of_more) {
            (Some(votes), Some(price), Some(more)) => format!(
                "An accuracy of {accuracy} is expected with {} a task ({band}): {} in all, {} still to pay.",
                counted(votes, "vote"),
                money(price),
                money(more)
            ),
            _ => format!(
                "An accuracy of {accuracy} is not expected with any number of votes up to {most} ({band}): ask other \
                 workers, or make the question clearer."
            ),
        }
    }
}
