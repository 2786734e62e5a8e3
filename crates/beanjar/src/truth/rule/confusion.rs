//! Bayes' rule with a table P(label | class) for each worker.

use super::products::{AT_ONCE, FEW, Products, power_of, power_of_two};
use super::stored::Stored;
use crate::judgments::Votes;
use crate::{Error, Result};
use std::f64::consts::LN_2;

/// What stands for a probability of zero: e^-100. A vote that a worker never gave to a class speaks against it by that,
/// which no number of ordinary votes outweighs, and such votes against all classes still leave an answer.
const IMPOSSIBLE: f64 = 3.720_075_976_020_836e-44;

/// A class behind by more than this might drop out of the range of a double before it catches up.
const FAR_BEHIND: f64 = 1e-40;

/// P(class), and P(label | class) for each worker.
///
/// With a class per label these are confusion matrices. A mixture may have any number of latent components instead; then
/// each component stands for labels with certain shares.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored", into = "Stored"))]
pub struct Confusion {
    pub(in crate::truth) labels: usize,
    pub(in crate::truth) prior: Vec<f64>,
    /// P(label | class) at `(worker * labels + label) * classes + class`: a vote
    /// touches one run of memory. The last worker is the newcomer, whose matrix is the population's.
    pub(in crate::truth) votes: Vec<f64>,
    /// Which table each worker has, where workers share them; empty where each has their own.
    pub(in crate::truth) table_of: Vec<u32>,
    /// The share of each label in each component, at `component * labels + label`; none where component and label are
    /// one.
    pub(super) meaning: Option<Vec<f64>>,
    /// Powers to which the workers' probabilities were raised, in files of version 1; else empty.
    pub(super) trust: Vec<f64>,
}

/// A probability that is not zero.
pub(in crate::truth) fn possible(probability: f64) -> f64 {
    probability.max(IMPOSSIBLE)
}

impl Confusion {
    /// The shares of the classes, and of each worker, for each class, the probability of each label; the last matrix is
    /// that of workers not seen before. An error if sizes differ or probabilities do not sum to one.
    pub fn new(prior: Vec<f64>, workers: Vec<Vec<Vec<f64>>>) -> Result<Self> {
        let stored = Stored { prior, workers, meaning: None, trust: Vec::new() };
        Confusion::try_from(stored).map_err(|what| Error::Inconsistent { what: "confusion matrices", why: what })
    }

    /// Each worker is right with an accuracy of their own, and otherwise picks any other class alike; the last accuracy is
    /// that of workers not seen before.
    pub fn of_accuracies(prior: Vec<f64>, accuracies: &[f64]) -> Result<Self> {
        let classes = prior.len();
        let others = classes.saturating_sub(1).max(1) as f64;
        let row = |accuracy: f64, class: usize| {
            // With a single class there is no way to be wrong.
            let accuracy = if classes == 1 { 1.0 } else { accuracy };
            (0..classes).map(|label| if label == class { accuracy } else { (1.0 - accuracy) / others }).collect()
        };
        let matrix = |&accuracy: &f64| (0..classes).map(|class| row(accuracy, class)).collect();
        Confusion::new(prior, accuracies.iter().map(matrix).collect())
    }

    /// Tables as EM has them, in the layout of `votes`, with the newcomer's at the end.
    pub(in crate::truth) fn of_tables(labels: usize, prior: Vec<f64>, votes: Vec<f64>) -> Self {
        Confusion { labels, prior, votes, table_of: Vec::new(), meaning: None, trust: Vec::new() }
    }

    /// The same, each worker having the table of this number.
    pub(in crate::truth) fn shared_by(self, table_of: Vec<u32>) -> Self {
        Confusion { table_of, ..self }
    }

    /// Where the probabilities of a worker's label begin.
    #[inline(always)]
    fn at(&self, worker: usize, label: usize) -> usize {
        let table = match self.table_of.is_empty() {
            true => worker,
            false => self.table_of.get(worker).map_or_else(|| self.tables() - 1, |&table| table as usize),
        };
        (table * self.labels + label) * self.prior.len()
    }

    /// How many tables there are, with the newcomer's.
    fn tables(&self) -> usize {
        self.votes.len() / (self.labels * self.classes())
    }

    /// The same, each component standing for labels with these shares.
    pub(in crate::truth) fn with_meaning(self, meaning: Vec<f64>) -> Self {
        Confusion { meaning: Some(meaning), ..self }
    }

