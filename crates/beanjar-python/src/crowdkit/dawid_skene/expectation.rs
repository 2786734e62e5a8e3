//! The E-step, of which only sums are kept.

use super::pairs::Pairs;
use super::{Model, SMALLEST};
use beanjar::Context;
use beanjar::judgments::{Sum, sum_over_large};

/// Logarithms of a model.
pub(super) struct Logs {
    prior: Vec<f64>,
    errors: Vec<f64>,
    /// With more votes than this, a product of probabilities could be smaller than any number.
    most: usize,
}

impl Logs {
    pub(super) fn of(model: &Model) -> Logs {
        let prior: Vec<f64> = model.prior.iter().map(|p| p.max(SMALLEST).ln()).collect();
        let errors: Vec<f64> = model.errors.iter().map(|p| p.ln()).collect();
        let least = errors.iter().chain(&prior).fold(-1.0, |least: f64, &log| least.min(log));
        // e^-690 is a number with all its digits; one factor is the prior's.
        let most = (-690.0 / least) as usize;
        Logs { prior, errors, most: most.saturating_sub(1) }
    }

    /// The log-probability of a task's votes and of this class.
    pub(super) fn of_class(&self, pairs: &Pairs, task: usize, class: usize) -> f64 {
        let error = |&pair: &u32| self.errors[pair as usize * pairs.labels + class];
        self.prior[class] + pairs.of_task(task).iter().map(error).sum::<f64>()
    }
}

/// The share of a task's votes that each class has.
pub(super) fn shares(pairs: &Pairs, task: usize, row: &mut [f64]) {
    row.fill(0.0);
    let votes = pairs.of_task(task);
    votes.iter().for_each(|&pair| row[pairs.label[pair as usize] as usize] += 1.0);
    row.iter_mut().for_each(|share| *share /= votes.len() as f64);
}

/// The probabilities of a task's classes, by Bayes' rule; the log-probability of its votes.
pub(super) fn probabilities(pairs: &Pairs, task: usize, model: &Model, logs: &Logs, row: &mut [f64]) -> f64 {
    let votes = pairs.of_task(task);
    if votes.len() > logs.most {
        return by_logarithms(votes, logs, row);
    }
    row.iter_mut().zip(&model.prior).for_each(|(p, prior)| *p = prior.max(SMALLEST));
    match row.len() {
        2 => products::<2>(votes, &model.errors, row),
        3 => products::<3>(votes, &model.errors, row),
        4 => products::<4>(votes, &model.errors, row),
        5 => products::<5>(votes, &model.errors, row),
        classes => {
            for &pair in votes {
                let errors = &model.errors[pair as usize * classes..];
                row.iter_mut().zip(errors).for_each(|(p, error)| *p *= error);
            }
        }
    }
    let sum: f64 = row.iter().sum();
    let share = 1.0 / sum;
    row.iter_mut().for_each(|p| *p *= share);
    sum.ln()
}

/// With the number of classes known, rows of errors stay in registers.
fn products<const C: usize>(votes: &[u32], errors: &[f64], row: &mut [f64]) {
    let mut products = [0.0; C];
    products.copy_from_slice(row);
    for &pair in votes {
        let errors = &errors[pair as usize * C..][..C];
        products.iter_mut().zip(errors).for_each(|(p, error)| *p *= error);
    }
    row.copy_from_slice(&products);
}

fn by_logarithms(votes: &[u32], logs: &Logs, row: &mut [f64]) -> f64 {
    row.copy_from_slice(&logs.prior);
    for &pair in votes {
        let errors = &logs.errors[pair as usize * row.len()..];
        row.iter_mut().zip(errors).for_each(|(score, log)| *score += log);
    }
    let most = row.iter().fold(f64::NEG_INFINITY, |most: f64, &score| most.max(score));
    row.iter_mut().for_each(|score| *score = (*score - most).exp());
    let sum: f64 = row.iter().sum();
    row.iter_mut().for_each(|score| *score /= sum);
    most + sum.ln()
}

