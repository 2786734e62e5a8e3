use super::super::class_prior::{ClassShares, VoteShares};
use super::super::dawid_skene::normalise;
use super::super::em::{Expected, Model, Step};
use super::super::rule::Confusion;
use super::Skilled;
use super::draws::Draws;

/// Bounds within which the learned numbers stay, whatever the data: beyond them nothing changes any more.
const STRENGTH: (f64, f64) = (0.1, 1000.0);
const VARIANCE: (f64, f64) = (0.01, 9.0);
const BASE: (f64, f64) = (-4.0, 7.0);
const SKILL: (f64, f64) = (-8.0, 8.0);
/// The least probability of a label by the population.
const LEAST: f64 = 1e-6;
/// The population and the skills, improved step by step. Component j is a kind of tasks within class j mod `labels`.
pub(super) struct Skills {
    class_shares: ClassShares,
    labels: usize,
    components: usize,
    steps: usize,
    pub(super) strength: f64,
    variance: f64,
    /// The log-odds of being right, component by component, of a worker of skill 0.
    pub(super) base: Vec<f64>,
    /// How wrong labels are shared, at `label * components + component`.
    wrong: Vec<f64>,
    pub(super) skill: Vec<f64>,
    pub(super) means: Vec<f64>,
}

impl Skills {
    pub(super) fn new(method: &Skilled, workers: usize, shares: &VoteShares) -> Self {
        let labels = shares.classes();
        let components = labels * method.kinds;
        Skills {
            // One pseudo-task of each class, so that no class dies out in a handful of tasks.
            class_shares: method.prior.estimate(shares, 1.0).of_kinds(method.kinds),
            labels,
            components,
            steps: 0,
            strength: 5.0,
            variance: 0.5,
            base: vec![0.0; components],
            wrong: vec![0.0; labels * components],
            skill: vec![0.0; workers],
            means: Vec::new(),
        }
    }

    /// The cell of a component's right label.
    fn right_cell(&self, component: usize) -> usize {
        component % self.labels * self.components + component
    }

    /// The labels that are wrong of a component.
    fn wrong_labels(&self, component: usize) -> impl Iterator<Item = usize> + use<> {
        let right = component % self.labels;
        (0..self.labels).filter(move |&label| label != right)
    }

    /// The population as the first expected counts have it, lightly smoothed.
    fn begin(&mut self, expected: &Expected) {
        let (labels, components) = (self.labels, self.components);
        let counts = expected.population();
        let right: f64 = (0..components).map(|component| counts[self.right_cell(component)]).sum();
        let overall = (right + 1.0) / (counts.iter().sum::<f64>() + 2.0);
        for component in 0..components {
            let sum: f64 = (0..labels).map(|label| counts[label * components + component]).sum();
            let own = counts[self.right_cell(component)];
            let share = ((own + 2.0 * overall) / (sum + 2.0)).clamp(0.02, 0.98);
            self.base[component] = (share / (1.0 - share)).ln();
            for label in self.wrong_labels(component) {
                let at = label * components + component;
                self.wrong[at] = (counts[at] + 1.0) / (sum - own + labels as f64 - 1.0);
            }
        }
        self.set_means();
    }

    /// m of each worker, and of a newcomer, whose skill is the mean.
    fn set_means(&mut self) {
        let (labels, components) = (self.labels, self.components);
        self.means.clear();
        let odds = Odds::of(&self.base);
        let mut right = vec![0.0; components];
        for skill in self.skill.iter().chain([&0.0]) {
            odds.right(*skill, &mut right);
            right.iter_mut().for_each(|right| *right = right.clamp(1e-4, 1.0 - 1e-4));
            for (label, wrong) in self.wrong.chunks_exact(components).enumerate() {
                let first = self.means.len();
                self.means.extend(right.iter().zip(wrong).map(|(right, wrong)| ((1.0 - right) * wrong).max(LEAST)));
                for component in (label..components).step_by(labels) {
                    self.means[first + component] = right[component];
                }
            }
        }
    }

