//! The true label of each task, from votes alone: majority, weighted votes, and models of how workers err.
//!
//! A method fits a [`Rule`] that reads votes; the rule labels the tasks it was fitted on, and new ones. The models share
//! one driver of expectation maximisation, whose sums go through the same seam as all others.

mod accuracy;
mod aggregate;
mod aggregate_outcome;
mod auto;
mod calibration;
mod class_prior;
mod dawid_skene;
pub mod distributed;
mod effective;
mod em;
mod evidence;
mod fit;
mod glad;
mod gold_majority;
mod in_doubt;
mod kos;
mod mace;
mod majority;
mod method;
mod mixture;
mod mmsr;
mod one_coin;
mod pooled;
mod posterior;
#[cfg(test)]
mod properties;
mod rare_workers;
mod rule;
mod skilled;
mod spectral;
mod suggest_gold;
mod votes;
mod wawa;
mod zero_based_skill;

pub use accuracy::{WorkerAccuracy, worker_accuracies};
pub(crate) use aggregate::known;
pub use aggregate::{Aggregate, WorkersToUse};
pub use aggregate_outcome::{AggregateOutcome, AggregatedTask, AggregatedWorker, FitSummary, TaskStates};
pub use auto::{Auto, AutoSummary, CandidateWeight, KnownSummary};
pub(crate) use auto::{pool_share, too_many_for_tables};
pub(crate) use calibration::{BINS, bin_of};
pub use calibration::{Calibration, CalibrationBin, Sureness};
pub use class_prior::ClassPrior;
pub use dawid_skene::DawidSkene;
pub use em::Stopping;
pub use evidence::Evidence;
pub use fit::TruthFit;
pub use glad::{Glad, GladClimb};
pub use gold_majority::GoldMajority;
pub use in_doubt::{TaskInDoubt, Vote};
pub use kos::Kos;
pub use mace::Mace;
pub use majority::Majority;
pub use method::Method;
pub use mixture::Mixture;
pub use mmsr::{Mmsr, MmsrSkills, Pairs};
pub use one_coin::OneCoin;
pub use pooled::Pooled;
pub(crate) use pooled::{tables_against, tables_given};
pub use posterior::{Answer, Posterior, Probabilities};
pub use rule::{Blend, Confusion, Pool, Rule, Sharpening, SparseConfusion, Weights};
pub use skilled::Skilled;
pub(crate) use skilled::{Rows, WorkerRows};
pub use spectral::Spectral;
pub use suggest_gold::{SuggestGold, SuggestGoldOutcome, SuggestedTask, TaskKind};
pub use votes::{
    EnoughVotes, EnoughVotesOutcome, NextQuestion, NextVotes, NextVotesOutcome, PoolWorker, StopVotes, TargetVotes,
    TaskState, VotesNow, VotesRow,
};
pub use wawa::Wawa;
pub use zero_based_skill::ZeroBasedSkill;

use crate::{Error, Result};

/// More would take days.
pub(crate) const MOST_RESTARTS: usize = 10_000;

fn check_restarts(restarts: usize) -> Result<()> {
    match (1..=MOST_RESTARTS).contains(&restarts) {
        true => Ok(()),
        false => {
            let value = restarts.to_string();
            Err(Error::OutOfRange { name: "the number of restarts", value, range: "1 to 10000" })
        }
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
