//! The paper's comparison of models, by S and by their true risk.

use beanjar::experts::{
    ClassifierFit, Features, Labelled, Learner, ManyExperts, PenaltyPath, Validation, random_split,
};
use beanjar::judgments::Ballots;
use beanjar::surrogate::{disagreements, surrogate};
use beanjar::{Context, Result};

/// Units to learn from, and others to judge by, whose true classes are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Experiment<'a> {
    /// The units to learn from.
    pub(crate) train: Known<'a>,
    /// The other units.
    pub(crate) test: Known<'a>,
    /// Random starts.
    pub(crate) restarts: usize,
    /// The seed of these.
    pub(crate) seed: u64,
}

/// Units with features, labels and a true class each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    pub(crate) features: &'a Features,
    pub(crate) ballots: &'a Ballots,
    pub(crate) truth: &'a [u16],
}

/// How a model does on the other units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outcome {
    /// Its penalty.
    pub(crate) penalty: f64,
    /// S.
    pub(crate) surrogate: f64,
    /// The share of units that are put into the wrong class.
    pub(crate) risk: f64,
}

/// The models of the paper.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Compared {
    /// The sparse model at each penalty.
    pub(crate) path: Vec<Outcome>,
    /// The sparse model with the penalty that has the smallest S.
    pub(crate) sparse: Outcome,
    /// The model without a penalty.
    pub(crate) plain: Outcome,
    /// The regression on the majority's label, its penalty chosen by S.
    pub(crate) majority: Outcome,
    /// The regression on the true class, its penalty chosen by S.
    pub(crate) truth: Outcome,
}

impl Experiment<'_> {
    /// Learns all models and judges them.
    pub(crate) fn run(&self) -> Result<Compared> {
        let method = ManyExperts { restarts: self.restarts, tolerance: 1e-7, ..ManyExperts::default() };
        let experts = Learner::Experts(method);
        let path = self.outcomes(&experts)?;
        let plain = experts.fit(&self.labelled()?, 0.0, None, &self.context())?;
        Ok(Compared {
            sparse: smallest(&path),
            path,
            plain: self.outcome(0.0, &plain)?,
            majority: smallest(&self.outcomes(&Learner::Majority)?),
            truth: smallest(&self.outcomes(&Learner::Truth)?),
        })
    }

    /// What becomes of each penalty of a path.
    fn outcomes(&self, learner: &Learner) -> Result<Vec<Outcome>> {
        let (data, context) = (self.labelled()?, self.context());
        let penalties = PenaltyPath::default().of(learner, &data, &context)?;
        let validation = Validation::Others { features: self.test.features, ballots: self.test.ballots };
        let path = learner.compare(&data, &penalties, validation, &context)?;
        penalties.iter().zip(&path.fits).map(|(&penalty, fit)| self.outcome(penalty, fit)).collect()
    }

    fn labelled(&self) -> Result<Labelled<'_>> {
        let truth = self.train.truth.iter().map(|&class| Some(class)).collect();
        Labelled::new(self.train.features, self.train.ballots)?.with_truth(truth)
    }

    /// One thread: experiments run side by side.
    fn context(&self) -> Context {
        Context::new().with_seed(self.seed)
    }

    fn outcome(&self, penalty: f64, fit: &ClassifierFit) -> Result<Outcome> {
        let predicted = fit.predictions(self.test.features)?;
        let (surrogate, risk) = judged(self.test.ballots, self.test.truth, &predicted);
        Ok(Outcome { penalty, surrogate, risk })
    }
}

/// S of predictions, and the share of them that is wrong.
fn judged(ballots: &Ballots, truth: &[u16], predicted: &[Option<usize>]) -> (f64, f64) {
    let found = surrogate(&disagreements(ballots, predicted));
    (found.map_or(f64::NAN, |found| found.surrogate), wrong(truth, predicted))
}

/// The share of predictions that are not the true class.
pub(crate) fn wrong(truth: &[u16], predicted: &[Option<usize>]) -> f64 {
    let wrong = truth.iter().zip(predicted).filter(|(truth, predicted)| **predicted != Some(usize::from(**truth)));
    wrong.count() as f64 / truth.len().max(1) as f64
}

