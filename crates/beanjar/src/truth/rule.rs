//! How votes are read: the part of a fit that labels tasks, those it was fitted on and new ones.

use super::Posterior;
use crate::judgments::{Ballots, Votes};
use crate::{Context, Error, Result};

/// What stands for a probability of zero: e^-100. A vote that a worker never gave to a class speaks against it by that,
/// which no number of ordinary votes outweighs, and such votes against all classes still leave an answer.
const IMPOSSIBLE: f64 = 3.720_075_976_020_836e-44;

/// So many probabilities may be multiplied, with that of the class, before the product could leave the range of a double.
const AT_ONCE: usize = 6;
/// A class behind by more than this might drop out of the range of a double before it catches up.
const FAR_BEHIND: f64 = 1e-40;

/// The rule that turns the votes on a task into probabilities of its classes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Rule {
    /// Each worker's vote counts by a weight; probabilities are shares of the weighted votes.
    Weights(Weights),
    /// Bayes' rule with a confusion matrix per worker.
    Confusion(Confusion),
    /// What several rules say, weighted.
    Blend(Blend),
}

/// Several rules, each with its weight; their weighted mean raised to a power tells how sure to be.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Blend {
    /// The rules.
    pub rules: Vec<Rule>,
    /// Their weights, which sum to one.
    pub weights: Vec<f64>,
    /// Probabilities are raised to this power, and brought back to sum one: below 1 is less sure.
    pub sharpness: f64,
}

/// What a worker's vote counts.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Weights {
    /// Of each worker.
    pub workers: Vec<f64>,
    /// Of a worker not seen before.
    pub newcomer: f64,
    /// How many classes there are.
    pub classes: usize,
}

/// P(class), and P(label | class) for each worker.
///
/// With a class per label these are confusion matrices; a mixture may have any number of hidden components instead, and
/// then a component's share of a label is what it says of it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored", into = "Stored"))]
pub struct Confusion {
    pub(super) labels: usize,
    pub(super) prior: Vec<f64>,
    /// P(label | class), to the power of the worker's trust, at `(worker * labels + label) * classes + class`: a vote touches one run of memory.
    /// The last worker is the newcomer, whose matrix is the population's.
    pub(super) votes: Vec<f64>,
    /// What components say of labels, at `component * labels + label`; none where component and label are one.
    pub(super) meaning: Option<Vec<f64>>,
    /// What each worker's votes count, and a newcomer's: the power to which their probabilities were raised. Empty if
    /// all count in full.
    pub(super) trust: Vec<f64>,
}

/// A [`Confusion`] as it is written to a file: probabilities, class by class.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Stored {
    prior: Vec<f64>,
    /// Of each worker, of each class, the probability of each label; the last is the newcomer's.
    workers: Vec<Vec<Vec<f64>>>,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    meaning: Option<Vec<f64>>,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    trust: Vec<f64>,
}

/// A probability that is not zero.
pub(super) fn possible(probability: f64) -> f64 {
    probability.max(IMPOSSIBLE)
}

impl Confusion {
    /// How many classes, or components, there are.
    pub fn classes(&self) -> usize {
        self.prior.len()
    }

    /// The shares of the classes.
    pub fn prior(&self) -> Vec<f64> {
        self.prior.clone()
    }

    /// P(label | class) of a worker; of a newcomer for a number beyond the last.
    pub fn probability(&self, worker: usize, class: usize, label: usize) -> f64 {
        let worker = worker.min(self.workers());
        let p = self.votes[(worker * self.labels + label) * self.classes() + class];
        self.trust.get(worker).map_or(p, |trust| p.powf(1.0 / trust))
    }

    /// How many workers were seen.
    pub fn workers(&self) -> usize {
        self.votes.len() / (self.labels * self.classes()) - 1
    }

