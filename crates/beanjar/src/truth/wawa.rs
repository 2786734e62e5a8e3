use super::majority;
use super::rule::Weights;
use super::{Evidence, Majority, TruthFit};
use crate::{Context, Result};

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
        let majority = Majority::default().fit(evidence, context)?.posterior;
        let mut agreed = vec![0.0; ballots.workers()];
        for task in 0..ballots.tasks() {
            let best: Vec<usize> = majority.best(task).collect();
            for (worker, label, weight) in ballots.votes(task).weighted() {
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
