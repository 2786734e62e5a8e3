use super::information::first_votes;
use super::{Information, Missing, Ranking, elbow, goodness_of_fit};
use crate::judgments::Ballots;
use crate::random::stream;
use crate::truth::{Evidence, Posterior, Skilled, tables_given};
use crate::{Context, Error, Result};
use rand::seq::SliceRandom;

/// How many workers to keep, by labels alone.
///
/// Workers are ranked by mutual information, and the first so many are tried: they are fitted by the
/// [`Skilled`] model, and what they say of the classes is held against labels that were hidden from them, those of the
/// workers left out too. Cost: six fits for each number tried.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Keep {
    /// By what the number is chosen.
    pub rule: Rule,
    /// How missing labels count in the ranking.
    pub missing: Missing,
    /// The seed of who is hidden when.
    pub seed: u64,
}

/// A rule that sees labels only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Rule {
    /// The largest mean log-probability of hidden labels.
    #[default]
    Predictive,
    /// The smallest share of hidden labels that differ from the label aggregated from the rest.
    Surrogate,
    /// The least information left between workers once the classes are known (equation 10).
    Goodness,
    /// Where the curve of scores bends.
    Elbow,
}

impl Rule {
    /// All of them.
    pub const ALL: [Rule; 4] = [Rule::Predictive, Rule::Surrogate, Rule::Goodness, Rule::Elbow];

    /// The name by which it goes.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Predictive => "predictive",
            Rule::Surrogate => "surrogate",
            Rule::Goodness => "goodness",
            Rule::Elbow => "elbow",
        }
    }
}

/// How many to keep, and why.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Kept {
    /// How many.
    pub keep: usize,
    /// By which rule.
    pub rule: Rule,
    /// What was tried; nothing for the elbow.
    pub tried: Vec<Trial>,
}

/// What keeping so many workers comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Trial {
    /// How many.
    pub keep: usize,
    /// The mean log-probability of hidden labels.
    pub predictive: f64,
    /// The share of hidden labels that differ from the aggregated one.
    pub surrogate: f64,
    /// The information left between workers.
    pub goodness: f64,
}

/// Each label is hidden in one fit out of so many.
const FOLDS: usize = 5;
/// The most numbers of workers tried, spaced evenly on a logarithmic scale.
const MOST_TRIED: usize = 16;
/// Two cannot outvote one another.
const FEWEST: usize = 3;

impl Keep {
    /// Chooses.
    pub fn choose(&self, ballots: &Ballots, context: &Context) -> Result<Kept> {
        if ballots.is_empty() {
            return Err(Error::Empty("label"));
        }
        let rule = self.rule;
        if rule == Rule::Elbow {
            let ranking = Ranking::new(&Information::new(ballots, self.missing, context)?);
            return Ok(Kept { keep: elbow(&ranking.curve()), rule, tried: Vec::new() });
        }
        let tried = self.trials(ballots, context)?;
        Ok(Kept { keep: best(rule, &tried).unwrap_or(ballots.workers()), rule, tried })
    }

