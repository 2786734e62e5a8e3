//! Skills by a robust fit of a matrix of rank one.

mod signs;

use super::rule::{Confusion, Rule};
use super::{Evidence, Stopping, TruthFit};
use crate::judgments::Ballots;
use crate::random::stream;
use crate::{Context, Error, Result};
use rand::RngExt;

/// Skills from how often pairs of workers agree, not minding a few who are malicious: M-MSR.
///
/// If workers err alike towards all wrong classes and independently, the share c_ij of common tasks on which two workers
/// agree satisfies (M c_ij - 1) / (M - 1) = s_i s_j, with M classes and the accuracy p_i = (s_i (M - 1) + 1) / M. The sizes of
/// the skills s are found by turns, each as the mean of what the other workers imply once the F largest and smallest are
/// left out; F is one less than half the fewest co-workers that anybody has. The signs come from the eigenvector of a graph
/// of agreements. Labels are then those of the likeliest class.
///
/// Cost: O(workers squared) a turn, and O(sum over tasks of votes squared) before; memory: O(workers squared).
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `iterations` | turns | 10000 | 1 or more |
/// | `tolerance` | turns end when the products of skills move less | 1e-10 | 0 or more |
///
/// ```
/// use beanjar::{Context, Labels, truth::{Evidence, Mmsr}};
///
/// let labels = Labels::from_rows([
///     ("1", "ann", "cat"), ("1", "bob", "cat"), ("1", "cy", "dog"),
///     ("2", "ann", "dog"), ("2", "bob", "dog"), ("2", "cy", "dog"),
/// ])?;
/// let fitted = Mmsr::default().fit(&Evidence::votes(labels.ballots())?, &Context::new())?;
/// assert!(fitted.posterior.of(0)[0] > 0.5);
/// # Ok::<(), beanjar::Error>(())
/// ```
///
/// Q. Ma and A. Olshevsky, Adversarial crowdsourcing through robust rank-one matrix completion, NeurIPS 33 (2020).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mmsr {
    /// Turns, at most.
    pub iterations: usize,
    /// When to stop.
    pub tolerance: f64,
}

impl Default for Mmsr {
    fn default() -> Self {
        Mmsr { iterations: 10_000, tolerance: 1e-10 }
    }
}

/// What [`Mmsr::skills`] found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MmsrSkills {
    /// Each worker's accuracy.
    pub accuracies: Vec<f64>,
    /// How far the products of skills moved in each turn.
    pub moved: Vec<f64>,
    /// Whether the last turn no longer moved them.
    pub converged: bool,
}

/// Matrices of all pairs beyond this do not fit into memory.
const MOST_WORKERS: usize = 10_000;

impl Mmsr {
    /// Finds skills and labels.
    pub fn fit(&self, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
        Stopping { iterations: self.iterations, tolerance: self.tolerance }.check()?;
        let ballots = evidence.ballots;
        evidence.check_tables(ballots.classes())?;
        let mut random = stream(context.seed(), 0);
        let start: Vec<f64> = (0..ballots.workers()).map(|_| random.random::<f64>()).collect();
        let pairs = Pairs::of(ballots)?;
        let found = self.skills(&pairs, pairs.trim().max(0), &start, context)?;
        let classes = ballots.classes();
        let mean = found.accuracies.iter().sum::<f64>() / found.accuracies.len().max(1) as f64;
        let accuracies: Vec<f64> = found.accuracies.iter().copied().chain([mean]).collect();
        let prior = vec![1.0 / classes as f64; classes];
        let rule = Rule::Confusion(Confusion::of_accuracies(prior, &accuracies)?);
        let mut posterior = rule.posterior(ballots, context)?;
        posterior.set_known(&evidence.gold);
        let (iterations, converged) = (found.moved.len(), found.converged);
        Ok(TruthFit { rule, posterior, log_likelihood: None, iterations, converged, auto: None })
    }

