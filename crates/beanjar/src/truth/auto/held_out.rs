//! How probable each candidate makes held-out labels.

use super::super::pooled::tables_given;
use super::super::rare_workers::RareWorkers;
use super::super::rule::Confusion;
use super::super::{Evidence, Majority};
use super::candidate::Model;
use crate::judgments::{Ballots, Fold, Folds, sample_of_tasks};
use crate::{Context, Result};

/// Labels beyond which weighing the candidates gains nothing from more: a mean over 60,000 has a standard error of less
/// than 0.01 nats, and candidates that differ by less give the same answers.
const MOST_HELD_OUT: usize = 60_000;

/// The probability of each held-out label under each candidate, the last of which is the plain vote.
#[derive(Default)]
pub(super) struct HeldOut {
    pub(super) candidates: usize,
    /// Label by label, the probability under each candidate.
    pub(super) probabilities: Vec<f64>,
    /// The task of each label.
    pub(super) tasks: Vec<u32>,
    /// The worker of each label; those who share a table are one.
    pub(super) workers: Vec<u32>,
    /// What each label counts.
    pub(super) counts: Vec<f64>,
}

impl HeldOut {
    pub(super) fn labels(&self) -> usize {
        self.tasks.len()
    }
}

/// Fits every candidate to all folds but one, and reads the labels of that one.
pub(super) fn hold_out(candidates: &[Model], ballots: &Ballots, folds: usize, context: &Context) -> Result<HeldOut> {
    let sample = sample_of_tasks(ballots, MOST_HELD_OUT, context.seed());
    let sample = sample.map(|tasks| ballots.of_tasks(&tasks)).transpose()?;
    let ballots = sample.as_ref().unwrap_or(ballots);
    let folds = Folds::new(ballots, folds, context.seed());
    // Votes are dealt to folds worker by worker, and only then may workers share tables.
    let folds: Vec<Fold> = match RareWorkers::of(ballots) {
        Some(rare) => {
            let share = |fold: &Fold| Fold { kept: rare.share(&fold.kept), held_out: rare.share(&fold.held_out) };
            folds.iter().map(share).collect()
        }
        None => folds.into_folds(),
    };
    let jobs: Vec<(usize, usize)> =
        (0..folds.len()).flat_map(|fold| (0..=candidates.len()).map(move |candidate| (fold, candidate))).collect();
    let steps = context.steps("aggregating", jobs.len());
    // Each fit is small, so fits go side by side and each by itself.
    let columns = context.map(jobs, |(fold, candidate)| -> Result<Vec<f64>> {
        let fold = &folds[fold];
        let alone = context.alone();
        let column = match candidates.get(candidate) {
            _ if fold.kept.is_empty() => Vec::new(),
            Some(model) => {
                let tables = model.tables(&Evidence::part(&fold.kept, &[]), &alone)?;
                predicted(&fold.kept, &fold.held_out, &tables, |kept, row| {
                    tables.components(kept, row);
                })
            }
            None => {
                let votes = Majority::default().fit(&Evidence::votes(&fold.kept)?, &alone)?.posterior;
                let tables = tables_given(&fold.kept, &votes, &alone)?;
                predicted(&fold.kept, &fold.held_out, &tables, |kept, row| votes.of(kept.task).write(row))
            }
        };
        steps.tick().map(|()| column)
    });
    let columns: Vec<Vec<f64>> = columns.into_iter().collect::<Result<_>>()?;
    let mut held_out = HeldOut { candidates: candidates.len() + 1, ..HeldOut::default() };
    for (fold, columns) in folds.iter().zip(columns.chunks_exact(candidates.len() + 1)) {
        for task in readable(&fold.kept, &fold.held_out) {
            let votes = fold.held_out.votes(task);
            held_out.tasks.extend(std::iter::repeat_n(task as u32, votes.labels.len()));
            held_out.workers.extend(votes.weighted().map(|vote| vote.0 as u32));
            held_out.counts.extend(votes.weighted().map(|vote| vote.2));
        }
        for label in 0..columns[0].len() {
            held_out.probabilities.extend(columns.iter().map(|column| column[label]));
        }
    }
    Ok(held_out)
}

/// Tasks with held-out votes, and kept ones to predict them from.
fn readable<'a>(kept: &'a Ballots, held_out: &'a Ballots) -> impl Iterator<Item = usize> + 'a {
    let some = |ballots: &Ballots, task: usize| !ballots.votes(task).labels.is_empty();
    (0..kept.tasks()).filter(move |&task| some(kept, task) && some(held_out, task))
}

/// The probability of each held-out label: the tables', averaged by the posterior of its task.
fn predicted(
    kept: &Ballots,
    held_out: &Ballots,
    tables: &Confusion,
    posterior: impl Fn(crate::judgments::Votes<'_>, &mut [f64]),
) -> Vec<f64> {
    let mut row = vec![0.0; tables.classes()];
    let mut column = Vec::with_capacity(held_out.len());
    for task in readable(kept, held_out) {
        posterior(kept.votes(task), &mut row);
        column.extend(held_out.votes(task).iter().map(|(worker, label)| {
            let p = row.iter().enumerate().map(|(class, p)| p * tables.probability(worker, class, label));
            p.sum::<f64>().max(f64::MIN_POSITIVE)
        }));
    }
    column
}
