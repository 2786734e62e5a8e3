use super::super::class_prior::ClassShares;
use super::super::dawid_skene::normalise;
use super::super::em::{Expected, Model, Step};
use super::super::rule::Confusion;
use super::Skilled;
use crate::gamma::digamma;
use crate::judgments::Ballots;
use crate::logistic::logistic;
use crate::mutual_information::term;

/// Bounds within which the learned numbers stay, whatever the data: beyond them nothing changes any more.
const STRENGTH: (f64, f64) = (0.1, 1000.0);
const VARIANCE: (f64, f64) = (0.01, 9.0);
const BASE: (f64, f64) = (-4.0, 7.0);
const SKILL: (f64, f64) = (-8.0, 8.0);
/// The least probability of a label by the population.
const LEAST: f64 = 1e-6;
/// Expected counts below this are none.
const NOTHING: f64 = 1e-12;

/// Independent draws from the mean rows, as far as the counts stand for them.
struct Draws {
    /// Of the right label and of wrong ones, at `worker * classes + class`.
    right: Vec<f64>,
    wrong: Vec<f64>,
    /// Of each wrong label, at `label * classes + class`.
    shares: Vec<f64>,
    /// Of all labels.
    total: f64,
    /// What the rows' sums stand for in the evidence of the strength.
    rows: f64,
}

/// The population and the skills, improved step by step.
pub(super) struct Skills {
    class_shares: ClassShares,
    discount: f64,
    /// How many labels each worker gave.
    labels_of: Vec<u64>,
    steps: usize,
    pub(super) strength: f64,
    variance: f64,
    /// The log-odds of being right, class by class, of a worker of skill 0.
    base: Vec<f64>,
    /// How wrong labels are shared, at `label * classes + class`.
    wrong: Vec<f64>,
    pub(super) skill: Vec<f64>,
    pub(super) means: Vec<f64>,
}

impl Skills {
    pub(super) fn new(method: &Skilled, ballots: &Ballots) -> Self {
        let (classes, workers) = (ballots.classes(), ballots.workers());
        Skills {
            // One pseudo-task of each class, so that no class dies out in a handful of tasks.
            class_shares: method.prior.estimate(ballots, 1.0),
            discount: method.discount,
            labels_of: ballots.per_worker(),
            steps: 0,
            strength: 5.0,
            variance: 0.5,
            base: vec![0.0; classes],
            wrong: vec![0.0; classes * classes],
            skill: vec![0.0; workers],
            means: Vec::new(),
        }
    }

    /// The population as the first expected counts have it, lightly smoothed.
    fn begin(&mut self, expected: &Expected<'_>) {
        let k = expected.classes;
        let counts = expected.population();
        let right: f64 = (0..k).map(|class| counts[class * k + class]).sum();
        let overall = (right + 1.0) / (counts.iter().sum::<f64>() + 2.0);
        for class in 0..k {
            let sum: f64 = (0..k).map(|label| counts[label * k + class]).sum();
            let own = counts[class * k + class];
            let share = ((own + 2.0 * overall) / (sum + 2.0)).clamp(0.02, 0.98);
            self.base[class] = (share / (1.0 - share)).ln();
            for label in (0..k).filter(|&label| label != class) {
                self.wrong[label * k + class] = (counts[label * k + class] + 1.0) / (sum - own + k as f64 - 1.0);
            }
        }
        self.set_means(k);
    }

    /// m of each worker, and of a newcomer, whose skill is the mean.
    fn set_means(&mut self, k: usize) {
        self.means.clear();
        for skill in self.skill.iter().chain([&0.0]) {
            let right: Vec<f64> = self.base.iter().map(|base| logistic(base + skill).clamp(1e-4, 1.0 - 1e-4)).collect();
            self.means.extend((0..k * k).map(|at| {
                let (label, class) = (at / k, at % k);
                if label == class { right[class] } else { ((1.0 - right[class]) * self.wrong[at]).max(LEAST) }
            }));
        }
    }

    /// One step up the evidence of the expected counts.
    ///
    /// A row's evidence is that of a Dirichlet-multinomial. By the usual device of tables (Antoniak), a cell with count c
    /// and pseudo-count a stands for a (digamma(c + a) - digamma(a)) independent draws from the mean row. Given the draws,
    /// what is left is a weighted logistic regression of 'right' on class and worker, and shares of the wrong labels.
    fn learn(&mut self, expected: &Expected<'_>) {
        let k = expected.classes;
        let draws = self.draws(expected);
        let even = 1.0 / (k as f64 - 1.0);
        for class in 0..k {
            let others = || (0..k).filter(move |&label| label != class);
            let sum: f64 = others().map(|label| draws.shares[label * k + class] + even).sum();
            others().for_each(|label| self.wrong[label * k + class] = (draws.shares[label * k + class] + even) / sum);
        }
        self.strength = ((draws.total + 1.0) / (draws.rows + 0.1)).clamp(STRENGTH.0, STRENGTH.1);
        self.regress(&draws, k);
        self.set_means(k);
    }

