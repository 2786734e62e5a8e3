//! One file per command.

pub(crate) mod aggregate;
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

mod label_column;
mod selection_file;

use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::count;
use beanjar::{Column, Judgments, Labels};
use beanjar_io::{ColumnNames, Data, Kind, Read, ReadOptions, Source, read_table};
use clap::{Args, ValueEnum};

/// How to read a file of judgments or labels.
#[derive(Args)]
pub(crate) struct Reading {
    /// Which columns hold what, where their names do not show it: object=id,worker=rater,label=choice.
    #[arg(long, value_name = "ROLE=NAME,...")]
    columns: Option<ColumnNames>,
    /// What the file holds, where its columns do not show it.
    #[arg(long, value_enum)]
    kind: Option<KindName>,
}

#[derive(Clone, Copy, ValueEnum)]
enum KindName {
    /// Numbers: object,attribute,worker,value.
    Judgments,
    /// Categories: task,worker,label.
    Labels,
}

impl Reading {
    pub(crate) fn options(&self) -> ReadOptions {
        let kind = self.kind.map(|kind| match kind {
            KindName::Judgments => Kind::Judgments,
            KindName::Labels => Kind::Labels,
        });
        ReadOptions { columns: self.columns.clone().unwrap_or_default(), kind }
    }

    /// Reads the file, and warns of what was left out.
    pub(crate) fn read(&self, source: &Source, common: &Common) -> Result<Read> {
        let read = beanjar_io::read(source, &self.options(), &common.context()?)?;
        common.clear_bar();
        match (read.incomplete, read.wide) {
            (0, _) => {}
            (n, true) => common.warn(&format!("{}: {} without a value left out", source.name(), count(n, "cell"))),
            (n, false) => {
                common.warn(&format!("{}: {} with a missing value left out", source.name(), count(n, "row")));
            }
        }
        Ok(read)
    }
}

/// The judgments in a table, or an error if it holds labels.
fn judgments_of(data: Data, file: &Source) -> Result<Judgments> {
    match data {
        Data::Judgments(judgments) => Ok(judgments),
        Data::Labels(_) => Err(Failure::Words(format!(
            "{}: this file holds labels, and judgments are needed (object,attribute,worker,value); if its labels are numbers, say --kind judgments",
            file.name()
        ))),
    }
}

/// The labels in a table, or an error if it holds judgments.
fn labels_of(data: Data, file: &Source) -> Result<Labels> {
    match data {
        Data::Labels(labels) => Ok(labels),
        Data::Judgments(_) => Err(Failure::Words(format!(
            "{}: this file holds judgments, and labels are needed (task,worker,label); if its values are classes, say --kind labels",
            file.name()
        ))),
    }
}

/// The known labels in a table: its column 'label' or 'truth', or its only one.
fn known_labels(source: &Source) -> Result<Column> {
    let table = read_table(source)?;
    let only = || (table.names.len() == 1).then(|| table.column(0)).flatten();
    table.named("label").or_else(|| table.named("truth")).or_else(only).ok_or_else(|| {
        let names = table.names.join(", ");
        Failure::Words(format!("{}: no column 'label'; found {names}", source.name()))
    })
}

/// The ids of a table and its first other column.
fn first_column(source: &Source) -> Result<Column> {
    let table = read_table(source)?;
    table.column(0).ok_or_else(|| Failure::Words(format!("{}: there is no second column", source.name())))
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
