//! The model for two classes, and its EM.

use super::Features;
use super::lasso::{LogisticRows, Sparse, largest_penalty, solve};
use crate::judgments::{Ballots, Votes};
use crate::logistic::{logistic, softplus};
use crate::random::stream;
use crate::truth::{Evidence, OneCoin};
use crate::{Cores, Error, Result};
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

/// Units with features, and what experts said of them; the second class is 'true'.
#[derive(Clone, Copy, Debug)]
pub struct Labelled<'a> {
    features: &'a Features,
    ballots: &'a Ballots,
}

impl<'a> Labelled<'a> {
    /// Units are numbered alike in both; a unit may have no label.
    pub fn new(features: &'a Features, ballots: &'a Ballots) -> Result<Self> {
        let refuse = |name, value: usize, range| Err(Error::OutOfRange { name, value: value.to_string(), range });
        if ballots.is_empty() {
            return Err(Error::Empty("label"));
        }
        if features.units() != ballots.tasks() {
            return refuse("the number of units with features", features.units(), "that of the units with labels");
        }
        if ballots.classes() != 2 {
            return refuse("the number of classes", ballots.classes(), "two for this model");
        }
        Ok(Labelled { features, ballots })
    }
}

/// A sparse classifier and the experts' skills, learned together from noisy labels (Izbicki and Stern 2014).
///
/// P(Z_i = 1 | x_i) = s(b0 + x_i b), and expert k is right with P(Y_ik = Z_i | x_i) = s(a_k + x_i g), s the logistic
/// function; labels are independent given Z and x. Maximised is the log-likelihood of the labels less `penalty` |b|_1 and
/// `penalty_difficulty` |g|_1, for features brought to mean 0 and variance 1, by EM from several starts: z_i = P(Z_i = 1 |
/// x_i, y_i), then two penalised logistic regressions, of z on x, and of 'the expert was right' on x and expert. The
/// objective never falls. (a, g, b) and its negative have the same likelihood; the one that agrees most with the
/// majority is taken.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `penalty` | on the coefficients of the class | 1 | 0 or more |
/// | `penalty_difficulty` | on the coefficients of difficulty | as `penalty` | 0 or more |
/// | `restarts` | random starts, as in section 4 of the paper | 30 | 0 or more |
/// | `asymmetric` | an expert has a skill for each true class | no | |
///
/// Cost of a step of EM: O(values of all features, and labels) for each step of Newton in the two regressions.
#[derive(Clone, Debug, PartialEq)]
pub struct ManyExperts {
    /// The penalty on the coefficients of the class.
    pub penalty: f64,
    /// The penalty on the coefficients of difficulty; as `penalty` if not given.
    pub penalty_difficulty: Option<f64>,
    /// Random starts, besides the majority vote and the one-coin fit.
    pub restarts: usize,
    /// Whether an expert has a skill for each true class.
    pub asymmetric: bool,
    /// The most steps of EM.
    pub iterations: usize,
    /// EM stops when a step gains less than this share of the objective.
    pub tolerance: f64,
    /// The seed of the starts.
    pub seed: u64,
}

impl Default for ManyExperts {
    fn default() -> Self {
        ManyExperts {
            penalty: 1.0,
            penalty_difficulty: None,
            restarts: 30,
            asymmetric: false,
            iterations: 1000,
            tolerance: 1e-9,
            seed: 0,
        }
    }
}

/// What was learned, for features standardised as those it was learned from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// b0.
    pub intercept: f64,
    /// b, a coefficient for each feature.
    pub truth: Vec<f64>,
    /// a, of each expert; if asymmetric, of each expert for units that are false, then for units that are true.
    pub skills: Vec<f64>,
    /// g, a coefficient for each feature.
    pub difficulty: Vec<f64>,
    /// Whether skills are for each true class.
    pub asymmetric: bool,
    /// The log-likelihood less the penalties.
    pub objective: f64,
    /// The log-likelihood of the labels.
    pub log_likelihood: f64,
    /// Steps of EM of the start that was kept.
    pub iterations: usize,
    /// Whether it came to an end by itself.
    pub converged: bool,
}

