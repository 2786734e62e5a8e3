use super::super::effective::effective_votes;
use super::candidate::Model;
use crate::judgments::{Ballots, as_one};
use crate::warning::counted;

/// How the candidates of [`Auto`](super::Auto) were weighed, and what known answers taught.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AutoSummary {
    /// How many held-out labels the candidates were weighed by.
    pub held_out: usize,
    /// Whether the answer is the plain vote, because nothing predicts held-out labels better.
    pub plain_vote: bool,
    /// By how many standard errors the models predict held-out labels better than the plain vote does; none if labels of
    /// fewer than two tasks could be held out.
    pub gain: Option<f64>,
    /// The candidates and their weights, the plain vote last.
    pub candidates: Vec<CandidateWeight>,
    /// The weight of reading votes as copies of one another (a linear pool), beside reading them as independent.
    pub pool: f64,
    /// The correlation left between two votes on a task once its class is known: 0 for independent votes, 1 for copies.
    pub correlation: f64,
    /// How many independent votes a task's votes are worth, on average.
    pub effective_votes: f64,
    /// Workers who are copies of one another and vote as one, by number.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub families: Vec<Vec<usize>>,
    /// What known answers taught.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub known: Option<KnownSummary>,
}

/// One of the candidates.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CandidateWeight {
    /// What it is, in words.
    pub candidate: String,
    /// Its weight, by Bayes' rule and by its pool together.
    pub weight: f64,
}

/// What known answers taught.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct KnownSummary {
    /// How many answers of tasks with votes were known.
    pub answers: usize,
    /// The power to which probabilities were raised: below 1, answers were too sure.
    pub sharpness: f64,
    /// What was added to the logarithm of each class's probability.
    pub shift: Vec<f64>,
    /// The power of the shares of the votes beside them: above 0, the plain vote was righter than the models were sure.
    pub vote_power: f64,
}

/// The candidates in words, with the weights of their two ways of reading added up.
pub(super) fn candidates(models: &[Model], weights: &[f64]) -> Vec<CandidateWeight> {
    let n = models.len();
    let of = |(number, model): (usize, &Model)| CandidateWeight {
        candidate: model.in_words(),
        weight: weights[number] + weights[n + number],
    };
    let plain = CandidateWeight { candidate: "the plain vote".into(), weight: weights[2 * n] };
    models.iter().enumerate().map(of).chain([plain]).collect()
}

/// The mean over tasks that have votes.
pub(super) fn mean_effective_votes(ballots: &Ballots, correlation: f64) -> f64 {
    let votes = (0..ballots.tasks()).map(|task| ballots.votes(task).opinions()).filter(|&votes| votes > 0.0);
    let (sum, tasks) =
        votes.fold((0.0, 0.0), |(sum, tasks), votes| (sum + effective_votes(votes, correlation), tasks + 1.0));
    sum / f64::max(tasks, 1.0)
}

impl AutoSummary {
    /// Of labels that go by one thing, with no label held out.
    pub(super) fn of_one(candidate: &str, plain_vote: bool, correlation: f64, ballots: &Ballots) -> Self {
        AutoSummary {
            held_out: 0,
            plain_vote,
            gain: None,
            candidates: vec![CandidateWeight { candidate: candidate.into(), weight: 1.0 }],
            pool: 0.0,
            correlation,
            effective_votes: mean_effective_votes(ballots, correlation),
            families: Vec::new(),
            known: None,
        }
    }

    /// Of each task, how many independent votes its votes are worth: n / (1 + (n - 1) correlation).
    pub(in crate::truth) fn effective_votes(&self, ballots: &Ballots) -> Vec<f64> {
        let together = (!self.families.is_empty()).then(|| as_one(ballots, &self.families));
        let ballots = together.as_ref().unwrap_or(ballots);
        let votes = |task: usize| effective_votes(ballots.votes(task).opinions(), self.correlation);
        (0..ballots.tasks()).map(votes).collect()
    }

    /// What was done, in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        match (self.plain_vote, self.gain) {
            (true, None) => {
                "labels are the plain vote: too few tasks have labels to spare, so nothing could be checked".into()
            }
            (true, Some(_)) => format!(
                "labels are the plain vote: no model of the workers predicts {} better",
                counted(self.held_out, "held-out label")
            ),
            (false, None) => {
                "votes count by how often their worker agrees with the others: there are too many classes to learn more"
                    .into()
            }
            (false, Some(_)) => {
                let labels = counted(self.held_out, "held-out label");
                format!("workers count by how good they are, as {labels} bear out")
            }
        }
    }

    /// What the labels go by, and how much of each, the most first: candidates that differ in their class prior together.
    #[must_use]
    pub fn shares(&self) -> Vec<CandidateWeight> {
        let mut parts: Vec<CandidateWeight> = Vec::new();
        for CandidateWeight { candidate, weight } in &self.candidates {
            let candidate = in_words(candidate);
            match parts.iter_mut().find(|part| part.candidate == candidate) {
                Some(part) => part.weight += weight,
                None => parts.push(CandidateWeight { candidate, weight: *weight }),
            }
        }
        parts.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        parts
    }
}

/// What a candidate takes into account, whatever its class prior.
fn in_words(candidate: &str) -> String {
    match candidate.split(',').next().unwrap_or_default() {
        "one kind of tasks" => "each worker's mistakes".into(),
        "easy and hard tasks" => "their mistakes on easy and on hard tasks".into(),
        "the plain vote" => "the plain vote".into(),
        other => other.to_owned(),
    }
}
