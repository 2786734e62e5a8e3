use super::class_prior::{ClassShares, VoteShares};
use super::em::{Climb, Em, Expected, Model, Passes, Start, Step, Stopping, first_part};
use super::rare_workers::sharing_tables;
use super::rule::{Confusion, possible};
use super::{ClassPrior, Evidence, TruthFit, check_smoothing};
use crate::judgments::Ballots;
use crate::{Context, Result};

/// Each worker is right with a probability of their own, and otherwise picks any other class alike.
///
/// P_w(l | k) = p_w if l = k, else (1 - p_w) / (classes - 1). The estimate is found by EM from the shares of the votes,
/// with `smoothing` pseudo-labels that were right, and as many for each of the ways to be wrong. Cost: as
/// [`DawidSkene`](super::DawidSkene), whose parameters it shares.
///
/// By default p_w is the mean over classes of the worker's share of right labels, each class with one more label at chance.
/// Where the model holds, that estimates the same number as the share of all labels that are right, which has the largest
/// likelihood. Where it does not hold, the largest likelihood may be that of nonsense: a worker who always gives one answer
/// is never wrong if all tasks have that answer, so whoever hardly varies draws all tasks into one class. Over classes, such
/// a worker is right at chance and counts nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct OneCoin {
    /// Whether classes count alike in a worker's coin, or as they come, which maximises the likelihood.
    pub balanced: bool,
    /// Pseudo-labels added for being right, and for each way of being wrong.
    pub smoothing: f64,
    /// The class prior.
    pub prior: ClassPrior,
    /// When to stop.
    pub stopping: Stopping,
}

impl Default for OneCoin {
    fn default() -> Self {
        OneCoin { balanced: true, smoothing: 0.0, prior: ClassPrior::default(), stopping: Stopping::default() }
    }
}

impl OneCoin {
    /// Finds the workers' coins and the classes.
    pub fn fit(&self, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
        self.check(evidence)?;
        self.climb(evidence, context)?.into_fit(evidence, context)
    }

    pub(super) fn check(&self, evidence: &Evidence<'_>) -> Result<()> {
        let classes = evidence.ballots.classes();
        check_smoothing(self.smoothing)?;
        evidence.check_tables(classes)?;
        self.stopping.check()?;
        self.prior.check(classes)
    }

    /// EM from the shares of the votes.
    pub(super) fn climb(&self, evidence: &Evidence<'_>, context: &Context) -> Result<Climb> {
        self.climb_over(evidence, &VoteShares::of(evidence.ballots), context)
    }

    /// The same where there may be millions of votes: EM on a part of the tasks first, and a few steps on all from there.
    pub(super) fn climb_large(&self, evidence: &Evidence<'_>, context: &Context) -> Result<Climb> {
        sharing_tables(evidence, |evidence| match first_part(evidence.ballots, context)? {
            Some(part) => self.climb_from_part(&part, evidence, &VoteShares::of(evidence.ballots), context),
            None => self.climb(evidence, context),
        })
    }

    /// EM on a part of the tasks, and a few steps on all votes from there, wherever they are. `shares` are those of all.
    pub(super) fn climb_from_part(
        &self,
        part: &Ballots,
        all: &dyn Passes,
        shares: &VoteShares,
        context: &Context,
    ) -> Result<Climb> {
        let first = self.climb(&Evidence::part(part, &[]), &context.part(0.0, 0.5))?;
        first.go_on(all, self.stopping, &mut self.coins(shares), &context.part(0.5, 1.0))
    }

    /// EM on votes that may be elsewhere, whose shares these are.
    pub(super) fn climb_over(&self, all: &dyn Passes, shares: &VoteShares, context: &Context) -> Result<Climb> {
        let em = Em { votes: all, classes: shares.classes(), start: Start::Votes, stopping: self.stopping };
        em.climb(&mut self.coins(shares), context)
    }

    fn coins(&self, shares: &VoteShares) -> Coins {
        Coins { balanced: self.balanced, smoothing: self.smoothing, shares: self.prior.estimate(shares, 0.0) }
    }
}

struct Coins {
    balanced: bool,
    smoothing: f64,
    shares: ClassShares,
}

impl Model for Coins {
    fn maximise(&mut self, expected: &Expected) -> Step {
        let (labels, classes) = (expected.labels, expected.classes);
        let workers = expected.votes.len() / (labels * classes);
        let ways = classes.saturating_sub(1).max(1) as f64;
        let mut tables = Vec::with_capacity(expected.votes.len() + labels * classes);
        let mut push = |right: f64| {
            // With a single class there is no way to be wrong.
            let right = if classes == 1 { 1.0 } else { right };
            let (right, wrong) = (possible(right), possible((1.0 - right) / ways));
            let first = tables.len();
            tables.resize(first + labels * classes, wrong);
            tables[first..].iter_mut().step_by(classes + 1).for_each(|cell| *cell = right);
            (right, wrong)
        };
        let (mut all_right, mut all, mut density) = (0.0, 0.0, 0.0);
        // The worker's labels of tasks of each class.
        let mut given = vec![0.0; classes];
        for worker in 0..workers {
            let right: f64 = (0..labels).map(|label| expected.of(worker, label)[label]).sum();
            given.fill(0.0);
            for label in 0..labels {
                given.iter_mut().zip(expected.of(worker, label)).for_each(|(sum, count)| *sum += count);
            }
            let sum: f64 = given.iter().sum();
            all_right += right;
            all += sum;
            let pseudo = self.smoothing * classes as f64;
            let share = match self.balanced {
                true => self.balanced_share(expected, worker, &given),
                false if sum + pseudo > 0.0 => (right + self.smoothing) / (sum + pseudo),
                false => 1.0 / classes as f64,
            };
            let (right, wrong) = push(share);
            if self.smoothing > 0.0 {
                density += self.smoothing * (right.ln() + (classes as f64 - 1.0) * wrong.ln());
            }
        }
        push(if all > 0.0 { all_right / all } else { 1.0 / classes as f64 });
        let prior = self.shares.shares(&expected.tasks);
        Step { tables: Confusion::of_tables(labels, prior, tables), density }
    }
}

