//! The flags for the column of labels to predict.

use super::{Reading, column_names};
use crate::Common;
use crate::failure::{Failure, Result};
use beanjar::Column;
use beanjar_io::{Source, read_table_with};
use clap::Args;

/// Where the labels to predict are.
#[derive(Args)]
pub(crate) struct LabelColumn {
    /// The labels: a table whose first column is the object; numbers, or two classes.
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Source,
    /// Which column of the labels to predict, if there are several.
    #[arg(long, value_name = "NAME")]
    pub(crate) label: Option<String>,
}

impl LabelColumn {
    /// The column of labels. `wanted` is the one to take where the user did not name one.
    pub(crate) fn read(&self, wanted: Option<&str>, reading: &Reading, common: &Common) -> Result<Column> {
        let table = read_table_with(&self.labels, &reading.options().missing)?;
        let said = |words: &str| {
            let (file, names) = (self.labels.name(), column_names(&table));
            Failure::Words(format!("{file}: {words}; found {names}"))
        };
        let column = match self.label.as_deref().or(wanted) {
            Some(name) => table.named(name).ok_or_else(|| said(&format!("no column '{name}'"))),
            None if table.names.len() == 1 => table.column(0).ok_or_else(|| said("no column")),
            None => Err(said("several columns, of which --label must name one")),
        }?;
        let understood = table.understood("object", column.name(), "label");
        common.note(&format!("read {}: {understood}", self.labels.name()));
        Ok(column)
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