    /// In `scores` the probability of each component; the likelihood of the votes, as a factor and the logarithm of
    /// another.
    ///
    /// Probabilities are multiplied as they are, which takes no exponentials; after every few votes the products are
    /// brought back to where nothing can underflow.
    #[inline(always)]
    pub(super) fn components(&self, votes: Votes<'_>, scores: &mut [f64]) -> (f64, f64) {
        let classes = scores.len();
        scores.copy_from_slice(&self.prior[..classes]);
        let mut log = 0.0;
        let mut left = votes.labels.len();
        for (i, (worker, label)) in votes.iter().enumerate() {
            let at = (worker * self.labels + label) * classes;
            for (score, p) in scores.iter_mut().zip(&self.votes[at..at + classes]) {
                *score *= p;
            }
            left -= 1;
            if (i + 1) % AT_ONCE == 0 && left > 0 {
                let most = scores.iter().fold(0.0, |most: f64, &score| if score > most { score } else { most });
                let least =
                    scores.iter().fold(f64::INFINITY, |least: f64, &score| if score < least { score } else { least });
                if least < most * FAR_BEHIND {
                    return self.components_by_logs(votes, scores);
                }
                scores.iter_mut().for_each(|score| *score /= most);
                log += most.ln();
            }
        }
        let sum: f64 = scores.iter().sum();
        let scale = sum.recip();
        scores.iter_mut().for_each(|score| *score *= scale);
        (sum, log)
    }
}

impl Confusion {
    /// The same by sums of logarithms, for classes so far apart that products might lose count of what is behind.
    #[cold]
    fn components_by_logs(&self, votes: Votes<'_>, scores: &mut [f64]) -> (f64, f64) {
        let classes = scores.len();
        scores.iter_mut().zip(&self.prior).for_each(|(score, share)| *score = share.ln());
        for (worker, label) in votes.iter() {
            let at = (worker * self.labels + label) * classes;
            scores.iter_mut().zip(&self.votes[at..at + classes]).for_each(|(score, p)| *score += p.ln());
        }
        let most = scores.iter().fold(f64::NEG_INFINITY, |most: f64, &score| most.max(score));
        scores.iter_mut().for_each(|score| *score = (*score - most).exp());
        let sum: f64 = scores.iter().sum();
        scores.iter_mut().for_each(|score| *score /= sum);
        (sum, most)
    }
}

impl TryFrom<Stored> for Confusion {
    type Error = String;

    fn try_from(stored: Stored) -> std::result::Result<Self, String> {
        let classes = stored.prior.len();
        let labels = stored.workers.first().and_then(|worker| worker.first()).map_or(0, Vec::len);
        let even = |worker: &Vec<Vec<f64>>| worker.len() == classes && worker.iter().all(|row| row.len() == labels);
        let meant = stored.meaning.as_ref().map_or(classes == labels, |meaning| meaning.len() == classes * labels);
        let mut numbers = stored.workers.iter().flatten().flatten().chain(&stored.prior).chain(&stored.trust);
        if classes == 0 || labels == 0 || !meant || !stored.workers.iter().all(even) {
            return Err("the confusion matrices are not of one size".into());
        }
        if !stored.trust.is_empty()
            && (stored.trust.len() != stored.workers.len() || stored.trust.iter().any(|trust| *trust <= 0.0))
        {
            return Err("trust is not above zero, one number for each worker and one for newcomers".into());
        }
        let whole = |row: &[f64]| (row.iter().sum::<f64>() - 1.0).abs() < 1e-6;
        let rows = stored.workers.iter().flatten().all(|row| whole(row));
        let meant = stored.meaning.iter().flat_map(|meaning| meaning.chunks_exact(labels)).all(whole);
        if !rows || !whole(&stored.prior) || !meant || stored.meaning.iter().flatten().any(|share| *share < 0.0) {
            return Err("probabilities do not sum to one".into());
        }
        if numbers.any(|p| !(0.0..=1.0 + 1e-9).contains(p)) {
            return Err("a probability is not between 0 and 1".into());
        }
        let mut votes = Vec::with_capacity(stored.workers.len() * labels * classes);
        for (i, worker) in stored.workers.iter().enumerate() {
            let trust = stored.trust.get(i).unwrap_or(&1.0);
            for label in 0..labels {
                votes.extend(worker.iter().map(|row| possible(row[label]).powf(*trust)));
            }
        }
        let prior = stored.prior.iter().map(|&p| possible(p)).collect();
        Ok(Confusion { labels, prior, votes, meaning: stored.meaning, trust: stored.trust })
    }
}

