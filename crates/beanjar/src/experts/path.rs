use super::{Features, Fit, Labelled, Learner, Part};
use crate::judgments::Ballots;
use crate::random::stream;
use crate::surrogate::{disagreements, score};
use crate::{Context, Error, Result};
use rand::seq::SliceRandom;

/// Penalties compared by S: how often labels that were held out differ from what a fit to the rest predicts.
///
/// Penalties go down from the smallest at which no feature enters, evenly on a logarithmic scale.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `penalties` | how many | 50 | 1 or more |
/// | `least` | the last penalty, as a share of the first | 0.01 | above 0, at most 1 |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenaltyPath {
    /// How many penalties.
    pub penalties: usize,
    /// The last penalty, as a share of the first.
    pub least: f64,
}

impl Default for PenaltyPath {
    fn default() -> Self {
        PenaltyPath { penalties: 50, least: 0.01 }
    }
}

/// Which labels S is taken on.
#[derive(Clone, Copy, Debug)]
pub enum Validation<'a> {
    /// Those of each of so many parts of the units, predicted by a fit to the other parts.
    Folds {
        /// How many parts.
        folds: usize,
        /// The seed of the parts.
        seed: u64,
    },
    /// Those of other units, whose features are on the same scale and whose classes have the same numbers; a class that
    /// the units to learn from do not have has a larger number.
    Others {
        /// Their features.
        features: &'a Features,
        /// Their labels.
        ballots: &'a Ballots,
    },
}

/// One penalty of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PathPoint {
    /// The penalty.
    pub penalty: f64,
    /// The log-likelihood less the penalties, of the fit to all units.
    pub objective: f64,
    /// Its log-likelihood.
    pub log_likelihood: f64,
    /// S of labels that were held out.
    pub surrogate: Option<f64>,
    /// Its standard error.
    pub surrogate_se: Option<f64>,
    /// How many features entered, for the class or for difficulty.
    pub nonzero: usize,
}

impl PathPoint {
    /// A fit, and the predictions it is judged by.
    pub fn new(penalty: f64, fit: &Fit, judged: Option<(&Ballots, &[Option<usize>])>) -> Self {
        let found = judged.and_then(|(ballots, predicted)| score(&disagreements(ballots, predicted)));
        PathPoint {
            penalty,
            objective: fit.objective,
            log_likelihood: fit.log_likelihood,
            surrogate: found.map(|found| found.surrogate),
            surrogate_se: found.and_then(|found| found.se),
            nonzero: fit.features_used(),
        }
    }
}

impl PenaltyPath {
    /// The penalties to try.
    pub fn of(&self, learner: &Learner, part: &Part<'_>) -> Result<Vec<f64>> {
        let refuse = |name, value: String, range| Err(Error::OutOfRange { name, value, range });
        if self.penalties == 0 {
            return refuse("the number of penalties", "0".into(), "1 or more");
        }
        if !(self.least > 0.0 && self.least <= 1.0) {
            let range = "above 0 and at most 1, as a share of the first";
            return refuse("the last penalty", self.least.to_string(), range);
        }
        let most = learner.largest_penalty(part)?;
        let ratio = self.least.powf(1.0 / (self.penalties.max(2) - 1) as f64);
        Ok((0..self.penalties).map(|i| most * ratio.powi(i as i32)).collect())
    }
}

/// What was learned with each of several penalties.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The penalties, with S of each.
    pub points: Vec<PathPoint>,
    /// The fit of each to all units to learn from.
    pub fits: Vec<Fit>,
}

impl Path {
    /// The number of the penalty with the smallest S; of equals the largest penalty.
    pub fn best(&self) -> usize {
        let surrogate = |i: usize| self.points[i].surrogate.unwrap_or(f64::INFINITY);
        (0..self.points.len()).reduce(|best, i| if surrogate(i) < surrogate(best) { i } else { best }).unwrap_or(0)
    }
}

impl Learner {
    /// Learns with each penalty, from the largest down, and tells S of each.
    pub fn compare(
        &self,
        part: &Part<'_>,
        penalties: &[f64],
        validation: Validation<'_>,
        context: &Context,
    ) -> Result<Path> {
        let (features, ballots) = (part.data.features, part.data.ballots);
        let path = |fits: Vec<Fit>, point: &dyn Fn(usize, &Fit) -> PathPoint| {
            let points = fits.iter().enumerate().map(|(i, fit)| point(i, fit)).collect();
            Path { points, fits }
        };
        let (folds, seed) = match validation {
            Validation::Folds { folds, seed } => (folds, seed),
            Validation::Others { features: others, ballots } => {
                return Ok(path(self.along(part, penalties)?, &|i, fit| {
                    PathPoint::new(penalties[i], fit, Some((ballots, &fit.predictions(features, others))))
                }));
            }
        };
        let all: Vec<usize> = (0..ballots.tasks()).collect();
        let labelled = all.iter().filter(|&&unit| !ballots.votes(unit).labels.is_empty()).count();
        if folds < 2 || folds > labelled {
            let range = "2 to the number of units with labels";
            return Err(Error::OutOfRange { name: "the number of folds", value: folds.to_string(), range });
        }
        let mut fold: Vec<usize> = all.iter().map(|unit| unit % folds).collect();
        fold.shuffle(&mut stream(seed, u64::MAX - 4));
        // The first job is the path on all units.
        let jobs: Vec<Option<usize>> = [None].into_iter().chain((0..folds).map(Some)).collect();
        let paths = context.map(jobs, |held| -> Result<(Vec<Fit>, Features)> {
            let kept: Vec<usize> = all.iter().copied().filter(|&unit| held != Some(fold[unit])).collect();
            let (some, votes) = (features.of_units(&kept), ballots.of_tasks(&kept)?);
            let units: Vec<usize> = kept.iter().map(|&unit| part.units[unit]).collect();
            let fits = self.along(&Part { data: Labelled::new(&some, &votes)?, units: &units }, penalties)?;
            Ok((fits, some))
        });
        let mut paths = paths.into_iter().collect::<Result<Vec<_>>>()?.into_iter();
        let whole = paths.next().map_or_else(Vec::new, |(fits, _)| fits);
        let held_out: Vec<(Vec<Fit>, Features)> = paths.collect();
        Ok(path(whole, &|i, fit| {
            let mut predicted: Vec<Option<usize>> = vec![None; all.len()];
            for (held, (fits, some)) in held_out.iter().enumerate() {
                let found = fits[i].predictions(some, features);
                all.iter().filter(|&&unit| fold[unit] == held).for_each(|&unit| predicted[unit] = found[unit]);
            }
            PathPoint::new(penalties[i], fit, Some((ballots, &predicted)))
        }))
    }
}

