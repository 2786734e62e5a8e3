use super::majority;
use super::rule::Weights;
use super::{Evidence, TruthFit};
use crate::{Context, Result};

/// Votes weighted by how often the worker is right where the answer is known.
///
/// The weight is the share of the worker's votes on tasks with a known class that are right. Who has no such vote has the
/// mean weight, as a newcomer has; without any known class all weigh alike. Cost: O(votes).
///
/// ```
/// use beanjar::{Context, Labels, truth::{Evidence, GoldMajority}};
///
/// let labels = Labels::from_rows([
///     ("1", "ann", "cat"), ("1", "bob", "dog"), ("1", "cy", "dog"),
///     ("2", "ann", "cat"), ("2", "bob", "dog"), ("2", "cy", "dog"),
/// ])?;
/// // Task 1 is known to be a cat, so ann is right and the others are not.
/// let evidence = Evidence::with_gold(labels.ballots(), vec![Some(0), None])?;
/// let fitted = GoldMajority.fit(&evidence, &Context::new())?;
/// assert_eq!(fitted.posterior.of(1), [1.0, 0.0]);
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GoldMajority;

impl GoldMajority {
    /// Weighs the workers by the known classes, then counts the weighted votes.
    pub fn fit(&self, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
        let ballots = evidence.ballots;
        let (mut right, mut all) = (vec![0.0; ballots.workers()], vec![0.0; ballots.workers()]);
        for (task, class) in evidence.gold.iter().enumerate() {
            let Some(class) = class else { continue };
            for (worker, label, weight) in ballots.votes(task).weighted() {
                right[worker] += if label == usize::from(*class) { weight } else { 0.0 };
                all[worker] += weight;
            }
        }
        let known: f64 = all.iter().sum();
        let mean = if known > 0.0 { right.iter().sum::<f64>() / known } else { 1.0 };
        let workers = right.iter().zip(&all).map(|(right, &all)| if all > 0.0 { right / all } else { mean });
        majority::fit(Weights::new(workers.collect(), mean, ballots.classes())?, evidence, context)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Majority;
    use super::*;
    use crate::judgments::Ballots;

    #[test]
    fn without_known_classes_it_is_the_plain_vote() {
        let ballots = Ballots::from_tasks(&[vec![(0, 0), (1, 1), (2, 1)], vec![(0, 1)]], 3, 2).unwrap();
        let evidence = Evidence::votes(&ballots).unwrap();
        let plain = Majority::default().fit(&evidence, &Context::new()).unwrap();
        assert_eq!(GoldMajority.fit(&evidence, &Context::new()).unwrap().posterior, plain.posterior);
    }

    #[test]
    fn weights_are_shares_of_known_tasks_and_strangers_have_the_mean() {
        let tasks = [vec![(0, 0), (1, 1)], vec![(0, 0), (1, 0)], vec![(0, 0), (1, 1), (2, 1)]];
        let ballots = Ballots::from_tasks(&tasks, 3, 2).unwrap();
        let evidence = Evidence::with_gold(&ballots, vec![Some(0), Some(0), None]).unwrap();
        let fit = GoldMajority.fit(&evidence, &Context::new()).unwrap();
        // Worker 0 was right twice of two, worker 1 once of two, worker 2 has no known task: three of four.
        let sum = 1.0 + 0.5 + 0.75;
        assert!((fit.posterior.of(2)[0] - 1.0 / sum).abs() < 1e-12);
    }
}
