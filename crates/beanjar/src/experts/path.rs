use super::{Features, Labelled, Learned, ManyExperts};
use crate::judgments::Ballots;
use crate::random::stream;
use crate::surrogate::{disagreements, score};
use crate::{Cores, Error, Result};
use rand::seq::SliceRandom;
use serde::Serialize;

/// A penalty chosen by S: how often held-out labels differ from what a fit on the rest predicts.
///
/// Penalties go down from the smallest at which no feature enters, evenly on a logarithmic scale. Each part of the units is
/// held out once; along the path each fit starts where the last ended, and from the majority. Of equal S the larger penalty is taken.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `penalties` | how many | 50 | 1 or more |
/// | `least` | the last penalty, as a share of the first | 0.01 | above 0, at most 1 |
/// | `folds` | parts of the units | 5 | 2 or more |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenaltyPath {
    /// How many penalties.
    pub penalties: usize,
    /// The last penalty, as a share of the first.
    pub least: f64,
    /// Parts of the units, each held out once.
    pub folds: usize,
    /// The seed of the parts.
    pub seed: u64,
}

impl Default for PenaltyPath {
    fn default() -> Self {
        PenaltyPath { penalties: 50, least: 0.01, folds: 5, seed: 0 }
    }
}

/// One penalty of a path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PathPoint {
    /// The penalty.
    pub penalty: f64,
    /// The log-likelihood less the penalties, of the fit to all units.
    pub objective: f64,
    /// Its log-likelihood.
    pub log_likelihood: f64,
    /// S of held-out units.
    pub surrogate: Option<f64>,
    /// Its standard error.
    pub surrogate_se: Option<f64>,
    /// How many features entered, for the class or for difficulty.
    pub nonzero: usize,
}

impl PenaltyPath {
    /// Tries all penalties; the best is that of [`best`].
    pub fn run(
        &self,
        method: &ManyExperts,
        features: &Features,
        ballots: &Ballots,
        cores: &Cores,
    ) -> Result<Vec<PathPoint>> {
        let refuse = |name, value: String, range| Err(Error::OutOfRange { name, value, range });
        if self.penalties == 0 {
            return refuse("the number of penalties", "0".into(), "1 or more");
        }
        if !(self.least > 0.0 && self.least <= 1.0) {
            return refuse(
                "the last penalty",
                self.least.to_string(),
                "above 0 and at most 1, as a share of the first",
            );
        }
        let labelled = (0..ballots.tasks()).filter(|&unit| !ballots.votes(unit).labels.is_empty()).count();
        if self.folds < 2 || self.folds > labelled {
            return refuse("the number of folds", self.folds.to_string(), "2 to the number of units with labels");
        }
        let data = Labelled::new(features, ballots)?;
        let most = method.largest_penalty(&data)?;
        let ratio = self.least.powf(1.0 / (self.penalties.max(2) - 1) as f64);
        let penalties: Vec<f64> = (0..self.penalties).map(|i| most * ratio.powi(i as i32)).collect();
        let mut fold: Vec<usize> = (0..ballots.tasks()).map(|unit| unit % self.folds).collect();
        fold.shuffle(&mut stream(self.seed, u64::MAX - 4));
        // The last job is the path on all units.
        let jobs: Vec<Option<usize>> = (0..self.folds).map(Some).chain([None]).collect();
        let paths = cores.map(jobs, |held| -> Result<(Vec<usize>, Vec<Learned>, Features)> {
            let kept: Vec<usize> = (0..ballots.tasks()).filter(|&unit| held != Some(fold[unit])).collect();
            let (some, votes) = (features.of_units(&kept)?, ballots.of_tasks(&kept));
            let fits = along(method, &Labelled::new(&some, &votes)?, &penalties)?;
            Ok((kept, fits, some))
        });
        let paths: Vec<_> = paths.into_iter().collect::<Result<_>>()?;
        let (held_out, whole) = paths.split_at(self.folds);
        let point = |i: usize| {
            let mut predicted: Vec<Option<usize>> = vec![None; ballots.tasks()];
            for (held, (_, fits, some)) in held_out.iter().enumerate() {
                let (slopes, shift) = some.on_the_users_scale(&fits[i].truth);
                let sums = features.plain_sum(&slopes);
                let units = (0..ballots.tasks()).filter(|&unit| fold[unit] == held);
                units
                    .for_each(|unit| predicted[unit] = Some(usize::from(fits[i].intercept + shift + sums[unit] > 0.0)));
            }
            let found = score(&disagreements(ballots, &predicted));
            let fit = &whole[0].1[i];
            PathPoint {
                penalty: penalties[i],
                objective: fit.objective,
                log_likelihood: fit.log_likelihood,
                surrogate: found.map(|found| found.surrogate),
                surrogate_se: found.and_then(|found| found.se),
                nonzero: fit.truth.iter().zip(&fit.difficulty).filter(|(b, g)| **b != 0.0 || **g != 0.0).count(),
            }
        };
        Ok((0..penalties.len()).map(point).collect())
    }
}

