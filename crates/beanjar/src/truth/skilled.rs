use super::em::{Climb, Expected, Model, Start, Step, climb, expect};
use super::posterior::{Fitted, Posterior};
use super::rule::Rule;
use super::{Evidence, Prior, Stopping, check_tables};
use crate::gamma::digamma;
use crate::logistic::logistic;
use crate::{Context, Error, Result};

/// Confusion matrices drawn around the population's, tilted by each worker's skill.
///
/// Row k of worker w is drawn from Dirichlet(strength m_wk). Its mean m_wk is the population's row with the odds of being
/// right moved by the worker's skill: m_wk(k) = s(base_k + skill_w) with s the logistic function, and the rest of the
/// row is shared among the wrong labels as the population shares it. skill_w ~ N(0, variance). So a worker with few
/// labels is read by a skill alone, one with many by a matrix of their own, and strength and variance, which are
/// learned from the data by the evidence of the expected counts, tell how much of either. One coin (no strength
/// spared for own rows, even sharing), [`Pooled`](super::Pooled) (all skills alike) and [`DawidSkene`](super::DawidSkene)
/// (no strength) are its corners. The tables are posterior means; of a task's own votes, each is read by a table that
/// leaves it out, so that nobody vouches for themselves.
///
/// With a `discount` g, the votes of a worker whose table tells I nats of the class count min(1, (I / I')^g), I' such
/// that the mean over labels of I^g is I'^g: below-average workers are believed even less than Bayes' rule says, which
/// guards against what the model leaves out.
///
/// Cost: as [`Pooled`](super::Pooled).
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `view` | what is thought of the shares of the classes | anchored | |
/// | `discount` | how much less below-average workers count | 0 | 0 to 1 |
/// | `stopping` | when to stop | 50 steps, 1e-6 | |
#[derive(Clone, Debug, PartialEq)]
pub struct Skilled {
    /// What is thought of the shares of the classes.
    pub view: View,
    /// How much less below-average workers count.
    pub discount: f64,
    /// When to stop.
    pub stopping: Stopping,
}

/// What is thought of the shares of the classes.
#[derive(Clone, Debug, PartialEq)]
pub enum View {
    /// Estimated, but held to the shares of the votes as if a tenth as many tasks again had just those.
    Anchored,
    /// As a prior says.
    Prior(Prior),
}

impl Default for Skilled {
    fn default() -> Self {
        Skilled { view: View::Anchored, discount: 0.0, stopping: Stopping { iterations: 50, tolerance: 1e-6 } }
    }
}

impl Skilled {
    /// Finds the population, the skills, the workers' tables and the classes.
    pub fn fit(&self, evidence: &Evidence<'_>, context: &Context) -> Result<Fitted> {
        self.check(evidence.ballots.classes())?;
        check_tables(evidence.ballots, evidence.ballots.classes())?;
        let fit = self.climb(evidence, context)?;
        let posterior = fit.cavity(evidence, context);
        // Discounted votes have no likelihood.
        let log_likelihood = (self.discount == 0.0).then_some(fit.climb.log_likelihood);
        let (iterations, converged) = (fit.climb.objective.len(), fit.climb.converged);
        let rule = Rule::Confusion(fit.climb.tables);
        Ok(Fitted { rule, posterior, log_likelihood, iterations, converged, chosen: None })
    }

    pub(super) fn check(&self, classes: usize) -> Result<()> {
        self.stopping.check()?;
        if !(0.0..=1.0).contains(&self.discount) {
            return Err(Error::OutOfRange { name: "the discount", value: self.discount.to_string(), range: "0 to 1" });
        }
        match &self.view {
            View::Prior(prior) => prior.check(classes),
            View::Anchored => Ok(()),
        }
    }

    pub(super) fn climb(&self, evidence: &Evidence<'_>, context: &Context) -> Result<SkilledFit> {
        let classes = evidence.ballots.classes();
        let mut model = Skills::new(self, evidence);
        let climb = climb(evidence, classes, Start::Votes, &self.stopping, &mut model, context)?;
        Ok(SkilledFit { climb, means: model.means, strength: model.strength })
    }
}

/// A fit, with what the cavity needs.
pub(super) struct SkilledFit {
    pub(super) climb: Climb,
    /// m, laid out as the counts are, with the newcomer's at the end.
    means: Vec<f64>,
    strength: f64,
}