    /// The workers' accuracies, from a start of one positive number each; of what the others imply, the `trim` largest and
    /// smallest are left out. With a negative `trim` only the largest is taken.
    pub fn skills(&self, pairs: &Pairs, trim: i64, start: &[f64], context: &Context) -> Result<MmsrSkills> {
        let n = pairs.workers;
        if start.len() != n {
            let value = format!("of {} numbers", start.len());
            return Err(Error::OutOfRange { name: "the start", value, range: "one number for each worker" });
        }
        let (mut u, mut v) = (start.to_vec(), start.to_vec());
        let (mut moved, mut converged) = (Vec::new(), false);
        while moved.len() < self.iterations && !converged {
            context.report("aggregating", moved.len() as f64 / self.iterations as f64)?;
            let (u_before, v_before) = (u.clone(), v.clone());
            for j in 0..n {
                let implied =
                    (0..n).filter(|&i| pairs.common[i * n + j]).map(|i| pairs.relation[i * n + j].abs() / u[i]);
                v[j] = trimmed_mean(implied.collect(), trim, v[j], pairs.tasks);
            }
            for i in 0..n {
                let implied =
                    (0..n).filter(|&j| pairs.common[i * n + j]).map(|j| pairs.relation[i * n + j].abs() / v[j]);
                u[i] = trimmed_mean(implied.collect(), trim, u[i], pairs.tasks);
            }
            let step = distance(&u, &v, &u_before, &v_before);
            converged = step < self.tolerance;
            moved.push(step);
        }
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let balance = (norm(&u) / norm(&v)).sqrt();
        let signs = signs::of(pairs);
        let (classes, room) = (pairs.classes as f64, 1.0 / (pairs.tasks as f64).sqrt());
        let accuracy = |(u, sign): (&f64, f64)| {
            let lowest = if pairs.classes > 1 { -1.0 / (classes - 1.0) + room } else { room };
            let skill = (sign * u / balance).min(1.0 - room).max(lowest);
            let skill = if skill.is_nan() { 0.0 } else { skill };
            (skill * (classes - 1.0) + 1.0) / classes
        };
        Ok(MmsrSkills { accuracies: u.iter().zip(signs).map(accuracy).collect(), moved, converged })
    }
}

/// How far all pairs of workers agree.
#[derive(Clone, Debug, PartialEq)]
pub struct Pairs {
    workers: usize,
    tasks: usize,
    classes: usize,
    /// Whether two different workers have a task in common.
    common: Vec<bool>,
    /// (M c - 1) / (M - 1) of two workers; without a common task, c counts as 0.
    relation: Vec<f64>,
}

impl Pairs {
    /// Counts agreements; of several votes of a worker on a task, the last counts.
    pub fn of(ballots: &Ballots) -> Result<Pairs> {
        let (n, classes) = (ballots.workers(), ballots.classes());
        if n > MOST_WORKERS {
            let (value, range) = (n.to_string(), "at most 10000 for the method mmsr");
            return Err(Error::OutOfRange { name: "the number of workers", value, range });
        }
        let (mut shared, mut agreed) = (vec![0u32; n * n], vec![0u32; n * n]);
        for task in 0..ballots.tasks() {
            let all: Vec<(usize, usize)> = ballots.votes(task).iter().collect();
            let last = |at: usize| all[at + 1..].iter().all(|vote| vote.0 != all[at].0);
            let votes: Vec<(usize, usize)> = (0..all.len()).filter(|&at| last(at)).map(|at| all[at]).collect();
            for &(one, label) in &votes {
                for &(other, given) in votes.iter().filter(|vote| vote.0 != one) {
                    shared[one * n + other] += 1;
                    agreed[one * n + other] += u32::from(label == given);
                }
            }
        }
        let m = classes as f64;
        let share =
            |(agreed, shared): (&u32, &u32)| if *shared > 0 { f64::from(*agreed) / f64::from(*shared) } else { 0.0 };
        let spread = (m - 1.0).max(1.0);
        let relation = agreed.iter().zip(&shared).map(share).map(|c| c * (m / spread) - 1.0 / spread).collect();
        let common = shared.iter().map(|shared| *shared > 0).collect();
        let tasks = (0..ballots.tasks()).filter(|&task| !ballots.votes(task).labels.is_empty()).count();
        Ok(Pairs { workers: n, tasks, classes, common, relation })
    }

    /// How many of what the others imply are left out on either side: one less than half the fewest co-workers.
    #[must_use]
    pub fn trim(&self) -> i64 {
        let co_workers = |row: &[bool]| row.iter().filter(|common| **common).count();
        let fewest = self.common.chunks_exact(self.workers.max(1)).map(co_workers).min().unwrap_or(0);
        fewest as i64 / 2 - 1
    }
}

/// The mean without values far from `about`: as many as `trim` below it and above it.
fn trimmed_mean(mut values: Vec<f64>, trim: i64, about: f64, tasks: usize) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    if trim < 0 {
        values.drain(..values.len().saturating_sub(1));
    } else {
        let trim = trim as usize;
        match values.iter().filter(|value| **value < about).count() < trim {
            true => values.retain(|value| *value >= about),
            false => drop(values.drain(..trim)),
        }
        match values.iter().filter(|value| **value > about).count() < trim {
            true => values.retain(|value| *value <= about),
            false => values.truncate(values.len() - trim),
        }
    }
    match values[..] {
        [] => about,
        [0.0] => 1.0 / (tasks as f64).sqrt(),
        _ => values.iter().sum::<f64>() / values.len() as f64,
    }
}

/// The Frobenius norm of u v' - u_before v_before', without the matrices.
fn distance(u: &[f64], v: &[f64], u_before: &[f64], v_before: &[f64]) -> f64 {
    let rows = u.iter().zip(u_before);
    rows.map(|(u, before)| v.iter().zip(v_before).map(|(v, v_before)| (u * v - before * v_before).powi(2)).sum::<f64>())
        .sum::<f64>()
        .sqrt()
}

#[cfg(test)]
mod tests;
