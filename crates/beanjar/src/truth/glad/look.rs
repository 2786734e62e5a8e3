//! The expected log-likelihood of votes, and how it pulls at abilities and ease.

use crate::judgments::{Ballots, Sum, Votes};
use crate::truth::Posterior;

/// A sum over tasks, of which the pulls of tasks are a list.
pub(super) struct Look<'a> {
    posterior: &'a Posterior,
    abilities: &'a [f64],
    ease: &'a [f64],
    /// The logarithm of the number of ways to be wrong.
    ways: f64,
    /// Less the expected log-likelihood.
    pub(super) loss: f64,
    pub(super) of_workers: Vec<f64>,
    pub(super) of_tasks: Vec<f64>,
}

impl<'a> Look<'a> {
    pub(super) fn new(posterior: &'a Posterior, abilities: &'a [f64], ease: &'a [f64], ways: f64) -> Self {
        let of_workers = vec![0.0; abilities.len()];
        Look { posterior, abilities, ease, ways, loss: 0.0, of_workers, of_tasks: Vec::new() }
    }
}

impl Sum<Ballots> for Look<'_> {
    /// With x = ability times ease, a right vote costs ln(1 + e^-x) and a wrong one ln(1 + e^x) + ways. Both are
    /// ln(1 + e^-|x|) and what is linear in x, so that a vote takes one exponential, and a task one logarithm.
    fn observe(&mut self, votes: Votes<'_>) {
        let row = self.posterior.of(votes.task);
        let strength = self.ease[votes.task].exp();
        let (mut of_task, mut linear, mut product) = (0.0, 0.0, 1.0);
        for (worker, label, weight) in votes.weighted() {
            let (right, ability) = (row[label], self.abilities[worker]);
            let x = ability * strength;
            let small = (-x.abs()).exp();
            let most = 1.0 / (1.0 + small);
            let sure = if x < 0.0 { small * most } else { most };
            linear += weight * (right * (-x).max(0.0) + (1.0 - right) * (x.max(0.0) + self.ways));
            if votes.weights.is_empty() {
                product *= 1.0 + small;
                if product > 1e300 {
                    linear += product.ln();
                    product = 1.0;
                }
            } else {
                linear += weight * small.ln_1p();
            }
            let pull = weight * (sure - right) * strength;
            self.of_workers[worker] += pull;
            of_task += pull * ability;
        }
        self.of_tasks.push(of_task);
        self.loss += linear + product.ln();
    }

    fn merge(&mut self, later: Self) {
        self.loss += later.loss;
        self.of_tasks.extend(later.of_tasks);
        self.of_workers.iter_mut().zip(later.of_workers).for_each(|(sum, more)| *sum += more);
    }
}
