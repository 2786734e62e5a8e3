//! One file per command.

pub(crate) mod aggregate;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod fit;
pub(crate) mod gold;
pub(crate) mod inspect;
pub(crate) mod learn;
pub(crate) mod plan;
pub(crate) mod predict;
pub(crate) mod score;
pub(crate) mod select;
pub(crate) mod simulate;
pub(crate) mod workers;

mod by_question;
mod label_column;
mod reading_flags;
mod repeats;
mod selection_file;

pub(crate) use reading_flags::{Reading, judgments_of, labels_of};

use crate::failure::{Failure, Result};
use beanjar::Column;
use beanjar_io::{Source, read_table};

/// The known labels in a table: its column 'label' or 'truth', or its only one.
fn known_labels(source: &Source) -> Result<Column> {
    let table = read_table(source)?;
    let only = || (table.names.len() == 1).then(|| table.classes(0)).flatten();
    table.classes_named("label").or_else(|| table.classes_named("truth")).or_else(only).ok_or_else(|| {
        let names = table.names.join(", ");
        Failure::Words(format!("{}: no column 'label'; found {names}", source.name()))
    })
}

/// The known answers to one of several questions: the column of its name, or else as for a single question.
fn known_labels_of(source: &Source, question: &str) -> Result<Column> {
    read_table(source)?.classes_named(question).map_or_else(|| known_labels(source), Ok)
}

/// The ids of a table and its first other column.
fn first_column(source: &Source) -> Result<Column> {
    let table = read_table(source)?;
    table.column(0).ok_or_else(|| Failure::Words(format!("{}: there is no second column", source.name())))
}

/// Whether two names are of one file, be it there or not.
fn same_file(one: &std::path::Path, other: &std::path::Path) -> bool {
    let real = |path: &std::path::Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(std::path::Path::new(".")).canonicalize().ok()?;
        path.canonicalize().ok().or(Some(folder.join(path.file_name()?)))
    };
    one == other || real(one).is_some_and(|one| real(other) == Some(one))
}

/// All bytes of a file that is read whole.
fn bytes_of(source: &Source) -> Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let read = match source {
        Source::Stdin => std::io::stdin().lock().read_to_end(&mut bytes).map(drop),
        Source::File(path) => std::fs::read(path).map(|read| bytes = read),
    };
    read.map_err(|error| Failure::Words(format!("{}: cannot be read: {error}", source.name())))?;
    Ok(bytes)
}