/// Fits at each penalty: the first with all its starts, each of the others from the one before and from the majority,
/// whichever ends higher. Without features the labels of few experts may say nothing of the class, and what the largest
/// penalty finds is then no place to start from.
fn along(method: &ManyExperts, data: &Labelled<'_>, penalties: &[f64]) -> Result<Vec<Learned>> {
    let mut fits: Vec<Learned> = Vec::with_capacity(penalties.len());
    for &penalty in penalties {
        let method = ManyExperts { penalty, ..method.clone() };
        let fit = match fits.last() {
            None => method.fit(data, &Cores::one())?,
            Some(last) => {
                let afresh = ManyExperts { restarts: 0, ..method.clone() }.fit(data, &Cores::one())?;
                let on = method.fit_from(data, last)?;
                if afresh.objective > on.objective { afresh } else { on }
            }
        };
        fits.push(fit);
    }
    Ok(fits)
}

/// The penalty with the smallest S; of equals the largest.
pub fn best(path: &[PathPoint]) -> Option<&PathPoint> {
    let surrogate = |point: &PathPoint| point.surrogate.unwrap_or(f64::INFINITY);
    path.iter().reduce(|best, point| if surrogate(point) < surrogate(best) { point } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::{ExpertCase, Experts};

    #[test]
    fn the_path_goes_from_nothing_to_much_and_s_prefers_what_predicts() {
        let drawn = Experts { units: 400, noise_features: 5, case: ExpertCase::Constant }.draw(1).unwrap();
        let columns: Vec<Vec<f64>> = (0..10).map(|j| drawn.features.iter().map(|row| row[j]).collect()).collect();
        let features = Features::from_columns(400, &columns).unwrap();
        let votes: Vec<Vec<(usize, usize)>> = drawn
            .labels
            .iter()
            .map(|labels| labels.iter().enumerate().map(|(k, &l)| (k, usize::from(l))).collect())
            .collect();
        let ballots = Ballots::from_tasks(&votes, 3, 2);
        let method = ManyExperts { restarts: 2, tolerance: 1e-7, ..ManyExperts::default() };
        let path = PenaltyPath { penalties: 8, folds: 3, ..PenaltyPath::default() };
        let found = path.run(&method, &features, &ballots, &Cores::one()).unwrap();
        assert_eq!(found[0].nonzero, 0);
        assert!(found[7].nonzero > 5 && found[7].log_likelihood > found[0].log_likelihood);
        assert!(
            found.windows(2).all(|pair| pair[1].objective >= pair[0].objective - 1e-6),
            "a smaller penalty costs less"
        );
        let chosen = best(&found).unwrap();
        assert!(chosen.surrogate <= found[7].surrogate && chosen.surrogate < found[0].surrogate);
        let cores = Cores::new(std::num::NonZeroUsize::new(3).unwrap()).unwrap();
        assert_eq!(found, path.run(&method, &features, &ballots, &cores).unwrap());
    }
}