/// What the M-step and the bound need of the probabilities of the tasks' classes: no more than these sums.
pub(super) struct Sums {
    /// Of each class the tasks.
    pub(super) classes: Vec<f64>,
    /// Of each pair and class the votes.
    pub(super) pairs: Vec<f64>,
    /// Log-probabilities of the tasks' votes.
    joint: f64,
    /// What the entropy gains from no probability being below the smallest.
    raised: f64,
}

impl Sums {
    /// Over all tasks, of which `row_of` fills a row of probabilities, and gives the log-probability of the votes.
    pub(super) fn over(pairs: &Pairs, context: &Context, row_of: impl Fn(usize, &mut [f64]) -> f64 + Sync) -> Sums {
        let empty = || Expectation {
            row_of: &row_of,
            data: pairs,
            row: vec![0.0; pairs.labels],
            sums: Sums { classes: vec![0.0; pairs.labels], pairs: vec![0.0; pairs.cells()], joint: 0.0, raised: 0.0 },
        };
        sum_over_large(pairs, context, pairs.cells(), empty).sums
    }

    /// crowd-kit's bound on the log-likelihood of a new model, from probabilities that followed from the one before: the
    /// expected log-probability, with the class prior once for each vote, and the entropy of the probabilities. The
    /// logarithm of each probability is a sum of those of the model before, less that of the task's votes.
    pub(super) fn bound(&self, before: &Logs, now: &Logs) -> f64 {
        let of_classes: f64 = self.classes.iter().zip(&before.prior).map(|(sum, log)| sum * log).sum();
        let dot = |logs: &Logs| self.pairs.iter().zip(&logs.errors).map(|(sum, log)| sum * log).sum::<f64>();
        let entropy = self.joint - of_classes - dot(before) + self.raised;
        let priors = self.pairs.chunks_exact(now.prior.len());
        let priors: f64 = priors.map(|row| row.iter().zip(&now.prior).map(|(sum, log)| sum * log).sum::<f64>()).sum();
        dot(now) + priors + entropy
    }
}

/// The sums on their way over the tasks.
struct Expectation<'a, F> {
    row_of: &'a F,
    data: &'a Pairs,
    row: Vec<f64>,
    sums: Sums,
}

fn add<const C: usize>(votes: &[u32], row: &[f64], sums: &mut [f64]) {
    let mut fixed = [0.0; C];
    fixed.copy_from_slice(row);
    for &pair in votes {
        let sums = &mut sums[pair as usize * C..][..C];
        sums.iter_mut().zip(&fixed).for_each(|(sum, p)| *sum += p);
    }
}

impl<F: Fn(usize, &mut [f64]) -> f64 + Sync> Sum<Pairs> for Expectation<'_, F> {
    fn observe(&mut self, task: usize) {
        let Expectation { row_of, data, row, sums: Sums { classes, pairs, joint, raised } } = self;
        *joint += row_of(task, row);
        let entropy = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
        for (sum, &p) in classes.iter_mut().zip(&*row) {
            *sum += p;
            if p < SMALLEST {
                *raised += entropy(SMALLEST) - entropy(p);
            }
        }
        let votes = data.of_task(task);
        match row.len() {
            2 => add::<2>(votes, row, pairs),
            3 => add::<3>(votes, row, pairs),
            4 => add::<4>(votes, row, pairs),
            5 => add::<5>(votes, row, pairs),
            width => {
                for &pair in votes {
                    let sums = &mut pairs[pair as usize * width..];
                    sums.iter_mut().zip(&*row).for_each(|(sum, p)| *sum += p);
                }
            }
        }
    }

    fn merge(&mut self, later: Self) {
        let add = |sums: &mut [f64], more: &[f64]| sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        add(&mut self.sums.classes, &later.sums.classes);
        add(&mut self.sums.pairs, &later.sums.pairs);
        self.sums.joint += later.sums.joint;
        self.sums.raised += later.sums.raised;
    }
}