/// Random starts are followed for so many steps, and then only the most promising.
const SHORT: usize = 15;
const PROMISING: usize = 3;

impl ManyExperts {
    /// Learns from units and labels.
    pub fn fit(&self, data: &Labelled<'_>, cores: &Cores) -> Result<Learned> {
        self.check()?;
        let mut climbs = cores.map(self.starts(data)?, |z| Climb::new(self, data, z).run(SHORT));
        climbs.sort_by(|a, b| b.objective.total_cmp(&a.objective));
        climbs.truncate(PROMISING);
        let done = cores.map(climbs, |climb| climb.run(self.iterations));
        let best = done.into_iter().reduce(|best, next| if next.objective > best.objective { next } else { best });
        Ok(best.ok_or(Error::Empty("start"))?.into_learned())
    }

    /// Learns from where another fit ended: along a path of penalties.
    pub fn fit_from(&self, data: &Labelled<'_>, start: &Learned) -> Result<Learned> {
        self.check()?;
        let z = posterior(data, start);
        Ok(Climb::new(self, data, z).run(self.iterations).into_learned())
    }

    fn check(&self) -> Result<()> {
        let refuse = |name, value: f64, range| Err(Error::OutOfRange { name, value: value.to_string(), range });
        for penalty in [Some(self.penalty), self.penalty_difficulty].into_iter().flatten() {
            if !(penalty >= 0.0 && penalty.is_finite()) {
                return refuse("the penalty", penalty, "0 or more");
            }
        }
        if self.iterations == 0 {
            return refuse("the number of iterations", 0.0, "1 or more");
        }
        match (0.0..1.0).contains(&self.tolerance) {
            true => Ok(()),
            false => refuse("the tolerance", self.tolerance, "0 to 1"),
        }
    }

    /// The probabilities z from which EM starts: the shares of the votes, the one-coin fit, and random ones.
    fn starts(&self, data: &Labelled<'_>) -> Result<Vec<Vec<f64>>> {
        let votes = shares(data);
        let coins =
            OneCoin { smoothing: 1.0, ..OneCoin::default() }.fit(&Evidence::votes(data.ballots)?, &Cores::one())?;
        let coins: Vec<f64> = (0..data.ballots.tasks()).map(|unit| coins.posterior.of(unit)[1]).collect();
        // The paper's random starts lie around the logistic fit of the majority.
        let mut rows = class_rows(data);
        set_targets(data, &mut rows, &votes);
        let majority = solve(data.features, &rows, self.penalty.max(1e-6), 1e-3, None);
        let skills = data.ballots.workers() * if self.asymmetric { 2 } else { 1 };
        let random = |restart: usize| {
            let mut random = stream(self.seed, restart as u64);
            let mut draw = |around: f64| -> f64 { around + Distribution::<f64>::sample(&StandardNormal, &mut random) };
            let start = Learned {
                intercept: draw(majority.intercepts[0]),
                truth: majority.coefficients.iter().map(|&b| draw(b)).collect(),
                skills: (0..skills).map(|_| draw(0.0)).collect(),
                difficulty: majority.coefficients.iter().map(|_| draw(0.0)).collect(),
                asymmetric: self.asymmetric,
                objective: 0.0,
                log_likelihood: 0.0,
                iterations: 0,
                converged: false,
            };
            posterior(data, &start)
        };
        Ok([votes.clone(), coins].into_iter().chain((0..self.restarts).map(random)).collect())
    }

    /// The smallest penalty at which no feature enters, neither at the fit without features nor from the shares of the
    /// votes.
    pub fn largest_penalty(&self, data: &Labelled<'_>) -> Result<f64> {
        let none = Features::from_columns(data.features.units(), &[])?;
        let without = Labelled { features: &none, ..*data };
        let fitted = ManyExperts { restarts: 0, ..self.clone() }.fit(&without, &Cores::one())?;
        let mut most: f64 = 0.0;
        for z in [posterior(&without, &fitted), shares(data)] {
            let (mut units, mut rights) = (class_rows(data), right_rows(data, self.asymmetric));
            set_targets(data, &mut units, &z);
            set_rights(data, &mut rights, self.asymmetric, &z);
            most = most.max(largest_penalty(data.features, &units)).max(largest_penalty(data.features, &rights));
        }
        Ok(most)
    }
}

