//! The model: a class from features, and labels from the class and the features.

use super::expert_model::ExpertModel;
use super::labelled_units::Labelled;
use super::linear::Linear;
use super::posterior::{Posteriors, Skills};
use super::rights::Rights;

/// The numbers of the model, for standardised features.
///
/// Expert k is right about unit i with probability s(skill_k + x_i g), s the logistic function, and says each of the other
/// classes equally often. x_i g is the unit's ease: where it is large, experts are right.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parameters {
    /// The class from the features: b.
    pub(super) classifier: Linear,
    /// a, of each expert; if asymmetric, of each expert for units of the first class, then for units of the second.
    pub(super) skills: Vec<f64>,
    /// g, a coefficient for each feature.
    pub(super) ease: Vec<f64>,
    /// Whether skills are for each of two true classes.
    pub(super) asymmetric: bool,
}

impl Parameters {
    pub(super) fn experts(&self) -> usize {
        self.skills.len() / self.skills_each()
    }

    /// How many numbers it has.
    pub(super) fn size(&self) -> usize {
        let classifier = self.classifier.intercepts.len() + self.classifier.coefficients.len();
        classifier + self.skills.len() + self.ease.len()
    }

    /// How many skills an expert has.
    pub(super) fn skills_each(&self) -> usize {
        if self.asymmetric { 2 } else { 1 }
    }

    pub(super) fn how_experts_err(&self) -> Skills<'_> {
        Skills { classes: self.classifier.classes, skills: &self.skills, asymmetric: self.asymmetric }
    }

    /// What labels and features say of each unit.
    pub(super) fn posteriors(&self, data: &Labelled<'_>) -> Posteriors {
        let (sums, ease) = (self.classifier.sums(&data.features), data.features.sums(&self.ease));
        Posteriors::of(self.how_experts_err(), &sums, &ease, data.ballots)
    }

    /// P(class | x, y) of each unit, unit by unit.
    pub(super) fn posterior(&self, data: &Labelled<'_>) -> Vec<f64> {
        self.posteriors(data).posterior
    }

    /// P(class | x, y) of each of other units, whose features are standardised in another way than those it was learned
    /// from.
    pub(super) fn posterior_of_other_units(&self, learned_from: &Labelled<'_>, others: &Labelled<'_>) -> Vec<f64> {
        let model = self.on_the_users_scale(learned_from);
        let plain = |slopes: &[f64]| others.features.sums_on_the_users_scale(slopes);
        let (sums, ease) = (model.classifier().linear().sums_by(others.units(), plain), plain(model.ease()));
        let skills = Skills { skills: model.skills(), ..self.how_experts_err() };
        Posteriors::of(skills, &sums, &ease, others.ballots).posterior
    }

    /// The model for features on the user's scale.
    pub(super) fn on_the_users_scale(&self, data: &Labelled<'_>) -> ExpertModel {
        let (ease, shift) = data.features.on_the_users_scale(&self.ease);
        ExpertModel::of(
            self.classifier.on_the_users_scale(&data.features),
            self.skills.iter().map(|skill| skill + shift).collect(),
            ease,
            self.asymmetric,
        )
    }

    /// The same model for the features of other units, standardised in another way.
    pub(super) fn restandardised(&self, learned_from: &Labelled<'_>, others: &Labelled<'_>) -> Parameters {
        let model = self.on_the_users_scale(learned_from);
        let classifier = model.classifier().linear().standardised_as(&others.features);
        let (ease, shift) = others.features.standardised_slopes(model.ease());
        let skills = model.skills().iter().map(|skill| skill + shift).collect();
        Parameters { classifier, skills, ease, asymmetric: self.asymmetric }
    }

    /// How many features enter, for the class or for ease.
    pub(super) fn features_used(&self) -> usize {
        (0..self.ease.len()).filter(|&j| self.ease[j] != 0.0 || self.classifier.uses(j)).count()
    }

    /// Itself, or for two classes its negative, which has the same likelihood: what agrees with the majority more often.
    pub(super) fn agreeing_with_the_majority(mut self, data: &Labelled<'_>) -> Self {
        if self.classifier.classes != 2 {
            return self;
        }
        let shares = data.shares();
        let sums = self.classifier.sums(&data.features);
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
            negate(&mut self.ease);
            if self.asymmetric {
                // What was the skill for units of the first class, negated, is that for those of the second.
                let experts = self.experts();
                self.skills.rotate_left(experts);
            }
        }
        self
    }
}

impl Rights for Parameters {
    fn number_of_experts(&self) -> usize {
        self.experts()
    }

    fn rights(&self, data: &Labelled<'_>, visit: &mut dyn FnMut(usize, usize, f64, f64)) {
        let found = self.posteriors(data);
        let mut rights = found.right.chunks_exact(self.skills_each());
        for (unit, prior) in found.prior.chunks_exact(self.classifier.classes).enumerate() {
            for ((worker, _, weight), right) in data.ballots.votes(unit).weighted().zip(&mut rights) {
                let chance = match self.asymmetric {
                    false => right[0],
                    true => prior[0] * right[0] + prior[1] * right[1],
                };
                visit(unit, worker, weight, chance);
            }
        }
    }
}

/// To which of two classes votes lean: -1, 0 or 1.
fn lean(shares: &[f64]) -> f64 {
    if shares[0] == shares[1] { 0.0 } else { (shares[1] - shares[0]).signum() }
}
