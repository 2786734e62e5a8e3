use super::rule::{Rule, Weights};
use super::{Evidence, TruthFit};
use crate::{Context, Error, Result};

/// The class with the most votes.
///
/// P(class) is the class's share of the task's votes, each counted by its worker's weight. Classes with equally many
/// are tied. Cost: O(votes).
///
/// ```
/// use beanjar::{Context, Labels, truth::{Evidence, Majority}};
///
/// let labels = Labels::from_rows([("1", "ann", "cat"), ("1", "bob", "cat"), ("1", "cy", "dog")])?;
/// let fitted = Majority::default().fit(&Evidence::votes(labels.ballots())?, &Context::new())?;
/// assert_eq!(fitted.posterior.of(0), [2.0 / 3.0, 1.0 / 3.0]);
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Majority {
    /// What each worker's vote counts, 0 or more; all alike if none are given.
    pub weights: Option<Vec<f64>>,
}

impl Majority {
    /// Counts the votes.
    pub fn fit(&self, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
        let ballots = evidence.ballots;
        let weights = match &self.weights {
            None => Weights::equal(ballots.workers(), ballots.classes()),
            Some(weights) if weights.len() == ballots.workers() => {
                Weights::new(weights.clone(), 1.0, ballots.classes())?
            }
            Some(weights) => {
                let value = format!("of {} workers", weights.len());
                return Err(Error::OutOfRange { name: "the list of weights", value, range: "one for each worker" });
            }
        };
        fit(weights, evidence, context)
    }
}

/// The shares of weighted votes.
pub(super) fn fit(weights: Weights, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
    let rule = Rule::Weights(weights);
    let mut posterior = rule.posterior(evidence.ballots, context)?;
    posterior.set_known(&evidence.gold);
    Ok(TruthFit { rule, posterior, log_likelihood: None, iterations: 0, converged: true, auto: None })
}