/// The share of each unit's votes that say 'true'; a half without votes.
fn shares(data: &Labelled<'_>) -> Vec<f64> {
    let share = |unit: usize| {
        let votes = data.ballots.votes(unit);
        let yes = votes.labels.iter().filter(|label| **label == 1).count() as f64;
        if votes.labels.is_empty() { 0.5 } else { yes / votes.labels.len() as f64 }
    };
    (0..data.ballots.tasks()).map(share).collect()
}

/// One row for each unit with labels: is it true?
fn class_rows(data: &Labelled<'_>) -> LogisticRows {
    let mut offsets = vec![0];
    for unit in 0..data.ballots.tasks() {
        offsets.push(offsets[unit] + usize::from(!data.ballots.votes(unit).labels.is_empty()));
    }
    let rows = offsets[data.ballots.tasks()];
    LogisticRows { offsets, group: vec![0; rows], groups: 1, weight: vec![1.0; rows], target: vec![0.5; rows] }
}

fn set_targets(data: &Labelled<'_>, rows: &mut LogisticRows, z: &[f64]) {
    for unit in 0..data.ballots.tasks() {
        for row in rows.offsets[unit]..rows.offsets[unit + 1] {
            rows.target[row] = z[unit];
        }
    }
}

/// One row for each label: was the expert right? If asymmetric two, for a unit that is false and for one that is true.
fn right_rows(data: &Labelled<'_>, asymmetric: bool) -> LogisticRows {
    let each = if asymmetric { 2 } else { 1 };
    let experts = data.ballots.workers();
    let (mut offsets, mut group) = (vec![0], Vec::new());
    for unit in 0..data.ballots.tasks() {
        for class in 0..each {
            group.extend(data.ballots.votes(unit).workers.iter().map(|&worker| worker + (class * experts) as u32));
        }
        offsets.push(group.len());
    }
    let rows = group.len();
    LogisticRows { offsets, group, groups: each * experts, weight: vec![1.0; rows], target: vec![0.5; rows] }
}

fn set_rights(data: &Labelled<'_>, rows: &mut LogisticRows, asymmetric: bool, z: &[f64]) {
    for unit in 0..data.ballots.tasks() {
        let labels = data.ballots.votes(unit).labels;
        let first = rows.offsets[unit];
        for (i, &label) in labels.iter().enumerate() {
            match asymmetric {
                false => rows.target[first + i] = if label == 1 { z[unit] } else { 1.0 - z[unit] },
                true => {
                    let (no, yes) = (first + i, first + labels.len() + i);
                    (rows.weight[no], rows.target[no]) = (1.0 - z[unit], f64::from(u8::from(label == 0)));
                    (rows.weight[yes], rows.target[yes]) = (z[unit], f64::from(u8::from(label == 1)));
                }
            }
        }
    }
}

/// The log-odds of 'true' by features and labels, and the log-likelihood of the labels, of one unit.
fn log_odds(prior: f64, ease: f64, skills: &[f64], asymmetric: bool, votes: Votes<'_>) -> (f64, f64) {
    let experts = skills.len() / if asymmetric { 2 } else { 1 };
    // ln P(class) and, vote by vote, ln P(label | class).
    let (mut no, mut yes) = (-softplus(prior), -softplus(-prior));
    for (worker, label) in votes.iter() {
        let if_no = skills[worker] + ease;
        let if_yes = if asymmetric { skills[experts + worker] + ease } else { if_no };
        let (right_no, wrong_no) = (-softplus(-if_no), -softplus(if_no));
        let (right_yes, wrong_yes) = (-softplus(-if_yes), -softplus(if_yes));
        no += if label == 0 { right_no } else { wrong_no };
        yes += if label == 1 { right_yes } else { wrong_yes };
    }
    let most = no.max(yes);
    (yes - no, most + ((no - most).exp() + (yes - most).exp()).ln())
}

