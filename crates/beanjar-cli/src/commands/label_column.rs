//! The flags for the column of labels to predict.

use super::{Reading, column_names};
use crate::Common;
use crate::failure::{Failure, Result};
use beanjar::multiselect::AttributeLabel;
use beanjar::{Column, Judgments};
use beanjar_io::{Source, read_table_with};
use clap::Args;

/// Where the labels to predict are.
#[derive(Args)]
pub(crate) struct LabelColumn {
    /// The labels: a table whose first column is the object; numbers, or names of classes. Without it, --label names an
    /// attribute of the judgments, whose mean is predicted from the others.
    #[arg(long, value_name = "FILE", required_unless_present = "label")]
    pub(crate) labels: Option<Source>,
    /// Which column of the labels to predict, if there are several; without --labels, which attribute.
    #[arg(long, value_name = "NAME")]
    pub(crate) label: Option<String>,
    /// The labels are names of classes, even if they are numbers.
    #[arg(long)]
    pub(crate) classes: bool,
}

/// What a label that is an attribute is the mean of.
pub(crate) struct Averaged {
    /// The attribute.
    pub(crate) of: String,
    /// The variance of the errors of its means.
    pub(crate) noise: f64,
}

impl LabelColumn {
    /// The column of labels, and what it was averaged from where that is an attribute. `wanted` is the one to take where the
    /// user did not name one.
    pub(crate) fn read(
        &self,
        wanted: Option<&str>,
        (judgments, file): (&Judgments, &Source),
        reading: &Reading,
        common: &Common,
    ) -> Result<(Column, Option<Averaged>)> {
        let Some(labels) = &self.labels else {
            let attribute = self.label.as_deref().unwrap_or_default();
            let AttributeLabel { column, noise, .. } =
                AttributeLabel::of(judgments, attribute).map_err(|error| Failure::from(error).of(file))?;
            return Ok((column, Some(Averaged { of: attribute.to_owned(), noise })));
        };
        let table = read_table_with(labels, &reading.options().missing)?;
        let said = |words: &str| {
            let (file, names) = (labels.name(), column_names(&table));
            Failure::Words(format!("{file}: {words}; found {names}"))
        };
        let column = match self.label.as_deref().or(wanted) {
            Some(name) => table.named(name).ok_or_else(|| said(&format!("no column '{name}'"))),
            None if table.names.len() == 1 => table.column(0).ok_or_else(|| said("no column")),
            None => Err(said("several columns, of which --label must name one")),
        }?;
        let understood = table.understood("object", column.name(), "label");
        common.note(&format!("read {}: {understood}", labels.name()));
        Ok((column, None))
    }

    /// An error of the library, said of the file that it is about.
    pub(crate) fn blame(&self, error: beanjar::Error, file: &Source) -> Failure {
        use beanjar::Error;
        match (error, &self.labels) {
            (error @ Error::NothingInCommon { .. }, Some(labels)) => {
                Failure::Words(format!("{} and {}: {error}", file.name(), labels.name()))
            }
            (
                error @ (Error::NoValues { .. } | Error::LabelsUnclear { .. } | Error::ConstantLabel(_)),
                Some(labels),
            ) => Failure::from(error).of(labels),
            (error, _) => Failure::from(error).of(file),
        }
    }
}
