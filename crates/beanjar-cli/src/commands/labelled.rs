//! What several commands share: labels for judged objects, and a selection to work by.

use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::count;
use beanjar::multiselect::{CodedLabels, code_labels};
use beanjar::{Dictionary, Judgments};
use beanjar_io::{Data, Source, Table, read_table};
use clap::Args;
use serde::Deserialize;

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

/// Labels of judged objects.
pub(crate) struct Known {
    pub(crate) name: String,
    pub(crate) coded: CodedLabels,
}

impl Labelled {
    /// The label of each object of the table. `wanted` is the column to take where the user did not say.
    pub(crate) fn load(
        &self,
        file: &Source,
        objects: &Dictionary,
        wanted: Option<&str>,
        common: &Common,
    ) -> Result<Known> {
        let table = read_table(&self.labels)?;
        let column = self.column(&table, wanted)?;
        let rows = matched(file, objects, "object", &self.labels, &table, column)?;
        let texts: Vec<&str> =
            rows.iter().map(|row| row.map_or("", |row| table.columns[column][row].as_str())).collect();
        let without = texts.iter().filter(|text| text.is_empty()).count();
        if without > 0 {
            common.warn(&format!("{} without a label in {}", count(without, "object"), self.labels.name()));
        }
        let coded = code_labels(&texts).map_err(|error| Failure::from(error).of(&self.labels))?;
        Ok(Known { name: table.names[column].clone(), coded })
    }

    fn column(&self, table: &Table, wanted: Option<&str>) -> Result<usize> {
        let names = || table.names.join(", ");
        match self.label.as_deref().or(wanted) {
            Some(name) => table.names.iter().position(|other| other == name).ok_or_else(|| {
                Failure::Words(format!("{}: no column '{name}'; found {}", self.labels.name(), names()))
            }),
            None if table.names.len() == 1 => Ok(0),
            None => Err(Failure::Words(format!(
                "{}: several columns, {}; say which with --label",
                self.labels.name(),
                names()
            ))),
        }
    }
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

/// The sentence for two tables that do not speak of the same things.
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

/// A selection that `select` wrote as JSON, or a table of attribute,judgments.
#[derive(Deserialize)]
pub(crate) struct Chosen {
    pub(crate) selection: Vec<ChosenAttribute>,
    #[serde(default)]
    pub(crate) label: Option<ChosenLabel>,
    #[serde(default)]
    pub(crate) ridge: f64,
}

#[derive(Deserialize)]
pub(crate) struct ChosenAttribute {
    pub(crate) attribute: String,
    pub(crate) judgments: u32,
    #[serde(default = "one")]
    pub(crate) cost: f64,
}

#[derive(Deserialize)]
pub(crate) struct ChosenLabel {
    pub(crate) name: String,
}

fn one() -> f64 {
    1.0
}

impl Chosen {
    pub(crate) fn load(source: &Source) -> Result<Chosen> {
        let is_json =
            matches!(source, Source::File(path) if path.extension().is_some_and(|extension| extension == "json"));
        let chosen = if is_json { Self::from_json(source)? } else { Self::from_table(source)? };
        match chosen.selection.iter().any(|attribute| attribute.judgments > 0) {
            true => Ok(chosen),
            false => Err(Failure::Words(format!("{}: the selection asks for no judgment at all", source.name()))),
        }
    }

    fn from_json(source: &Source) -> Result<Chosen> {
        let bytes = super::bytes_of(source)?;
        serde_json::from_slice(&bytes).map_err(|error| {
            Failure::Words(format!(
                "{}, line {}: not a selection as 'beanjar select --out FILE.json' writes it",
                source.name(),
                error.line()
            ))
        })
    }

    fn from_table(source: &Source) -> Result<Chosen> {
        let table = read_table(source)?;
        let column = |name: &str| table.names.iter().position(|other| other == name);
        let Some(judgments) = column("judgments") else {
            let names = table.names.join(", ");
            return Err(Failure::Words(format!("{}: no column 'judgments'; found {names}", source.name())));
        };
        let cost = column("cost");
        let number = |row: usize, column: usize| {
            let text = &table.columns[column][row];
            text.trim().parse().map_err(|_| {
                let (id, name) = (table.ids.get(row), &table.names[column]);
                Failure::Words(format!("{}: '{text}' for '{id}' in column '{name}' is not a number", source.name()))
            })
        };
        let selection = table.ids.iter().enumerate().map(|(row, attribute)| {
            let judgments: f64 = number(row, judgments)?;
            if judgments < 0.0 || judgments.fract() != 0.0 || judgments > f64::from(u32::MAX) {
                let said = format!("{}: {judgments} judgments of '{attribute}' is not a whole number", source.name());
                return Err(Failure::Words(said));
            }
            let cost = cost.map_or(Ok(1.0), |column| number(row, column))?;
            Ok(ChosenAttribute { attribute: attribute.to_owned(), judgments: judgments as u32, cost })
        });
        Ok(Chosen { selection: selection.collect::<Result<_>>()?, label: None, ridge: 0.0 })
    }
}
