use crate::Result;
use crate::judgments::Ballots;
use crate::truth::Posterior;

/// The mean error of the experts, weighted as S is: the mean over units of the mean over the unit's labels of the
/// probability that the label is wrong. None without labels; an error if the posterior is not one of these units and classes.
pub fn expert_error(ballots: &Ballots, posterior: &Posterior) -> Result<Option<f64>> {
    posterior.check_fits(ballots)?;
    let (mut sum, mut units) = (0.0, 0.0);
    for unit in 0..ballots.tasks() {
        let votes = ballots.votes(unit);
        if !votes.labels.is_empty() {
            let wrong = votes.weighted().map(|(_, label, weight)| weight * (1.0 - posterior.of(unit)[label]));
            sum += wrong.sum::<f64>() / votes.opinions();
            units += 1.0;
        }
    }
    Ok((units > 0.0).then(|| sum / units))
}

/// The risk that S implies, with experts of this error.
///
/// With two classes S = (1 - 2e) R + e. With K, and errors spread evenly, a wrong prediction agrees with a wrong label
/// once in K - 1 times, and S = (1 - e K / (K - 1)) R + e. An estimate beyond 0 or 1 is brought there. None where labels
/// are too noisy for it: with that factor at or below 0.05.
#[must_use]
pub fn implied_risk(surrogate: f64, error: f64, classes: usize) -> Option<f64> {
    let slope = slope_of_surrogate(error, classes);
    (classes > 1 && slope > 0.05).then(|| ((surrogate - error) / slope).clamp(0.0, 1.0))
}

/// By how much S rises with the risk, with experts of this error.
pub(crate) fn slope_of_surrogate(error: f64, classes: usize) -> f64 {
    let ways = classes as f64;
    1.0 - error * ways / (ways - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use crate::simulate::Crowd;
    use crate::surrogate::{disagreements, surrogate};
    use crate::truth::{Evidence, Skilled};

    #[test]
    fn the_implied_risk_is_near_the_true_one() {
        for classes in [2, 4] {
            let crowd = Crowd { tasks: 20_000, workers: 12, classes, votes: (5, 5), accuracy: 0.7, ..Crowd::default() };
            let drawn = crowd.draw(&Context::new().with_seed(1)).unwrap();
            let ballots = Ballots::from_tasks(&drawn.labels, 12, classes).unwrap();
            let posterior =
                Skilled::default().fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap().posterior;
            let error = expert_error(&ballots, &posterior).unwrap().unwrap();
            let few = Ballots::from_tasks(&drawn.labels[..9], 12, classes).unwrap();
            assert!(expert_error(&few, &posterior).is_err());
            let predicted: Vec<Option<usize>> = (0..20_000)
                .map(|i| {
                    Some(if i % 5 == 0 { (drawn.truth[i] + 1 + i % (classes - 1)) % classes } else { drawn.truth[i] })
                })
                .collect();
            let found = surrogate(&disagreements(&ballots, &predicted)).unwrap();
            let risk = implied_risk(found.surrogate, error, classes).unwrap();
            assert!((risk - 0.2).abs() < 0.03, "{classes}: {risk}");
        }
    }

    #[test]
    fn coins_imply_nothing() {
        assert_eq!(implied_risk(0.5, 0.49, 2), None);
        assert_eq!(implied_risk(0.0, 0.0, 1), None);
        assert!((implied_risk(0.3, 0.1, 2).unwrap() - 0.25).abs() < 1e-12);
        assert_eq!((implied_risk(0.1, 0.2, 2), implied_risk(0.95, 0.1, 3)), (Some(0.0), Some(1.0)));
    }
}
