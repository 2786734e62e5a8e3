//! One file per command.

pub(crate) mod aggregate;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod fit;
pub(crate) mod inspect;
pub(crate) mod learn;
pub(crate) mod plan;
pub(crate) mod predict;
pub(crate) mod score;
pub(crate) mod select;
pub(crate) mod simulate;
pub(crate) mod workers;

mod label_column;
pub(crate) mod labelled;
mod model;
mod selection_file;

use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::count;
use crate::progress::reading;
use beanjar::Labels;
use beanjar_io::{ColumnNames, Data, Kind, Read, ReadOptions, Source, read_table};
use clap::{Args, ValueEnum};

/// How to read a file of judgments or labels.
#[derive(Args)]
pub(crate) struct Reading {
    /// Which columns hold what, where their names do not tell: object=id,worker=rater,label=choice.
    #[arg(long, value_name = "ROLE=NAME,...")]
    columns: Option<ColumnNames>,
    /// What the file holds, where its columns do not tell.
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
    pub(crate) fn options(&self, common: &Common) -> Result<ReadOptions> {
        let kind = self.kind.map(|kind| match kind {
            KindName::Judgments => Kind::Judgments,
            KindName::Labels => Kind::Labels,
        });
        Ok(ReadOptions {
            columns: self.columns.clone().unwrap_or_default(),
            kind,
            context: common.context()?,
            progress: None,
        })
    }

    /// Reads the file, showing how far it is, and says what was left out.
    pub(crate) fn read(&self, source: &Source, common: &Common) -> Result<Read> {
        let (progress, bar) = reading(source, common);
        let read = beanjar_io::read(source, &ReadOptions { progress, ..self.options(common)? });
        bar.finish_and_clear();
        let read = read?;
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

/// The known class of each task. Classes that no worker ever gave are counted, and left out.
fn truths(file: &Source, labels: &Labels, source: &Source, common: &Common) -> Result<Vec<Option<u16>>> {
    let table = read_table(source)?;
    let column = match table.names.iter().position(|name| name == "label" || name == "truth") {
        Some(column) => column,
        None if table.names.len() == 1 => 0,
        None => {
            let names = table.names.join(", ");
            return Err(Failure::Words(format!("{}: no column 'label'; found {names}", source.name())));
        }
    };
    let rows = labelled::matched(file, &labels.tasks, "task", source, &table, column)?;
    let classes = labels.classes.lookup();
    let mut unknown: Vec<&str> = Vec::new();
    let mut class = |row: &usize| {
        let name = table.columns[column][*row].as_str();
        let code = classes.code(name);
        if code.is_none() {
            unknown.push(name);
        }
        code.map(|code| code as u16)
    };
    let truths = rows.iter().map(|row| row.as_ref().and_then(&mut class)).collect();
    if let Some(example) = unknown.first() {
        let tasks = count(unknown.len(), "task");
        common.warn(&format!(
            "{tasks} of {} with a label that no worker gave, such as '{example}'; left out",
            source.name()
        ));
    }
    Ok(truths)
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
