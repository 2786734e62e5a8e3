//! Dawid and Skene's model, and that of one coin.

use super::{Rows, Votes, array};
use crate::numbers::{floats, integers};
use crate::watch::{Ear, watched};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// No probability is below this.
const SMALLEST: f64 = 1e-10;

/// Probabilities of tasks, class prior, errors of each pair of worker and label, pairs, skills, losses.
type Fitted<'py> =
    (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Vec<(usize, usize)>, Bound<'py, PyBytes>, Vec<f64>);

/// EM from the shares of votes, or from given errors. `gold` has a label for each task, -1 where it is not known. It stops
/// as crowd-kit does, by a bound in which the class prior counts once for each vote and not once for each task.
#[pyfunction]
#[pyo3(signature = (rows, gold, errors, n_iter, tol, one_coin))]
pub(crate) fn dawid_skene<'py>(
    py: Python<'py>,
    rows: Rows<'py>,
    gold: Option<Bound<'py, PyBytes>>,
    errors: Option<Bound<'py, PyBytes>>,
    n_iter: usize,
    tol: f64,
    one_coin: bool,
) -> PyResult<Fitted<'py>> {
    let votes = Votes::of(&rows)?;
    let pairs = Pairs::of(&rows, &votes);
    let gold: Vec<i32> = gold.map(|gold| integers(gold.as_bytes()).collect()).unwrap_or_default();
    let errors: Option<Vec<f64>> = errors.map(|errors| floats(errors.as_bytes()).collect());
    let fit = watched(py, None, |ear| Fit::run(&votes, &pairs, &gold, errors, n_iter, tol, one_coin, &ear))?;
    let Fit { probabilities, prior, errors, skills, losses } = fit;
    Ok((array(py, &probabilities), array(py, &prior), array(py, &errors), pairs.pairs, array(py, &skills), losses))
}

/// The pairs of worker and label that occur, in order of first appearance.
struct Pairs {
    pairs: Vec<(usize, usize)>,
    /// Of each vote its pair, in the order of the votes by task.
    of_vote: Vec<u32>,
}

impl Pairs {
    fn of((_, worker, label, _, workers, labels): &Rows<'_>, votes: &Votes) -> Pairs {
        let mut number = vec![u32::MAX; workers * labels];
        let mut pairs = Vec::new();
        for (worker, label) in integers(worker.as_bytes()).zip(integers(label.as_bytes())) {
            let number = &mut number[worker as usize * labels + label as usize];
            if *number == u32::MAX {
                *number = pairs.len() as u32;
                pairs.push((worker as usize, label as usize));
            }
        }
        let of = |(&worker, &label): (&u32, &u32)| number[worker as usize * labels + label as usize];
        Pairs { pairs, of_vote: votes.worker.iter().zip(&votes.label).map(of).collect() }
    }
}

struct Fit {
    /// By task, then class.
    probabilities: Vec<f64>,
    prior: Vec<f64>,
    /// By pair, then class.
    errors: Vec<f64>,
    skills: Vec<f64>,
    losses: Vec<f64>,
}

impl Fit {
    fn run(
        votes: &Votes,
        pairs: &Pairs,
        gold: &[i32],
        errors: Option<Vec<f64>>,
        n_iter: usize,
        tol: f64,
        one_coin: bool,
        ear: &Ear,
    ) -> Fit {
        let mut fit = Fit {
            probabilities: Vec::new(),
            prior: Vec::new(),
            errors: Vec::new(),
            skills: Vec::new(),
            losses: Vec::new(),
        };
        fit.probabilities = shares(votes);
        fit.correct(gold, votes.labels);
        fit.maximise(votes, pairs, one_coin);
        if let Some(errors) = errors {
            fit.errors = errors;
        }
        let mut last = f64::NEG_INFINITY;
        for step in 0..n_iter {
            if ear.hear("fitting", step as f64 / n_iter as f64).is_break() {
                break;
            }
            fit.expect(votes, pairs);
            fit.correct(gold, votes.labels);
            fit.maximise(votes, pairs, one_coin);
            let loss = fit.bound(votes, pairs) / votes.len() as f64;
            fit.losses.push(loss);
            if loss - last < tol {
                break;
            }
            last = loss;
        }
        fit
    }

    /// Makes known labels certain.
    fn correct(&mut self, gold: &[i32], classes: usize) {
        for (row, &label) in self.probabilities.chunks_exact_mut(classes).zip(gold) {
            if let Ok(label) = usize::try_from(label) {
                row.fill(0.0);
                row[label] = 1.0;
            }
        }
    }

