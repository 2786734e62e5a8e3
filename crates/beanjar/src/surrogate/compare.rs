use crate::judgments::Ballots;

/// S of some predictions.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Surrogate {
    /// How many units had a prediction and labels.
    pub units: usize,
    /// S.
    pub surrogate: f64,
    /// Its standard error, units being the draws; none of a single unit.
    pub se: Option<f64>,
}

/// How much larger one S is than another, on the units that both models predicted.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Difference {
    /// How many units.
    pub units: usize,
    /// The mean difference.
    pub mean: f64,
    /// Its standard error; none of a single unit.
    pub se: Option<f64>,
}

/// Of each unit, the share of its labels that differ from the prediction; none without a prediction or without labels.
///
/// A prediction that is no class of the labels differs from all of them; one of a unit that the labels do not have counts
/// as one without labels.
#[must_use]
pub fn disagreements(ballots: &Ballots, predictions: &[Option<usize>]) -> Vec<Option<f64>> {
    let of = |(unit, predicted): (usize, &Option<usize>)| {
        let (predicted, votes) = ((*predicted)?, (unit < ballots.tasks()).then(|| ballots.votes(unit))?);
        let differ: f64 = votes.weighted().filter(|vote| vote.1 != predicted).map(|vote| vote.2).sum();
        (!votes.labels.is_empty()).then(|| differ / votes.opinions())
    };
    predictions.iter().enumerate().map(of).collect()
}

/// S of the disagreements; none if there is no unit.
#[must_use]
pub fn surrogate(disagreements: &[Option<f64>]) -> Option<Surrogate> {
    let (units, surrogate, se) = mean(disagreements.iter().flatten().copied())?;
    Some(Surrogate { units, surrogate, se })
}

/// How much larger S is by the first disagreements than by the second; none if no unit is in both.
///
/// The pairs are what makes it sharp: units that are hard for both cancel.
#[must_use]
pub fn difference(first: &[Option<f64>], second: &[Option<f64>]) -> Option<Difference> {
    let both = first.iter().zip(second).filter_map(|(first, second)| Some((*first)? - (*second)?));
    let (units, mean, se) = mean(both)?;
    // Shares of labels that cancel leave what rounding does, which is no difference.
    let mean = if mean.abs() < 1e-12 { 0.0 } else { mean };
    Some(Difference { units, mean, se })
}

/// How many, their mean, and its standard error.
fn mean(values: impl Iterator<Item = f64> + Clone) -> Option<(usize, f64, Option<f64>)> {
    let count = values.clone().count();
    let n = count as f64;
    let mean = values.clone().sum::<f64>() / n;
    let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
    (count > 0).then(|| (count, mean, (count > 1).then(|| (squares / (n - 1.0) / n).sqrt())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use crate::simulate::Crowd;

    #[test]
    fn agrees_with_the_definition() {
        let tasks = [vec![(0, 0), (1, 1), (2, 1)], vec![(0, 0)], vec![], vec![(1, 1), (2, 1)]];
        let ballots = Ballots::from_tasks(&tasks, 3, 2).unwrap();
        let found = disagreements(&ballots, &[Some(1), Some(7), Some(0), None]);
        assert_eq!(found, [Some(1.0 / 3.0), Some(1.0), None, None]);
        let found = surrogate(&found).unwrap();
        assert_eq!((found.units, found.surrogate), (2, 2.0 / 3.0));
        // The deviation of 1/3 and 1 is sqrt(2)/3, over the root of two.
        assert!((found.se.unwrap() - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(surrogate(&[None, None]), None);
        assert_eq!(surrogate(&[Some(0.5)]).unwrap().se, None);
    }

    #[test]
    fn pairs_are_compared_where_both_predict() {
        let found = difference(&[Some(1.0), Some(0.5), None], &[Some(0.5), Some(0.0), Some(1.0)]).unwrap();
        assert_eq!((found.units, found.mean, found.se), (2, 0.5, Some(0.0)));
        assert_eq!(difference(&[None], &[Some(1.0)]), None);
        let thirds = |shares: [f64; 3]| shares.map(|share| Some(share / 3.0));
        let even = difference(&thirds([1.0, 2.0, 0.0]), &thirds([0.3, 0.6, 2.1])).unwrap();
        assert_eq!(even.mean, 0.0, "what rounding leaves is no difference");
    }

    #[test]
    fn the_better_of_two_models_is_chosen_more_surely_as_units_grow() {
        // One model is wrong on every tenth unit, the other on every seventh.
        let sure = |units: usize| {
            let crowd = Crowd { tasks: units, workers: 5, votes: (3, 3), accuracy: 0.65, ..Crowd::default() };
            let drawn = crowd.draw(&Context::new().with_seed(3)).unwrap();
            let ballots = Ballots::from_tasks(&drawn.labels, 5, 2).unwrap();
            let wrong = |every: usize| -> Vec<Option<f64>> {
                let predicted = drawn.truth.iter().enumerate();
                let predicted: Vec<Option<usize>> =
                    predicted.map(|(i, &class)| Some(if i % every == 0 { 1 - class } else { class })).collect();
                disagreements(&ballots, &predicted)
            };
            let found = difference(&wrong(7), &wrong(10)).unwrap();
            found.mean / found.se.unwrap()
        };
        assert!(sure(100_000) > 10.0 && sure(100_000) > 2.0 * sure(10_000));
    }
}
