//! A selection to plan or fit by, from a file.

use super::column_names;
use crate::failure::{Failure, Result};
use beanjar::multiselect::Selection;
use beanjar_io::{Content, Source, read_table};

/// Reads a selection: the JSON that `select` writes, or a table of attribute,judgments and perhaps cost.
pub(crate) fn read_selection(source: &Source) -> Result<Selection> {
    let is_json = match source {
        Source::File(path) => path.extension().is_some_and(|extension| extension == "json"),
        Source::Memory(memory) => matches!(memory.content(), Content::Text(_)),
        _ => false,
    };
    let selection = if is_json { from_json(source) } else { from_table(source) };
    selection.map_err(|failure| match failure {
        // All its numbers are from the file.
        Failure::Library(error) => Failure::Words(format!("{}: {error}", source.name())),
        other => other,
    })
}

fn from_json(source: &Source) -> Result<Selection> {
    let bytes = source.bytes()?;
    Ok(Selection::from_json(&String::from_utf8_lossy(&bytes))?)
}

fn from_table(source: &Source) -> Result<Selection> {
    let table = read_table(source)?;
    let judgments = table.named("judgments").ok_or_else(|| {
        Failure::Words(format!("{}: no column 'judgments'; found {}", source.name(), column_names(&table)))
    })?;
    Ok(Selection::from_columns(&judgments, table.named("cost").as_ref())?)
}
