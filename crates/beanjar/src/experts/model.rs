//! The model: a class from features, and labels from the class and the features.

use super::classifier::{normalise, softmax};
use super::{Classifier, Features};
use crate::judgments::{Ballots, Votes};
use crate::logistic::LogProduct;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Units with features, and what experts said of them.
#[derive(Clone, Copy, Debug)]
pub struct Labelled<'a> {
    pub(super) features: &'a Features,
    pub(super) ballots: &'a Ballots,
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
        if ballots.classes() < 2 {
            return refuse("the number of classes", ballots.classes(), "2 or more");
        }
        Ok(Labelled { features, ballots })
    }

    /// The features.
    pub fn features(&self) -> &'a Features {
        self.features
    }

    /// The share of each class in a unit's votes, unit by unit; zeros without votes.
    pub fn shares(&self) -> Vec<f64> {
        let classes = self.ballots.classes();
        let mut shares = vec![0.0; self.ballots.tasks() * classes];
        for (unit, cells) in shares.chunks_exact_mut(classes).enumerate() {
            let votes = self.ballots.votes(unit);
            votes.labels.iter().for_each(|&label| cells[usize::from(label)] += 1.0 / votes.labels.len() as f64);
        }
        shares
    }
}

/// What features tell of the class, and how often each expert is right.
///
/// Expert k is right about unit i with probability s(skill_k + x_i g), s the logistic function, and says each of the other
/// classes equally often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpertModel {
    /// What features tell of the class: b.
    pub classifier: Classifier,
    /// a, of each expert; if asymmetric, of each expert for units of the first class, then for units of the second.
    pub skills: Vec<f64>,
    /// g, a coefficient for each feature; where x g is large, experts are right.
    pub difficulty: Vec<f64>,
    /// Whether skills are for each of two true classes.
    pub asymmetric: bool,
}

/// What the labels of one unit tell of its class.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// The probability of each class by the features alone, and by features and labels.
    pub(super) prior: Vec<f64>,
    pub(super) posterior: Vec<f64>,
    /// The probability that each vote is right; if asymmetric, for a unit of the first class and of the second.
    pub(super) right: Vec<f64>,
}

impl Reading {
    pub(super) fn new(classes: usize) -> Self {
        Reading { prior: vec![0.0; classes], posterior: vec![0.0; classes], right: Vec::new() }
    }
}

/// A model ready to read the labels of units: the odds that experts are right are taken once.
pub(super) struct Reader<'a> {
    model: &'a ExpertModel,
    /// e^skill, where all skills are near enough to zero.
    odds: Option<Vec<f64>>,
    /// ln(classes - 1), the ways to be wrong.
    others: f64,
}

/// Odds of e^(2 NEAR) are no larger than a [`LogProduct`] takes.
const NEAR: f64 = 100.0;

impl<'a> Reader<'a> {
    pub(super) fn new(model: &'a ExpertModel) -> Self {
        let near = model.skills.iter().all(|skill| skill.abs() <= NEAR);
        let odds = near.then(|| model.skills.iter().map(|skill| skill.exp()).collect());
        Reader { model, odds, others: ((model.classifier.classes - 1) as f64).ln() }
    }

    /// Reads the labels of a unit, given its sums for the class and its ease x g; their likelihood multiplies `likelihood`.
    pub(super) fn read(
        &self,
        sums: &[f64],
        ease: f64,
        votes: Votes<'_>,
        reading: &mut Reading,
        likelihood: &mut LogProduct,
    ) {
        let Reading { prior, posterior, right } = reading;
        right.clear();
        // The logarithms of P(class and labels), but for what is common to all classes.
        let divisor = softmax(sums, prior);
        if votes.labels.is_empty() {
            posterior.copy_from_slice(prior);
            return;
        }
        match sums {
            [sum] => posterior.copy_from_slice(&[0.0, *sum]),
            _ => posterior.copy_from_slice(sums),
        }
        likelihood.divide(divisor.factor);
        let mut common = -divisor.log;
        let ease_odds = ease.exp();
        let odds = self.odds.as_ref().filter(|_| ease.abs() <= NEAR);
        let (model, experts) = (self.model, self.model.experts());
        for (worker, label) in votes.iter() {
            if model.asymmetric {
                for class in 0..2 {
                    let (chance, log_right, log_wrong) = chance(model.skills[class * experts + worker] + ease);
                    posterior[class] += if label == class { log_right } else { log_wrong };
                    right.push(chance);
                }
                continue;
            }
            let v = model.skills[worker] + ease;
            common -= self.others;
            posterior[label] += v + self.others;
            match odds {
                Some(odds) => {
                    let odds = odds[worker] * ease_odds;
                    likelihood.divide(1.0 + odds);
                    right.push(odds / (1.0 + odds));
                }
                None => {
                    let (chance, _, log_wrong) = chance(v);
                    common += log_wrong;
                    right.push(chance);
                }
            }
        }
        let divisor = normalise(posterior);
        likelihood.add(common + divisor.log);
        likelihood.multiply(divisor.factor);
    }
}

