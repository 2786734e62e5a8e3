//! The data model: judgments and labels, dictionary-coded and grouped by object.
//!
//! Reading and building go in two steps. Each thread fills a part of its own ([`LabelsPart`],
//! [`JudgmentsPart`]) with the blocks of rows that come its way; then the parts are joined into one
//! table whose ids are numbered in order of first appearance, however the blocks fell to threads.

mod ballots;
mod column;
mod dictionary;
mod folds;
mod grouping;
mod labels;
mod numeric;
mod observe;
mod parts;

pub use ballots::{Ballots, Votes};
pub(crate) use column::nothing_in_common;
pub use column::{Column, KnownClasses};
pub use dictionary::{Dictionary, Lookup};
pub(crate) use folds::{Fold, Folds, sample_of_tasks};
pub use labels::{Labels, LabelsPart, Translated};
pub use numeric::{ANONYMOUS, Judgments, JudgmentsPart, ObjectJudgments};
pub use observe::{Grouped, Sum, sum_over};
