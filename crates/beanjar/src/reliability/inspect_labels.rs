//! How reliable labels are: `inspect` on labels.

use super::agreement::LabelAgreement;
use super::alpha::{Alpha, Scale};
use super::coverage::covered;
use super::kappa::fleiss;
use super::patterns::Patterns;
use crate::judgments::{Repeats, sum_over};
use crate::truth::distributed::{Cluster, Pass};
use crate::{Context, Dictionary, Error, Labels, Result, Warning};

/// Inspects labels: classes, votes, alpha with its interval, agreement of each worker.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `scale` | how far apart two labels are, for alpha | nominal | |
/// | `ordered` | whether classes that are not numbers are in order, as [`Labels::in_order`] puts them | no | |
/// | `repeats` | what becomes of labels that a worker gave to the same task twice | all are kept | all or first |
/// | `bootstrap` | copies of the data for alpha's interval | 1000 | 0 (no interval) to a million |
/// | `known` | ids of tasks whose label is known: the outcome counts them | none | at least one of the tasks |
///
/// Cost: O(labels) for everything but the interval, which costs O(different vote patterns) a copy.
///
/// ```
/// use beanjar::{Context, Labels, reliability::InspectLabels};
///
/// let labels = Labels::from_rows([("1", "ann", "cat"), ("1", "bob", "cat"), ("2", "ann", "dog"), ("2", "bob", "cat")])?;
/// let outcome = InspectLabels::default().run(&labels, &Context::new())?;
/// assert_eq!(outcome.alpha, Some(0.0));
/// assert_eq!(outcome.workers[0].agreement, Some(0.5));
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct InspectLabels {
    /// How far apart two labels are.
    pub scale: Scale,
    /// Whether classes that are not numbers are in order; else the ordinal scale takes numbers alone.
    pub ordered: bool,
    /// What becomes of labels that a worker gave to the same task more than once.
    pub repeats: Repeats,
    /// How many bootstrap copies; 0 for no interval.
    pub bootstrap: usize,
    /// The ids of tasks whose label is known.
    pub known: Option<Dictionary>,
}

impl Default for InspectLabels {
    fn default() -> Self {
        InspectLabels { scale: Scale::Nominal, ordered: false, repeats: Repeats::All, bootstrap: 1000, known: None }
    }
}

/// How reliable labels are.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct InspectLabelsOutcome {
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
    /// How many tasks have a known label; none if it was not asked.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub labelled: Option<usize>,
    /// What looks odd in the labels.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub warnings: Vec<Warning>,
}

/// How many tasks have a given number of votes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct VotesPerTask {
    /// The number of votes.
    pub votes: u64,
    /// How many tasks have that number.
    pub tasks: u64,
}

/// A worker, and how far they agree with the others.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct LabelWorker {
    /// The worker's id.
    pub worker: String,
    /// How many labels they gave.
    pub labels: u64,
    /// The mean, over their labels, of the share of other workers' votes on the same task that are the same;
    /// none for one who was alone everywhere.
    pub agreement: Option<f64>,
    /// The lower end of its 95 percent interval.
    pub agreement_low: Option<f64>,
    /// The upper end.
    pub agreement_high: Option<f64>,
}

/// With more, the ends of the interval would change by less than their last digit.
const MOST_COPIES: usize = 1_000_000;

/// The share of bootstrap copies below the interval, and above it.
const TAIL: f64 = 0.025;

impl InspectLabels {
    /// Inspects the labels.
    pub fn run(&self, labels: &Labels, context: &Context) -> Result<InspectLabelsOutcome> {
        if labels.is_empty() {
            return Err(Error::Empty("label"));
        }
        self.check_for(&labels.classes)?;
        let repeated = labels.repeated(context);
        let labels = self.repeats.apply(labels);
        let labels = labels.as_ref();
        let labelled = covered(&labels.tasks, self.known.as_ref(), "task")?;
        let (workers, classes) = (&labels.workers, &labels.classes);
        let patterns = sum_over(labels, context, || Patterns::new(classes.len()));
        context.report("inspecting", 0.2)?;
        let agreement = sum_over(labels, context, || LabelAgreement::new(workers.len(), classes.len()));
        context.report("inspecting", 0.4)?;
        let mut outcome = self.outcome((&patterns, &agreement), workers, classes, &context.part(0.4, 1.0))?;
        (outcome.labelled, outcome.repeated) = (labelled, repeated);
        outcome.warnings = outcome.oddities(self.repeats);
        Ok(outcome)
    }

    /// The same of labels that are elsewhere: in the partitions of a distributed engine, repeated ones too. Workers and
    /// classes are in the order of their numbers.
    pub fn run_far(
        &self,
        labels: u64,
        (workers, classes): (&Dictionary, &Dictionary),
        cluster: &dyn Cluster,
        context: &Context,
    ) -> Result<InspectLabelsOutcome> {
        if labels == 0 {
            return Err(Error::Empty("label"));
        }
        if self.known.is_some() {
            let why = "the tasks' ids stay where the tasks are".to_owned();
            return Err(Error::Inconsistent { what: "known labels", why });
        }
        if self.repeats != Repeats::All {
            let why = "those of all tasks are kept where labels are elsewhere".to_owned();
            return Err(Error::Inconsistent { what: "repeated labels", why });
        }
        self.check_for(classes)?;
        let numbers = cluster.sum(&Pass::agreement(workers.len(), classes.len(), labels))?;
        let agreement = LabelAgreement::of_numbers(&numbers, workers.len(), classes.len());
        let patterns = Patterns::united(&cluster.patterns()?, classes.len());
        self.outcome((&patterns, &agreement), workers, classes, context)
    }

