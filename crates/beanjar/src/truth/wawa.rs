use super::majority;
use super::rule::Weights;
use super::{Evidence, TruthFit};
use crate::judgments::Votes;
use crate::{Context, Result};

/// Sums of votes closer than this are the same but for rounding.
const SAME: f64 = 1e-9;

/// Worker agreement with aggregate: a worker's vote counts by how often it agrees with the majority.
///
/// The weight is the worker's mean probability of being right by majority vote (a tie counts by its share); a newcomer
/// has the mean weight. Two passes over the votes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wawa;

impl Wawa {
    /// Weighs the workers by the majority, then counts the weighted votes.
    pub fn fit(&self, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
        let ballots = evidence.ballots;
        let mut agreed = vec![0.0; ballots.workers()];
        for task in 0..ballots.tasks() {
            let votes = ballots.votes(task);
            let best = match evidence.gold.get(task).copied().flatten() {
                Some(known) => vec![usize::from(known)],
                None => most_given(votes),
            };
            for (worker, label, weight) in votes.weighted() {
                agreed[worker] += weight * f64::from(u8::from(best.contains(&label))) / best.len() as f64;
            }
        }
        let votes = ballots.per_worker();
        let newcomer = agreed.iter().sum::<f64>() / votes.iter().sum::<u64>() as f64;
        let workers = agreed.iter().zip(&votes).map(|(agreed, &n)| if n > 0 { agreed / n as f64 } else { newcomer });
        let weights = Weights::new(workers.collect(), newcomer, ballots.classes())?;
        majority::fit(weights, evidence, context)
    }
}

/// The classes with the most votes. Not by a posterior, which holds all classes of all tasks, and there may be many.
fn most_given(votes: Votes<'_>) -> Vec<usize> {
    let mut given: Vec<(usize, f64)> = votes.weighted().map(|(_, label, weight)| (label, weight)).collect();
    given.sort_unstable_by_key(|(label, _)| *label);
    let of_class = |votes: &[(usize, f64)]| (votes[0].0, votes.iter().map(|vote| vote.1).sum::<f64>());
    let sums: Vec<(usize, f64)> = given.chunk_by(|a, b| a.0 == b.0).map(of_class).collect();
    let most = sums.iter().fold(0.0, |most: f64, sum| most.max(sum.1));
    sums.into_iter().filter(|sum| sum.1 >= most - SAME).map(|sum| sum.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgments::Ballots;
    use crate::truth::Rule;

    #[test]
    fn agreement_with_the_majority_by_hand() {
        // Worker 2 is alone on task 0, one of two on task 1, which is tied, and wrong on task 2, which is known.
        let tasks = vec![vec![(0, 1), (1, 1), (2, 0)], vec![(0, 0), (2, 2)], vec![(1, 2), (2, 1)], vec![]];
        let ballots = Ballots::from_tasks(&tasks, 4, 3).unwrap();
        let gold = vec![None, None, Some(2), None];
        let evidence = Evidence::with_gold(&ballots, gold).unwrap();
        let fit = Wawa.fit(&evidence, &Context::new()).unwrap();
        let Rule::Weights(weights) = &fit.rule else { panic!("weights") };
        assert_eq!(weights.newcomer(), 4.0 / 7.0);
        assert_eq!(weights.workers(), [0.75, 1.0, 0.5 / 3.0, 4.0 / 7.0]);
        assert!((fit.posterior.of(1)[0] - 0.75 / (0.75 + 0.5 / 3.0)).abs() < 1e-12);
    }
}
