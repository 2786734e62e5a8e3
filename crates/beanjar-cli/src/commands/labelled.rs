//! Ids matched between two files, and judgments where they are needed.

use crate::failure::{Failure, Result};
use beanjar::{Dictionary, Judgments};
use beanjar_io::{Data, Source};

/// The sentence for two tables that have no id in common.
pub(crate) fn nothing_in_common(
    file: &Source,
    ids: &Dictionary,
    what: &'static str,
    labels: &Source,
    known: &Dictionary,
) -> Failure {
    let example = |ids: &Dictionary| ids.iter().next().unwrap_or_default().chars().take(40).collect();
    let nothing = beanjar::Error::NothingInCommon {
        what,
        left: ids.len(),
        right: known.len(),
        left_example: example(ids),
        right_example: example(known),
    };
    Failure::Words(format!("{} and {}: {nothing}", file.name(), labels.name()))
}

/// The judgments in a table, or an error if it holds labels.
pub(crate) fn judgments_of(data: Data, file: &Source) -> Result<Judgments> {
    match data {
        Data::Judgments(judgments) => Ok(judgments),
        Data::Labels(_) => Err(Failure::Words(format!(
            "{}: this file holds labels, and judgments are needed (object,attribute,worker,value); if its labels are numbers, say --kind judgments",
            file.name()
        ))),
    }
}