    /// Gives all workers of a family the table of its first.
    pub(super) fn share_tables(&mut self, families: &[Vec<usize>]) {
        let cells = self.labels * self.classes();
        for family in families {
            let (first, others) = (family[0], &family[1..]);
            match self.table_of.is_empty() {
                true => others
                    .iter()
                    .for_each(|worker| self.votes.copy_within(first * cells..(first + 1) * cells, worker * cells)),
                false => others.iter().for_each(|&worker| self.table_of[worker] = self.table_of[first]),
            }
        }
    }

    /// The share of a class in what a component stands for.
    pub(in crate::truth) fn meaning_of(&self, component: usize, class: usize) -> f64 {
        match &self.meaning {
            Some(meaning) => meaning[component * self.labels + class],
            None => f64::from(u8::from(component == class)),
        }
    }

    /// How many labels there are.
    #[must_use]
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// How many classes, or components, there are.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.prior.len()
    }

    /// The shares of the classes.
    #[must_use]
    pub fn prior(&self) -> &[f64] {
        &self.prior
    }

    /// P(label | class) of a worker; of a newcomer for a number beyond the last.
    ///
    /// # Panics
    /// If there is no such class or label.
    #[must_use]
    pub fn probability(&self, worker: usize, class: usize, label: usize) -> f64 {
        let worker = worker.min(self.workers());
        let p = self.votes[self.at(worker, label) + class];
        self.trust.get(worker).map_or(p, |trust| p.powf(1.0 / trust))
    }

    /// How many workers were seen.
    #[must_use]
    pub fn workers(&self) -> usize {
        if self.table_of.is_empty() { self.tables() - 1 } else { self.table_of.len() }
    }

    /// In `scores` the probability of each component; the likelihood of the votes, as a factor and the logarithm of
    /// another.
    ///
    /// Probabilities are multiplied as they are, which takes no logarithms and no exponentials.
    #[inline(always)]
    pub(in crate::truth) fn components(&self, votes: Votes<'_>, scores: &mut [f64]) -> (f64, f64) {
        let classes = scores.len();
        // Many votes put many classes far apart as a rule.
        if !votes.weights.is_empty() || classes > FEW && votes.labels.len() > AT_ONCE {
            return self.components_far_apart(votes, scores);
        }
        scores.copy_from_slice(&self.prior[..classes]);
        let (mut power, mut left) = (0, votes.labels.len());
        for (i, (worker, label)) in votes.iter().enumerate() {
            let at = self.at(worker, label);
            scores.iter_mut().zip(&self.votes[at..at + classes]).for_each(|(score, p)| *score *= p);
            left -= 1;
            if (i + 1) % AT_ONCE == 0 && left > 0 {
                let most = scores.iter().fold(0.0, |most: f64, &score| if score > most { score } else { most });
                let least =
                    scores.iter().fold(f64::INFINITY, |least: f64, &score| if score < least { score } else { least });
                if least < most * FAR_BEHIND {
                    return self.components_far_apart(votes, scores);
                }
                let by = power_of(most);
                scores.iter_mut().for_each(|score| *score *= power_of_two(-by));
                power += by;
            }
        }
        let sum: f64 = scores.iter().sum();
        let scale = sum.recip();
        scores.iter_mut().for_each(|score| *score *= scale);
        (sum, power as f64 * LN_2)
    }
}

impl Confusion {
    /// The same for classes so far apart that products might lose count of what is behind, and for votes that do not all count
    /// as one.
    #[inline(never)]
    fn components_far_apart(&self, votes: Votes<'_>, scores: &mut [f64]) -> (f64, f64) {
        let classes = scores.len();
        let mut products = Products::new(&self.prior[..classes], scores);
        let row = |worker: u32, label: u16| {
            let at = self.at(worker as usize, usize::from(label));
            &self.votes[at..at + classes]
        };
        if votes.weights.is_empty() {
            let ((workers, last_workers), (labels, last_labels)) =
                (votes.workers.as_chunks::<AT_ONCE>(), votes.labels.as_chunks::<AT_ONCE>());
            for (workers, labels) in workers.iter().zip(labels) {
                products.multiply_at_once(std::array::from_fn(|vote| row(workers[vote], labels[vote])));
            }
            for (&worker, &label) in last_workers.iter().zip(last_labels) {
                products.multiply(row(worker, label).iter().copied());
            }
            return products.finish();
        }
        for (worker, label, weight) in votes.weighted() {
            let at = self.at(worker, label);
            let row = self.votes[at..at + classes].iter();
            match weight == 1.0 {
                true => products.multiply(row.copied()),
                false => products.multiply(row.map(|p| p.powf(weight))),
            }
        }
        products.finish()
    }

