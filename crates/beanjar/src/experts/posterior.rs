//! The posterior of each unit's class, given its features and its labels.

use super::linear::{normalise, rows_of, softmax};
use crate::judgments::{Ballots, Votes};
use crate::log_product::LogProduct;

/// How experts err: of each expert a skill, or if asymmetric one for units of the first class, then one for units of the
/// second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Skills<'a> {
    pub(super) classes: usize,
    pub(super) skills: &'a [f64],
    pub(super) asymmetric: bool,
}

impl Skills<'_> {
    /// How many skills an expert has.
    pub(super) fn each(&self) -> usize {
        if self.asymmetric { 2 } else { 1 }
    }

    fn experts(&self) -> usize {
        self.skills.len() / self.each()
    }

    /// Of each class, ln P(labels | class) of a unit of this ease is added.
    pub(super) fn add_logs(&self, ease: f64, votes: Votes<'_>, logs: &mut [f64]) {
        let others = ((self.classes - 1) as f64).ln();
        for (worker, label, weight) in votes.weighted() {
            for (class, log) in logs.iter_mut().enumerate() {
                let skill = if self.asymmetric { class * self.experts() + worker } else { worker };
                let chance = Chance::of(self.skills[skill] + ease);
                *log += weight * if label == class { chance.log_right } else { chance.log_wrong - others };
            }
        }
    }
}

/// Of all units, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Posteriors {
    /// The probability of each class by the features alone, and by features and labels.
    pub(super) prior: Vec<f64>,
    pub(super) posterior: Vec<f64>,
    /// The probability that each vote is right; if asymmetric, for a unit of the first class and of the second.
    pub(super) right: Vec<f64>,
    pub(super) log_likelihood: f64,
}

impl Posteriors {
    /// Given each unit's sums for the class, and its ease x g.
    pub(super) fn of(skills: Skills<'_>, sums: &[f64], ease: &[f64], ballots: &Ballots) -> Self {
        let (classes, rows, each) = (skills.classes, rows_of(skills.classes), skills.each());
        let mut prior = vec![0.0; ease.len() * classes];
        let mut posterior = vec![0.0; ease.len() * classes];
        let mut right = vec![0.0; ballots.len() * each];
        let (reader, mut likelihood) = (Reader::new(skills), LogProduct::new());
        let cells = prior.chunks_exact_mut(classes).zip(posterior.chunks_exact_mut(classes));
        for (unit, ((prior, posterior), sums)) in cells.zip(sums.chunks_exact(rows)).enumerate() {
            let votes = ballots.votes(unit);
            let right = &mut right[ballots.first_vote(unit) * each..][..votes.labels.len() * each];
            reader.read(sums, ease[unit], votes, Room { prior, posterior, right, likelihood: &mut likelihood });
        }
        Posteriors { prior, posterior, right, log_likelihood: likelihood.log() }
    }
}

/// Room for one unit's numbers.
struct Room<'a> {
    prior: &'a mut [f64],
    posterior: &'a mut [f64],
    right: &'a mut [f64],
    /// Which that of the unit's labels multiplies.
    likelihood: &'a mut LogProduct,
}

/// Skills made ready: the odds that experts are right are computed once.
struct Reader<'a> {
    skills: &'a [f64],
    asymmetric: bool,
    experts: usize,
    /// e^skill, where all skills are near enough to zero.
    odds: Option<Vec<f64>>,
    /// ln(classes - 1), the ways to be wrong.
    others: f64,
}

/// Odds of e^(2 NEAR) are no larger than a [`LogProduct`] takes.
const NEAR: f64 = 100.0;

impl<'a> Reader<'a> {
    fn new(experts: Skills<'a>) -> Self {
        let Skills { classes, skills, asymmetric } = experts;
        let near = skills.iter().all(|skill| skill.abs() <= NEAR);
        let odds = near.then(|| skills.iter().map(|skill| skill.exp()).collect());
        Reader { skills, asymmetric, experts: experts.experts(), odds, others: ((classes - 1) as f64).ln() }
    }

