//! What labels tell of the classes of units, by a model.

use super::ExpertModel;
use super::classifier::{normalise, softmax};
use crate::judgments::{Ballots, Votes};
use crate::logistic::LogProduct;

/// What the labels of all units tell, one unit after the other.
#[derive(Clone, Debug)]
pub(super) struct Readings {
    /// The probability of each class by the features alone, and by features and labels.
    pub(super) prior: Vec<f64>,
    pub(super) posterior: Vec<f64>,
    /// The probability that each vote is right; if asymmetric, for a unit of the first class and of the second.
    pub(super) right: Vec<f64>,
    pub(super) log_likelihood: f64,
}

impl Readings {
    /// Given each unit's sums for the class, and its ease x g.
    pub(super) fn of(model: &ExpertModel, sums: &[f64], ease: &[f64], ballots: &Ballots) -> Self {
        let (classes, rows, each) = (model.classifier.classes, model.classifier.rows(), model.skills_each());
        let mut prior = vec![0.0; ease.len() * classes];
        let mut posterior = vec![0.0; ease.len() * classes];
        let mut right = vec![0.0; ballots.len() * each];
        let (reader, mut likelihood) = (Reader::new(model), LogProduct::new());
        let cells = prior.chunks_exact_mut(classes).zip(posterior.chunks_exact_mut(classes));
        for (unit, ((prior, posterior), sums)) in cells.zip(sums.chunks_exact(rows)).enumerate() {
            let votes = ballots.votes(unit);
            let right = &mut right[ballots.first_vote(unit) * each..][..votes.labels.len() * each];
            reader.read(sums, ease[unit], votes, Reading { prior, posterior, right }, &mut likelihood);
        }
        Readings { prior, posterior, right, log_likelihood: likelihood.log() }
    }
}

/// Room for what is read of one unit.
struct Reading<'a> {
    prior: &'a mut [f64],
    posterior: &'a mut [f64],
    right: &'a mut [f64],
}

/// A model ready to read the labels of units: the odds that experts are right are taken once.
struct Reader<'a> {
    model: &'a ExpertModel,
    experts: usize,
    /// e^skill, where all skills are near enough to zero.
    odds: Option<Vec<f64>>,
    /// ln(classes - 1), the ways to be wrong.
    others: f64,
}

/// Odds of e^(2 NEAR) are no larger than a [`LogProduct`] takes.
const NEAR: f64 = 100.0;

impl<'a> Reader<'a> {
    fn new(model: &'a ExpertModel) -> Self {
        let near = model.skills.iter().all(|skill| skill.abs() <= NEAR);
        let odds = near.then(|| model.skills.iter().map(|skill| skill.exp()).collect());
        Reader { model, experts: model.experts(), odds, others: ((model.classifier.classes - 1) as f64).ln() }
    }

    /// Reads the labels of a unit; their likelihood multiplies `likelihood`.
    fn read(&self, sums: &[f64], ease: f64, votes: Votes<'_>, room: Reading<'_>, likelihood: &mut LogProduct) {
        let Reading { prior, posterior, right } = room;
        let divisor = softmax(sums, prior);
        if votes.labels.is_empty() {
            return posterior.copy_from_slice(prior);
        }
        // The logarithms of P(class and labels), but for what is common to all classes.
        match sums {
            [sum] => posterior.copy_from_slice(&[0.0, *sum]),
            _ => posterior.copy_from_slice(sums),
        }
        likelihood.divide(divisor.factor);
        let mut common = -divisor.log;
        match self.odds.as_ref().filter(|_| ease.abs() <= NEAR) {
            _ if self.model.asymmetric => {
                for ((worker, label), right) in votes.iter().zip(right.chunks_exact_mut(2)) {
                    for (class, right) in right.iter_mut().enumerate() {
                        let chance = Chance::of(self.model.skills[class * self.experts + worker] + ease);
                        posterior[class] += if label == class { chance.log_right } else { chance.log_wrong };
                        *right = chance.right;
                    }
                }
            }
            Some(odds) => {
                let odds_of_unit = ease.exp();
                common -= self.others * votes.labels.len() as f64;
                for ((worker, label), right) in votes.iter().zip(right) {
                    let odds = odds[worker] * odds_of_unit;
                    likelihood.divide(1.0 + odds);
                    *right = odds / (1.0 + odds);
                    posterior[label] += self.model.skills[worker] + ease + self.others;
                }
            }
            None => {
                for ((worker, label), right) in votes.iter().zip(right) {
                    let v = self.model.skills[worker] + ease;
                    let chance = Chance::of(v);
                    *right = chance.right;
                    posterior[label] += v + self.others;
                    common += chance.log_wrong - self.others;
                }
            }
        }
        let divisor = normalise(posterior);
        likelihood.add(common + divisor.log);
        likelihood.multiply(divisor.factor);
    }
}

/// s(v), ln s(v) and ln s(-v).
struct Chance {
    right: f64,
    log_right: f64,
    log_wrong: f64,
}

impl Chance {
    fn of(v: f64) -> Self {
        let small = (-v.abs()).exp();
        let log = small.ln_1p();
        let right = if v >= 0.0 { 1.0 / (1.0 + small) } else { small / (1.0 + small) };
        Chance { right, log_right: v.min(0.0) - log, log_wrong: -v.max(0.0) - log }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experts::Classifier;
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
                    let ballots = Ballots::from_tasks(std::slice::from_ref(&votes), 3, classes).unwrap();
                    let sums = &[0.7, -0.2, 0.4][..rows];
                    let reading = Readings::of(&model, sums, &[ease], &ballots);
                    let (log, posterior) = by_hand(&model, sums, ease, &votes);
                    let close = |a: f64, b: f64| (a - b).abs() < 1e-12 * (1.0 + b.abs());
                    assert!(close(reading.log_likelihood, log), "{classes} {ease}: {} {log}", reading.log_likelihood);
                    assert!(reading.posterior.iter().zip(&posterior).all(|(a, b)| close(*a, *b)), "{posterior:?}");
                }
            }
        }
    }
}