impl SkilledFit {
    /// The posterior with each vote read by a table that does not count that vote.
    pub(super) fn cavity(&self, evidence: &Evidence<'_>, context: &Context) -> Posterior {
        let ballots = evidence.ballots;
        let (classes, tables) = (ballots.classes(), &self.climb.tables);
        let counted = expect(Start::Tables(tables), evidence, classes, context);
        let cells = classes * classes;
        let mut sums = vec![0.0; ballots.workers() * classes];
        for (worker, table) in counted.votes.chunks_exact(cells).enumerate() {
            for (at, votes) in table.iter().enumerate() {
                sums[worker * classes + at % classes] += votes;
            }
        }
        let mut posterior = Posterior::equal(ballots.tasks(), classes);
        posterior.fill(context, |task, row| {
            let votes = ballots.votes(task);
            if votes.labels.is_empty() {
                return;
            }
            let mut own = vec![0.0; classes];
            tables.components(votes, &mut own);
            row.iter_mut().zip(&tables.prior).for_each(|(score, share)| *score = share.ln());
            for (worker, label) in votes.iter() {
                let at = (worker * classes + label) * classes;
                let trust = tables.trust.get(worker).unwrap_or(&1.0);
                for class in 0..classes {
                    let votes = (counted.votes[at + class] - own[class]).max(0.0);
                    let sum = (sums[worker * classes + class] - own[class]).max(0.0);
                    let mean = self.strength * self.means[at + class];
                    row[class] += trust * ((votes + mean) / (sum + self.strength)).ln();
                }
            }
            let most = row.iter().fold(f64::NEG_INFINITY, |most: f64, &score| most.max(score));
            row.iter_mut().for_each(|score| *score = (*score - most).exp());
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p /= sum);
        });
        posterior.set_known(&evidence.gold);
        posterior
    }
}

/// Bounds within which the learned numbers stay, whatever the data: beyond them nothing changes any more.
const STRENGTH: (f64, f64) = (0.1, 1000.0);
const VARIANCE: (f64, f64) = (0.01, 9.0);
const BASE: (f64, f64) = (-4.0, 7.0);
const SKILL: (f64, f64) = (-8.0, 8.0);
/// The least probability of a label by the population.
const LEAST: f64 = 1e-6;
/// Expected counts below this are none.
const NOTHING: f64 = 1e-12;

/// The population and the skills, improved step by step.
struct Skills<'a> {
    view: &'a View,
    discount: f64,
    /// Pseudo-tasks of each class.
    anchor: Vec<f64>,
    labels_of: Vec<u64>,
    steps: usize,
    strength: f64,
    variance: f64,
    /// The log-odds of being right, class by class, of a worker of skill 0.
    base: Vec<f64>,
    /// How wrong labels are shared, at `label * classes + class`.
    wrong: Vec<f64>,
    skill: Vec<f64>,
    means: Vec<f64>,
}

