use super::{
    Information, Keep, KeepRule, KeepTrial, Missing, Ranking, Suspicion, WorkerPair, best_subset, elbow,
    goodness_of_fit,
};
use crate::judgments::Labels;
use crate::truth::{Evidence, Skilled};
use crate::{Context, Error, Result, Warning};

/// Ranks workers by the mutual information between their labels and the others', and says whom to keep.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `keep` | how many workers to keep | chosen by `rule` | |
/// | `rule` | by what the number is chosen | [`KeepRule::Predictive`] | |
/// | `missing` | what becomes of tasks that one of two workers did not label | [`Missing::Paper`] | |
/// | `by` | whom to keep, once it is known how many | [`KeepBy::Score`] | |
/// | `suspicious` | whether to look for pairs that depend on one another | no | |
/// | `false_discovery_rate` | pairs with an adjusted p-value up to this are listed | 0.05 | above 0, at most 1 |
///
/// ```
/// use beanjar::{Context, Labels, RankWorkers, workers::WorkersToKeep};
///
/// let labels = Labels::from_rows([
///     ("1", "ann", "x"), ("1", "bob", "x"), ("1", "cy", "x"),
///     ("2", "ann", "y"), ("2", "bob", "y"), ("2", "cy", "x"),
///     ("3", "ann", "x"), ("3", "bob", "x"), ("3", "cy", "x"),
/// ])?;
/// let rank = RankWorkers { keep: WorkersToKeep::Number(2), ..RankWorkers::default() };
/// let outcome = rank.fit(&labels, &Context::new())?;
/// assert_eq!(outcome.workers[2].worker, "cy");
/// assert!(!outcome.workers[2].kept);
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankWorkers {
    /// How many workers to keep.
    pub keep: WorkersToKeep,
    /// By what the number is chosen.
    pub rule: KeepRule,
    /// What becomes of tasks that one of two workers did not label.
    pub missing: Missing,
    /// Whom to keep, once it is known how many.
    pub by: KeepBy,
    /// Whether to look for pairs of workers whose labels depend on one another beyond what the tasks explain.
    pub suspicious: bool,
    /// Pairs with an adjusted p-value up to this are listed: of those listed, at most this share is expected to be
    /// independent.
    pub false_discovery_rate: f64,
}

impl Default for RankWorkers {
    fn default() -> Self {
        RankWorkers {
            keep: WorkersToKeep::Auto,
            rule: KeepRule::default(),
            missing: Missing::default(),
            by: KeepBy::default(),
            suspicious: false,
            false_discovery_rate: 0.05,
        }
    }
}

/// How many workers to keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WorkersToKeep {
    /// As many as the rule chooses.
    #[default]
    Auto,
    /// All.
    All,
    /// This many.
    Number(usize),
}

/// Whom to keep, once it is known how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeepBy {
    /// Those with the largest sums of information with all others.
    #[default]
    Score,
    /// The subset with the largest sum of information within it.
    Subset,
}

/// The workers from the most to the least informative, and whom to keep.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RankWorkersOutcome {
    /// How many are kept.
    pub keep: usize,
    /// What decided that: a rule's name, `all`, or `given`.
    pub rule: &'static str,
    /// Where the elbow of the curve of scores is: how many workers come before its flat tail.
    pub elbow: usize,
    /// The numbers of workers tried, where a rule chose by trials.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub tried: Vec<KeepTrial>,
    /// The workers, best first.
    pub workers: Vec<RankedWorker>,
    /// The information between workers that the classes leave, if pairs were looked for.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub goodness: Option<f64>,
    /// The pairs that depend on one another, if they were looked for.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub suspicious: Option<SuspiciousPairs>,
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
    /// Their place, from 1.
    pub rank: usize,
    /// Whether they are kept.
    pub kept: bool,
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

impl RankWorkers {
    /// Ranks the workers.
    pub fn fit(&self, labels: &Labels, context: &Context) -> Result<RankWorkersOutcome> {
        if labels.is_empty() {
            return Err(Error::Empty("label"));
        }
        self.check(labels.workers.len())?;
        let (ballots, everyone) = (labels.ballots(), labels.workers.len());
        let mut warnings = Vec::new();
        let repeated = labels.repeated(context);
        if repeated > 0 {
            let what = if repeated == 1 { "label" } else { "labels" };
            warnings.push(Warning::Repeated { count: repeated, what, rule: "the first counts" });
        }
        let ranked = if self.suspicious { 0.5 } else { 1.0 };
        let information = Information::new(ballots, self.missing, &context.part(0.0, 0.1 * ranked))?;
        let ranking = Ranking::new(&information);
        let (keep, rule, tried) = match self.keep {
            WorkersToKeep::All => (everyone, "all", Vec::new()),
            WorkersToKeep::Number(n) => (n, "given", Vec::new()),
            WorkersToKeep::Auto => {
                let keep = Keep { rule: self.rule, missing: self.missing };
                let fit = keep.choose(ballots, &context.part(0.1 * ranked, ranked))?;
                (fit.keep, self.rule.name(), fit.tried)
            }
        };
        let kept = match self.by {
            KeepBy::Score => ranking.top(keep),
            KeepBy::Subset => {
                let subset = best_subset(&information, keep)?.workers;
                (0..everyone).map(|worker| subset.binary_search(&worker).is_ok()).collect()
            }
        };
        let row = |(rank, &worker): (usize, &usize)| RankedWorker {
            worker: labels.workers.get(worker).to_owned(),
            labels: information.labelled(worker),
            score: ranking.scores[worker],
            rank: rank + 1,
            kept: kept[worker],
        };
        let mut outcome = RankWorkersOutcome {
            keep,
            rule,
            elbow: elbow(&ranking.curve()),
            tried,
            workers: ranking.order.iter().enumerate().map(row).collect(),
            goodness: None,
            suspicious: None,
            warnings,
        };
        if self.suspicious {
            let context = context.part(ranked, 1.0);
            outcome.suspicious = Some(self.pairs(labels, &context.part(0.0, 0.8))?);
            let posterior = Skilled::default().fit(&Evidence::votes(ballots)?, &context.part(0.8, 0.9))?.posterior;
            outcome.goodness = Some(goodness_of_fit(ballots, &posterior, &context.part(0.9, 1.0))?);
        }
        Ok(outcome)
    }

    fn check(&self, workers: usize) -> Result<()> {
        let refuse = |name, value: String, range| Err(Error::OutOfRange { name, value, range });
        match self.keep {
            WorkersToKeep::Number(0) => refuse("the number of workers to keep", "0".into(), "1 or more"),
            WorkersToKeep::Number(asked) if asked > workers => Err(Error::FewWorkers { asked, workers }),
            _ if !(self.false_discovery_rate > 0.0 && self.false_discovery_rate <= 1.0) => {
                let value = self.false_discovery_rate.to_string();
                refuse("the false discovery rate", value, "above 0 and at most 1")
            }
            _ => Ok(()),
        }
    }

    /// The pairs that stand out.
    fn pairs(&self, labels: &Labels, context: &Context) -> Result<SuspiciousPairs> {
        let all = Suspicion::default().pairs(labels.ballots(), context)?;
        let name = |worker: usize| labels.workers.get(worker).to_owned();
        let looked_at = all.len();
        let pairs = all.into_iter().take_while(|pair| pair.adjusted <= self.false_discovery_rate);
        let pairs = pairs.map(|pair| SuspiciousPair { workers: [name(pair.one), name(pair.other)], pair });
        Ok(SuspiciousPairs { looked_at, pairs: pairs.collect() })
    }
}

#[cfg(test)]
mod tests;
