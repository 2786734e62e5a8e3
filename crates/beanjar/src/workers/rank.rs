use super::rank_outcome::{
    ComparedLabels, ComparedWorkers, RankWorkersOutcome, RankedWorker, SuspiciousPair, SuspiciousPairs,
};
use super::{
    AgreementMap, Information, JudgedWorkers, Keep, KeepRule, KeepTrial, Matrices, Missing, Ranking, Suspicion,
    Verdict, best_subset, elbow, goodness_of_fit, judge,
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
        let ballots = labels.ballots();
        Information::check(ballots)?;
        if !ballots.any_shared() {
            warnings.push(Warning::NothingShared);
        }
        let truth = known(self.truth.as_ref(), "truth", labels, &mut warnings)?;
        let compared = truth.map(|truth| compared(ballots, &truth));
        let ranked = if self.suspicious { 0.5 } else { 1.0 };
        let found = self.look(ballots, &context.part(0.0, 0.5 * ranked))?;
        let choice = self.choose(ballots, &found, &context.part(0.5 * ranked, ranked))?;
        let mut outcome = RankWorkersOutcome {
            keep: choice.keep,
            rule: choice.rule,
            elbow: elbow(&found.ranking.curve()),
            workers: found.rows(labels, &choice, compared.as_deref()),
            families: found.families(labels),
            truth: compared.as_ref().map(|workers| ComparedWorkers::of(workers, &choice.kept)),
            tried: choice.tried,
            goodness: None,
            suspicious: None,
            classes: Vec::new(),
            agreement: None,
            warnings,
        };
        if self.details {
            outcome.classes = labels.classes.iter().map(str::to_owned).collect();
            outcome.agreement = Some(AgreementMap::new(labels, context)?);
        }
        if self.suspicious {
            let context = context.part(ranked, 1.0);
            outcome.suspicious = Some(self.pairs(labels, &context.part(0.0, 0.8))?);
            outcome.goodness = Some(goodness(ballots, &context.part(0.8, 1.0))?);
        }
        Ok(outcome)
    }

    /// What the labels say of each worker.
    fn look(&self, ballots: &Ballots, context: &Context) -> Result<Found> {
        let (judged, confusion) = judge(ballots, self.details, &context.part(0.0, 0.8))?;
        let information = Information::new(ballots, self.missing, &context.part(0.8, 1.0))?;
        let ranking = Ranking::new(&information);
        Ok(Found { order: self.order(&judged, &ranking, ballots), judged, confusion, information, ranking })
    }

    /// Whom to keep.
    fn choose(&self, ballots: &Ballots, found: &Found, context: &Context) -> Result<Choice> {
        let good = || found.judged.workers.iter().map(|worker| !worker.verdict.is_bad()).collect::<Vec<bool>>();
        let (keep, rule, tried) = match self.keep {
            WorkersToKeep::Auto if self.by == KeepBy::Accuracy => {
                let kept = good();
                let keep = kept.iter().filter(|kept| **kept).count();
                return Ok(Choice { keep, rule: "verdict", tried: Vec::new(), kept });
            }
            WorkersToKeep::All => (ballots.workers(), "all", Vec::new()),
            WorkersToKeep::Number(n) => (n, "given", Vec::new()),
            WorkersToKeep::Auto => {
                let fit = Keep { rule: self.rule, missing: self.missing }.choose(ballots, context)?;
                (fit.keep, self.rule.name(), fit.tried)
            }
        };
        let mut kept = vec![false; ballots.workers()];
        let first = match self.by {
            KeepBy::Accuracy | KeepBy::Score => found.order.iter().copied().take(keep).collect(),
            KeepBy::Subset => best_subset(&found.information, keep)?.workers,
        };
        first.into_iter().for_each(|worker| kept[worker] = true);
        Ok(Choice { keep, rule, tried, kept })
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

/// What the labels say of each worker.
struct Found {
    judged: JudgedWorkers,
    confusion: Option<Matrices>,
    information: Information,
    ranking: Ranking,
    /// The workers as they are kept and shown.
    order: Vec<usize>,
}

/// Whom to keep, and what decided it.
struct Choice {
    keep: usize,
    rule: &'static str,
    tried: Vec<KeepTrial>,
    kept: Vec<bool>,
}

impl Found {
    /// A row for each worker, best first.
    fn rows(&self, labels: &Labels, choice: &Choice, compared: Option<&[ComparedLabels]>) -> Vec<RankedWorker> {
        let mut rank = vec![0; self.order.len()];
        self.ranking.order.iter().enumerate().for_each(|(place, &worker)| rank[worker] = place + 1);
        let name = |worker: usize| labels.workers.get(worker).to_owned();
        let row = |&worker: &usize| {
            let found = &self.judged.workers[worker];
            let copies = match found.verdict {
                Verdict::Copies(source) => Some(name(source)),
                _ => None,
            };
            RankedWorker {
                worker: name(worker),
                labels: self.information.labelled(worker),
                score: self.ranking.scores[worker],
                rank: rank[worker],
                kept: choice.kept[worker],
                verdict: found.verdict.in_words(copies.as_deref()),
                accuracy: found.accuracy,
                accuracy_low: found.low,
                accuracy_high: found.high,
                // A share that is added up from weights may come out above one in the last digit.
                most_given: found.most_given.min(1.0),
                copies,
                confusion: self.confusion.as_ref().map(|matrices| matrices[worker].clone()),
                truth: compared.map(|workers| workers[worker]),
            }
        };
        self.order.iter().map(row).collect()
    }

    /// The groups that copy one another, by their ids.
    fn families(&self, labels: &Labels) -> Vec<Vec<String>> {
        let name = |&worker: &usize| labels.workers.get(worker).to_owned();
        self.judged.families.iter().map(|members| members.iter().map(name).collect()).collect()
    }
}

/// How far the classes of a model explain what workers have in common.
fn goodness(ballots: &Ballots, context: &Context) -> Result<f64> {
    let (evidence, fitting) = (Evidence::votes(ballots)?, context.part(0.0, 0.5));
    let posterior = match too_many_for_tables(ballots.classes(), ballots.len()) {
        true => Wawa.fit(&evidence, &fitting)?.posterior,
        false => Skilled::default().fit(&evidence, &fitting)?.posterior,
    };
    goodness_of_fit(ballots, &posterior, &context.part(0.5, 1.0))
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