impl<'a> Skills<'a> {
    fn new(method: &'a Skilled, evidence: &Evidence<'_>) -> Self {
        let ballots = evidence.ballots;
        let (classes, workers) = (ballots.classes(), ballots.workers());
        // One pseudo-task of each class, so that no class dies out in a handful of tasks.
        let mut anchor = vec![1.0; classes];
        if method.view == View::Anchored {
            let mut shares = vec![1.0; classes];
            for task in 0..ballots.tasks() {
                let votes = ballots.votes(task);
                let share = 1.0 / votes.labels.len().max(1) as f64;
                votes.labels.iter().for_each(|&label| shares[usize::from(label)] += share);
            }
            let all: f64 = shares.iter().sum();
            for (pseudo, share) in anchor.iter_mut().zip(&shares) {
                *pseudo += 0.1 * ballots.tasks() as f64 * share / all;
            }
        }
        Skills {
            view: &method.view,
            discount: method.discount,
            anchor,
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
    /// A row's evidence is that of a Dirichlet-multinomial. By the usual device of tables (Antoniak), a cell with count c and
    /// pseudo-count a stands for a (digamma(c + a) - digamma(a)) independent draws from the mean row, which make the
    /// rest a weighted logistic regression of 'right' on class and worker, and shares.
    fn learn(&mut self, expected: &Expected<'_>) {
        let k = expected.classes;
        let workers = self.skill.len();
        let (mut right, mut wrong) = (vec![0.0; workers * k], vec![0.0; workers * k]);
        let mut shares = vec![0.0; k * k];
        let (mut draws, mut rows) = (0.0, 0.0);
        for (worker, table) in expected.votes.chunks_exact(k * k).enumerate() {
            for class in 0..k {
                let sum: f64 = (0..k).map(|label| table[label * k + class]).sum();
                if sum < 1e-9 {
                    continue;
                }
                rows += digamma(sum + self.strength) - digamma(self.strength);
                for label in 0..k {
                    let at = label * k + class;
                    if table[at] < NOTHING {
                        continue;
                    }
                    let pseudo = self.strength * self.means[worker * k * k + at];
                    let drawn = pseudo * (digamma(table[at] + pseudo) - digamma(pseudo));
                    draws += drawn;
                    match label == class {
                        true => right[worker * k + class] += drawn,
                        false => {
                            wrong[worker * k + class] += drawn;
                            shares[at] += drawn;
                        }
                    }
                }
            }
        }
        let even = 1.0 / (k as f64 - 1.0);
        for class in 0..k {
            let others = || (0..k).filter(move |&label| label != class);
            let sum: f64 = others().map(|label| shares[label * k + class] + even).sum();
            others().for_each(|label| self.wrong[label * k + class] = (shares[label * k + class] + even) / sum);
        }
        self.strength = ((draws + 1.0) / (rows + 0.1)).clamp(STRENGTH.0, STRENGTH.1);
        let middle = self.base.iter().sum::<f64>() / k as f64;
        for class in 0..k {
            let (mut slope, mut bend) = (middle - self.base[class], 1.0);
            for worker in 0..workers {
                let (right, wrong) = (right[worker * k + class], wrong[worker * k + class]);
                let p = logistic(self.base[class] + self.skill[worker]);
                slope += right - (right + wrong) * p;
                bend += (right + wrong) * p * (1.0 - p);
            }
            self.base[class] = (self.base[class] + (slope / bend).clamp(-1.0, 1.0)).clamp(BASE.0, BASE.1);
        }
        let mut spread = 0.0;
        for worker in 0..workers {
            let (mut slope, mut bend) = (-self.skill[worker] / self.variance, 1.0 / self.variance);
            for class in 0..k {
                let (right, wrong) = (right[worker * k + class], wrong[worker * k + class]);
                let p = logistic(self.base[class] + self.skill[worker]);
                slope += right - (right + wrong) * p;
                bend += (right + wrong) * p * (1.0 - p);
            }
            let skill = (self.skill[worker] + (slope / bend).clamp(-1.0, 1.0)).clamp(SKILL.0, SKILL.1);
            self.skill[worker] = skill;
            spread += skill * skill + 1.0 / bend;
        }
        self.variance = ((spread + 1.0) / (workers as f64 + 1.0)).clamp(VARIANCE.0, VARIANCE.1);
        let mean = self.skill.iter().sum::<f64>() / workers as f64;
        self.base.iter_mut().for_each(|base| *base += mean);
        self.skill.iter_mut().for_each(|skill| *skill -= mean);
        self.set_means(k);
    }

    /// What each worker's votes count: less for those whose tables tell less of the class than the average label's do.
    fn trust(&self, tables: &[f64], prior: &[f64]) -> Vec<f64> {
        let k = prior.len();
        if self.discount == 0.0 {
            return Vec::new();
        }
        let worth = |table: &[f64]| {
            let mut told = 0.0;
            for row in table.chunks_exact(k) {
                let mean: f64 = row.iter().zip(prior).map(|(p, share)| p * share).sum();
                told += row.iter().zip(prior).map(|(p, share)| share * p * (p / mean).ln()).sum::<f64>();
            }
            told.max(1e-6).powf(self.discount)
        };
        let worths: Vec<f64> = tables.chunks_exact(k * k).map(worth).collect();
        let labels: u64 = self.labels_of.iter().sum();
        let total: f64 = worths.iter().zip(&self.labels_of).map(|(worth, &n)| worth * n as f64).sum();
        let mean = total / labels.max(1) as f64;
        worths.iter().map(|worth| (worth / mean).min(1.0)).collect()
    }

    fn prior(&self, tasks: &[f64]) -> Vec<f64> {
        match self.view {
            View::Prior(prior @ (Prior::Uniform | Prior::Given(_))) => prior.shares(tasks),
            _ => {
                let shares: Vec<f64> = tasks.iter().zip(&self.anchor).map(|(tasks, pseudo)| tasks + pseudo).collect();
                Prior::Estimated.shares(&shares)
            }
        }
    }
}

impl Model for Skills<'_> {
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
            super::dawid_skene::normalise(table, k, k, 0.0, None);
        }
        let prior = self.prior(&expected.tasks);
        let trust = self.trust(&tables, &prior);
        Step { prior, votes: tables, density: 0.0, trust }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgments::Ballots;
    use crate::simulate::{Crowd, WorkerModel};
    use crate::truth::{DawidSkene, OneCoin};