    /// Reads the labels of a unit.
    fn read(&self, sums: &[f64], ease: f64, votes: Votes<'_>, room: Room<'_>) {
        let Room { prior, posterior, right, likelihood } = room;
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
            _ if self.asymmetric => {
                for ((worker, label, weight), right) in votes.weighted().zip(right.chunks_exact_mut(2)) {
                    for (class, right) in right.iter_mut().enumerate() {
                        let chance = Chance::of(self.skills[class * self.experts + worker] + ease);
                        posterior[class] += weight * if label == class { chance.log_right } else { chance.log_wrong };
                        *right = chance.right;
                    }
                }
            }
            // The product of powers would need as many logarithms as there are votes.
            Some(odds) if votes.weights.is_empty() => {
                let odds_of_unit = ease.exp();
                common -= self.others * votes.labels.len() as f64;
                for ((worker, label), right) in votes.iter().zip(right) {
                    let odds = odds[worker] * odds_of_unit;
                    likelihood.divide(1.0 + odds);
                    *right = odds / (1.0 + odds);
                    posterior[label] += self.skills[worker] + ease + self.others;
                }
            }
            _ => {
                for ((worker, label, weight), right) in votes.weighted().zip(right) {
                    let v = self.skills[worker] + ease;
                    let chance = Chance::of(v);
                    *right = chance.right;
                    posterior[label] += weight * (v + self.others);
                    common += weight * (chance.log_wrong - self.others);
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
    use crate::logistic::logistic;

    /// P(labels), and P(class | labels), by the definition.
    fn by_hand(experts: Skills<'_>, sums: &[f64], ease: f64, votes: &[(usize, usize)]) -> (f64, Vec<f64>) {
        let Skills { classes, skills, asymmetric } = experts;
        let sums = if classes == 2 { vec![0.0, sums[0]] } else { sums.to_vec() };
        let total: f64 = sums.iter().map(|sum| sum.exp()).sum();
        let joint = |class: usize| {
            let says = |&(worker, label): &(usize, usize)| {
                let skill = if asymmetric { class * experts.experts() + worker } else { worker };
                let right = logistic(skills[skill] + ease);
                if label == class { right } else { logistic(-skills[skill] - ease) / (classes - 1) as f64 }
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
                let experts = Skills { classes, skills: &skills[..if asymmetric { 6 } else { 3 }], asymmetric };
                for votes in [vec![], vec![(1, 1)], vec![(0, 0), (1, 1), (2, classes - 1), (0, 0)]] {
                    let ballots = Ballots::from_tasks(std::slice::from_ref(&votes), 3, classes).unwrap();
                    let sums = &[0.7, -0.2, 0.4][..rows];
                    let found = Posteriors::of(experts, sums, &[ease], &ballots);
                    let (log, posterior) = by_hand(experts, sums, ease, &votes);
                    let close = |a: f64, b: f64| (a - b).abs() < 1e-12 * (1.0 + b.abs());
                    assert!(close(found.log_likelihood, log), "{classes} {ease}: {} {log}", found.log_likelihood);
                    assert!(found.posterior.iter().zip(&posterior).all(|(a, b)| close(*a, *b)), "{posterior:?}");
                    // Votes that count twice are read as two, and those that count one are as they were.
                    let twice: Vec<(usize, usize)> = votes.iter().flat_map(|&vote| [vote, vote]).collect();
                    for (weight, same) in [(1.0, &votes), (2.0, &twice)] {
                        let weighted = ballots.with_votes(std::slice::from_ref(&votes), vec![weight; votes.len()]);
                        let found = Posteriors::of(experts, sums, &[ease], &weighted);
                        let (log, posterior) = by_hand(experts, sums, ease, same);
                        assert!(close(found.log_likelihood, log), "{weight}: {} {log}", found.log_likelihood);
                        assert!(found.posterior.iter().zip(&posterior).all(|(a, b)| close(*a, *b)), "{posterior:?}");
                    }
                }
            }
        }
    }
}
