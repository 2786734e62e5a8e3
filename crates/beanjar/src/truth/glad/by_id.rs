//! Votes in an order that ids alone decide.

use crate::judgments::Ballots;
use crate::truth::{Evidence, Posterior};
use crate::{Context, Result};

/// Tasks, workers and votes in the order of the keys of their ids.
///
/// A step of EM ends before conjugate gradients have settled, and what rounding does to sums is carried along: only in one
/// order of the votes do the same votes give the same answer.
pub(super) struct ById {
    ballots: Ballots,
    gold: Vec<Option<u16>>,
    /// The tasks and the workers, by the numbers they came with, in this order.
    tasks: Vec<usize>,
    workers: Vec<usize>,
}

impl ById {
    pub(super) fn of(evidence: &Evidence<'_>) -> Result<Self> {
        let ballots = evidence.ballots;
        let mut tasks: Vec<usize> = (0..ballots.tasks()).collect();
        tasks.sort_by_key(|&task| ballots.task_key(task));
        let mut workers: Vec<usize> = (0..ballots.workers()).collect();
        workers.sort_by_key(|&worker| ballots.worker_key(worker));
        let gold = match evidence.gold.is_empty() {
            true => Vec::new(),
            false => tasks.iter().map(|&task| evidence.gold[task]).collect(),
        };
        let ordered = ballots.of_tasks(&tasks)?.in_order_of_workers(&workers);
        Ok(ById { ballots: ordered, gold, tasks, workers })
    }

    pub(super) fn evidence(&self) -> Evidence<'_> {
        Evidence::part(&self.ballots, &self.gold)
    }

    /// What was found of the workers, in the order they came in.
    pub(super) fn of_workers(&self, found: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; found.len()];
        self.workers.iter().zip(found).for_each(|(&worker, &value)| values[worker] = value);
        values
    }

    /// What was found of the tasks, in the order they came in.
    pub(super) fn posterior(&self, found: &Posterior, context: &Context) -> Posterior {
        let mut place = vec![0; self.tasks.len()];
        self.tasks.iter().enumerate().for_each(|(at, &task)| place[task] = at);
        let mut posterior = Posterior::equal(self.tasks.len(), found.classes());
        posterior.fill(context, |task, row| {
            let of_task = found.of(place[task]);
            row.iter_mut().enumerate().for_each(|(class, p)| *p = of_task[class]);
        });
        posterior
    }
}