    /// One step up the evidence of the expected counts.
    ///
    /// A row's evidence is that of a Dirichlet-multinomial. By the usual device of tables (Antoniak), a cell with count c
    /// and pseudo-count a stands for a (digamma(c + a) - digamma(a)) independent draws from the mean row. Given the draws,
    /// what is left is a weighted logistic regression of 'right' on component and worker, and shares of the wrong labels.
    fn learn(&mut self, expected: &Expected) {
        let draws = Draws::of(expected, self.strength, &self.means);
        let even = 1.0 / (self.labels as f64 - 1.0);
        for component in 0..self.components {
            let at = |label: usize| label * self.components + component;
            let sum: f64 = self.wrong_labels(component).map(|label| draws.shares[at(label)] + even).sum();
            for label in self.wrong_labels(component) {
                self.wrong[at(label)] = (draws.shares[at(label)] + even) / sum;
            }
        }
        self.strength = ((draws.total + 1.0) / (draws.rows + 0.1)).clamp(STRENGTH.0, STRENGTH.1);
        self.regress(&draws);
        self.set_means();
    }

    /// One Newton step for each component's base and each worker's skill.
    fn regress(&mut self, draws: &Draws) {
        let (workers, components) = (self.skill.len(), self.components);
        // The bases of a kind are drawn towards their mean, with the weight of one draw.
        let middle: Vec<f64> =
            self.base.chunks_exact(self.labels).map(|kind| kind.iter().sum::<f64>() / self.labels as f64).collect();
        // The slope and the curvature of the log-likelihood of one worker's draws of one component.
        let of = |p: f64, at: usize| {
            let (right, all) = (draws.right[at], draws.right[at] + draws.wrong[at]);
            (right - all * p, all * p * (1.0 - p))
        };
        let towards = |(component, base): (usize, &f64)| (middle[component / self.labels] - base, 1.0);
        let mut sums: Vec<(f64, f64)> = self.base.iter().enumerate().map(towards).collect();
        let (odds, mut p) = (Odds::of(&self.base), vec![0.0; components]);
        for (worker, &skill) in self.skill.iter().enumerate() {
            odds.right(skill, &mut p);
            for (component, (slope, curvature)) in sums.iter_mut().enumerate() {
                let more = of(p[component], worker * components + component);
                (*slope, *curvature) = (*slope + more.0, *curvature + more.1);
            }
        }
        for (base, (slope, curvature)) in self.base.iter_mut().zip(sums) {
            *base = (*base + (slope / curvature).clamp(-1.0, 1.0)).clamp(BASE.0, BASE.1);
        }
        let odds = Odds::of(&self.base);
        let mut spread = 0.0;
        for worker in 0..workers {
            odds.right(self.skill[worker], &mut p);
            let (mut slope, mut curvature) = (-self.skill[worker] / self.variance, 1.0 / self.variance);
            for (component, p) in p.iter().enumerate() {
                let more = of(*p, worker * components + component);
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
}

/// The odds of being wrong of a worker of skill 0, component by component. Those of any worker are these times one number, so
/// that one exponential of each worker is enough.
struct Odds(Vec<f64>);

impl Odds {
    fn of(base: &[f64]) -> Self {
        Odds(base.iter().map(|base| (-base).exp()).collect())
    }

    /// The probability of being right, component by component, of a worker of this skill.
    fn right(&self, skill: f64, right: &mut [f64]) {
        let wrong = (-skill).exp();
        right.iter_mut().zip(&self.0).for_each(|(right, odds)| *right = 1.0 / (1.0 + odds * wrong));
    }
}

impl Model for Skills {
    fn maximise(&mut self, expected: &Expected) -> Step {
        let (labels, components) = (self.labels, self.components);
        if self.steps == 0 {
            self.begin(expected);
        }
        // The first counts are far from the last, and the population should not lag behind them.
        if labels > 1 {
            let steps = if self.steps < 3 { 3 } else { 1 };
            (0..steps).for_each(|_| self.learn(expected));
        }
        self.steps += 1;
        let cells = labels * components;
        let mut tables = Vec::with_capacity(expected.votes.len() + cells);
        tables.extend_from_slice(&expected.votes);
        tables.resize(expected.votes.len() + cells, 0.0);
        for (table, means) in tables.chunks_exact_mut(cells).zip(self.means.chunks_exact(cells)) {
            table.iter_mut().zip(means).for_each(|(cell, mean)| *cell += self.strength * mean);
            normalise(table, labels, components, 0.0, None);
        }
        let prior = self.class_shares.shares(&expected.tasks);
        Step { tables: Confusion::of_tables(labels, prior, tables), density: 0.0 }
    }
}
