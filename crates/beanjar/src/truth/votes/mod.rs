//! How many votes are enough, and which to ask for next.

mod assign;
mod curve;
mod enough;
mod enough_outcome;
mod models;
mod next;
mod next_outcome;
mod open_tasks;
mod panels;
mod prospects;
mod reference;
mod tally;
mod task_state;
mod thinned;

pub use enough::EnoughVotes;
pub use enough_outcome::{EnoughVotesOutcome, TargetVotes, VotesNow, VotesRow};
pub use next::{NextVotes, PoolWorker};
pub use next_outcome::{NextQuestion, NextVotesOutcome, StopVotes};
pub use task_state::TaskState;
pub(super) use task_state::{by_confidence, find_hopeless};