impl From<Confusion> for Stored {
    fn from(confusion: Confusion) -> Self {
        let row = |worker, class| (0..confusion.labels).map(|l| confusion.probability(worker, class, l)).collect();
        let matrix = |worker| (0..confusion.classes()).map(|class| row(worker, class)).collect();
        Stored {
            prior: confusion.prior(),
            workers: (0..=confusion.workers()).map(matrix).collect(),
            meaning: confusion.meaning.clone(),
            trust: confusion.trust.clone(),
        }
    }
}

impl Rule {
    /// How many classes it tells apart.
    pub fn classes(&self) -> usize {
        match self {
            Rule::Weights(weights) => weights.classes,
            Rule::Confusion(confusion) => confusion.labels,
            Rule::Blend(blend) => blend.rules.first().map_or(0, Rule::classes),
        }
    }

    /// How many workers it knows.
    pub fn workers(&self) -> usize {
        match self {
            Rule::Weights(weights) => weights.workers.len(),
            Rule::Confusion(confusion) => confusion.workers(),
            Rule::Blend(blend) => blend.rules.first().map_or(0, Rule::workers),
        }
    }

    /// A worker's confusion matrix: of each class, or component, the probability of each label. Of several rules, their
    /// weighted mean; none where votes are only weighed.
    pub fn matrix(&self, worker: usize) -> Option<Vec<Vec<f64>>> {
        match self {
            Rule::Weights(_) => None,
            Rule::Confusion(confusion) => {
                let row =
                    |class| (0..confusion.labels).map(|label| confusion.probability(worker, class, label)).collect();
                Some((0..confusion.classes()).map(row).collect())
            }
            Rule::Blend(blend) => {
                let mut mean: Option<Vec<Vec<f64>>> = None;
                for (rule, weight) in blend.rules.iter().zip(&blend.weights) {
                    let matrix = rule.matrix(worker)?;
                    let sums = mean.get_or_insert_with(|| vec![vec![0.0; self.classes()]; matrix.len()]);
                    for (sum, p) in sums.iter_mut().flatten().zip(matrix.iter().flatten()) {
                        *sum += weight * p;
                    }
                }
                mean
            }
        }
    }

    /// Whether it is for so many workers and classes: a rule from a file may be anything.
    pub fn is_sound(&self, workers: usize, classes: usize) -> bool {
        let sizes = self.workers() == workers && self.classes() == classes && classes > 0;
        sizes
            && match self {
                Rule::Weights(weights) => {
                    weights.workers.iter().chain([&weights.newcomer]).all(|weight| (0.0..=1e100).contains(weight))
                }
                Rule::Confusion(_) => true,
                Rule::Blend(blend) => {
                    let shares = blend.weights.iter().chain([&blend.sharpness]).all(|x| (0.0..=1e3).contains(x));
                    let as_many = blend.weights.len() == blend.rules.len();
                    shares && as_many && blend.rules.iter().all(|rule| rule.is_sound(workers, classes))
                }
            }
    }

    /// The probabilities of all tasks' classes. A task without votes gets equal ones.
    ///
    /// Workers of the ballots are those of the rule, by number; a number beyond is a newcomer, and all newcomers may
    /// share one. Cost: O(votes times classes).
    pub fn posterior(&self, ballots: &Ballots, context: &Context) -> Result<Posterior> {
        if ballots.classes() != self.classes() || ballots.workers() > self.workers() + 1 {
            return Err(Error::WrongRule { classes: self.classes(), workers: self.workers() });
        }
        let classes = self.classes();
        let mut posterior = Posterior::equal(ballots.tasks(), classes);
        posterior.fill(context, |task, row| {
            let votes = ballots.votes(task);
            if !votes.labels.is_empty() {
                self.read(votes, row);
            }
        });
        Ok(posterior)
    }

    /// The probabilities of one task's classes, which has votes.
    fn read(&self, votes: Votes<'_>, row: &mut [f64]) {
        match self {
            Rule::Weights(weights) => weights.read(votes, row),
            Rule::Confusion(confusion) => match &confusion.meaning {
                None => {
                    confusion.components(votes, row);
                }
                Some(meaning) => {
                    let mut components = vec![0.0; confusion.classes()];
                    confusion.components(votes, &mut components);
                    row.fill(0.0);
                    for (component, says) in components.iter().zip(meaning.chunks_exact(confusion.labels)) {
                        for (value, share) in row.iter_mut().zip(says) {
                            *value += component * share;
                        }
                    }
                }
            },
            Rule::Blend(blend) => {
                let mut total = vec![0.0; row.len()];
                for (rule, weight) in blend.rules.iter().zip(&blend.weights) {
                    rule.read(votes, row);
                    total.iter_mut().zip(row.iter()).for_each(|(sum, value)| *sum += weight * value);
                }
                row.copy_from_slice(&total);
                sharpen(row, blend.sharpness);
            }
        }
    }
}