    /// Tries out numbers of workers, from few to all.
    pub fn trials(&self, ballots: &Ballots, context: &Context) -> Result<Vec<Trial>> {
        // A label that was given twice would foretell itself.
        let once = first_votes(ballots);
        let ballots = once.as_ref().unwrap_or(ballots);
        let mut folds: Vec<u8> = (0..ballots.len()).map(|vote| (vote % FOLDS) as u8).collect();
        folds.shuffle(&mut stream(self.seed, u64::MAX - 2));
        let hidden: Vec<Fold> = (0..FOLDS).map(|fold| Fold::new(ballots, &folds, fold as u8)).collect();
        let rankings: Vec<Ranking> = hidden
            .iter()
            .map(|fold| Ok(Ranking::new(&Information::new(&fold.kept, self.missing, context)?)))
            .collect::<Result<_>>()?;
        let ranking = Ranking::new(&Information::new(ballots, self.missing, context)?);
        let sizes = sizes(ballots.workers());
        let trials = context.map(sizes, |keep| -> Result<Trial> {
            let (mut predictive, mut wrong, mut labels) = (0.0, 0.0, 0.0);
            for (fold, ranking) in hidden.iter().zip(&rankings).filter(|(fold, _)| !fold.kept.is_empty()) {
                let posterior = fitted(&fold.kept, ranking, keep)?;
                let tables = tables_given(&fold.kept, &posterior, &Context::new())?;
                for &(task, worker, label) in &fold.hidden {
                    let row = posterior.of(task);
                    let says = |class: usize| tables.probability(worker, class, label);
                    predictive +=
                        row.iter().enumerate().map(|(class, p)| p * says(class)).sum::<f64>().max(1e-300).ln();
                    let tied: Vec<usize> = posterior.best(task).collect();
                    wrong += if tied.contains(&label) { 1.0 - 1.0 / tied.len() as f64 } else { 1.0 };
                    labels += 1.0;
                }
            }
            let whole = fitted(ballots, &ranking, keep)?;
            let goodness = goodness_of_fit(ballots, &whole, &Context::new());
            let labels = f64::max(labels, 1.0);
            Ok(Trial { keep, predictive: predictive / labels, surrogate: wrong / labels, goodness })
        });
        trials.into_iter().collect()
    }
}

/// The number of workers that a rule takes of those tried; of equals, the larger.
pub fn best(rule: Rule, tried: &[Trial]) -> Option<usize> {
    let loss = |trial: &Trial| match rule {
        Rule::Predictive => -trial.predictive,
        Rule::Surrogate => trial.surrogate,
        Rule::Goodness | Rule::Elbow => trial.goodness,
    };
    tried.iter().rev().min_by(|a, b| loss(a).total_cmp(&loss(b))).map(|trial| trial.keep)
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

/// What the first so many workers say of the classes.
fn fitted(ballots: &Ballots, ranking: &Ranking, keep: usize) -> Result<Posterior> {
    let some = ballots.of_workers(&ranking.top(keep))?;
    if some.is_empty() {
        return Ok(Posterior::certain(ballots.tasks(), ballots.classes(), |_| 0));
    }
    Ok(Skilled::default().fit(&Evidence::votes(&some)?, &Context::new())?.posterior)
}

/// Labels with a part of them hidden.
struct Fold {
    kept: Ballots,
    /// Task, worker and label of each hidden vote.
    hidden: Vec<(usize, usize, usize)>,
}

impl Fold {
    fn new(ballots: &Ballots, folds: &[u8], fold: u8) -> Self {
        let mut hidden = Vec::new();
        let mut vote = 0;
        for task in 0..ballots.tasks() {
            for (worker, label) in ballots.votes(task).iter() {
                if folds[vote] == fold {
                    hidden.push((task, worker, label));
                }
                vote += 1;
            }
        }
        Fold { kept: ballots.filtered(|vote, _| folds[vote] != fold), hidden }
    }
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
        for rule in Rule::ALL {
            let kept = Keep { rule, ..Keep::default() }.choose(&ballots, &Context::new()).unwrap();
            assert!((1..=12).contains(&kept.keep));
        }
    }

    #[test]
    fn hidden_labels_are_foretold_better_by_more_good_workers() {
        let crowd = Crowd { tasks: 400, workers: 16, classes: 2, votes: (6, 6), accuracy: 0.8, ..Crowd::default() };
        let ballots = Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(2)).unwrap().labels, 16, 2).unwrap();
        let tried = Keep::default().trials(&ballots, &Context::new()).unwrap();
        let (few, all) = (tried[0], tried[tried.len() - 1]);
        assert!(all.predictive > few.predictive && all.surrogate < few.surrogate && all.goodness < few.goodness);
    }
}
