use super::rank_outcome::{
    ComparedLabels, ComparedWorkers, RankWorkersOutcome, RankedWorker, SuspiciousPair, SuspiciousPairs,
};
use super::{
    AgreementMap, Information, JudgedWorkers, Keep, KeepRule, Missing, Ranking, Suspicion, Verdict, best_subset, elbow,
    goodness_of_fit, judge,
};
use crate::judgments::{Ballots, Column, Labels, Repeats};
use crate::truth::{Evidence, Skilled, Wawa, known, too_many_for_tables};
use crate::{Context, Error, Result, Warning};

/// Says what each worker is, with the evidence, and whom to keep.
///
/// Each worker gets a [`Verdict`] and a chance-corrected accuracy with an interval
/// ([`judge_workers`](super::judge_workers)), and a score, the mutual information between their labels and the others'
/// ([`Information`]).
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `keep` | how many workers to keep | all but those whose verdict is bad | |
/// | `by` | by what workers are sorted and kept | [`KeepBy::Accuracy`] | |
/// | `rule` | by what the number is chosen, if not by accuracy | [`KeepRule::Predictive`] | |
/// | `missing` | what becomes of tasks that one of two workers did not label | [`Missing::Paper`] | |
/// | `repeats` | what becomes of labels that a worker gave to the same task twice | averaged | |
/// | `suspicious` | whether to look for pairs that depend on one another | no | |
/// | `details` | whether the outcome has what a report draws: confusion matrices, how often each two workers agree | no | |
/// | `truth` | true labels that the workers' are only compared with | none | tasks among those labelled |
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
#[derive(Clone, Debug, PartialEq)]
pub struct RankWorkers {
    /// How many workers to keep.
    pub keep: WorkersToKeep,
    /// By what the number is chosen, if workers are not kept by accuracy.
    pub rule: KeepRule,
    /// What becomes of tasks that one of two workers did not label.
    pub missing: Missing,
    /// By what workers are sorted and kept.
    pub by: KeepBy,
    /// What becomes of labels that a worker gave to the same task more than once. What two workers have in common, and so
    /// score and verdict, is by the first of labels that differ.
    pub repeats: Repeats,
    /// Whether to look for pairs of workers whose labels depend on one another beyond what the tasks explain.
    pub suspicious: bool,
    /// Whether the outcome has what a report draws: confusion matrices, and how often each two workers agree.
    pub details: bool,
    /// True labels that the workers' are compared with. They change nothing else.
    pub truth: Option<Column>,
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
            repeats: Repeats::default(),
            suspicious: false,
            details: false,
            truth: None,
            false_discovery_rate: 0.05,
        }
    }
}

/// How many workers to keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkersToKeep {
    /// By accuracy, all but those whose verdict is bad ([`Verdict::is_bad`]); else as many as the rule chooses.
    #[default]
    Auto,
    /// All.
    All,
    /// This many.
    Number(usize),
}

/// By what workers are sorted and kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeepBy {
    /// The lower bound of the chance-corrected accuracy, so that one unlucky label makes nobody the worst.
    #[default]
    Accuracy,
    /// The sum of information with all others (the paper's heuristic b).
    Score,
    /// The same order; those are kept who have the largest sum of information among themselves (heuristic a).
    Subset,
}

