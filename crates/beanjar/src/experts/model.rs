//! The model: a class from features, and labels from the class and the features.

use super::reading::Readings;
use super::{Classifier, Features};
use crate::judgments::Ballots;
use crate::{Error, Result};

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
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
        Readings::of(self, &self.classifier.sums(data.features), &ease, data.ballots).posterior
    }

    /// P(class | x, y) of each unit, unit by unit, of features as they are; the coefficients are on their scale.
    pub fn plain_posterior(&self, data: &Labelled<'_>) -> Vec<f64> {
        let ease = data.features.plain_sum(&self.difficulty);
        Readings::of(self, &self.classifier.plain_sums(data.features), &ease, data.ballots).posterior
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
        let readings = Readings::of(self, &sums, &ease, data.ballots);
        let mut rights = readings.right.chunks_exact(self.skills_each());
        for (unit, prior) in readings.prior.chunks_exact(self.classifier.classes).enumerate() {
            for ((worker, _), right) in data.ballots.votes(unit).iter().zip(&mut rights) {
                let chance = match self.asymmetric {
                    false => right[0],
                    true => prior[0] * right[0] + prior[1] * right[1],
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
