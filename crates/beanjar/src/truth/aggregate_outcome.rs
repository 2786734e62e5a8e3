#[cfg(feature = "serde")]
mod written;

use super::votes::by_confidence;
use super::{AutoSummary, Calibration, Posterior, Probabilities, Rule, TaskInDoubt, TaskState, WorkerAccuracy};
use crate::judgments::{Dictionary, Labels};
use crate::model::CrowdModel;
use crate::workers::AgreementMap;
use crate::{ConfusionCounts, Context, Warning};

/// The label of each task, with its probability, and how good each worker is.
///
/// Tasks and workers are held in columns, for there may be millions; [`task`](Self::task) and [`worker`](Self::worker) give
/// them row by row.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AggregateOutcome {
    /// The method's name.
    pub method: String,
    /// The tasks' ids.
    pub task_ids: Dictionary,
    /// The workers' ids.
    pub worker_ids: Dictionary,
    /// The classes' names, in sorted order.
    pub classes: Dictionary,
    /// How many labels were aggregated.
    pub labels: usize,
    /// How the fit went; none if a saved model was used.
    pub fit: Option<FitSummary>,
    /// How good the method is on the known answers when it does not see them.
    pub gold: Option<Calibration>,
    /// How good the labels are by the truth that they were compared with.
    pub truth: Option<Calibration>,
    /// Of each true class and each label, how many tasks, where a saved model was compared with the truth.
    pub truth_confusion: Option<ConfusionCounts>,
    /// The probability of each class of each task.
    pub posterior: Posterior,
    /// Of each task, how many independent votes its votes are worth; none if the method does not say.
    pub effective_votes: Option<Vec<f64>>,
    /// The tasks most in doubt, with their votes, if details were asked for.
    pub in_doubt: Option<Vec<TaskInDoubt>>,
    /// How often each two workers agree, if details were asked for.
    pub agreement: Option<AgreementMap>,
    /// What a user should know.
    pub warnings: Vec<Warning>,
    /// The class of each task, in the order of the tasks.
    given: Vec<u16>,
    /// Whether another class of the task is as probable.
    tied: Vec<bool>,
    /// How far each task's label is decided.
    pub(super) states: Vec<TaskState>,
    accuracies: Vec<Option<WorkerAccuracy>>,
    /// Whether each worker's labels were used.
    pub(super) kept: Vec<bool>,
    pub(super) rule: Option<Rule>,
    pub(super) confusion: bool,
}

/// How a fit went.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FitSummary {
    /// The log-likelihood of the labels, where the method has one.
    pub log_likelihood: Option<f64>,
    /// How many steps of EM were taken.
    pub iterations: usize,
    /// Whether the last step no longer changed anything.
    pub converged: bool,
    /// How several fits were weighed, where the method is [`Auto`](super::Auto).
    pub auto: Option<AutoSummary>,
}

/// The label of one task.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct AggregatedTask<'a> {
    /// The task's id.
    pub task: &'a str,
    /// The most probable class.
    pub label: &'a str,
    /// Its probability.
    pub confidence: f64,
    /// Whether another class is as probable; then one of them was drawn by the seed.
    pub tied: bool,
    /// The probability of each class.
    pub probabilities: Probabilities<'a>,
    /// How many independent votes its votes are worth, where the method says so.
    pub effective_votes: Option<f64>,
    /// How far its label is decided.
    pub state: TaskState,
}

impl AggregatedTask<'_> {
    /// Whether another class is nearly as probable: at least 0.8 times as the label.
    #[must_use]
    pub fn is_nearly_tied(&self) -> bool {
        self.probabilities.possible().filter(|(_, p)| *p >= 0.8 * self.confidence).nth(1).is_some()
    }
}

/// How many tasks are settled, in doubt, and in doubt for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TaskStates {
    /// Tasks whose label has a probability above 0.95.
    pub settled: usize,
    /// Tasks that further votes may settle.
    pub in_doubt: usize,
    /// Tasks that further votes by such workers are not expected to settle.
    pub hopeless: usize,
    /// Tasks with two or more classes that are as probable as any; they are counted above as well.
    pub tied: usize,
    /// Tasks whose answer was known; they are counted nowhere else.
    pub known: usize,
}

/// How good one worker is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AggregatedWorker<'a> {
    /// The worker's id.
    pub worker: &'a str,
    /// How many labels they gave.
    pub labels: u64,
    /// Whether their labels were used.
    pub kept: bool,
    /// The share of their labels that are right, by expectation; none without labels.
    pub accuracy: Option<f64>,
    /// The lower end of its 95 percent interval.
    pub accuracy_low: Option<f64>,
    /// The upper end.
    pub accuracy_high: Option<f64>,
    /// P(label | class), class by class, if it was asked for.
    pub confusion: Option<Vec<Vec<f64>>>,
}

