//! How votes are read: the part of a fit that labels tasks, those it was fitted on and new ones.

mod blend;
mod confusion;
mod pool;
mod products;
mod sparse_confusion;
mod stored;
mod weights;

pub use blend::{Blend, Sharpening};
pub(super) use blend::{FLOOR, keep_to_voted, smoothed_shares};
pub use confusion::Confusion;
pub(super) use confusion::possible;
pub use pool::Pool;
pub(super) use products::Products;
pub use sparse_confusion::SparseConfusion;
pub(super) use sparse_confusion::Table;
pub use weights::Weights;

use super::posterior::{MANY_CLASSES, Posterior};
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
    /// The same for many classes: matrices of which most cells are zero.
    SparseConfusion(SparseConfusion),
    /// The mean of what each vote says alone.
    Pool(Pool),
    /// The weighted mean of several rules.
    Blend(Blend),
}

impl Rule {
    /// How many classes there are.
    #[must_use]
    pub fn classes(&self) -> usize {
        match self {
            Rule::Weights(weights) => weights.classes(),
            Rule::Confusion(confusion) => confusion.labels(),
            Rule::SparseConfusion(confusion) => confusion.classes(),
            Rule::Pool(pool) => pool.classes(),
            Rule::Blend(blend) => blend.rules().first().map_or(0, Rule::classes),
        }
    }

    /// How many workers it knows.
    #[must_use]
    pub fn workers(&self) -> usize {
        match self {
            Rule::Weights(weights) => weights.workers().len(),
            Rule::Confusion(confusion) => confusion.workers(),
            Rule::SparseConfusion(confusion) => confusion.workers(),
            Rule::Pool(pool) => pool.workers(),
            Rule::Blend(blend) => blend.rules().first().map_or(0, Rule::workers),
        }
    }

    /// A worker's confusion matrix: of each class, or component, the probability of each label. Of several rules, their
    /// weighted mean; none where votes are only weighed.
    #[must_use]
    pub fn matrix(&self, worker: usize) -> Option<Vec<Vec<f64>>> {
        match self {
            Rule::Weights(_) | Rule::Pool(_) => None,
            Rule::Confusion(confusion) => Some(confusion.class_matrix(worker)),
            Rule::SparseConfusion(confusion) => Some(confusion.matrix(worker)),
            Rule::Blend(blend) => blend.matrix(worker),
        }
    }

    /// Whether it is for these numbers of workers and classes, and its own numbers can be used: a rule from a file may be
    /// anything.
    #[must_use]
    pub fn is_sound(&self, workers: usize, classes: usize) -> bool {
        let sizes = self.workers() == workers && self.classes() == classes && classes > 0;
        sizes
            && match self {
                Rule::Weights(weights) => weights.is_sound(),
                Rule::Confusion(_) | Rule::SparseConfusion(_) => true,
                Rule::Pool(pool) => pool.is_sound(),
                Rule::Blend(blend) => blend.is_sound(workers, classes),
            }
    }

    /// Gives all workers of a family the tables of its first.
    pub(super) fn share_tables(&mut self, families: &[Vec<usize>]) {
        match self {
            Rule::Weights(_) | Rule::SparseConfusion(_) => {}
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
        let (tasks, classes) = (ballots.tasks(), self.classes());
        if classes >= MANY_CLASSES && matches!(self, Rule::Weights(_) | Rule::SparseConfusion(_)) {
            let read = |task: usize, row: &mut Vec<(u16, f64)>| self.read_possible(ballots.votes(task), row);
            return Ok(Posterior::of_possible(tasks, classes, context, read).0);
        }
        let mut posterior = Posterior::equal(tasks, classes);
        posterior.fill(context, |task, row| {
            let votes = ballots.votes(task);
            if !votes.labels.is_empty() {
                self.read(votes, row);
            }
        });
        Ok(posterior)
    }

    /// The possible classes of one task, in rising order, with their probabilities, none if it has no votes; and the
    /// log-likelihood of these, where the rule has one.
    fn read_possible(&self, votes: Votes<'_>, row: &mut Vec<(u16, f64)>) -> f64 {
        match self {
            _ if votes.labels.is_empty() => return 0.0,
            Rule::SparseConfusion(confusion) => return confusion.read(votes, row),
            Rule::Weights(weights) => weights.read_possible(votes, row),
            Rule::Confusion(_) | Rule::Pool(_) | Rule::Blend(_) => {
                let mut all = vec![0.0; self.classes()];
                self.read(votes, &mut all);
                row.extend(all.iter().enumerate().map(|(class, &p)| (class as u16, p)));
            }
        }
        0.0
    }

    /// The probabilities of one task's classes, which has votes.
    pub(super) fn read(&self, votes: Votes<'_>, row: &mut [f64]) {
        match self {
            Rule::Weights(weights) => weights.read(votes, row),
            Rule::Confusion(confusion) => confusion.read(votes, row),
            Rule::SparseConfusion(_) => {
                let mut possible = Vec::new();
                self.read_possible(votes, &mut possible);
                row.fill(0.0);
                possible.iter().for_each(|&(class, p)| row[usize::from(class)] = p);
            }
            Rule::Pool(pool) => pool.read(votes, row),
            Rule::Blend(blend) => blend.read(votes, row),
        }
    }
}
