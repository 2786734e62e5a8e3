//! Abilities of workers and difficulties of tasks.

mod by_id;
mod conjugate_gradient;
mod line_search;
mod look;
mod zoom;

use super::rule::{Confusion, Rule};
use super::{ClassPrior, Evidence, Posterior, Stopping, TruthFit};
use crate::judgments::{Ballots, sum_over_large};
use crate::logistic::logistic;
use crate::{Context, Error, Result};
use by_id::ById;
use conjugate_gradient::{Limits, minimise};
use look::Look;

/// Each worker has an ability and each task an ease: GLAD.
///
/// P(label l by worker w on task t | class k) = s(a_w e^(b_t)) if l = k, else (1 - s) / (classes - 1), with the logistic
/// function s. The ability a_w is normal around 1, below zero for a worker who is contrary; so is b_t, the logarithm of
/// the task's ease. EM alternates the posterior of the classes with some steps of conjugate gradients on all a and b.
/// Of a new task the ease is taken to be e^(the mean of b).
///
/// Cost: O(votes) a look at the function, some fifty looks a step of EM. Memory: O(votes + tasks times classes).
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `prior` | the class prior | uniform | not estimated |
/// | `stopping` | when EM stops | 100 steps, gains below 1e-5 a label | |
/// | `step_iterations` | directions in a step of EM | 25 | 1 or more |
/// | `step_tolerance` | the steepest slope at which a step ends | 0.01 | 0 or more |
///
/// ```
/// use beanjar::{Context, Labels, truth::{Evidence, Glad}};
///
/// let labels = Labels::from_rows([("1", "ann", "cat"), ("1", "bob", "cat"), ("1", "cy", "dog")])?;
/// let fitted = Glad::default().fit(&Evidence::votes(labels.ballots())?, &Context::new())?;
/// assert!(fitted.posterior.of(0)[0] > 0.5);
/// # Ok::<(), beanjar::Error>(())
/// ```
///
/// J. Whitehill, P. Ruvolo, T. Wu, J. Bergsma and J. Movellan, Whose vote should count more: optimal integration of
/// labels from labelers of unknown expertise, NIPS 22 (2009).
#[derive(Clone, Debug, PartialEq)]
pub struct Glad {
    /// The class prior, which is not estimated.
    pub prior: ClassPrior,
    /// When to stop.
    pub stopping: Stopping,
    /// Directions of conjugate gradients in a step of EM, at most.
    pub step_iterations: usize,
    /// A step of EM ends when no slope is steeper.
    pub step_tolerance: f64,
}

impl Default for Glad {
    fn default() -> Self {
        Glad {
            prior: ClassPrior::Uniform,
            stopping: Stopping { iterations: 100, tolerance: 1e-5 },
            step_iterations: 25,
            step_tolerance: 0.01,
        }
    }
}

impl Glad {
    /// Finds abilities, ease and classes.
    pub fn fit(&self, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
        self.stopping.check()?;
        Stopping { iterations: self.step_iterations, tolerance: self.step_tolerance }.check()?;
        let classes = evidence.ballots.classes();
        evidence.check_tables(classes)?;
        let prior = match &self.prior {
            ClassPrior::Uniform => vec![1.0 / classes as f64; classes],
            ClassPrior::Given(shares) => {
                self.prior.check(classes)?;
                let all: f64 = shares.iter().sum();
                shares.iter().map(|share| share / all).collect()
            }
            ClassPrior::Estimated | ClassPrior::Anchored => {
                let range = "uniform or given: glad does not estimate it";
                return Err(Error::OutOfRange { name: "the class prior", value: "estimated".into(), range });
            }
        };
        let by_id = ById::of(evidence)?;
        let ordered = by_id.evidence();
        let mut climb = GladClimb::new(&ordered, prior)?;
        let enough = self.stopping.tolerance * evidence.ballots.len() as f64;
        let (mut last, mut iterations, mut converged) = (f64::NEG_INFINITY, 0, false);
        while iterations < self.stopping.iterations && !converged {
            context.report("aggregating", iterations as f64 / self.stopping.iterations as f64)?;
            climb.expect(context);
            let objective = climb.log_likelihood() + climb.log_prior();
            converged = objective - last <= enough;
            last = objective;
            climb.maximise(self.step_iterations, self.step_tolerance, context)?;
            iterations += 1;
        }
        climb.expect(context);
        let log_likelihood = Some(climb.log_likelihood());
        let rule = Rule::Confusion(climb.rule(&by_id)?);
        let posterior = by_id.posterior(&climb.posterior, context);
        Ok(TruthFit { rule, posterior, log_likelihood, iterations, converged, auto: None })
    }
}

