use super::{AutoSummary, Posterior, Rule};

/// What a method found: the rule by which it reads votes, and the posterior of the tasks it was fitted on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TruthFit {
    /// How votes are read.
    pub rule: Rule,
    /// The probabilities of all tasks' classes; a known class is certain.
    pub posterior: Posterior,
    /// The log-likelihood of the votes, where the method has one.
    pub log_likelihood: Option<f64>,
    /// How many steps of EM were taken.
    pub iterations: usize,
    /// Whether the last step no longer changed anything.
    pub converged: bool,
    /// How several fits were weighed, where the method is [`Auto`](super::Auto).
    pub auto: Option<AutoSummary>,
}