    fn crowd(model: WorkerModel, workers: usize) -> (Ballots, Vec<Option<u16>>, Vec<f64>) {
        let crowd = Crowd { tasks: 1000, workers, classes: 4, votes: (4, 4), model, spread: 5.0, ..Crowd::default() };
        let drawn = crowd.draw(&Context::new().with_seed(8)).unwrap();
        let truth = drawn.truth.iter().map(|&class| Some(class as u16)).collect();
        let accuracy = (0..workers).map(|worker| drawn.accuracy(worker)).collect();
        (Ballots::from_tasks(&drawn.labels, workers, 4).unwrap(), truth, accuracy)
    }

    #[test]
    fn gets_both_kinds_of_worker_right() {
        let error = |model, workers, method: &dyn Fn(&Evidence<'_>) -> Fitted| {
            let (ballots, truth, _) = crowd(model, workers);
            method(&Evidence::votes(&ballots).unwrap()).posterior.error(&truth).unwrap()
        };
        let skilled = |evidence: &Evidence<'_>| Skilled::default().fit(evidence, &Context::new()).unwrap();
        let coin = |evidence: &Evidence<'_>| OneCoin::default().fit(evidence, &Context::new()).unwrap();
        let free = |evidence: &Evidence<'_>| DawidSkene::default().fit(evidence, &Context::new()).unwrap();
        // Workers who differ in skill alone, many with few labels: near one coin, well ahead of free tables.
        let one = WorkerModel::OneCoin;
        assert!(error(one, 200, &skilled) < error(one, 200, &coin) + 0.01);
        assert!(error(one, 200, &skilled) < error(one, 200, &free) - 0.02);
        // Workers with favourite mistakes and many labels: near free tables, ahead of one coin.
        let own = WorkerModel::Confusion;
        assert!(error(own, 12, &skilled) < error(own, 12, &free) + 0.01);
        assert!(error(own, 12, &skilled) < error(own, 12, &coin));
    }

    #[test]
    fn skills_follow_the_workers_accuracies() {
        let (ballots, _, accuracy) = crowd(WorkerModel::OneCoin, 20);
        let evidence = Evidence::votes(&ballots).unwrap();
        let method = Skilled::default();
        let mut model = Skills::new(&method, &evidence);
        climb(&evidence, 4, Start::Votes, &method.stopping, &mut model, &Context::new()).unwrap();
        let best = (0..20).max_by(|&i, &j| accuracy[i].total_cmp(&accuracy[j])).unwrap();
        let worst = (0..20).min_by(|&i, &j| accuracy[i].total_cmp(&accuracy[j])).unwrap();
        assert!(model.skill[best] > model.skill[worst] + 1.0);
        assert!(model.skill.iter().sum::<f64>().abs() < 1e-9);
    }

    #[test]
    fn the_discount_falls_on_workers_who_tell_little() {
        let crowd = Crowd { tasks: 600, workers: 20, classes: 3, votes: (5, 5), spammers: 0.4, ..Crowd::default() };
        let ballots = Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(5)).unwrap().labels, 20, 3).unwrap();
        let method = Skilled { discount: 0.5, ..Skilled::default() };
        let fit = method.climb(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap();
        let trust = &fit.climb.tables.trust;
        assert!((12..20).all(|spammer| trust[spammer] < 0.6), "{trust:?}");
        assert!(trust[..12].iter().filter(|trust| **trust == 1.0).count() >= 6);
    }

    #[test]
    fn odd_crowds_get_an_answer() {
        for tasks in [
            vec![vec![(0, 0)]],
            vec![vec![(0, 0), (1, 0)], vec![], vec![(1, 0)]],
            vec![vec![(0, 1)], vec![(0, 0)], vec![(0, 1)]],
        ] {
            for classes in [2, 3] {
                let ballots = Ballots::from_tasks(&tasks, 2, classes).unwrap();
                let fitted = Skilled { discount: 0.5, ..Skilled::default() };
                let fitted = fitted.fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap();
                for task in 0..tasks.len() {
                    let sum: f64 = fitted.posterior.of(task).iter().sum();
                    assert!((sum - 1.0).abs() < 1e-9);
                }
            }
        }
        let ballots = Ballots::from_tasks(&[vec![(0, 0)], vec![(0, 0)]], 1, 1).unwrap();
        let fitted = Skilled::default().fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap();
        assert_eq!(fitted.posterior.of(0), [1.0]);
    }
}
