//! How votes are read: the part of a fit that labels tasks, those it was fitted on and new ones.

mod blend;
mod confusion;
mod pool;
mod stored;
mod weights;

pub use blend::{Blend, Sharpening};
pub(super) use blend::{FLOOR, keep_to_voted};
pub use confusion::Confusion;
pub(super) use confusion::possible;
pub use pool::Pool;
pub use weights::Weights;

use super::Posterior;
use crate::judgments::{Ballots, Votes};
use crate::{Context, Error, Result};

/// The rule that turns the votes on a task into probabilities of its classes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Rule {
    /// Each worker's vote counts by a weight; probabilities are shares of the weighted votes.
    Weights(Weights),
    /// Bayes' rule with a confusion matrix per worker.
    Confusion(Confusion),
    /// The mean of what each vote says alone.
    Pool(Pool),
    /// The weighted mean of several rules.
    Blend(Blend),
}

impl Rule {
    /// How many classes there are.
    pub fn classes(&self) -> usize {
        match self {
            Rule::Weights(weights) => weights.classes(),
            Rule::Confusion(confusion) => confusion.labels(),
            Rule::Pool(pool) => pool.classes(),
            Rule::Blend(blend) => blend.rules().first().map_or(0, Rule::classes),
        }
    }

    /// How many workers it knows.
    pub fn workers(&self) -> usize {
        match self {
            Rule::Weights(weights) => weights.workers().len(),
            Rule::Confusion(confusion) => confusion.workers(),
            Rule::Pool(pool) => pool.workers(),
            Rule::Blend(blend) => blend.rules().first().map_or(0, Rule::workers),
        }
    }

    /// A worker's confusion matrix: of each class, or component, the probability of each label. Of several rules, their
    /// weighted mean; none where votes are only weighed.
    pub fn matrix(&self, worker: usize) -> Option<Vec<Vec<f64>>> {
        match self {
            Rule::Weights(_) | Rule::Pool(_) => None,
            Rule::Confusion(confusion) => Some(confusion.class_matrix(worker)),
            Rule::Blend(blend) => blend.matrix(worker),
        }
    }

    /// Whether it is for these numbers of workers and classes, and its own numbers can be used: a rule from a file may be
    /// anything.
    pub fn is_sound(&self, workers: usize, classes: usize) -> bool {
        let sizes = self.workers() == workers && self.classes() == classes && classes > 0;
        sizes
            && match self {
                Rule::Weights(weights) => weights.is_sound(),
                Rule::Confusion(_) => true,
                Rule::Pool(pool) => pool.is_sound(),
                Rule::Blend(blend) => blend.is_sound(workers, classes),
            }
    }

    /// Gives all workers of a family the tables of its first.
    pub(super) fn share_tables(&mut self, families: &[Vec<usize>]) {
        match self {
            Rule::Weights(_) => {}
            Rule::Confusion(confusion) => confusion.share_tables(families),
            Rule::Pool(pool) => pool.share_tables(families),
            Rule::Blend(blend) => blend.share_tables(families),
        }
    }

    /// The probabilities of all tasks' classes. A task without votes gets equal ones.
    ///
    /// Workers of the ballots are those of the rule, by number; a number beyond is a newcomer, and all newcomers may
    /// share one. Cost: O(votes times classes).
    pub fn posterior(&self, ballots: &Ballots, context: &Context) -> Result<Posterior> {
        if ballots.classes() != self.classes() || ballots.workers() > self.workers() + 1 {
            return Err(Error::WrongRule { classes: self.classes(), workers: self.workers() });
        }
        let classes = self.classes();
        let mut posterior = Posterior::equal(ballots.tasks(), classes);
        posterior.fill(context, |task, row| {
            let votes = ballots.votes(task);
            if !votes.labels.is_empty() {
                self.read(votes, row);
            }
        });
        Ok(posterior)
    }

    /// The probabilities of one task's classes, which has votes.
    pub(super) fn read(&self, votes: Votes<'_>, row: &mut [f64]) {
        match self {
            Rule::Weights(weights) => weights.read(votes, row),
            Rule::Confusion(confusion) => confusion.read(votes, row),
            Rule::Pool(pool) => pool.read(votes, row),
            Rule::Blend(blend) => blend.read(votes, row),
        }
    }
}