impl Coins {
    /// The mean over classes of the share of right labels, one label at chance added to each.
    fn balanced_share(&self, expected: &Expected, worker: usize, given: &[f64]) -> f64 {
        let classes = expected.classes as f64;
        let of_class = |class: usize| {
            let right = expected.of(worker, class)[class];
            (right + 1.0 / classes + self.smoothing) / (given[class] + 1.0 + self.smoothing * classes)
        };
        (0..expected.classes).map(of_class).sum::<f64>() / classes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::Crowd;
    use crate::truth::{Majority, Rule};

    #[test]
    fn finds_the_coins_of_a_one_coin_crowd() {
        let crowd = Crowd { tasks: 4000, workers: 15, classes: 4, votes: (6, 6), ..Crowd::default() };
        let drawn = crowd.draw(&Context::new().with_seed(3)).unwrap();
        let ballots = Ballots::from_tasks(&drawn.labels, 15, 4).unwrap();
        let truth: Vec<Option<u16>> = drawn.truth.iter().map(|&class| Some(class as u16)).collect();
        let evidence = Evidence::votes(&ballots).unwrap();
        let fitted = OneCoin::default().fit(&evidence, &Context::new()).unwrap();
        let Rule::Confusion(coins) = &fitted.rule else { panic!("coins") };
        for worker in 0..15 {
            // 1,600 labels each: a standard error of about 0.012.
            assert!((coins.probability(worker, 2, 2) - drawn.confusion[worker][2][2]).abs() < 0.05);
        }
        let majority = Majority::default().fit(&evidence, &Context::new()).unwrap();
        assert!(fitted.posterior.error(&truth) < majority.posterior.error(&truth));
    }

    #[test]
    fn equal_workers_vote_by_majority() {
        // Every worker errs once in the same pattern, so all coins are the same and only counts matter.
        let tasks: Vec<Vec<(usize, usize)>> =
            (0..9).map(|t| (0..9).map(|w| (w, usize::from((t % 2 == 0) != (w == t)))).collect()).collect();
        let ballots = Ballots::from_tasks(&tasks, 9, 2).unwrap();
        let fitted = OneCoin::default().fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap();
        for task in 0..9 {
            assert_eq!(fitted.posterior.answer(task, 0).class, usize::from(task % 2 == 0));
        }
    }

    /// Four workers who are right four times in five, and five who nearly always say the same.
    #[test]
    fn workers_who_always_say_the_same_do_not_draw_all_tasks_into_one_class() {
        let mut tasks = Vec::new();
        for task in 0..400usize {
            let class = task % 4 / 2;
            let mut votes: Vec<(usize, usize)> = (0..4)
                .map(|worker| (worker, if (task * 7 + worker * 3) % 5 == 0 { 1 - class } else { class }))
                .collect();
            votes.extend((4..9).map(|worker| (worker, usize::from((task + worker) % 50 == 0))));
            tasks.push(votes);
        }
        let truth: Vec<Option<u16>> = (0..400).map(|task| Some((task % 4 / 2) as u16)).collect();
        let ballots = Ballots::from_tasks(&tasks, 9, 2).unwrap();
        let evidence = Evidence::votes(&ballots).unwrap();
        let error = |balanced: bool| {
            let fit = OneCoin { balanced, ..OneCoin::default() }.fit(&evidence, &Context::new()).unwrap();
            fit.posterior.error(&truth).unwrap()
        };
        assert!(error(true) < 0.1, "{}", error(true));
        // What has the largest likelihood puts nearly all tasks into the first class.
        assert!(error(false) > 0.3, "{}", error(false));
    }

    #[test]
    fn the_objective_never_falls() {
        let crowd = Crowd { tasks: 200, workers: 20, classes: 3, votes: (1, 5), spammers: 0.3, ..Crowd::default() };
        let ballots = Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(7)).unwrap().labels, 20, 3).unwrap();
        let evidence = Evidence::votes(&ballots).unwrap();
        for smoothing in [0.0, 0.5] {
            let stopping = Stopping { iterations: 50, tolerance: 0.0 };
            let mut coins = Coins {
                balanced: false,
                smoothing,
                shares: ClassPrior::Estimated.estimate(&VoteShares::of(&ballots), 0.0),
            };
            let em = Em { votes: &evidence, classes: 3, start: Start::Votes, stopping };
            let climbed = em.climb(&mut coins, &Context::new()).unwrap();
            assert!(climbed.objective.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9 * pair[0].abs()));
            assert!(climbed.objective[49] > climbed.objective[0] + 1.0);
        }
    }
}