impl AggregateOutcome {
    /// An outcome without a fit. Ties are broken by the context's seed.
    pub(crate) fn new(
        method: String,
        labels: &Labels,
        posterior: Posterior,
        accuracies: Vec<Option<WorkerAccuracy>>,
        context: &Context,
    ) -> Self {
        let key = |task: usize| labels.ballots().task_key(task);
        let answers = (0..posterior.tasks()).map(|task| posterior.answer_by(task, context.seed(), key(task)));
        let (given, tied): (Vec<u16>, Vec<bool>) = answers.map(|answer| (answer.class as u16, answer.tied)).unzip();
        let sure = |(task, &class): (usize, &u16)| posterior.of(task)[usize::from(class)];
        let states = by_confidence(given.iter().enumerate().map(sure));
        AggregateOutcome {
            method,
            task_ids: labels.tasks.clone(),
            worker_ids: labels.workers.clone(),
            classes: labels.classes.clone(),
            labels: labels.len(),
            fit: None,
            gold: None,
            truth: None,
            truth_confusion: None,
            posterior,
            effective_votes: None,
            in_doubt: None,
            agreement: None,
            warnings: Vec::new(),
            given,
            tied,
            states,
            kept: vec![true; accuracies.len()],
            accuracies,
            rule: None,
            confusion: false,
        }
    }

    /// The label of task number `task`, if there is such a task.
    #[must_use]
    pub fn task(&self, task: usize) -> Option<AggregatedTask<'_>> {
        (task < self.given.len()).then(|| self.row(task))
    }

    fn row(&self, task: usize) -> AggregatedTask<'_> {
        let class = usize::from(self.given[task]);
        let probabilities = self.posterior.of(task);
        AggregatedTask {
            task: self.task_ids.get(task),
            label: self.classes.get(class),
            confidence: probabilities[class],
            tied: self.tied[task],
            probabilities,
            effective_votes: self.effective_votes.as_ref().map(|votes| votes[task]),
            state: self.states[task],
        }
    }

    /// The tasks, in the order of their ids.
    #[must_use]
    pub fn tasks(&self) -> impl ExactSizeIterator<Item = AggregatedTask<'_>> {
        (0..self.given.len()).map(|task| self.row(task))
    }

    /// How many tasks are settled, in doubt, and in doubt for good.
    #[must_use]
    pub fn states(&self) -> TaskStates {
        let of = |state| self.states.iter().filter(|found| **found == state).count();
        TaskStates {
            settled: of(TaskState::Settled),
            in_doubt: of(TaskState::InDoubt),
            hopeless: of(TaskState::Hopeless),
            tied: self.tied.iter().filter(|tied| **tied).count(),
            known: of(TaskState::Known),
        }
    }

    /// The class of each task, as a number among the classes.
    #[must_use]
    pub fn given(&self) -> &[u16] {
        &self.given
    }

    /// How good worker number `worker` is, if there is such a worker.
    #[must_use]
    pub fn worker(&self, worker: usize) -> Option<AggregatedWorker<'_>> {
        let found = *self.accuracies.get(worker)?;
        let kept = self.kept[worker];
        Some(AggregatedWorker {
            worker: self.worker_ids.get(worker),
            labels: found.map_or(0, |found| found.labels),
            kept,
            accuracy: found.map(|found| found.accuracy),
            accuracy_low: found.map(|found| found.low),
            accuracy_high: found.map(|found| found.high),
            confusion: self.confusion_of(worker).filter(|_| self.confusion),
        })
    }

    /// P(label | class) of worker number `worker`, class by class; none if the method has none or the worker is left out.
    #[must_use]
    pub fn confusion_of(&self, worker: usize) -> Option<Vec<Vec<f64>>> {
        self.rule.as_ref().filter(|_| self.kept.get(worker) == Some(&true))?.matrix(worker)
    }

    /// Groups of workers who are copies of one another and vote as one.
    pub fn families(&self) -> impl Iterator<Item = Vec<&str>> {
        let found = self.fit.as_ref().and_then(|fit| fit.auto.as_ref()).map_or(&[][..], |auto| &auto.families);
        found.iter().map(|family| family.iter().map(|&worker| self.worker_ids.get(worker)).collect())
    }

    /// The workers, in the order of their ids.
    pub fn workers(&self) -> impl Iterator<Item = AggregatedWorker<'_>> {
        (0..self.accuracies.len()).filter_map(|worker| self.worker(worker))
    }

    /// What labels new tasks in the same way; none if a saved model made this outcome.
    #[must_use]
    pub fn model(&self) -> Option<CrowdModel> {
        let left_out = (0..self.kept.len()).filter(|&worker| !self.kept[worker]);
        Some(CrowdModel {
            method: self.method.clone(),
            classes: self.classes.iter().map(str::to_owned).collect(),
            workers: self.worker_ids.iter().map(str::to_owned).collect(),
            left_out: left_out.map(|worker| self.worker_ids.get(worker).to_owned()).collect(),
            rule: self.rule.clone()?,
        })
    }
}