impl ExpertModel {
    pub(super) fn experts(&self) -> usize {
        self.skills.len() / self.skills_each()
    }

    /// How many numbers it has.
    pub(super) fn size(&self) -> usize {
        let classifier = self.classifier.intercepts.len() + self.classifier.coefficients.len();
        classifier + self.skills.len() + self.difficulty.len()
    }

    /// How many skills an expert has.
    pub(super) fn skills_each(&self) -> usize {
        if self.asymmetric { 2 } else { 1 }
    }

    /// P(class | x, y) of each unit, unit by unit, of features standardised as those it was learned from.
    pub fn posterior(&self, data: &Labelled<'_>) -> Vec<f64> {
        let ease = data.features.standardised_sum(&self.difficulty);
        self.posterior_by(&self.classifier.sums(data.features), &ease, data.ballots)
    }

    fn posterior_by(&self, sums: &[f64], ease: &[f64], ballots: &Ballots) -> Vec<f64> {
        let rows = self.classifier.rows();
        let (reader, mut reading) = (Reader::new(self), Reading::new(self.classifier.classes));
        let mut posterior = Vec::with_capacity(ballots.tasks() * self.classifier.classes);
        for unit in 0..ballots.tasks() {
            let sums = &sums[unit * rows..(unit + 1) * rows];
            reader.read(sums, ease[unit], ballots.votes(unit), &mut reading, &mut LogProduct::new());
            posterior.extend(&reading.posterior);
        }
        posterior
    }

    /// P(class | x, y) of each unit, unit by unit, of features as they are; the coefficients are on their scale.
    pub fn plain_posterior(&self, data: &Labelled<'_>) -> Vec<f64> {
        let ease = data.features.plain_sum(&self.difficulty);
        self.posterior_by(&self.classifier.plain_sums(data.features), &ease, data.ballots)
    }

    /// The same for features as the user has them.
    pub fn on_the_users_scale(&self, features: &Features) -> ExpertModel {
        let (difficulty, shift) = features.on_the_users_scale(&self.difficulty);
        ExpertModel {
            classifier: self.classifier.on_the_users_scale(features),
            skills: self.skills.iter().map(|skill| skill + shift).collect(),
            difficulty,
            asymmetric: self.asymmetric,
        }
    }

    /// Whether its numbers fit together.
    pub fn is_sound(&self, features: usize, experts: usize) -> bool {
        let sizes = self.difficulty.len() == features && self.skills.len() == experts * self.skills_each();
        let two = !self.asymmetric || self.classifier.classes == 2;
        sizes && two && self.skills.iter().chain(&self.difficulty).all(|value| value.is_finite())
    }

    /// How many features enter, for the class or for difficulty.
    pub fn features_used(&self) -> usize {
        (0..self.difficulty.len()).filter(|&j| self.difficulty[j] != 0.0 || self.classifier.uses(j)).count()
    }

    /// How often each expert is right, in expectation over the units they labelled; none for one without labels.
    pub fn accuracies(&self, data: &Labelled<'_>) -> Vec<Option<f64>> {
        let (mut right, mut labels) = (vec![0.0; self.experts()], vec![0.0; self.experts()]);
        self.rights(data, |_, worker, chance| {
            right[worker] += chance;
            labels[worker] += 1.0;
        });
        right.iter().zip(&labels).map(|(right, labels)| (*labels > 0.0).then(|| right / labels)).collect()
    }

    /// The mean error of experts by this model, weighted as S is: the mean over units of the mean over their labels.
    pub fn expert_error(&self, data: &Labelled<'_>) -> Option<f64> {
        let (mut wrong, mut units) = (0.0, 0.0);
        self.rights(data, |unit, _, chance| {
            let share = 1.0 / data.ballots.votes(unit).labels.len() as f64;
            wrong += share * (1.0 - chance);
            units += share;
        });
        (units > 0.0).then(|| wrong / units)
    }

    /// Tells of each label its unit, its expert, and how probable it was, before it was seen, that it would be right.
    fn rights(&self, data: &Labelled<'_>, mut tell: impl FnMut(usize, usize, f64)) {
        let sums = self.classifier.sums(data.features);
        let ease = data.features.standardised_sum(&self.difficulty);
        let (rows, each) = (self.classifier.rows(), self.skills_each());
        let (reader, mut reading) = (Reader::new(self), Reading::new(self.classifier.classes));
        for unit in 0..data.ballots.tasks() {
            let (sums, votes) = (&sums[unit * rows..(unit + 1) * rows], data.ballots.votes(unit));
            reader.read(sums, ease[unit], votes, &mut reading, &mut LogProduct::new());
            for ((worker, _), right) in votes.iter().zip(reading.right.chunks_exact(each)) {
                let chance = match self.asymmetric {
                    false => right[0],
                    true => reading.prior[0] * right[0] + reading.prior[1] * right[1],
                };
                tell(unit, worker, chance);
            }
        }
    }

