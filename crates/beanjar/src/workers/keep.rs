use super::{Information, Missing, Ranking, elbow, goodness_of_fit};
use crate::judgments::{Ballots, Fold, Folds, one_vote_each};
use crate::truth::{Evidence, Posterior, Skilled, tables_given};
use crate::{Context, Error, Result};

/// How many workers to keep, by labels alone.
///
/// Workers are ranked by mutual information. For several numbers of workers, the first of the ranking are fitted by the
/// [`Skilled`] model, and their posterior is compared with held-out labels, those of the workers left out too. Cost: six
/// fits for each number tried.
///
/// | parameter | meaning | default |
/// |---|---|---|
/// | `rule` | by what the number is chosen | [`KeepRule::Predictive`] |
/// | `missing` | how missing labels count in the ranking | [`Missing::Paper`] |
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Keep {
    /// By what the number is chosen.
    pub rule: KeepRule,
    /// How missing labels count in the ranking.
    pub missing: Missing,
}

/// A rule that sees labels only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum KeepRule {
    /// The largest mean log-probability of held-out labels.
    #[default]
    Predictive,
    /// The smallest share of held-out labels that differ from the label aggregated from the rest.
    Surrogate,
    /// The least information left between workers once the classes are known (equation 10).
    Goodness,
    /// The elbow of the curve of scores.
    Elbow,
}

impl KeepRule {
    /// All of them.
    pub const ALL: [KeepRule; 4] = [KeepRule::Predictive, KeepRule::Surrogate, KeepRule::Goodness, KeepRule::Elbow];

    /// The name by which it goes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            KeepRule::Predictive => "predictive",
            KeepRule::Surrogate => "surrogate",
            KeepRule::Goodness => "goodness",
            KeepRule::Elbow => "elbow",
        }
    }

    /// The number of workers that it takes of those tried; of equals, the larger. None if nothing was tried.
    #[must_use]
    pub fn best_of(self, tried: &[KeepTrial]) -> Option<usize> {
        let loss = |trial: &KeepTrial| match self {
            KeepRule::Predictive => -trial.predictive,
            KeepRule::Surrogate => trial.surrogate,
            KeepRule::Goodness | KeepRule::Elbow => trial.goodness,
        };
        tried.iter().rev().min_by(|a, b| loss(a).total_cmp(&loss(b))).map(|trial| trial.keep)
    }
}

/// How many to keep, and why.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct KeepFit {
    /// How many workers are kept.
    pub keep: usize,
    /// By which rule.
    pub rule: KeepRule,
    /// What was tried; nothing for the elbow.
    pub tried: Vec<KeepTrial>,
}

/// What keeping a number of workers comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct KeepTrial {
    /// How many workers are kept.
    pub keep: usize,
    /// The mean log-probability of held-out labels.
    pub predictive: f64,
    /// The share of held-out labels that differ from the aggregated one.
    pub surrogate: f64,
    /// The information left between workers.
    pub goodness: f64,
}

/// Each label is held out in one fit out of these.
const FOLDS: usize = 5;
/// The most numbers of workers tried, spaced evenly on a logarithmic scale.
const MOST_TRIED: usize = 16;
/// Two cannot outvote one another.
const FEWEST: usize = 3;

impl Keep {
    /// Tries numbers of workers, and chooses one by the rule.
    pub fn choose(&self, ballots: &Ballots, context: &Context) -> Result<KeepFit> {
        if ballots.is_empty() {
            return Err(Error::Empty("label"));
        }
        let rule = self.rule;
        if rule == KeepRule::Elbow {
            let ranking = Ranking::new(&Information::new(ballots, self.missing, context)?);
            return Ok(KeepFit { keep: elbow(&ranking.curve()), rule, tried: Vec::new() });
        }
        let tried = self.trials(ballots, context)?;
        Ok(KeepFit { keep: rule.best_of(&tried).unwrap_or(ballots.workers()), rule, tried })
    }

