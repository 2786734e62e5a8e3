//! The data model: judgments and labels, dictionary-coded and grouped by object.
//!
//! Reading and building go in two steps. Each thread fills a part of its own ([`LabelsPart`],
//! [`JudgmentsPart`]) with the blocks of rows that come its way; then the parts are joined into one
//! table whose ids are numbered in order of first appearance, however the blocks fell to threads.

mod ballots;
mod coded_blocks;
mod column;
mod dictionary;
mod folds;
mod grouping;
mod judgment_table;
mod label_table;
mod repeats;
mod slots;
mod sum;
mod task_block;

#[cfg(test)]
mod properties;

pub use ballots::{Ballots, Votes};
pub(crate) use column::nothing_in_common;
pub use column::{Column, KnownClasses};
pub use dictionary::{Dictionary, Lookup};
pub(crate) use folds::{Fold, Folds, for_each_opinion, sample_of_tasks};
pub use judgment_table::{ANONYMOUS, JudgmentColumns, Judgments, JudgmentsPart, LARGEST, ObjectJudgments};
pub use label_table::{Labels, LabelsPart, Translated, sorted_classes};
pub use repeats::Repeats;
#[cfg(test)]
pub(crate) use repeats::averaged;
pub(crate) use repeats::{as_one, one_vote_each};
pub(crate) use sum::observe_all;
pub use sum::{Grouped, Sum, sum_over, sum_over_large};
pub use task_block::{TaskBlock, TaskGathering, TaskIds, TaskPlacer, TaskSample};
pub(crate) use task_block::{key_of_task, united};
