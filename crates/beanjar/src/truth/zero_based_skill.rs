use super::majority;
use super::rule::{Rule, Weights};
use super::{Evidence, TruthFit};
use crate::{Context, Error, Result};

/// Votes weighted by skill, and skill learned from the weighted votes, again and again.
///
/// From equal skills, the tasks are labelled by the skill-weighted majority, and each worker's skill moves towards the share
/// of their votes that agree with the labels (a tie counts by its share), by a rate that is halved every twenty steps. A
/// newcomer has the mean skill. Cost: O(votes) a step.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `iterations` | steps | 100 | 1 or more |
///
/// ```
/// use beanjar::{Context, Labels, truth::{Evidence, ZeroBasedSkill}};
///
/// let labels = Labels::from_rows([("1", "ann", "cat"), ("1", "bob", "cat"), ("1", "cy", "dog")])?;
/// let fitted = ZeroBasedSkill::default().fit(&Evidence::votes(labels.ballots())?, &Context::new())?;
/// assert!(fitted.posterior.of(0)[0] > 2.0 / 3.0);
/// # Ok::<(), beanjar::Error>(())
/// ```
///
/// The method of the crowd-kit package (D. Ustalov, N. Pavlichenko and B. Tseitlin, Learning from crowds with Crowd-Kit,
/// JOSS 9 (2024)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ZeroBasedSkill {
    /// How many steps.
    pub iterations: usize,
}

impl Default for ZeroBasedSkill {
    fn default() -> Self {
        ZeroBasedSkill { iterations: 100 }
    }
}

/// After this number of steps the rate is halved, as in crowd-kit.
const HALVED_AFTER: usize = 20;

impl ZeroBasedSkill {
    /// Finds skills and labels.
    pub fn fit(&self, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
        if self.iterations == 0 {
            let range = "1 or more";
            return Err(Error::OutOfRange { name: "the number of iterations", value: "0".into(), range });
        }
        let ballots = evidence.ballots;
        let votes = ballots.per_worker();
        let mut skills = vec![1.0 / ballots.classes() as f64; ballots.workers()];
        let mut rate = 1.0;
        for step in 1..=self.iterations {
            context.report("aggregating", step as f64 / self.iterations as f64)?;
            if step.is_multiple_of(HALVED_AFTER) {
                rate *= 0.5;
            }
            let mut posterior =
                Rule::Weights(weights(&skills, &votes, ballots.classes())?).posterior(ballots, context)?;
            posterior.set_known(&evidence.gold);
            let mut agreed = vec![0.0; skills.len()];
            for task in 0..ballots.tasks() {
                let best: Vec<usize> = posterior.best(task).collect();
                for (worker, label, weight) in ballots.votes(task).weighted() {
                    agreed[worker] += weight * f64::from(u8::from(best.contains(&label))) / best.len() as f64;
                }
            }
            for ((skill, agreed), &votes) in skills.iter_mut().zip(agreed).zip(&votes) {
                *skill += rate * (agreed / votes.max(1) as f64 - *skill);
            }
        }
        let fit = majority::fit(weights(&skills, &votes, ballots.classes())?, evidence, context)?;
        Ok(TruthFit { iterations: self.iterations, ..fit })
    }
}

/// Skills as weights; who has no votes gets the mean.
fn weights(skills: &[f64], votes: &[u64], classes: usize) -> Result<Weights> {
    let all: f64 = skills.iter().zip(votes).map(|(skill, &votes)| skill * votes as f64).sum();
    let newcomer = all / votes.iter().sum::<u64>().max(1) as f64;
    let of_worker = |(skill, votes): (&f64, &u64)| if *votes > 0 { *skill } else { newcomer };
    Weights::new(skills.iter().zip(votes).map(of_worker).collect(), newcomer, classes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgments::Ballots;
    use crate::simulate::Crowd;

    #[test]
    fn skills_are_a_fixed_point_they_are_the_agreement_with_the_labels_they_give() {
        let crowd = Crowd { tasks: 200, workers: 15, classes: 3, votes: (5, 5), spammers: 0.3, ..Crowd::default() };
        let drawn = crowd.draw(&Context::new()).unwrap();
        let ballots = Ballots::from_tasks(&drawn.labels, 15, 3).unwrap();
        let evidence = Evidence::votes(&ballots).unwrap();
        let fit = ZeroBasedSkill::default().fit(&evidence, &Context::new()).unwrap();
        let Rule::Weights(weights) = &fit.rule else { panic!("votes are weighed") };
        for worker in 0..15 {
            let (mut agreed, mut all) = (0.0, 0.0);
            for (task, votes) in drawn.labels.iter().enumerate() {
                let best: Vec<usize> = fit.posterior.best(task).collect();
                for (_, label) in votes.iter().filter(|vote| vote.0 == worker) {
                    agreed += if best.contains(label) { 1.0 / best.len() as f64 } else { 0.0 };
                    all += 1.0;
                }
            }
            assert!(all == 0.0 || (weights.workers()[worker] - agreed / all).abs() < 0.02);
        }
    }

    #[test]
    fn known_classes_are_certain() {
        let ballots = Ballots::from_tasks(&[vec![(0, 0), (1, 0)], vec![(0, 1)]], 2, 2).unwrap();
        let evidence = Evidence::with_gold(&ballots, vec![Some(1), None]).unwrap();
        let fit = ZeroBasedSkill::default().fit(&evidence, &Context::new()).unwrap();
        assert_eq!(fit.posterior.of(0), [0.0, 1.0]);
        assert!(ZeroBasedSkill { iterations: 0 }.fit(&evidence, &Context::new()).is_err());
    }
}