/// ln P(Z = 1 | x, y) / P(Z = 0 | x, y) of a unit: `prior` is b0 + x b, `ease` x g, and `skills` are the experts', if
/// asymmetric those for the first class and then those for the second.
pub fn unit_log_odds(prior: f64, ease: f64, skills: &[f64], asymmetric: bool, votes: Votes<'_>) -> f64 {
    log_odds(prior, ease, skills, asymmetric, votes).0
}

/// P(Z = 1 | x, y) of each unit.
fn posterior(data: &Labelled<'_>, learned: &Learned) -> Vec<f64> {
    let prior = data.features.standardised_sum(&learned.truth);
    let ease = data.features.standardised_sum(&learned.difficulty);
    let of = |unit: usize| {
        let votes = data.ballots.votes(unit);
        logistic(log_odds(learned.intercept + prior[unit], ease[unit], &learned.skills, learned.asymmetric, votes).0)
    };
    (0..data.ballots.tasks()).map(of).collect()
}

/// Log-odds beyond this are certainty.
const FARTHEST: f64 = 30.0;

fn log_odds_of(z: &[f64]) -> Vec<f64> {
    z.iter().map(|p| (p / (1.0 - p)).ln().clamp(-FARTHEST, FARTHEST)).collect()
}

/// EM on its way up.
struct Climb<'a> {
    method: &'a ManyExperts,
    data: &'a Labelled<'a>,
    z: Vec<f64>,
    units: LogisticRows,
    rights: LogisticRows,
    truth: Option<Sparse>,
    experts: Option<Sparse>,
    objective: f64,
    /// By how much the last step raised it.
    gain: f64,
    log_likelihood: f64,
    steps: usize,
    converged: bool,
}

impl<'a> Climb<'a> {
    fn new(method: &'a ManyExperts, data: &'a Labelled<'a>, z: Vec<f64>) -> Self {
        Climb {
            method,
            data,
            z,
            units: class_rows(data),
            rights: right_rows(data, method.asymmetric),
            truth: None,
            experts: None,
            objective: f64::NEG_INFINITY,
            gain: f64::INFINITY,
            log_likelihood: f64::NEG_INFINITY,
            steps: 0,
            converged: false,
        }
    }

    /// Takes steps until none gains, or there were so many in all.
    ///
    /// EM crawls along ridges of the likelihood. So after every two steps the log-odds of z are carried on in the direction
    /// in which they move, as far as the two steps suggest (SQUAREM of Varadhan and Roland 2008), and the step from there is
    /// kept if it is no lower.
    fn run(mut self, most: usize) -> Self {
        while self.steps < most && !self.converged {
            let (before, from) = (self.objective, log_odds_of(&self.z));
            self.step();
            let once = log_odds_of(&self.z);
            self.step();
            let twice = log_odds_of(&self.z);
            self.leap(&from, &once, &twice);
            let gain = self.objective - before;
            self.converged = gain <= self.method.tolerance * self.objective.abs();
        }
        self
    }

    /// Tries a step from where two steps point to.
    fn leap(&mut self, from: &[f64], once: &[f64], twice: &[f64]) {
        let (mut moved, mut turned) = (0.0, 0.0);
        for ((from, once), twice) in from.iter().zip(once).zip(twice) {
            moved += (once - from).powi(2);
            turned += (twice - 2.0 * once + from).powi(2);
        }
        let far = (moved / turned).sqrt();
        if !far.is_finite() || far <= 1.0 {
            return;
        }
        let before =
            (self.z.clone(), self.truth.clone(), self.experts.clone(), self.objective, self.log_likelihood, self.gain);
        for (unit, z) in self.z.iter_mut().enumerate() {
            let (first, second) = (once[unit] - from[unit], twice[unit] - 2.0 * once[unit] + from[unit]);
            *z = logistic((from[unit] + 2.0 * far * first + far * far * second).clamp(-FARTHEST, FARTHEST));
        }
        self.step();
        if self.objective < before.3 {
            (self.z, self.truth, self.experts, self.objective, self.log_likelihood, self.gain) = before;
        }
    }

