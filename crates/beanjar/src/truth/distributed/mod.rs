//! The same fits where the votes are elsewhere: in the partitions of a distributed engine.
//!
//! The engine holds [`TaskBlock`](crate::judgments::TaskBlock)s and does two things with them: it sums over all of them
//! what a [`Pass`] asks for, and it reads them by a [`Reading`]. [`DistributedFit`] asks for passes until it has a
//! reading. Both go as bytes.
//!
//! A sum has the same bytes for any number of partitions. Tasks belong to leaves by their ids alone; a leaf is summed in
//! the order of its tasks, and leaves are added pair by pair up a binary tree. Partitions hold whole branches of it.

mod fit;
mod outcome;
mod pass;
mod reading;
mod recode;
mod tree;

pub use fit::{Cluster, DistributedFit, DistributedMethod};
pub use outcome::DistributedOutcome;
pub use pass::Pass;
pub use reading::{Reading, TaskAnswers};
pub use tree::{add_parts, leaf_bits, sum_bits};

pub(super) use fit::Far;
pub(super) use reading::{CandidateReading, MixedReading, ReadBy};
pub(super) use recode::Recode;

#[cfg(test)]
mod tests;
