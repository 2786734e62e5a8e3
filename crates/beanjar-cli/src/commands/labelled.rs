//! What several commands share: the column of labels to predict, and a selection to work by.

use crate::failure::{Failure, Result};
use beanjar::multiselect::Selection;
use beanjar::{Column, Dictionary, Judgments};
use beanjar_io::{Data, Source, Table, read_table};
use clap::Args;

/// Where the labels to predict are.
#[derive(Args)]
pub(crate) struct Labelled {
    /// The labels: a table whose first column is the object; numbers, or two classes.
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Source,
    /// Which column of the labels to predict, if there are several.
    #[arg(long, value_name = "NAME")]
    pub(crate) label: Option<String>,
}

impl Labelled {
    /// The column of labels. `wanted` is the one to take where the user did not name one.
    pub(crate) fn column(&self, wanted: Option<&str>) -> Result<Column> {
        let table = read_table(&self.labels)?;
        let said = |words: &str| {
            let (file, names) = (self.labels.name(), table.names.join(", "));
            Failure::Words(format!("{file}: {words}; found {names}"))
        };
        match self.label.as_deref().or(wanted) {
            Some(name) => column(&table, name).ok_or_else(|| said(&format!("no column '{name}'"))),
            None if table.names.len() == 1 => table.column(0).ok_or_else(|| said("no column")),
            None => Err(said("several columns, of which --label must name one")),
        }
    }

    /// An error of the library, said of the file that it is about.
    pub(crate) fn blame(&self, error: beanjar::Error, file: &Source) -> Failure {
        use beanjar::Error;
        match error {
            Error::NothingInCommon { .. } => {
                Failure::Words(format!("{} and {}: {error}", file.name(), self.labels.name()))
            }
            Error::NoValues { .. } | Error::LabelsUnclear { .. } | Error::ConstantLabel(_) => {
                Failure::from(error).of(&self.labels)
            }
            error => Failure::from(error).of(file),
        }
    }
}

/// The column of this name.
fn column(table: &Table, name: &str) -> Option<Column> {
    table.column(table.names.iter().position(|other| other == name)?)
}

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

/// Reads a selection: the JSON that `select` writes, or a table of attribute,judgments and perhaps cost.
pub(crate) fn read_selection(source: &Source) -> Result<Selection> {
    let is_json = matches!(source, Source::File(path) if path.extension().is_some_and(|extension| extension == "json"));
    let selection = if is_json { selection_from_json(source)? } else { selection_from_table(source)? };
    selection.map_err(|error| Failure::from(error).of(source))
}

fn selection_from_json(source: &Source) -> Result<beanjar::Result<Selection>> {
    let bytes = super::bytes_of(source)?;
    Ok(Selection::from_json(&String::from_utf8_lossy(&bytes)))
}

fn selection_from_table(source: &Source) -> Result<beanjar::Result<Selection>> {
    let table = read_table(source)?;
    let judgments = column(&table, "judgments").ok_or_else(|| {
        Failure::Words(format!("{}: no column 'judgments'; found {}", source.name(), table.names.join(", ")))
    })?;
    Ok(Selection::from_columns(&judgments, column(&table, "cost").as_ref()))
}