    /// ln P(votes, class).
    pub(in crate::truth) fn joint(&self, votes: Votes<'_>, class: usize) -> f64 {
        let said = votes.weighted().map(|(w, l, weight)| weight * self.votes[self.at(w, l) + class].ln());
        self.prior[class].ln() + said.sum::<f64>()
    }

    /// The probabilities of a task's labels.
    pub(super) fn read(&self, votes: Votes<'_>, row: &mut [f64]) {
        let Some(meaning) = &self.meaning else {
            self.components(votes, row);
            return;
        };
        let mut components = vec![0.0; self.classes()];
        self.components(votes, &mut components);
        row.fill(0.0);
        for (component, shares) in components.iter().zip(meaning.chunks_exact(self.labels)) {
            row.iter_mut().zip(shares).for_each(|(value, share)| *value += component * share);
        }
    }

    /// A worker's confusion matrix: of each class the probability of each label. A class's row is the mean over the
    /// components, by how much of the class each makes up.
    pub(super) fn class_matrix(&self, worker: usize) -> Vec<Vec<f64>> {
        let Some(meaning) = &self.meaning else { return self.matrix(worker) };
        let row = |class: usize| {
            let part = |component: usize| self.prior[component] * meaning[component * self.labels + class];
            let whole: f64 = (0..self.classes()).map(part).sum();
            let probability = |label: usize| {
                let joint = (0..self.classes()).map(|c| part(c) * self.probability(worker, c, label)).sum::<f64>();
                if whole > 0.0 { joint / whole } else { 1.0 / self.labels as f64 }
            };
            (0..self.labels).map(probability).collect()
        };
        (0..self.labels).map(row).collect()
    }

    /// Of each component the probability of each label.
    pub(super) fn matrix(&self, worker: usize) -> Vec<Vec<f64>> {
        let row = |class| (0..self.labels).map(|label| self.probability(worker, class, label)).collect();
        (0..self.classes()).map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgments::Ballots;

    #[test]
    fn the_order_of_votes_does_not_matter() {
        // One never says 1 of class 0, the other never says 0 of class 1.
        let votes = vec![0.9, 0.5, IMPOSSIBLE, 0.5, 0.5, IMPOSSIBLE, 0.5, 0.9, 0.5, 0.5, 0.5, 0.5];
        let tables = Confusion::of_tables(2, vec![0.5; 2], votes);
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
        let tables = Confusion::of_tables(labels, prior, votes);
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

    #[test]
    fn half_a_vote_is_the_root_of_its_probability() {
        let even = || vec![vec![0.5, 0.5]; 2];
        let tables =
            Confusion::new(vec![0.4, 0.6], vec![vec![vec![0.9, 0.1], vec![0.3, 0.7]], even(), even()]).unwrap();
        let ballots =
            Ballots::from_tasks(&[vec![(0, 0)]], 2, 2).unwrap().with_votes(&[vec![(0, 0), (0, 1)]], vec![0.25, 0.75]);
        let mut scores = [0.0; 2];
        tables.components(ballots.votes(0), &mut scores);
        let direct = [0.4 * 0.9f64.powf(0.25) * 0.1f64.powf(0.75), 0.6 * 0.3f64.powf(0.25) * 0.7f64.powf(0.75)];
        assert!((scores[0] - direct[0] / (direct[0] + direct[1])).abs() < 1e-12);
        assert!((tables.joint(ballots.votes(0), 1) - direct[1].ln()).abs() < 1e-12);
    }

    #[test]
    fn matrices_that_do_not_fit_together_are_refused() {
        let even = || vec![vec![0.5, 0.5]; 2];
        assert!(Confusion::new(vec![0.5, 0.5], vec![even(), even()]).is_ok());
        assert!(Confusion::new(vec![], vec![]).is_err());
        assert!(Confusion::new(vec![0.5, 0.5], vec![]).is_err());
        assert!(Confusion::new(vec![0.5, 0.6], vec![even()]).is_err());
        assert!(Confusion::new(vec![0.5, 0.5], vec![even(), vec![vec![1.0]; 2]]).is_err());
        assert!(Confusion::new(vec![0.5, 0.5], vec![vec![vec![1.5, -0.5]; 2]]).is_err());
        assert!(Confusion::new(vec![0.5, 0.5], vec![vec![vec![f64::NAN, 1.0]; 2]]).is_err());
    }
}
