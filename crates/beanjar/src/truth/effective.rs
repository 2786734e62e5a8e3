//! How many independent votes a task's votes are worth.

use super::Evidence;
use super::rule::Confusion;
use crate::Context;
use crate::judgments::{Ballots, Sum, Votes, sum_over};

/// The correlation left between two votes on a task once its class is known: 0 if they are independent, 1 if they are
/// copies.
///
/// sum (agree - expected) / sum (1 - expected) over all pairs of votes on a task, where `expected` is the probability that
/// the two agree by their workers' tables and the task's posterior. Below zero counts as zero. Cost: O(votes times classes
/// squared), for the sum over pairs is had from sums over votes.
pub(super) fn residual_correlation(evidence: &Evidence<'_>, tables: &Confusion, context: &Context) -> f64 {
    correlation_of(sum_over(evidence.ballots, context, || Excess::new(tables)).into_numbers())
}

/// The correlation, from the numbers of the sum.
pub(super) fn correlation_of([agree, expected, pairs]: [f64; 3]) -> f64 {
    match pairs - expected > 0.0 {
        true => ((agree - expected) / (pairs - expected)).clamp(0.0, 1.0),
        false => 0.0,
    }
}

/// n votes that are correlated count as n / (1 + (n - 1) correlation): the number of independent votes whose mean has the
/// same variance.
pub(super) fn effective_votes(votes: f64, correlation: f64) -> f64 {
    if votes <= 0.0 { 0.0 } else { votes / (1.0 + (votes - 1.0) * correlation) }
}

/// Sums over pairs of votes on a task.
pub(super) struct Excess<'a> {
    tables: &'a Confusion,
    agree: f64,
    expected: f64,
    pairs: f64,
}

impl<'a> Excess<'a> {
    pub(super) fn new(tables: &'a Confusion) -> Self {
        Excess { tables, agree: 0.0, expected: 0.0, pairs: 0.0 }
    }

    /// Pairs that agree, that would by the tables, and all.
    pub(super) fn into_numbers(self) -> [f64; 3] {
        [self.agree, self.expected, self.pairs]
    }
}

impl Sum<Ballots> for Excess<'_> {
    fn observe(&mut self, votes: Votes<'_>) {
        // The votes of one worker share a weight of one, and are no pair.
        let n = votes.opinions();
        if n < 1.5 {
            return;
        }
        let (labels, classes) = (self.tables.labels(), self.tables.classes());
        let mut posterior = vec![0.0; classes];
        self.tables.components(votes, &mut posterior);
        let mut given = vec![0.0; labels];
        let mut alone = 0.0;
        for (_, label, weight) in votes.weighted() {
            given[label] += weight;
            alone += weight * weight;
        }
        self.agree += (given.iter().map(|count| count * count).sum::<f64>() - alone) / 2.0;
        self.pairs += n * (n - 1.0) / 2.0;
        for (class, p) in posterior.iter().enumerate().filter(|(_, p)| **p > 1e-9) {
            for label in 0..labels {
                let (mut sum, mut squares) = (0.0, 0.0);
                for (worker, _, weight) in votes.weighted() {
                    let likelihood = self.tables.probability(worker, class, label);
                    (sum, squares) = (sum + weight * likelihood, squares + weight * likelihood * likelihood);
                }
                self.expected += p * (sum * sum - squares) / 2.0;
            }
        }
    }

    fn merge(&mut self, later: Self) {
        self.agree += later.agree;
        self.expected += later.expected;
        self.pairs += later.pairs;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_one_vote_and_independent_votes_count_in_full() {
        assert_eq!(effective_votes(7.0, 0.0), 7.0);
        assert_eq!(effective_votes(7.0, 1.0), 1.0);
        assert_eq!(effective_votes(0.0, 0.5), 0.0);
    }

    #[test]
    fn the_sum_over_pairs_agrees_with_the_pairs_one_by_one() {
        let worker = |a: f64, b: f64| vec![vec![a, 1.0 - a], vec![1.0 - b, b]];
        let tables = Confusion::new(
            vec![0.4, 0.6],
            vec![worker(0.9, 0.7), worker(0.6, 0.8), worker(0.7, 0.6), worker(0.5, 0.5)],
        )
        .unwrap();
        let tasks = [vec![(0, 0), (1, 0), (2, 1)], vec![(0, 1), (1, 1)], vec![(2, 0)], vec![]];
        let ballots = Ballots::from_tasks(&tasks, 3, 2).unwrap();
        let (mut agree, mut expected, mut pairs) = (0.0, 0.0, 0.0);
        for (task, votes) in tasks.iter().enumerate() {
            let mut posterior = [0.0; 2];
            if votes.is_empty() {
                continue;
            }
            tables.components(ballots.votes(task), &mut posterior);
            for i in 0..votes.len() {
                for j in i + 1..votes.len() {
                    agree += f64::from(u8::from(votes[i].1 == votes[j].1));
                    pairs += 1.0;
                    for (class, p) in posterior.iter().enumerate() {
                        let both = |label| {
                            tables.probability(votes[i].0, class, label) * tables.probability(votes[j].0, class, label)
                        };
                        expected += p * (both(0) + both(1));
                    }
                }
            }
        }
        let direct = ((agree - expected) / (pairs - expected)).clamp(0.0, 1.0);
        let found = residual_correlation(&Evidence::votes(&ballots).unwrap(), &tables, &Context::new());
        assert!((found - direct).abs() < 1e-12, "{found} and {direct}");
    }
}
