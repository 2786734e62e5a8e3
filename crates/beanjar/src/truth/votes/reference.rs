//! How probable it is that a label is right, by all votes there are.

use super::super::rule::Rule;
use super::super::{Posterior, TruthFit};
use super::models::parts;
use crate::Context;
use crate::judgments::{Ballots, Votes};

/// The probabilities of the classes by all votes, read in three ways.
///
/// Labels alone cannot tell errors that workers share from the truth. If votes are independent given the class, Bayes' rule
/// is right; if they are copies of one another, the linear pool is. The two are the ends of what can be, and the posterior
/// of the fit lies between.
pub(super) struct Reference {
    pub(super) middle: Posterior,
    /// By each vote alone, averaged.
    copies: Posterior,
    /// By Bayes' rule.
    independent: Posterior,
}

impl Reference {
    pub(super) fn new(fit: &TruthFit, ballots: &Ballots, context: &Context) -> Self {
        let read = |wanted: fn(&Rule) -> bool| {
            let parts = parts(&fit.rule, |rule| wanted(rule).then_some(rule));
            let mut posterior = fit.posterior.clone();
            if parts.is_empty() {
                return posterior;
            }
            posterior.fill(context, |task, row| {
                let votes = ballots.votes(task);
                if !votes.labels.is_empty() {
                    mean(&parts, votes, row);
                }
            });
            posterior
        };
        Reference {
            middle: fit.posterior.clone(),
            copies: read(|rule| matches!(rule, Rule::Pool(_))),
            independent: read(|rule| matches!(rule, Rule::Confusion(_))),
        }
    }

    /// Of a class of a task, its probability in the three ways.
    pub(super) fn of(&self, task: usize, class: usize) -> [f64; 3] {
        [&self.middle, &self.copies, &self.independent].map(|posterior| posterior.of(task)[class])
    }
}

fn mean(parts: &[(&Rule, f64)], votes: Votes<'_>, row: &mut [f64]) {
    let mut part = vec![0.0; row.len()];
    row.fill(0.0);
    for (rule, weight) in parts {
        rule.read(votes, &mut part);
        row.iter_mut().zip(&part).for_each(|(sum, p)| *sum += weight * p);
    }
}
