use super::rule::possible;
use crate::judgments::{Ballots, Votes};
use crate::{Error, Result};

/// The shares of the classes, before any vote on a task is seen.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum ClassPrior {
    /// Estimated: the mean of the posteriors.
    #[default]
    Estimated,
    /// Estimated, and held to the shares of the votes as if a tenth as many tasks again had those shares.
    Anchored,
    /// All alike.
    Uniform,
    /// These, which are positive, one for each class in sorted order.
    Given(Vec<f64>),
}

/// The weight of the votes' shares under [`ClassPrior::Anchored`], in tasks for each task. Enough to keep a rare class from
/// becoming a bin for what workers disagree on; half or double change no mean accuracy by more than 0.002.
const ANCHOR: f64 = 0.1;

impl ClassPrior {
    pub(super) fn check(&self, classes: usize) -> Result<()> {
        let ClassPrior::Given(shares) = self else { return Ok(()) };
        match shares.len() == classes && shares.iter().all(|share| *share > 0.0 && share.is_finite()) {
            true => Ok(()),
            false => Err(Error::OutOfRange {
                name: "the prior",
                value: format!("{shares:?}"),
                range: "one share above zero for each class, in sorted order",
            }),
        }
    }

    /// The estimate of the shares for these votes, with `pseudo` tasks added to each class where it is estimated.
    pub(super) fn estimate(&self, votes: &VoteShares, pseudo: f64) -> ClassShares {
        let classes = votes.classes();
        match self {
            ClassPrior::Estimated => ClassShares::Estimated { pseudo: vec![pseudo; classes] },
            ClassPrior::Uniform => ClassShares::Fixed(normalised(&vec![1.0; classes])),
            ClassPrior::Given(shares) => {
                // Shares may be any positive numbers, and their sum beyond a double.
                let most = shares.iter().fold(0.0, |most: f64, &share| most.max(share));
                let shares: Vec<f64> = shares.iter().map(|share| share / most).collect();
                ClassShares::Fixed(normalised(&shares))
            }
            ClassPrior::Anchored => {
                let all: f64 = votes.shares.iter().map(|share| share + 1.0).sum();
                let anchor = |share: &f64| pseudo + ANCHOR * votes.tasks * (share + 1.0) / all;
                ClassShares::Estimated { pseudo: votes.shares.iter().map(anchor).collect() }
            }
        }
    }
}

/// What the votes on all tasks say of the classes: the sums of their shares, task by task.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct VoteShares {
    pub(super) shares: Vec<f64>,
    /// How many tasks there are.
    pub(super) tasks: f64,
}

impl VoteShares {
    pub(super) fn of(ballots: &Ballots) -> Self {
        let mut shares = VoteShares { shares: vec![0.0; ballots.classes()], tasks: 0.0 };
        (0..ballots.tasks()).for_each(|task| shares.observe(ballots.votes(task)));
        shares
    }

    pub(super) fn observe(&mut self, votes: Votes<'_>) {
        let share = 1.0 / votes.opinions().max(1.0);
        votes.weighted().for_each(|(_, label, weight)| self.shares[label] += weight * share);
        self.tasks += 1.0;
    }

    pub(super) fn classes(&self) -> usize {
        self.shares.len()
    }
}

/// How the shares of the classes are found in each step of EM.
#[derive(Clone, Debug)]
pub(super) enum ClassShares {
    Fixed(Vec<f64>),
    /// By the expected tasks of each class, and these more.
    Estimated {
        pseudo: Vec<f64>,
    },
}

impl ClassShares {
    /// Shares of as many components as are asked for, estimated without pseudo-tasks.
    pub(super) fn of_components(components: usize) -> Self {
        ClassShares::Estimated { pseudo: vec![0.0; components] }
    }

    /// The same for classes that have several kinds of tasks each: pseudo-tasks are shared among the kinds.
    pub(super) fn of_kinds(self, kinds: usize) -> Self {
        match self {
            ClassShares::Estimated { pseudo } => {
                let pseudo: Vec<f64> = pseudo.iter().map(|pseudo| pseudo / kinds as f64).collect();
                ClassShares::Estimated { pseudo: pseudo.repeat(kinds) }
            }
            fixed => fixed,
        }
    }

    /// The shares, given the expected tasks of each class, or of each component: kind after kind, class by class.
    pub(super) fn shares(&self, tasks: &[f64]) -> Vec<f64> {
        match self {
            ClassShares::Fixed(shares) => {
                // The shares of classes are known and those of kinds are not; the two are taken as independent.
                let kind = |kind: &[f64]| kind.iter().sum::<f64>() + 1.0;
                let kinds: Vec<f64> = tasks.chunks_exact(shares.len()).map(kind).collect();
                let all: f64 = kinds.iter().sum();
                kinds.iter().flat_map(|kind| shares.iter().map(move |share| possible(share * kind / all))).collect()
            }
            ClassShares::Estimated { pseudo } => {
                let tasks: Vec<f64> = tasks.iter().zip(pseudo).map(|(tasks, pseudo)| tasks + pseudo).collect();
                normalised(&tasks)
            }
        }
    }
}

fn normalised(shares: &[f64]) -> Vec<f64> {
    let sum: f64 = shares.iter().sum();
    shares.iter().map(|share| possible(share / sum)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_follow_the_tasks_the_votes_or_what_is_given() {
        let ballots = Ballots::from_tasks(&[vec![(0, 0), (1, 0)], vec![(0, 1)], vec![(0, 0)]], 2, 2).unwrap();
        let shares = |prior: &ClassPrior| prior.estimate(&VoteShares::of(&ballots), 0.0).shares(&[3.0, 0.0]);
        assert_eq!(shares(&ClassPrior::Uniform), [0.5, 0.5]);
        assert_eq!(shares(&ClassPrior::Given(vec![1e308, 1e308])), [0.5, 0.5]);
        assert_eq!(shares(&ClassPrior::Estimated)[0], 1.0);
        assert!(shares(&ClassPrior::Estimated)[1] > 0.0);
        // 3 and 2 by the votes, each counted once more: 0.3 tasks shared 3 to 2.
        let anchored = shares(&ClassPrior::Anchored);
        assert!((anchored[0] - 3.18 / 3.3).abs() < 1e-12 && (anchored[1] - 0.12 / 3.3).abs() < 1e-12);
        for bad in [vec![0.5], vec![0.0, 1.0], vec![f64::NAN, 1.0], vec![f64::INFINITY, 1.0]] {
            assert!(ClassPrior::Given(bad).check(2).is_err());
        }
    }
}