    /// Tries out numbers of workers, from few to all.
    pub fn trials(&self, ballots: &Ballots, context: &Context) -> Result<Vec<KeepTrial>> {
        let once = one_vote_each(ballots);
        let ballots = once.as_ref().unwrap_or(ballots);
        let folds = Folds::new(ballots, FOLDS, context.seed());
        let (first, context) = (context.part(0.0, 0.1), &context.part(0.1, 1.0));
        let ranked = |ballots: &Ballots, number: usize| -> Result<Ranking> {
            let share = |number: usize| number as f64 / (FOLDS + 1) as f64;
            let context = first.part(share(number), share(number + 1));
            Ok(Ranking::new(&Information::new(ballots, self.missing, &context)?))
        };
        let rankings: Vec<Ranking> =
            folds.iter().enumerate().map(|(number, fold)| ranked(&fold.kept, number)).collect::<Result<_>>()?;
        let ranking = ranked(ballots, FOLDS)?;
        let sizes = sizes(ballots.workers());
        let steps = context.steps("choosing workers", sizes.len() * (FOLDS + 1));
        let alone = context.alone();
        let trials = context.map(sizes, |keep| -> Result<KeepTrial> {
            let mut losses = Losses::default();
            for (fold, ranking) in folds.iter().zip(&rankings) {
                losses.observe(fold, ranking, keep, &alone)?;
                steps.tick()?;
            }
            let whole = posterior_of_first(ballots, &ranking, keep, &alone)?;
            let goodness = goodness_of_fit(ballots, &whole, &alone)?;
            steps.tick()?;
            let labels = losses.labels.max(1.0);
            Ok(KeepTrial { keep, predictive: losses.predictive / labels, surrogate: losses.wrong / labels, goodness })
        });
        trials.into_iter().collect()
    }
}

/// Sums over held-out labels.
#[derive(Default)]
struct Losses {
    /// Of the logarithms of their probabilities.
    predictive: f64,
    /// Of those that differ from the aggregated label, a tie by its share.
    wrong: f64,
    labels: f64,
}

impl Losses {
    /// Compares the first workers' posterior with the labels that a fold holds out.
    fn observe(&mut self, fold: &Fold, ranking: &Ranking, keep: usize, context: &Context) -> Result<()> {
        if fold.kept.is_empty() {
            return Ok(());
        }
        let posterior = posterior_of_first(&fold.kept, ranking, keep, context)?;
        let tables = tables_given(&fold.kept, &posterior, context)?;
        for task in 0..fold.held_out.tasks() {
            let row = posterior.of(task);
            for (worker, label) in fold.held_out.votes(task).iter() {
                let joint = |(class, p): (usize, f64)| p * tables.probability(worker, class, label);
                self.predictive += row.possible().map(joint).sum::<f64>().max(1e-300).ln();
                let tied: Vec<usize> = posterior.best(task).collect();
                self.wrong += if tied.contains(&label) { 1.0 - 1.0 / tied.len() as f64 } else { 1.0 };
                self.labels += 1.0;
            }
        }
        Ok(())
    }
}