    /// M from the z there are, then E.
    fn step(&mut self) {
        let before = self.objective;
        let features = self.data.features;
        let difficulty = self.method.penalty_difficulty.unwrap_or(self.method.penalty);
        set_targets(self.data, &mut self.units, &self.z);
        set_rights(self.data, &mut self.rights, self.method.asymmetric, &self.z);
        // The regressions need come no nearer to their optimum than EM comes to its own in a step.
        let tolerance = if self.gain.is_finite() { 0.05 * self.gain.abs() } else { 1e-2 };
        let truth = solve(features, &self.units, self.method.penalty, tolerance, self.truth.as_ref());
        let experts = solve(features, &self.rights, difficulty, tolerance, self.experts.as_ref());
        let prior = features.standardised_sum(&truth.coefficients);
        let ease = features.standardised_sum(&experts.coefficients);
        self.log_likelihood = 0.0;
        for unit in 0..self.data.ballots.tasks() {
            let votes = self.data.ballots.votes(unit);
            let prior = truth.intercepts[0] + prior[unit];
            let (odds, log) = log_odds(prior, ease[unit], &experts.intercepts, self.method.asymmetric, votes);
            self.z[unit] = logistic(odds);
            self.log_likelihood += if votes.labels.is_empty() { 0.0 } else { log };
        }
        let size = |b: &[f64]| b.iter().map(|b| b.abs()).sum::<f64>();
        self.objective = self.log_likelihood
            - self.method.penalty * size(&truth.coefficients)
            - difficulty * size(&experts.coefficients);
        (self.truth, self.experts) = (Some(truth), Some(experts));
        self.gain = self.objective - before;
        self.steps += 1;
    }

    fn into_learned(self) -> Learned {
        let (truth, experts) = (self.truth.unwrap_or_default(), self.experts.unwrap_or_default());
        let learned = Learned {
            intercept: truth.intercepts.first().copied().unwrap_or(0.0),
            truth: truth.coefficients,
            skills: experts.intercepts,
            difficulty: experts.coefficients,
            asymmetric: self.method.asymmetric,
            objective: self.objective,
            log_likelihood: self.log_likelihood,
            iterations: self.steps,
            converged: self.converged,
        };
        learned.agreeing_with_the_majority(self.data)
    }
}

impl Learned {
    /// Itself, or its negative, which has the same likelihood.
    fn agreeing_with_the_majority(mut self, data: &Labelled<'_>) -> Self {
        let (ours, votes) = (self.predictions(data.features), shares(data));
        let agreed: f64 = ours.iter().zip(&votes).map(|(p, share)| (p - 0.5).signum() * (share - 0.5).signum()).sum();
        if agreed < 0.0 {
            let negate = |values: &mut Vec<f64>| values.iter_mut().for_each(|value| *value = 0.0 - *value);
            self.intercept = -self.intercept;
            negate(&mut self.truth);
            negate(&mut self.skills);
            negate(&mut self.difficulty);
            if self.asymmetric {
                // What was the skill for false units, negated, is that for true ones.
                let experts = self.skills.len() / 2;
                self.skills.rotate_left(experts);
            }
        }
        self
    }

    /// P(Z = 1 | x) of each unit.
    pub fn predictions(&self, features: &Features) -> Vec<f64> {
        features.standardised_sum(&self.truth).iter().map(|sum| logistic(self.intercept + sum)).collect()
    }

    /// How often each expert is right, in expectation over the units they labelled; none for one without labels.
    pub fn accuracies(&self, features: &Features, ballots: &Ballots) -> Vec<Option<f64>> {
        let (ease, p) = (features.standardised_sum(&self.difficulty), self.predictions(features));
        let experts = ballots.workers();
        let (mut right, mut labels) = (vec![0.0; experts], vec![0.0; experts]);
        for unit in 0..ballots.tasks() {
            for (worker, _) in ballots.votes(unit).iter() {
                let of = |skill: f64| logistic(skill + ease[unit]);
                right[worker] += match self.asymmetric {
                    false => of(self.skills[worker]),
                    true => (1.0 - p[unit]) * of(self.skills[worker]) + p[unit] * of(self.skills[experts + worker]),
                };
                labels[worker] += 1.0;
            }
        }
        right.iter().zip(&labels).map(|(right, labels)| (*labels > 0.0).then(|| right / labels)).collect()
    }