/// Numbers below `units`, drawn apart at random: about a share of them, and the others, both in rising order.
pub fn drawn_apart(units: usize, share: f64, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let mut order: Vec<usize> = (0..units).collect();
    order.shuffle(&mut stream(seed, u64::MAX - 5));
    let mut drawn = vec![false; units];
    order.iter().take((share * units as f64).round() as usize).for_each(|&unit| drawn[unit] = true);
    (0..units).partition(|&unit| drawn[unit])
}

impl Fit {
    /// The likeliest class of each of some units, given the features it was learned from.
    pub fn predictions(&self, learned_from: &Features, features: &Features) -> Vec<Option<usize>> {
        let probabilities = self.classifier.on_the_users_scale(learned_from).plain_probabilities(features);
        probabilities.chunks_exact(self.classifier.classes).map(|unit| Some(likeliest(unit))).collect()
    }
}

/// The class with the largest probability; of equals the first.
pub fn likeliest(probabilities: &[f64]) -> usize {
    (1..probabilities.len())
        .fold(0, |best, class| if probabilities[class] > probabilities[best] { class } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experts::ManyExperts;
    use crate::experts::drawn::drawn;
    use crate::simulate::ExpertCase;

    fn constant(units: usize, seed: u64) -> (Features, Ballots) {
        let drawn = drawn(units, 5, ExpertCase::Constant, seed);
        (drawn.features, drawn.ballots)
    }

    #[test]
    fn the_path_goes_from_nothing_to_much_and_s_prefers_what_predicts() {
        let (features, ballots) = constant(400, 1);
        let data = Labelled::new(&features, &ballots).unwrap();
        let learner = Learner::Experts(ManyExperts { restarts: 2, tolerance: 1e-7, ..ManyExperts::default() });
        let units: Vec<usize> = (0..400).collect();
        let part = Part { data, units: &units };
        let penalties = PenaltyPath { penalties: 8, ..PenaltyPath::default() }.of(&learner, &part).unwrap();
        let validation = Validation::Folds { folds: 3, seed: 0 };
        let path = learner.compare(&part, &penalties, validation, &Context::new()).unwrap();
        let found = &path.points;
        assert_eq!(found[0].nonzero, 0);
        assert!(found[7].nonzero > 5 && found[7].log_likelihood > found[0].log_likelihood);
        assert!(
            found.windows(2).all(|pair| pair[1].objective >= pair[0].objective - 1e-6),
            "a smaller penalty costs less"
        );
        let chosen = &found[path.best()];
        assert!(chosen.surrogate <= found[7].surrogate && chosen.surrogate < found[0].surrogate);
        let context = Context::new().with_threads(std::num::NonZeroUsize::new(3).unwrap()).unwrap();
        assert_eq!(path, learner.compare(&part, &penalties, validation, &context).unwrap());
    }

    #[test]
    fn other_units_are_predicted_from_their_own_features() {
        let (features, ballots) = constant(300, 2);
        let (others, labels) = constant(500, 3);
        let data = Labelled::new(&features, &ballots).unwrap();
        let validation = Validation::Others { features: &others, ballots: &labels };
        let units: Vec<usize> = (0..300).collect();
        let part = Part { data, units: &units };
        let point = Learner::Majority.compare(&part, &[20.0], validation, &Context::new()).unwrap().points[0];
        // By hand: standardise as the units learned from, and count.
        let fit = Learner::Majority.fit(&part, 20.0, None, &Context::new()).unwrap();
        let (slopes, shift) = features.on_the_users_scale(&fit.classifier.coefficients);
        let sums = others.plain_sum(&slopes);
        let differ = |unit: usize| {
            let class = usize::from(fit.classifier.intercepts[0] + shift + sums[unit] > 0.0);
            labels.votes(unit).iter().filter(|(_, label)| *label != class).count() as f64 / 3.0
        };
        let surrogate = (0..500).map(differ).sum::<f64>() / 500.0;
        assert!((point.surrogate.unwrap() - surrogate).abs() < 1e-12);
    }

    #[test]
    fn a_share_of_units_is_drawn_apart() {
        let (held, kept) = drawn_apart(10, 0.3, 4);
        assert_eq!((held.len(), kept.len()), (3, 7));
        let mut all = [held.clone(), kept].concat();
        all.sort_unstable();
        assert_eq!(all, (0..10).collect::<Vec<_>>());
        assert_ne!(held, drawn_apart(10, 0.3, 5).0);
        assert_eq!(drawn_apart(0, 0.3, 4), (vec![], vec![]));
    }
}