    /// What the sums over all tasks say.
    fn outcome(
        &self,
        (patterns, agreement): (&Patterns, &LabelAgreement),
        workers: &Dictionary,
        classes: &Dictionary,
        context: &Context,
    ) -> Result<InspectLabelsOutcome> {
        let alpha = Alpha::new(patterns, self.scale, classes)?;
        let estimate = alpha.estimate();
        let interval = match estimate {
            Some(_) => alpha.interval(self.bootstrap, TAIL, context)?,
            None => None,
        };
        let votes_per_task = votes_per_task(patterns);
        let labels: u64 = votes_per_task.iter().map(|of| of.votes * of.tasks).sum();
        let mut outcome = InspectLabelsOutcome {
            tasks: patterns.tasks().iter().sum::<u64>() as usize,
            labels: labels as usize,
            repeated: agreement.repeated as usize,
            classes: classes.iter().map(str::to_owned).collect(),
            shares: shares(patterns, classes.len(), labels),
            votes_per_task,
            scale: self.scale,
            alpha: estimate,
            alpha_low: interval.map(|(low, _)| low),
            alpha_high: interval.map(|(_, high)| high),
            fleiss_kappa: fleiss(patterns, classes.len()),
            workers: workers
                .iter()
                .enumerate()
                .map(|(code, worker)| LabelWorker {
                    worker: worker.to_owned(),
                    labels: agreement.labels[code],
                    agreement: agreement.of(code),
                    agreement_low: agreement.interval(code).map(|(low, _)| low),
                    agreement_high: agreement.interval(code).map(|(_, high)| high),
                })
                .collect(),
            labelled: None,
            warnings: Vec::new(),
        };
        outcome.warnings = outcome.oddities(self.repeats);
        Ok(outcome)
    }

    fn check_for(&self, classes: &Dictionary) -> Result<()> {
        self.check()?;
        if self.scale == Scale::Ordinal && !self.ordered {
            let not_a_number = |class: &&str| !class.trim().parse().is_ok_and(f64::is_finite);
            if let Some(class) = classes.iter().find(not_a_number) {
                return Err(Error::OrderUnknown { class: class.to_owned() });
            }
        }
        Ok(())
    }

    /// Whether all parameters are in their ranges.
    pub fn check(&self) -> Result<()> {
        if self.repeats == Repeats::Average {
            return Err(Error::OutOfRange {
                name: "what becomes of repeated labels",
                value: "average".into(),
                range: "first or all here, for alpha and agreement count whole labels",
            });
        }
        if self.bootstrap > MOST_COPIES {
            let value = self.bootstrap.to_string();
            return Err(Error::OutOfRange {
                name: "the number of bootstrap copies",
                value,
                range: "at most 1,000,000",
            });
        }
        Ok(())
    }
}

impl InspectLabelsOutcome {
    /// As JSON.
    #[cfg(feature = "serde")]
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string(self)
            .map_err(|error| Error::Inconsistent { what: "numbers of an inspection", why: error.to_string() })
    }

    fn oddities(&self, repeats: Repeats) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if let Some(labelled) = self.labelled.filter(|&labelled| labelled < self.tasks) {
            warnings.push(Warning::NotLabelled { count: self.tasks - labelled, what: "task" });
        }
        if self.repeated > 0 && repeats == Repeats::All {
            warnings.push(Warning::RepeatedLabels { labels: self.repeated });
        }
        if let [class] = &self.classes[..] {
            warnings.push(Warning::OneClass { class: class.clone() });
        }
        let single = self.workers.iter().filter(|worker| worker.labels == 1).count();
        if single > 0 {
            warnings.push(Warning::SingleAnswers { workers: single, what: "label" });
        }
        warnings
    }
}

fn shares(patterns: &Patterns, classes: usize, labels: u64) -> Vec<f64> {
    let mut totals = vec![0.0; classes];
    for (pattern, &tasks) in patterns.tasks().iter().enumerate() {
        for (class, votes) in patterns.votes(pattern) {
            totals[class] += tasks as f64 * votes;
        }
    }
    totals.iter().map(|total| total / labels as f64).collect()
}

fn votes_per_task(patterns: &Patterns) -> Vec<VotesPerTask> {
    let mut found = std::collections::BTreeMap::new();
    for (pattern, &tasks) in patterns.tasks().iter().enumerate() {
        *found.entry(patterns.size(pattern)).or_insert(0) += tasks;
    }
    found.into_iter().map(|(votes, tasks)| VotesPerTask { votes, tasks }).collect()
}

#[cfg(test)]
mod tests;
