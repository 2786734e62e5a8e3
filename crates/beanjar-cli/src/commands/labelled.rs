//! Ids matched between two files, and judgments where they are needed.

use crate::failure::{Failure, Result};
use beanjar::{Dictionary, Judgments};
use beanjar_io::{Data, Source, Table};

/// For each id, its row in the table if that has a value in the column. An error if none has.
pub(crate) fn matched(
    file: &Source,
    ids: &Dictionary,
    what: &'static str,
    labels: &Source,
    table: &Table,
    column: usize,
) -> Result<Vec<Option<usize>>> {
    let lookup = table.ids.lookup();
    let has = |row: &usize| !table.columns[column][*row].is_empty();
    let rows: Vec<Option<usize>> = ids.iter().map(|id| lookup.code(id).filter(has)).collect();
    if rows.iter().all(Option::is_none) && ids.iter().any(|id| lookup.code(id).is_some()) {
        let name = &table.names[column];
        return Err(Failure::Words(format!("{}: column '{name}' has no value for any {what}", labels.name())));
    }
    if rows.iter().all(Option::is_none) {
        return Err(nothing_in_common(file, ids, what, labels, &table.ids));
    }
    Ok(rows)
}

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