    /// Itself, or for two classes its negative, which has the same likelihood: what agrees with the majority more often.
    pub(super) fn agreeing_with_the_majority(mut self, data: &Labelled<'_>) -> Self {
        if self.classifier.classes != 2 {
            return self;
        }
        let shares = data.shares();
        let sums = self.classifier.sums(data.features);
        let mut agreed: f64 =
            sums.iter().zip(shares.chunks_exact(2)).map(|(sum, share)| sum.signum() * lean(share)).sum();
        if agreed == 0.0 {
            // Then the one by which experts are right more often than wrong.
            let posterior = self.posterior(data);
            agreed = posterior.iter().zip(&shares).map(|(z, share)| (z - 0.5) * share).sum();
        }
        if agreed < 0.0 {
            let negate = |values: &mut Vec<f64>| values.iter_mut().for_each(|value| *value = 0.0 - *value);
            negate(&mut self.classifier.intercepts);
            negate(&mut self.classifier.coefficients);
            negate(&mut self.skills);
            negate(&mut self.difficulty);
            if self.asymmetric {
                // What was the skill for units of the first class, negated, is that for those of the second.
                let experts = self.experts();
                self.skills.rotate_left(experts);
            }
        }
        self
    }
}

/// To which of two classes votes lean: -1, 0 or 1.
fn lean(shares: &[f64]) -> f64 {
    if shares[0] == shares[1] { 0.0 } else { (shares[1] - shares[0]).signum() }
}

/// s(v), ln s(v) and ln s(-v).
fn chance(v: f64) -> (f64, f64, f64) {
    let small = (-v.abs()).exp();
    let log = small.ln_1p();
    let right = if v >= 0.0 { 1.0 / (1.0 + small) } else { small / (1.0 + small) };
    (right, v.min(0.0) - log, -v.max(0.0) - log)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logistic::logistic;

    /// P(labels), and P(class | labels), by the definition.
    fn by_hand(model: &ExpertModel, sums: &[f64], ease: f64, votes: &[(usize, usize)]) -> (f64, Vec<f64>) {
        let classes = model.classifier.classes;
        let sums = if classes == 2 { vec![0.0, sums[0]] } else { sums.to_vec() };
        let total: f64 = sums.iter().map(|sum| sum.exp()).sum();
        let joint = |class: usize| {
            let says = |&(worker, label): &(usize, usize)| {
                let skill = if model.asymmetric { class * model.experts() + worker } else { worker };
                let right = logistic(model.skills[skill] + ease);
                if label == class { right } else { logistic(-model.skills[skill] - ease) / (classes - 1) as f64 }
            };
            sums[class].exp() / total * votes.iter().map(says).product::<f64>()
        };
        let joint: Vec<f64> = (0..classes).map(joint).collect();
        let all: f64 = joint.iter().sum();
        (all.ln(), joint.iter().map(|joint| joint / all).collect())
    }

    #[test]
    fn labels_are_read_by_bayes_near_and_far() {
        for (classes, asymmetric) in [(2, false), (2, true), (3, false)] {
            // Skills and ease may be large and cancel, as they do on the scale of a user's features.
            for (shift, ease) in [(0.0, 0.4), (0.0, -3.0), (0.0, 150.0), (-300.0, 301.0), (90.0, -90.5)] {
                let rows = if classes == 2 { 1 } else { classes };
                let skills = [1.2, -0.3, 0.8, 2.0, 0.1, -1.0].map(|skill| skill + shift);
                let model = ExpertModel {
                    classifier: Classifier { classes, intercepts: vec![0.0; rows], coefficients: vec![] },
                    skills: skills[..if asymmetric { 6 } else { 3 }].to_vec(),
                    difficulty: vec![],
                    asymmetric,
                };
                for votes in [vec![], vec![(1, 1)], vec![(0, 0), (1, 1), (2, classes - 1), (0, 0)]] {
                    let ballots = Ballots::from_tasks(std::slice::from_ref(&votes), 3, classes);
                    let sums = &[0.7, -0.2, 0.4][..rows];
                    let (mut reading, mut likelihood) = (Reading::new(classes), LogProduct::new());
                    Reader::new(&model).read(sums, ease, ballots.votes(0), &mut reading, &mut likelihood);
                    let (log, posterior) = by_hand(&model, sums, ease, &votes);
                    let close = |a: f64, b: f64| (a - b).abs() < 1e-12 * (1.0 + b.abs());
                    assert!(close(likelihood.log(), log), "{classes} {ease}: {} {log}", likelihood.log());
                    assert!(reading.posterior.iter().zip(&posterior).all(|(a, b)| close(*a, *b)), "{posterior:?}");
                }
            }
        }
    }
}