    /// The class prior and the workers' errors, by expectation. Of each worker, the labels they gave share each class.
    fn maximise(&mut self, votes: &Votes, pairs: &Pairs, one_coin: bool) {
        let classes = votes.labels;
        self.prior = vec![0.0; classes];
        self.errors = vec![0.0; pairs.pairs.len() * classes];
        self.skills = vec![0.0; votes.workers];
        let mut votes_of = vec![0.0; votes.workers];
        for (task, row) in self.probabilities.chunks_exact(classes).enumerate() {
            self.prior.iter_mut().zip(row).for_each(|(sum, p)| *sum += p);
            for at in votes.starts[task]..votes.starts[task + 1] {
                let (worker, label) = (votes.worker[at] as usize, votes.label[at] as usize);
                self.skills[worker] += row[label];
                votes_of[worker] += 1.0;
                let pair = pairs.of_vote[at] as usize * classes;
                self.errors[pair..pair + classes].iter_mut().zip(row).for_each(|(sum, p)| *sum += p);
            }
        }
        self.prior.iter_mut().for_each(|sum| *sum /= votes.tasks() as f64);
        self.skills.iter_mut().zip(votes_of).for_each(|(sum, n)| *sum /= n);
        if one_coin {
            for (row, &(worker, label)) in self.errors.chunks_exact_mut(classes).zip(&pairs.pairs) {
                let skill = self.skills[worker];
                let wrong = (1.0 - skill) / (classes as f64 - 1.0);
                row.iter_mut().for_each(|p| *p = wrong);
                row[label] = skill;
                row.iter_mut().for_each(|p| *p = p.clamp(SMALLEST, 1.0 - SMALLEST));
            }
            return;
        }
        let mut sums = vec![0.0; votes.workers * classes];
        for (row, &(worker, _)) in self.errors.chunks_exact_mut(classes).zip(&pairs.pairs) {
            for (p, sum) in row.iter_mut().zip(&mut sums[worker * classes..]) {
                *p = p.max(SMALLEST);
                *sum += *p;
            }
        }
        for (row, &(worker, _)) in self.errors.chunks_exact_mut(classes).zip(&pairs.pairs) {
            row.iter_mut().zip(&sums[worker * classes..]).for_each(|(p, sum)| *p /= sum);
        }
    }

    /// The probabilities of the tasks' classes, by Bayes' rule.
    fn expect(&mut self, votes: &Votes, pairs: &Pairs) {
        let classes = votes.labels;
        self.prior.iter_mut().for_each(|p| *p = p.max(SMALLEST));
        let prior: Vec<f64> = self.prior.iter().map(|p| p.ln()).collect();
        let errors: Vec<f64> = self.errors.iter().map(|p| p.ln()).collect();
        for (task, row) in self.probabilities.chunks_exact_mut(classes).enumerate() {
            row.copy_from_slice(&prior);
            for &pair in &pairs.of_vote[votes.starts[task]..votes.starts[task + 1]] {
                let pair = pair as usize * classes;
                row.iter_mut().zip(&errors[pair..pair + classes]).for_each(|(score, log)| *score += log);
            }
            let most = row.iter().fold(f64::NEG_INFINITY, |most: f64, &score| most.max(score));
            row.iter_mut().for_each(|score| *score = (*score - most).exp());
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|score| *score /= sum);
        }
    }

    /// crowd-kit's bound on the log-likelihood. It leaves no probability of a task below the smallest.
    fn bound(&mut self, votes: &Votes, pairs: &Pairs) -> f64 {
        let classes = votes.labels;
        let prior: Vec<f64> = self.prior.iter().map(|p| p.max(SMALLEST).ln()).collect();
        let errors: Vec<f64> = self.errors.iter().map(|p| p.ln()).collect();
        let mut bound = 0.0;
        let mut sums = vec![0.0; classes];
        for (task, row) in self.probabilities.chunks_exact_mut(classes).enumerate() {
            let of_task = &pairs.of_vote[votes.starts[task]..votes.starts[task + 1]];
            sums.iter_mut().zip(&prior).for_each(|(sum, log)| *sum = of_task.len() as f64 * log);
            for &pair in of_task {
                let pair = pair as usize * classes;
                sums.iter_mut().zip(&errors[pair..pair + classes]).for_each(|(sum, log)| *sum += log);
            }
            for (p, sum) in row.iter_mut().zip(&sums) {
                bound += *p * sum;
                *p = p.max(SMALLEST);
                bound -= *p * p.ln();
            }
        }
        self.prior.iter_mut().for_each(|p| *p = p.max(SMALLEST));
        bound
    }
}

/// The share of each task's votes that each class has.
fn shares(votes: &Votes) -> Vec<f64> {
    let mut shares = vec![0.0; votes.tasks() * votes.labels];
    for (task, row) in shares.chunks_exact_mut(votes.labels.max(1)).enumerate() {
        votes.of_task(task).for_each(|(_, label)| row[label] += 1.0);
        let all: f64 = row.iter().sum();
        row.iter_mut().for_each(|share| *share /= all);
    }
    shares
}