/// Raises probabilities to a power, and brings them back to sum one. None becomes impossible.
pub(super) fn sharpen(row: &mut [f64], power: f64) {
    row.iter_mut().for_each(|p| *p = p.max(1e-12).powf(power));
    let sum: f64 = row.iter().sum();
    row.iter_mut().for_each(|p| *p /= sum);
}

impl Weights {
    /// Each worker's vote counts alike.
    pub fn equal(workers: usize, classes: usize) -> Self {
        Weights { workers: vec![1.0; workers], newcomer: 1.0, classes }
    }

    /// Shares of the weighted votes; of the votes, where no weight is above zero.
    pub(super) fn read(&self, votes: Votes<'_>, row: &mut [f64]) {
        row.fill(0.0);
        for (worker, label) in votes.iter() {
            row[label] += self.workers.get(worker).copied().unwrap_or(self.newcomer);
        }
        let mut sum: f64 = row.iter().sum();
        if sum <= 0.0 {
            votes.iter().for_each(|(_, label)| row[label] += 1.0);
            sum = row.iter().sum();
        }
        row.iter_mut().for_each(|share| *share /= sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_votes_does_not_matter() {
        // One never says 1 of class 0, the other never says 0 of class 1.
        let votes = vec![0.9, 0.5, IMPOSSIBLE, 0.5, 0.5, IMPOSSIBLE, 0.5, 0.9, 0.5, 0.5, 0.5, 0.5];
        let tables = Confusion { labels: 2, prior: vec![0.5; 2], votes, meaning: None, trust: Vec::new() };
        let against = |first: (usize, usize), n: usize, then: (usize, usize), m: usize| {
            let task = [vec![first; n], vec![then; m]].concat();
            let mut scores = [0.0; 2];
            tables.components(Ballots::from_tasks(&[task], 2, 2).unwrap().votes(0), &mut scores);
            scores
        };
        let one = against((0, 1), 30, (1, 0), 7);
        let other = against((1, 0), 7, (0, 1), 30);
        assert!(one[1] > 0.99 && other[1] > 0.99, "{one:?} {other:?}");
    }

    #[test]
    fn products_of_many_votes_agree_with_sums_of_logarithms() {
        let (workers, labels) = (7, 3);
        let cell = |at: usize| match at % 11 {
            0 => IMPOSSIBLE,
            n => n as f64 / 20.0,
        };
        let votes: Vec<f64> = (0..(workers + 1) * labels * labels).map(cell).collect();
        let prior = vec![0.2, 0.5, 0.3];
        let tables = Confusion { labels, prior, votes, meaning: None, trust: Vec::new() };
        for n in [1, 5, 6, 7, 12, 13, 100, 1001] {
            let task: Vec<(usize, usize)> = (0..n).map(|i| (i * 5 % workers, (i * i + i / 3) % labels)).collect();
            let ballots = Ballots::from_tasks(std::slice::from_ref(&task), workers, labels).unwrap();
            let mut scores = [0.0; 3];
            let (factor, log) = tables.components(ballots.votes(0), &mut scores);
            let joint: Vec<f64> = (0..3)
                .map(|k| {
                    let said = task.iter().map(|&(w, l)| tables.votes[(w * labels + l) * labels + k].ln());
                    tables.prior[k].ln() + said.sum::<f64>()
                })
                .collect();
            let most = joint.iter().fold(f64::NEG_INFINITY, |most: f64, &x| most.max(x));
            let sum: f64 = joint.iter().map(|x| (x - most).exp()).sum();
            assert!((factor.ln() + log - most - sum.ln()).abs() < 1e-9 * most.abs().max(1.0), "{n} votes");
            for k in 0..3 {
                assert!((scores[k] - (joint[k] - most).exp() / sum).abs() < 1e-9, "{n} votes");
            }
        }
    }
}
