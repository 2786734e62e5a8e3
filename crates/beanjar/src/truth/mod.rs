//! The true label of each task, from votes alone: majority, weighted votes, and models of how workers err.
//!
//! A method fits a [`Rule`] that reads votes; the rule labels the tasks it was fitted on, and new ones. The models share
//! one driver of expectation maximisation, whose sums go through the same seam as all others.

mod accuracy;
mod auto;
mod calibration;
mod dawid_skene;
mod em;
mod majority;
mod method;
mod mixture;
mod one_coin;
mod pooled;
mod posterior;
mod rule;
mod skilled;
mod spectral;
mod tensor;
mod wawa;

pub use accuracy::{WorkerAccuracy, worker_accuracies};
pub use auto::{Auto, Chosen};
pub use calibration::Calibration;
pub use dawid_skene::DawidSkene;
pub use em::Stopping;
pub use majority::Majority;
pub use method::Method;
pub use mixture::Mixture;
pub use one_coin::OneCoin;
pub use pooled::Pooled;
pub(crate) use pooled::{tables_against, tables_given};
pub use posterior::{Answer, Fitted, Posterior};
pub use rule::{Confusion, Rule, Weights};
pub use skilled::{Skilled, View};
pub use spectral::Spectral;
pub use wawa::Wawa;

use crate::judgments::Ballots;
use crate::{Error, Result};

/// What is known of the tasks: votes, and the true classes of some.
#[derive(Clone, Debug)]
pub struct Evidence<'a> {
    ballots: &'a Ballots,
    gold: Vec<Option<u16>>,
}

impl<'a> Evidence<'a> {
    /// Votes alone.
    pub fn votes(ballots: &'a Ballots) -> Result<Self> {
        Self::with_gold(ballots, Vec::new())
    }

    /// Votes, and for each task its true class where that is known.
    pub fn with_gold(ballots: &'a Ballots, gold: Vec<Option<u16>>) -> Result<Self> {
        if ballots.is_empty() {
            return Err(Error::Empty("label"));
        }
        // Four gigabytes of probabilities.
        const MOST: usize = 500_000_000;
        if ballots.tasks().saturating_mul(ballots.classes()) > MOST {
            return Err(Error::TooManyClasses { classes: ballots.classes(), what: "so many tasks" });
        }
        let known = |class: &u16| usize::from(*class) < ballots.classes();
        if !gold.is_empty() && (gold.len() != ballots.tasks() || !gold.iter().flatten().all(known)) {
            return Err(Error::OutOfRange {
                name: "the table of known classes",
                value: format!("of {} tasks", gold.len()),
                range: "of as many tasks as there are, with classes that have votes",
            });
        }
        Ok(Evidence { ballots, gold })
    }

    /// The votes.
    pub fn ballots(&self) -> &'a Ballots {
        self.ballots
    }
}

/// The shares of the classes.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Prior {
    /// Estimated: the mean of the posteriors.
    #[default]
    Estimated,
    /// All alike.
    Uniform,
    /// These, which are positive, one for each class in sorted order.
    Given(Vec<f64>),
}

impl Prior {
    /// The shares, given the expected tasks of each class.
    fn shares(&self, tasks: &[f64]) -> Vec<f64> {
        let shares = match self {
            Prior::Estimated => tasks.to_vec(),
            Prior::Uniform => vec![1.0; tasks.len()],
            Prior::Given(shares) => {
                // Shares may be any positive numbers, and their sum beyond a double.
                let most = shares.iter().fold(0.0, |most: f64, &share| most.max(share));
                shares.iter().map(|share| share / most).collect()
            }
        };
        let sum: f64 = shares.iter().sum();
        shares.into_iter().map(|share| rule::possible(share / sum)).collect()
    }

    fn check(&self, classes: usize) -> Result<()> {
        let Prior::Given(shares) = self else { return Ok(()) };
        match shares.len() == classes && shares.iter().all(|share| *share > 0.0 && share.is_finite()) {
            true => Ok(()),
            false => Err(Error::OutOfRange {
                name: "the prior",
                value: format!("{shares:?}"),
                range: "one share above zero for each class, in sorted order",
            }),
        }
    }
}

/// Whether tables of so many classes, or components, for all workers fit into memory.
fn check_tables(ballots: &Ballots, classes: usize) -> Result<()> {
    // One gigabyte, of which EM needs a few.
    const MOST: usize = 125_000_000;
    match (ballots.workers() + 1).saturating_mul(classes).saturating_mul(ballots.classes()) > MOST {
        true => {
            Err(Error::TooManyClasses { classes, what: "a table for each of so many workers; use majority or wawa" })
        }
        false => Ok(()),
    }
}

fn check_smoothing(smoothing: f64) -> Result<()> {
    match (0.0..=1e9).contains(&smoothing) {
        true => Ok(()),
        false => Err(Error::OutOfRange {
            name: "smoothing",
            value: smoothing.to_string(),
            range: "0 to a billion pseudo-labels",
        }),
    }
}
