//! One file per command.

pub(crate) mod aggregate;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod fit;
pub(crate) mod gold;
pub(crate) mod inspect;
pub(crate) mod learn;
pub(crate) mod next;
pub(crate) mod plan;
pub(crate) mod predict;
pub(crate) mod score;
pub(crate) mod select;
pub(crate) mod simulate;
pub(crate) mod votes;
pub(crate) mod workers;

mod by_question;
mod first_written;
mod label_column;
mod reading_flags;
mod repeats;
pub(crate) mod report_flags;
mod selection_file;

pub(crate) use reading_flags::Reading;

use crate::Common;
use crate::failure::{Failure, Result};
use beanjar::{Column, Dictionary};
use beanjar_io::{Source, Table, read_columns, read_table, read_table_with};

/// Where known labels are read: how, and for which of several questions.
struct Known<'a> {
    reading: &'a Reading,
    common: &'a Common,
    question: Option<&'a str>,
}

impl<'a> Known<'a> {
    fn new(reading: &'a Reading, common: &'a Common) -> Known<'a> {
        Known { reading, common, question: None }
    }

    fn of(self, question: Option<&'a str>) -> Known<'a> {
        Known { question, ..self }
    }

    /// The known labels in a table: its column of the question's name, 'label' or 'truth', or its only one. Says what was
    /// understood.
    fn labels(&self, source: &Source) -> Result<Column> {
        let table = read_table_with(source, &self.reading.options().missing)?;
        let of_question = self.question.and_then(|question| table.classes_named(question));
        let only = || (table.names.len() == 1).then(|| table.classes(0)).flatten();
        let found = of_question.or_else(|| table.classes_named("label")).or_else(|| table.classes_named("truth"));
        let found = found.or_else(only).ok_or_else(|| {
            let names = column_names(&table);
            Failure::Words(format!("{}: no column 'label' or 'truth'; found {names}", source.name()))
        })?;
        let understood = table.understood("task", found.name(), "known label");
        self.common.note(&format!("read {}: {understood}", source.name()));
        self.common.column_as_first_written(found)
    }
}

/// The names of some columns, as many as fit a line.
fn column_names(table: &Table) -> String {
    const MOST: usize = 12;
    let cut = |name: &String| name.chars().take(40).collect::<String>();
    let mut names = table.names.iter().take(MOST).map(cut).collect::<Vec<_>>().join(", ");
    if table.names.len() > MOST {
        names += &format!(" and {} more", table.names.len() - MOST);
    }
    names
}

/// The ids of a table and its first other column.
fn first_column(source: &Source) -> Result<Column> {
    let table = read_table(source)?;
    table.column(0).ok_or_else(|| Failure::Words(format!("{}: there is no second column", source.name())))
}

/// The ids in the first column of a table, each once. A list of ids alone may have no header.
fn ids_of(source: &Source, common: &Common) -> Result<Dictionary> {
    let (names, mut columns) = read_columns(source)?;
    if let ([name], [ids]) = (&names[..], &mut columns[..])
        && !matches!(source, Source::Memory(_))
        && is_an_id(name, ids)
    {
        common.note(&format!("read {}: a list without a header, whose first line is an id as well", source.name()));
        ids.insert(0, name.clone());
    }
    let mut seen = std::collections::HashSet::new();
    Ok(columns.iter().take(1).flatten().filter(|id| !id.is_empty() && seen.insert(*id)).collect())
}

/// Whether what stands above ids is one of them: it has digits, and but for these most ids are written the same.
fn is_an_id(name: &str, ids: &[String]) -> bool {
    let shape = |id: &str| -> String {
        let mut shape: Vec<char> = id.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        shape.dedup_by(|a, b| *a == '0' && *b == '0');
        shape.into_iter().collect()
    };
    let wanted = shape(name);
    wanted.contains('0') && 2 * ids.iter().filter(|id| shape(id) == wanted).count() > ids.len()
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