/// From a few workers to all.
fn sizes(workers: usize) -> Vec<usize> {
    let few = FEWEST.min(workers);
    let steps = MOST_TRIED.min(workers - few + 1);
    let ratio = workers as f64 / few.max(1) as f64;
    let size = |i: usize| few as f64 * ratio.powf(i as f64 / (steps.max(2) - 1) as f64);
    let mut sizes: Vec<usize> = (0..steps).map(|i| size(i).round() as usize).collect();
    sizes.push(workers);
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The posterior by the labels of the first `keep` workers of a ranking.
fn posterior_of_first(ballots: &Ballots, ranking: &Ranking, keep: usize, context: &Context) -> Result<Posterior> {
    let some = ballots.of_workers(&ranking.top(keep))?;
    if some.is_empty() {
        return Posterior::certain(&vec![0; ballots.tasks()], ballots.classes());
    }
    Ok(Skilled::default().fit(&Evidence::votes(&some)?, context)?.posterior)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::Crowd;

    #[test]
    fn numbers_tried_reach_from_few_to_all() {
        assert_eq!(sizes(1), [1]);
        assert_eq!(sizes(4), [3, 4]);
        let many = sizes(762);
        assert!(many.len() <= 16 && many[0] == 3 && many[many.len() - 1] == 762);
    }

    #[test]
    fn keeping_all_is_no_worse_where_all_are_good_and_threads_do_not_matter() {
        let crowd = Crowd {
            tasks: 200,
            workers: 12,
            classes: 2,
            votes: (4, 4),
            accuracy: 0.75,
            spread: 50.0,
            ..Crowd::default()
        };
        let ballots = Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(1)).unwrap().labels, 12, 2).unwrap();
        let kept = Keep::default().choose(&ballots, &Context::new()).unwrap();
        assert!(kept.keep >= 8, "{kept:?}");
        let context = Context::new().with_threads(std::num::NonZeroUsize::new(2).unwrap()).unwrap();
        assert_eq!(kept, Keep::default().choose(&ballots, &context).unwrap());
    }

    #[test]
    fn each_rule_takes_the_best_by_its_own_measure() {
        let trial = |keep, predictive, surrogate, goodness| KeepTrial { keep, predictive, surrogate, goodness };
        let tried = [trial(3, -0.5, 0.2, 9.0), trial(5, -0.4, 0.3, 8.0), trial(8, -0.4, 0.4, 8.5)];
        assert_eq!(KeepRule::Predictive.best_of(&tried), Some(8));
        assert_eq!(KeepRule::Surrogate.best_of(&tried), Some(3));
        assert_eq!(KeepRule::Goodness.best_of(&tried), Some(5));
        assert_eq!(KeepRule::Goodness.best_of(&[]), None);
        // Six who know and six who guess: by any rule that sees held-out labels, those who guess need not be kept.
        let crowd = Crowd {
            tasks: 300,
            workers: 12,
            classes: 2,
            votes: (6, 6),
            accuracy: 0.9,
            spammers: 0.5,
            ..Crowd::default()
        };
        let ballots = Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(1)).unwrap().labels, 12, 2).unwrap();
        let keep = Keep::default();
        let tried = keep.trials(&ballots, &Context::new()).unwrap();
        let ranking = Ranking::new(&Information::new(&ballots, keep.missing, &Context::new()).unwrap());
        for rule in KeepRule::ALL {
            let chosen = Keep { rule, ..keep }.choose(&ballots, &Context::new()).unwrap().keep;
            match rule {
                KeepRule::Elbow => assert_eq!(chosen, elbow(&ranking.curve())),
                rule => assert_eq!(Some(chosen), rule.best_of(&tried), "{rule:?}"),
            }
            assert!((4..=9).contains(&chosen), "{rule:?}: {chosen}, {tried:?}");
        }
    }

    #[test]
    fn held_out_labels_are_predicted_better_by_more_good_workers() {
        let crowd = Crowd { tasks: 400, workers: 16, classes: 2, votes: (6, 6), accuracy: 0.8, ..Crowd::default() };
        let ballots = Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(2)).unwrap().labels, 16, 2).unwrap();
        let tried = Keep::default().trials(&ballots, &Context::new()).unwrap();
        let (few, all) = (tried[0], tried[tried.len() - 1]);
        assert!(all.predictive > few.predictive && all.surrogate < few.surrogate && all.goodness < few.goodness);
    }

    #[test]
    fn a_call_that_is_asked_to_stop_stops() {
        let crowd = Crowd { tasks: 100, workers: 10, classes: 2, votes: (4, 4), ..Crowd::default() };
        let ballots = Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(2)).unwrap().labels, 10, 2).unwrap();
        for share in [0.0, 0.5] {
            let context = Context::new().with_progress(move |progress| match progress.done > share {
                true => std::ops::ControlFlow::Break(()),
                false => std::ops::ControlFlow::Continue(()),
            });
            assert_eq!(Keep::default().choose(&ballots, &context), Err(Error::Stopped));
        }
    }
}