/// Abilities and ease on their way up.
#[derive(Clone, Debug)]
pub struct GladClimb<'a> {
    ballots: &'a Ballots,
    gold: &'a [Option<u16>],
    prior: Vec<f64>,
    /// Abilities of the workers, then the logarithm of the ease of each task.
    parameters: Vec<f64>,
    /// What they are normal around, with a variance of 1.
    centres: Vec<f64>,
    posterior: Posterior,
    log_likelihood: f64,
}

impl<'a> GladClimb<'a> {
    /// From abilities and ease of 1; the classes have these shares.
    pub fn new(evidence: &'a Evidence<'_>, prior: Vec<f64>) -> Result<Self> {
        let ballots = evidence.ballots;
        ClassPrior::Given(prior.clone()).check(ballots.classes())?;
        let ones = vec![1.0; ballots.workers() + ballots.tasks()];
        Ok(GladClimb {
            ballots,
            gold: &evidence.gold,
            prior,
            parameters: ones.clone(),
            centres: ones,
            posterior: Posterior::equal(ballots.tasks(), ballots.classes()),
            log_likelihood: 0.0,
        })
    }

    /// The same with abilities and log-ease normal around these, and not around 1.
    pub fn with_centres(self, abilities: &[f64], ease: &[f64]) -> Result<Self> {
        if (abilities.len(), ease.len()) != (self.ballots.workers(), self.ballots.tasks()) {
            let value = format!("of {} workers and {} tasks", abilities.len(), ease.len());
            return Err(Error::OutOfRange {
                name: "the list of centres",
                value,
                range: "one for each worker and task",
            });
        }
        Ok(GladClimb { centres: [abilities, ease].concat(), ..self })
    }

    /// The ability of each worker.
    #[must_use]
    pub fn abilities(&self) -> &[f64] {
        &self.parameters[..self.ballots.workers()]
    }

    /// The logarithm of the ease of each task.
    #[must_use]
    pub fn ease(&self) -> &[f64] {
        &self.parameters[self.ballots.workers()..]
    }

    /// The probabilities of classes that [`expect`](Self::expect) found.
    #[must_use]
    pub fn posterior(&self) -> &Posterior {
        &self.posterior
    }

    /// The log-likelihood of the votes that [`expect`](Self::expect) found.
    #[must_use]
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// The logarithm of the prior of abilities and ease.
    #[must_use]
    pub fn log_prior(&self) -> f64 {
        -self.parameters.iter().zip(&self.centres).map(|(x, centre)| log_normal(x - centre)).sum::<f64>()
    }

