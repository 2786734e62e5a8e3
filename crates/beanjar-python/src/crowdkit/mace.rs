//! MACE with crowd-kit's numbers.

use super::digamma::digamma;
use super::{Rows, Votes};
use crate::numbers::{array, floats};
use crate::watch::{Ear, watched};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

/// Products of probabilities by task and label, spamming of workers, their strategies, log marginal likelihood.
type Fitted<'py> = (Bound<'py, PyByteArray>, Bound<'py, PyByteArray>, Bound<'py, PyByteArray>, f64);

/// EM, or variational Bayes where there are priors, from one start.
///
/// `order` has workers and labels in sorted order. crowd-kit reads the rows and columns of new strategies as if they were
/// in order of first appearance, while they are in sorted order, so each worker gets another's; it is followed here.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "those of a function of Python")]
#[pyo3(signature = (rows, spamming, strategies, order, n_iter, priors, smoothing))]
pub(crate) fn mace<'py>(
    py: Python<'py>,
    rows: Rows<'py>,
    spamming: Bound<'py, PyBytes>,
    strategies: Bound<'py, PyBytes>,
    order: (Vec<usize>, Vec<usize>),
    n_iter: usize,
    priors: Option<(f64, f64)>,
    smoothing: f64,
) -> PyResult<Fitted<'py>> {
    let votes = Votes::of(&rows)?;
    let mut model = Model {
        spamming: floats(spamming.as_bytes()).collect(),
        strategies: floats(strategies.as_bytes()).collect(),
        products: vec![0.0; votes.tasks() * votes.labels],
    };
    let steps = Steps { order, n_iter, priors, smoothing };
    let likelihood = watched(py, None, |ear| model.run(&votes, &steps, &ear))?;
    let Model { spamming, strategies, products } = model;
    Ok((array(py, &products)?, array(py, &spamming)?, array(py, &strategies)?, likelihood))
}

/// A Dirichlet prior on strategies, of this for each label.
const STRATEGY_PRIOR: f64 = 10.0;

struct Model {
    /// Of each worker, the weights of guessing and of knowing.
    spamming: Vec<f64>,
    /// Of each worker, the weight of each label when they guess.
    strategies: Vec<f64>,
    /// Of each task and class, the product over votes.
    products: Vec<f64>,
}

struct Steps {
    /// Workers and labels in sorted order.
    order: (Vec<usize>, Vec<usize>),
    n_iter: usize,
    priors: Option<(f64, f64)>,
    smoothing: f64,
}

impl Model {
    fn run(&mut self, votes: &Votes, steps: &Steps, ear: &Ear) -> f64 {
        let Steps { order: (workers, labels), n_iter, priors, smoothing } = steps;
        let (n_iter, priors, smoothing) = (*n_iter, *priors, *smoothing);
        let (mut likelihood, mut guessed, mut known) = self.expect(votes);
        for step in 0..n_iter {
            if ear.hear("fitting", step as f64 / n_iter as f64).is_break() {
                break;
            }
            let guesses = &guessed;
            let of_worker = |&worker: &usize| labels.iter().map(move |label| guesses[worker * votes.labels + label]);
            let sorted: Vec<f64> = workers.iter().flat_map(of_worker).collect();
            self.strategies =
                normalised(&sorted, votes.labels, priors.map(|_| (STRATEGY_PRIOR, STRATEGY_PRIOR)), smoothing);
            self.spamming = normalised(&known, 2, priors, smoothing);
            (likelihood, guessed, known) = self.expect(votes);
        }
        likelihood
    }

    /// The log marginal likelihood, expected guesses of each worker and label, and expected guessing and knowing.
    fn expect(&mut self, votes: &Votes) -> (f64, Vec<f64>, Vec<f64>) {
        let labels = votes.labels;
        let (mut guessed, mut known) = (vec![0.0; self.strategies.len()], vec![0.0; self.spamming.len()]);
        let mut likelihood = 0.0;
        let guess_of =
            |worker: usize, label: usize| self.spamming[2 * worker] * self.strategies[worker * labels + label];
        for (task, row) in self.products.chunks_exact_mut(labels).enumerate() {
            row.fill(1.0);
            for (worker, label) in votes.of_task(task) {
                let guess = guess_of(worker, label);
                let knows = guess + self.spamming[2 * worker + 1];
                row.iter_mut().enumerate().for_each(|(class, p)| *p *= if class == label { knows } else { guess });
            }
            row.iter_mut().for_each(|p| *p /= labels as f64);
            let all: f64 = row.iter().sum();
            likelihood += (all + 1e-8).ln();
            for (worker, label) in votes.of_task(task) {
                let (guess, knows) = (guess_of(worker, label), self.spamming[2 * worker + 1]);
                let share = |class: usize| row[class] / if class == label { guess + knows } else { guess };
                let guessing = (0..labels).map(share).sum::<f64>() * guess / all;
                guessed[worker * labels + label] += guessing;
                known[2 * worker] += guessing;
                known[2 * worker + 1] += row[label] * knows / (guess + knows) / all;
            }
        }
        (likelihood, guessed, known)
    }
}

/// Rows as probabilities: of counts and a smoothing, or with priors on the first and on the others by the exponential of
/// the expected logarithm.
fn normalised(counts: &[f64], width: usize, priors: Option<(f64, f64)>, smoothing: f64) -> Vec<f64> {
    let with_prior = |at: usize, count: f64| match priors {
        Some((first, others)) => count + if at == 0 { first } else { others },
        None => count + smoothing,
    };
    let weight = |x: f64| if priors.is_some() { digamma(x).exp() } else { x };
    let mut found = Vec::with_capacity(counts.len());
    for row in counts.chunks_exact(width) {
        let norm = weight(row.iter().enumerate().map(|(at, &count)| with_prior(at, count)).sum());
        // As close to zero as NumPy counts as zero.
        let share =
            |(at, &count): (usize, &f64)| if norm.abs() > 1e-8 { weight(with_prior(at, count)) / norm } else { 0.0 };
        found.extend(row.iter().enumerate().map(share));
    }
    found
}