    /// P(Z = 1 | x, y) of each unit.
    pub fn posterior(&self, data: &Labelled<'_>) -> Vec<f64> {
        posterior(data, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::{ExpertCase, Experts};

    struct Drawn {
        features: Features,
        ballots: Ballots,
        truth: Vec<u8>,
    }

    fn drawn(units: usize, noise: usize, case: ExpertCase, seed: u64) -> Drawn {
        let drawn = Experts { units, noise_features: noise, case }.draw(seed).unwrap();
        let columns: Vec<Vec<f64>> =
            (0..noise + 5).map(|j| drawn.features.iter().map(|row| row[j]).collect()).collect();
        let votes: Vec<Vec<(usize, usize)>> = drawn
            .labels
            .iter()
            .map(|labels| labels.iter().enumerate().map(|(k, &label)| (k, usize::from(label))).collect())
            .collect();
        Drawn {
            features: Features::from_columns(units, &columns).unwrap(),
            ballots: Ballots::from_tasks(&votes, 3, 2),
            truth: drawn.truth,
        }
    }

    #[test]
    fn the_objective_never_falls() {
        for asymmetric in [false, true] {
            let drawn = drawn(200, 6, ExpertCase::Model, 1);
            let data = Labelled::new(&drawn.features, &drawn.ballots).unwrap();
            let method = ManyExperts { penalty: 2.0, asymmetric, ..ManyExperts::default() };
            let mut climb = Climb::new(&method, &data, shares(&data));
            let mut last = f64::NEG_INFINITY;
            for _ in 0..60 {
                climb.step();
                assert!(climb.objective >= last - 1e-9 * last.abs(), "{} after {last}", climb.objective);
                last = climb.objective;
            }
        }
    }

    #[test]
    fn gradients_of_the_marginal_likelihood_meet_the_penalty() {
        let drawn = drawn(300, 4, ExpertCase::Model, 2);
        let data = Labelled::new(&drawn.features, &drawn.ballots).unwrap();
        let penalty = 5.0;
        let method =
            ManyExperts { penalty, restarts: 3, tolerance: 1e-13, iterations: 20_000, ..ManyExperts::default() };
        let fit = method.fit(&data, &Cores::one()).unwrap();
        let likelihood = |learned: &Learned| -> f64 {
            let prior = data.features.standardised_sum(&learned.truth);
            let ease = data.features.standardised_sum(&learned.difficulty);
            let of = |i: usize| {
                log_odds(learned.intercept + prior[i], ease[i], &learned.skills, false, data.ballots.votes(i)).1
            };
            (0..300).map(of).sum()
        };
        assert!((likelihood(&fit) - fit.log_likelihood).abs() < 1e-6);
        let slope = |change: &dyn Fn(&mut Learned, f64)| {
            let at = |by: f64| {
                let mut other = fit.clone();
                change(&mut other, by);
                likelihood(&other)
            };
            (at(1e-5) - at(-1e-5)) / 2e-5
        };
        assert!(slope(&|learned, by| learned.intercept += by).abs() < 1e-2);
        for k in 0..3 {
            assert!(slope(&|learned, by| learned.skills[k] += by).abs() < 1e-2);
        }
        for j in 0..9 {
            let slopes =
                [slope(&|learned, by| learned.truth[j] += by), slope(&|learned, by| learned.difficulty[j] += by)];
            for (slope, value) in slopes.iter().zip([fit.truth[j], fit.difficulty[j]]) {
                match value != 0.0 {
                    true => assert!((slope - penalty * value.signum()).abs() < 2e-2, "{j}: {slope} {value}"),
                    false => assert!(slope.abs() < penalty + 2e-2, "{j}: {slope}"),
                }
            }
        }
    }

    #[test]
    fn swapping_the_classes_mirrors_the_fit() {
        let drawn = drawn(250, 3, ExpertCase::Constant, 3);
        let swapped: Vec<Vec<(usize, usize)>> =
            (0..250).map(|unit| drawn.ballots.votes(unit).iter().map(|(k, label)| (k, 1 - label)).collect()).collect();
        let swapped = Ballots::from_tasks(&swapped, 3, 2);
        let fit = |ballots: &Ballots| {
            let data = Labelled::new(&drawn.features, ballots).unwrap();
            ManyExperts { penalty: 3.0, restarts: 0, ..ManyExperts::default() }.fit(&data, &Cores::one()).unwrap()
        };
        let (one, other) = (fit(&drawn.ballots), fit(&swapped));
        assert!((one.objective - other.objective).abs() < 1e-6 * one.objective.abs());
        assert!((one.intercept + other.intercept).abs() < 1e-3);
        assert!(one.truth.iter().zip(&other.truth).all(|(a, b)| (a + b).abs() < 1e-3));
        assert!(one.skills.iter().zip(&other.skills).all(|(a, b)| (a - b).abs() < 1e-3));
    }

    #[test]
    fn finds_the_better_expert_and_beats_chance() {
        let drawn = drawn(1200, 20, ExpertCase::Constant, 4);
        let data = Labelled::new(&drawn.features, &drawn.ballots).unwrap();
        let method = ManyExperts { penalty: 12.0, restarts: 3, ..ManyExperts::default() };
        let fit = method.fit(&data, &Cores::one()).unwrap();
        // Experts err with probabilities 0.5, 0.15 and 0.47.
        assert!(fit.skills[1] > fit.skills[0] + 0.5 && fit.skills[1] > fit.skills[2] + 0.5, "{:?}", fit.skills);
        let wrong = fit.posterior(&data).iter().zip(&drawn.truth).filter(|(p, z)| (**p > 0.5) != (**z == 1)).count();
        assert!((wrong as f64) < 0.25 * 1200.0, "{wrong}");
        let entered = fit.truth.iter().filter(|b| **b != 0.0).count();
        assert!(entered < 15, "{entered}");
    }

    #[test]
    fn odd_experts_get_an_answer() {
        let drawn = drawn(40, 2, ExpertCase::Constant, 5);
        let only = |keep: &dyn Fn(usize, usize) -> bool| -> Ballots {
            let votes: Vec<Vec<(usize, usize)>> = (0..40)
                .map(|unit| drawn.ballots.votes(unit).iter().filter(|(k, _)| keep(unit, *k)).collect())
                .collect();
            Ballots::from_tasks(&votes, 3, 2)
        };
        let one_expert = only(&|_, k| k == 1);
        let some_units = only(&|unit, _| unit % 3 == 0);
        let equal: Vec<Vec<(usize, usize)>> =
            (0..40).map(|unit| (0..3).map(|k| (k, usize::from(drawn.truth[unit]))).collect()).collect();
        for ballots in [one_expert, some_units, Ballots::from_tasks(&equal, 3, 2)] {
            let data = Labelled::new(&drawn.features, &ballots).unwrap();
            for penalty in [0.0, 1.0, 1e6] {
                let method = ManyExperts { penalty, restarts: 1, iterations: 50, ..ManyExperts::default() };
                let fit = method.fit(&data, &Cores::one()).unwrap();
                assert!(fit.objective.is_finite());
                assert!(fit.predictions(&drawn.features).iter().all(|p| (0.0..=1.0).contains(p)));
            }
        }
    }

    #[test]
    fn above_the_largest_penalty_no_feature_enters() {
        let drawn = drawn(300, 4, ExpertCase::Model, 6);
        let data = Labelled::new(&drawn.features, &drawn.ballots).unwrap();
        let base = ManyExperts { restarts: 0, ..ManyExperts::default() };
        let most = base.largest_penalty(&data).unwrap();
        let fit = |penalty: f64| ManyExperts { penalty, ..base.clone() }.fit(&data, &Cores::one()).unwrap();
        let entered = |fit: &Learned| fit.truth.iter().chain(&fit.difficulty).any(|b| *b != 0.0);
        assert!(!entered(&fit(1.05 * most)));
        assert!(entered(&fit(0.3 * most)));
    }
}