    /// The independent draws that the expected counts stand for.
    fn draws(&self, expected: &Expected<'_>) -> Draws {
        let k = expected.classes;
        let workers = self.skill.len();
        let mut draws = Draws {
            right: vec![0.0; workers * k],
            wrong: vec![0.0; workers * k],
            shares: vec![0.0; k * k],
            total: 0.0,
            rows: 0.0,
        };
        for (worker, table) in expected.votes.chunks_exact(k * k).enumerate() {
            for class in 0..k {
                let sum: f64 = (0..k).map(|label| table[label * k + class]).sum();
                if sum < 1e-9 {
                    continue;
                }
                draws.rows += digamma(sum + self.strength) - digamma(self.strength);
                for label in 0..k {
                    let at = label * k + class;
                    if table[at] < NOTHING {
                        continue;
                    }
                    let pseudo = self.strength * self.means[worker * k * k + at];
                    let drawn = pseudo * (digamma(table[at] + pseudo) - digamma(pseudo));
                    draws.total += drawn;
                    match label == class {
                        true => draws.right[worker * k + class] += drawn,
                        false => {
                            draws.wrong[worker * k + class] += drawn;
                            draws.shares[at] += drawn;
                        }
                    }
                }
            }
        }
        draws
    }

    /// One Newton step for each class's base and each worker's skill.
    fn regress(&mut self, draws: &Draws, k: usize) {
        let workers = self.skill.len();
        let middle = self.base.iter().sum::<f64>() / k as f64;
        // The slope and the curvature of the log-likelihood of one worker's draws of one class.
        let of = |base: f64, skill: f64, at: usize| {
            let (right, all) = (draws.right[at], draws.right[at] + draws.wrong[at]);
            let p = logistic(base + skill);
            (right - all * p, all * p * (1.0 - p))
        };
        for class in 0..k {
            let (mut slope, mut curvature) = (middle - self.base[class], 1.0);
            for worker in 0..workers {
                let more = of(self.base[class], self.skill[worker], worker * k + class);
                (slope, curvature) = (slope + more.0, curvature + more.1);
            }
            self.base[class] = (self.base[class] + (slope / curvature).clamp(-1.0, 1.0)).clamp(BASE.0, BASE.1);
        }
        let mut spread = 0.0;
        for worker in 0..workers {
            let (mut slope, mut curvature) = (-self.skill[worker] / self.variance, 1.0 / self.variance);
            for class in 0..k {
                let more = of(self.base[class], self.skill[worker], worker * k + class);
                (slope, curvature) = (slope + more.0, curvature + more.1);
            }
            let skill = (self.skill[worker] + (slope / curvature).clamp(-1.0, 1.0)).clamp(SKILL.0, SKILL.1);
            self.skill[worker] = skill;
            spread += skill * skill + 1.0 / curvature;
        }
        self.variance = ((spread + 1.0) / (workers as f64 + 1.0)).clamp(VARIANCE.0, VARIANCE.1);
        let mean = self.skill.iter().sum::<f64>() / workers as f64;
        self.base.iter_mut().for_each(|base| *base += mean);
        self.skill.iter_mut().for_each(|skill| *skill -= mean);
    }

    /// What each worker's votes count: less for those whose labels share less information with the class than the
    /// average label does.
    fn trust(&self, tables: &[f64], prior: &[f64]) -> Vec<f64> {
        let k = prior.len();
        if self.discount == 0.0 {
            return Vec::new();
        }
        let worth = |table: &[f64]| {
            let mut information = 0.0;
            for row in table.chunks_exact(k) {
                let label: f64 = row.iter().zip(prior).map(|(p, share)| p * share).sum();
                information += row.iter().zip(prior).map(|(p, share)| term(share * p, *share, label)).sum::<f64>();
            }
            information.max(1e-6).powf(self.discount)
        };
        let worths: Vec<f64> = tables.chunks_exact(k * k).map(worth).collect();
        let labels: u64 = self.labels_of.iter().sum();
        let total: f64 = worths.iter().zip(&self.labels_of).map(|(worth, &n)| worth * n as f64).sum();
        let mean = total / labels.max(1) as f64;
        worths.iter().map(|worth| (worth / mean).min(1.0)).collect()
    }
}

impl Model for Skills {
    fn maximise(&mut self, expected: &Expected<'_>) -> Step {
        let k = expected.classes;
        if self.steps == 0 {
            self.begin(expected);
        }
        // The first counts are far from the last, and the population should not lag behind them.
        if k > 1 {
            let steps = if self.steps < 3 { 3 } else { 1 };
            (0..steps).for_each(|_| self.learn(expected));
        }
        self.steps += 1;
        let mut tables = expected.votes.clone();
        tables.resize(tables.len() + k * k, 0.0);
        for (table, means) in tables.chunks_exact_mut(k * k).zip(self.means.chunks_exact(k * k)) {
            table.iter_mut().zip(means).for_each(|(cell, mean)| *cell += self.strength * mean);
            normalise(table, k, k, 0.0, None);
        }
        let prior = self.class_shares.shares(&expected.tasks);
        let trust = self.trust(&tables, &prior);
        Step { tables: Confusion::of_tables(k, prior, tables).with_trust(trust), density: 0.0 }
    }
}