impl RankWorkers {
    /// Ranks the workers.
    pub fn fit(&self, labels: &Labels, context: &Context) -> Result<RankWorkersOutcome> {
        if labels.is_empty() {
            return Err(Error::Empty("label"));
        }
        self.check()?;
        if let WorkersToKeep::Number(asked) = self.keep
            && asked > labels.workers.len()
        {
            return Err(Error::FewWorkers { asked, workers: labels.workers.len() });
        }
        let mut warnings = Vec::new();
        let labels = labels.with_repeats(self.repeats, context, &mut warnings);
        let labels = labels.as_ref();
        let (ballots, everyone) = (labels.ballots(), labels.workers.len());
        Information::check(ballots)?;
        if !ballots.any_shared() {
            warnings.push(Warning::NothingShared);
        }
        let truth = known(self.truth.as_ref(), "truth", labels, &mut warnings)?;
        let compared = truth.map(|truth| compared(ballots, &truth));
        let ranked = if self.suspicious { 0.5 } else { 1.0 };
        let (judged, confusion) = judge(ballots, self.details, &context.part(0.0, 0.4 * ranked))?;
        let information = Information::new(ballots, self.missing, &context.part(0.4 * ranked, 0.5 * ranked))?;
        let ranking = Ranking::new(&information);
        let order = self.order(&judged, &ranking, ballots);
        let (keep, rule, tried) = match self.keep {
            WorkersToKeep::All => (everyone, "all", Vec::new()),
            WorkersToKeep::Number(n) => (n, "given", Vec::new()),
            WorkersToKeep::Auto if self.by == KeepBy::Accuracy => {
                (judged.workers.iter().filter(|worker| !worker.verdict.is_bad()).count(), "verdict", Vec::new())
            }
            WorkersToKeep::Auto => {
                let keep = Keep { rule: self.rule, missing: self.missing };
                let fit = keep.choose(ballots, &context.part(0.5 * ranked, ranked))?;
                (fit.keep, self.rule.name(), fit.tried)
            }
        };
        let kept: Vec<bool> = match self.by {
            KeepBy::Accuracy if rule == "verdict" => {
                judged.workers.iter().map(|found| !found.verdict.is_bad()).collect()
            }
            KeepBy::Accuracy | KeepBy::Score => {
                let mut kept = vec![false; everyone];
                order.iter().take(keep).for_each(|&worker| kept[worker] = true);
                kept
            }
            KeepBy::Subset => {
                let subset = best_subset(&information, keep)?.workers;
                (0..everyone).map(|worker| subset.binary_search(&worker).is_ok()).collect()
            }
        };
        let mut rank = vec![0; everyone];
        ranking.order.iter().enumerate().for_each(|(place, &worker)| rank[worker] = place + 1);
        let name = |worker: usize| labels.workers.get(worker).to_owned();
        let row = |&worker: &usize| {
            let found = &judged.workers[worker];
            let copies = match found.verdict {
                Verdict::Copies(source) => Some(name(source)),
                _ => None,
            };
            RankedWorker {
                worker: name(worker),
                labels: information.labelled(worker),
                score: ranking.scores[worker],
                rank: rank[worker],
                kept: kept[worker],
                verdict: found.verdict.in_words(copies.as_deref()),
                accuracy: found.accuracy,
                accuracy_low: found.low,
                accuracy_high: found.high,
                // A share that is added up from weights may come out above one in the last digit.
                most_given: found.most_given.min(1.0),
                copies,
                confusion: confusion.as_ref().map(|matrices| matrices[worker].clone()),
                truth: compared.as_ref().map(|workers| workers[worker]),
            }
        };
        let family = |members: &Vec<usize>| members.iter().map(|&worker| name(worker)).collect();
        let mut outcome = RankWorkersOutcome {
            keep,
            rule,
            elbow: elbow(&ranking.curve()),
            tried,
            workers: order.iter().map(row).collect(),
            families: judged.families.iter().map(family).collect(),
            goodness: None,
            suspicious: None,
            classes: Vec::new(),
            agreement: None,
            truth: compared.as_ref().map(|workers| ComparedWorkers::of(workers, &kept)),
            warnings,
        };
        if self.details {
            outcome.classes = labels.classes.iter().map(str::to_owned).collect();
            outcome.agreement = Some(AgreementMap::new(labels, context)?);
        }
        if self.suspicious {
            let context = context.part(ranked, 1.0);
            outcome.suspicious = Some(self.pairs(labels, &context.part(0.0, 0.8))?);
            let (evidence, fitting) = (Evidence::votes(ballots)?, context.part(0.8, 0.9));
            let posterior = match too_many_for_tables(ballots.classes(), ballots.len()) {
                true => Wawa.fit(&evidence, &fitting)?.posterior,
                false => Skilled::default().fit(&evidence, &fitting)?.posterior,
            };
            outcome.goodness = Some(goodness_of_fit(ballots, &posterior, &context.part(0.9, 1.0))?);
        }
        Ok(outcome)
    }

    /// The workers in the order in which they are kept and shown.
    fn order(&self, judged: &JudgedWorkers, ranking: &Ranking, ballots: &Ballots) -> Vec<usize> {
        if self.by != KeepBy::Accuracy {
            return ranking.order.clone();
        }
        let mut order: Vec<usize> = (0..judged.workers.len()).collect();
        order.sort_by(|&i, &j| {
            let (a, b) = (&judged.workers[i], &judged.workers[j]);
            // Copies tell nothing new, whatever their accuracy.
            let copies = |verdict| matches!(verdict, Verdict::Copies(_));
            let new = copies(a.verdict).cmp(&copies(b.verdict));
            // Seven digits, for rounding differs with the order of rows; of equals, ids decide.
            let by = |x: f64, y: f64| (y as f32).total_cmp(&(x as f32));
            let ids = ballots.worker_key(i).cmp(&ballots.worker_key(j));
            new.then(by(a.low, b.low)).then(by(a.accuracy, b.accuracy)).then(ids)
        });
        order
    }

    /// Whether all parameters are in their ranges.
    pub fn check(&self) -> Result<()> {
        let refuse = |name, value: String, range| Err(Error::OutOfRange { name, value, range });
        match self.keep {
            WorkersToKeep::Number(0) => refuse("the number of workers to keep", "0".into(), "1 or more"),
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

/// Of each worker the labels on tasks whose class is known, and how many of them are right.
fn compared(ballots: &Ballots, truth: &[Option<u16>]) -> Vec<ComparedLabels> {
    let mut workers = vec![ComparedLabels::default(); ballots.workers()];
    for (task, class) in truth.iter().enumerate() {
        let Some(class) = class.map(usize::from) else { continue };
        for (worker, label) in ballots.votes(task).iter() {
            workers[worker].count(label == class);
        }
    }
    workers
}

#[cfg(test)]
mod tests;
