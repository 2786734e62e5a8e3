//! What held-out labels say of each candidate.

use super::super::Evidence;
use super::super::rule::sharpen;
use super::super::skilled::SkilledClimb;
use super::weigh::POWERS;
use crate::judgments::{Ballots, Folds, sample_of_tasks};
use crate::logistic::logistic;
use crate::{Result, mutual_information};

/// Labels beyond which choosing among the fits gains nothing from more.
const MOST_HELD_OUT: usize = 200_000;

/// Tasks to choose by, their votes dealt to folds.
pub(super) struct Sample {
    folds: Folds,
    gold: Vec<Option<u16>>,
}

impl Sample {
    pub(super) fn draw(evidence: &Evidence<'_>, folds: usize, seed: u64) -> Result<Self> {
        let all = evidence.ballots;
        let Some(tasks) = sample_of_tasks(all, MOST_HELD_OUT, seed) else {
            return Ok(Sample { folds: Folds::new(all, folds, seed), gold: evidence.gold.clone() });
        };
        let gold = match evidence.gold.is_empty() {
            true => Vec::new(),
            false => tasks.iter().map(|&task| evidence.gold[task]).collect(),
        };
        Ok(Sample { folds: Folds::new(&all.of_tasks(&tasks)?, folds, seed), gold })
    }

    /// What a fit of this fold may see.
    pub(super) fn evidence(&self, fold: usize) -> Evidence<'_> {
        Evidence::part(&self.folds.of(fold).kept, &self.gold)
    }

    /// Visits each held-out vote whose task has kept votes: with the posterior of its task by each fit, the worker and the
    /// label.
    fn for_each(&self, fold: usize, fits: &[SkilledClimb], mut visit: impl FnMut(&[Vec<f64>], usize, usize)) {
        let fold = self.folds.of(fold);
        let mut posteriors: Vec<Vec<f64>> = vec![vec![0.0; fold.kept.classes()]; fits.len()];
        for task in 0..fold.kept.tasks() {
            let (kept, held_out) = (fold.kept.votes(task), fold.held_out.votes(task));
            if kept.labels.is_empty() || held_out.labels.is_empty() {
                continue;
            }
            for (fit, posterior) in fits.iter().zip(&mut posteriors) {
                match self.gold.get(task).copied().flatten() {
                    None => {
                        fit.climb.tables.components(kept, posterior);
                    }
                    Some(class) => {
                        posterior.fill(0.0);
                        posterior[usize::from(class)] = 1.0;
                    }
                }
            }
            held_out.iter().for_each(|(worker, label)| visit(&posteriors, worker, label));
        }
    }

    /// Adds to the score of each power the log-probability of the held-out labels.
    pub(super) fn try_powers(&self, fold: usize, fits: &[SkilledClimb], weights: &[f64], scores: &mut [f64]) {
        let classes = self.ballots().classes();
        let (mut mean, mut likelihood, mut row) = (vec![0.0; classes], vec![0.0; classes], vec![0.0; classes]);
        self.for_each(fold, fits, |posteriors, worker, label| {
            mean.fill(0.0);
            likelihood.fill(0.0);
            for ((fit, posterior), weight) in fits.iter().zip(posteriors).zip(weights) {
                for class in 0..classes {
                    mean[class] += weight * posterior[class];
                    likelihood[class] += weight * fit.climb.tables.probability(worker, class, label);
                }
            }
            for (score, power) in scores.iter_mut().zip(POWERS) {
                row.copy_from_slice(&mean);
                sharpen(&mut row, power);
                *score += row.iter().zip(&likelihood).map(|(p, of)| p * of).sum::<f64>().max(1e-300).ln();
            }
        });
    }

    fn ballots(&self) -> &Ballots {
        &self.folds.of(0).kept
    }
}

/// Sums over held-out labels.
pub(super) struct HeldOut {
    classes: usize,
    pub(super) count: usize,
    /// Of each candidate, how often the class was k by the kept votes where a held-out label was l, at k * classes + l.
    tables: Vec<Vec<f64>>,
    /// The sum of the discount's gains in log-probability under the first class prior, and of their squares.
    gain: f64,
    squares: f64,
}

impl HeldOut {
    pub(super) fn new(candidates: usize, classes: usize) -> Self {
        HeldOut { classes, count: 0, tables: vec![vec![0.0; classes * classes]; candidates], gain: 0.0, squares: 0.0 }
    }

    pub(super) fn observe(&mut self, sample: &Sample, fold: usize, fits: &[SkilledClimb]) {
        let classes = self.classes;
        sample.for_each(fold, fits, |posteriors, worker, label| {
            for (table, posterior) in self.tables.iter_mut().zip(posteriors) {
                posterior.iter().enumerate().for_each(|(class, p)| table[class * classes + label] += p);
            }
            let predicted = |candidate: usize| {
                let likelihood = |class: usize| fits[candidate].climb.tables.probability(worker, class, label);
                let joint = posteriors[candidate].iter().enumerate().map(|(class, p)| p * likelihood(class));
                joint.sum::<f64>().max(1e-300).ln()
            };
            let gain = predicted(fits.len() / 2) - predicted(0);
            self.count += 1;
            self.gain += gain;
            self.squares += gain * gain;
        });
    }

    /// The weight of the discount: how sure it is that it predicts better.
    pub(super) fn discount(&self) -> f64 {
        let n = self.count.max(1) as f64;
        let mean = self.gain / n;
        let deviation = (self.squares / n - mean * mean).max(0.0).sqrt();
        logistic(mean / (deviation / n.sqrt() + 1e-12))
    }

    /// The mutual information between held-out labels and classes.
    pub(super) fn information(&self, candidate: usize) -> f64 {
        mutual_information::of_table(&self.tables[candidate], self.classes)
    }
}