    /// The E-step: the probabilities of all tasks' classes.
    pub fn expect(&mut self, context: &Context) {
        let (abilities, ease) = self.parameters.split_at(self.ballots.workers());
        let (ballots, gold, prior) = (self.ballots, self.gold, &self.prior);
        let logs: Vec<f64> = prior.iter().map(|p| p.ln()).collect();
        let ways = ways(prior.len());
        let score = |task: usize, row: &mut [f64]| {
            row.copy_from_slice(&logs);
            let strength = ease[task].exp();
            let mut wrong = 0.0;
            for (worker, label, weight) in ballots.votes(task).weighted() {
                let x = abilities[worker] * strength;
                wrong -= weight * (softplus(x) + ways);
                row[label] += weight * (x + ways);
            }
            row.iter_mut().for_each(|score| *score += wrong);
        };
        self.posterior.fill(context, |task, row| {
            score(task, row);
            normalise(row);
        });
        let mut row = vec![0.0; prior.len()];
        self.log_likelihood = 0.0;
        for task in 0..ballots.tasks() {
            score(task, &mut row);
            self.log_likelihood += match gold.get(task).copied().flatten() {
                Some(class) => row[usize::from(class)],
                None => normalise(&mut row),
            };
        }
        self.posterior.set_known(gold);
    }

    /// The M-step: abilities and ease that suit the posterior better.
    pub fn maximise(&mut self, iterations: usize, steepest: f64, context: &Context) -> Result<()> {
        let mut parameters = std::mem::take(&mut self.parameters);
        let limits = Limits { iterations, steepest };
        let done = minimise(&mut parameters, limits, |x, slopes| {
            // A vote takes an exponential and a division, about twenty products.
            context.worked(20 * self.ballots.len())?;
            Ok(self.loss(x, slopes, context))
        });
        self.parameters = parameters;
        done
    }

    /// The expected log-likelihood of votes and classes given the posterior, with the prior of abilities and ease, but
    /// without that of the classes.
    #[must_use]
    pub fn expected(&self, context: &Context) -> f64 {
        -self.loss(&self.parameters, &mut vec![0.0; self.parameters.len()], context)
    }

    /// What is minimised, and its slopes.
    fn loss(&self, x: &[f64], slopes: &mut [f64], context: &Context) -> f64 {
        let (abilities, ease) = x.split_at(self.ballots.workers());
        let ways = ways(self.prior.len());
        let empty = || Look::new(&self.posterior, abilities, ease, ways);
        let look = sum_over_large(self.ballots, context, abilities.len(), empty);
        let mut loss = look.loss;
        let pulls = look.of_workers.iter().chain(&look.of_tasks);
        for ((slope, pull), (x, centre)) in slopes.iter_mut().zip(pulls).zip(x.iter().zip(&self.centres)) {
            *slope = pull + x - centre;
            loss += log_normal(x - centre);
        }
        loss
    }

    /// How votes on other tasks are read: with the mean ease.
    fn rule(&self, by_id: &ById) -> Result<Confusion> {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let strength = mean(self.ease()).exp();
        let abilities = by_id.of_workers(self.abilities()).into_iter().chain([mean(self.abilities())]);
        let accuracies: Vec<f64> = abilities.map(|ability| logistic(ability * strength)).collect();
        Confusion::of_accuracies(self.prior.clone(), &accuracies)
    }
}

/// The logarithm of the number of ways to be wrong.
fn ways(classes: usize) -> f64 {
    (classes.saturating_sub(1).max(1) as f64).ln()
}

/// -ln of the standard normal density.
fn log_normal(x: f64) -> f64 {
    const HALF_LOG_TAU: f64 = 0.918_938_533_204_672_8;
    0.5 * x * x + HALF_LOG_TAU
}

/// ln(1 + e^x). Beyond 30 the rest is less than 1e-13.
fn softplus(x: f64) -> f64 {
    if x > 30.0 {
        x
    } else if x < -30.0 {
        0.0
    } else {
        x.exp().ln_1p()
    }
}

/// Makes probabilities of their logarithms; the logarithm of their sum.
fn normalise(row: &mut [f64]) -> f64 {
    let most = row.iter().fold(f64::NEG_INFINITY, |most: f64, &score| most.max(score));
    row.iter_mut().for_each(|score| *score = (*score - most).exp());
    let sum: f64 = row.iter().sum();
    row.iter_mut().for_each(|score| *score /= sum);
    most + sum.ln()
}

#[cfg(test)]
mod tests;