/// The outcome with the smallest S; of equals the one with the largest penalty.
fn smallest(path: &[Outcome]) -> Outcome {
    let first = Outcome { penalty: f64::NAN, surrogate: f64::INFINITY, risk: f64::NAN };
    path.iter().fold(first, |best, outcome| if outcome.surrogate < best.surrogate { *outcome } else { best })
}

/// Units with features and labels, split at random: some to learn from, and the others.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Apart {
    /// The numbers of the units to learn from, and of the others.
    pub(crate) units: [Vec<usize>; 2],
    /// Their features.
    pub(crate) features: [Features; 2],
    /// Their labels.
    pub(crate) ballots: [Ballots; 2],
    /// Their true classes.
    pub(crate) truth: [Vec<u16>; 2],
}

impl Apart {
    /// Draws them.
    pub(crate) fn draw(features: &Features, ballots: &Ballots, truth: &[u16], train: usize, seed: u64) -> Result<Self> {
        let share = train as f64 / truth.len().max(1) as f64;
        let (first, second) = random_split(truth.len(), share, &Context::new().with_seed(seed));
        let units = [first, second];
        Ok(Apart {
            features: [features.of_units(&units[0])?, features.of_units(&units[1])?],
            ballots: [ballots.of_tasks(&units[0])?, ballots.of_tasks(&units[1])?],
            truth: units.each_ref().map(|units| units.iter().map(|&unit| truth[unit]).collect()),
            units,
        })
    }

    /// The experiment with them.
    pub(crate) fn experiment(&self, restarts: usize, seed: u64) -> Experiment<'_> {
        let part = |i: usize| Known { features: &self.features[i], ballots: &self.ballots[i], truth: &self.truth[i] };
        Experiment { train: part(0), test: part(1), restarts, seed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use beanjar::simulate::{ExpertCase, Experts};

    #[test]
    fn models_are_judged_on_units_they_have_not_seen() {
        let drawn = Experts { units: 1500, noise_features: 3, case: ExpertCase::Constant }
            .draw(&Context::new().with_seed(2))
            .unwrap();
        let columns: Vec<Vec<f64>> = (0..8).map(|j| drawn.features.iter().map(|row| row[j]).collect()).collect();
        let features = Features::from_columns(1500, &columns).unwrap();
        let votes: Vec<Vec<(usize, usize)>> = drawn
            .labels
            .iter()
            .map(|said| said.iter().map(|&label| usize::from(label)).enumerate().collect())
            .collect();
        let ballots = Ballots::from_tasks(&votes, 3, 2).unwrap();
        let truth: Vec<u16> = drawn.truth.iter().map(|&class| u16::from(class)).collect();
        let apart = Apart::draw(&features, &ballots, &truth, 1000, 1).unwrap();
        assert_eq!((apart.units[0].len(), apart.units[1].len()), (1000, 500));
        let found = apart.experiment(2, 1).run().unwrap();
        assert_eq!(found.path.len(), 50);
        let least = found.path.iter().map(|outcome| outcome.surrogate).fold(1.0, f64::min);
        assert_eq!(found.sparse.surrogate, least);
        // Two of three experts throw coins, so S is near a half even for models that are often right.
        for outcome in [found.sparse, found.majority, found.truth] {
            assert!(outcome.risk < 0.5 && outcome.surrogate > 0.3 && outcome.surrogate < 0.5, "{outcome:?}");
        }
        // By hand: the truth-trained model at its penalty.
        let data = Labelled::new(&apart.features[0], &apart.ballots[0]).unwrap();
        let data = data.with_truth(apart.truth[0].iter().map(|&class| Some(class)).collect()).unwrap();
        let fit = Learner::Truth.fit(&data, found.truth.penalty, None, &Context::new()).unwrap();
        let predicted = fit.predictions(&apart.features[1]).unwrap();
        let wrong = predicted
            .iter()
            .zip(&apart.truth[1])
            .filter(|(predicted, class)| predicted.unwrap() != usize::from(**class))
            .count();
        assert!((found.truth.risk - wrong as f64 / 500.0).abs() < 0.0041, "but for a unit at the border");
    }
}
