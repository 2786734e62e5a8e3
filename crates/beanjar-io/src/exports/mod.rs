//! Exports of annotation tools and crowd platforms, recognised by what is in them, as long tables.

mod annotators_within;
mod answers;
mod argilla;
mod doccano;
mod json_records;
mod label_studio;
mod label_studio_predictions;
mod labelbox;
mod listed_text;
mod mturk;
mod pairwise;
mod prodigy;
mod questions;
mod several_a_task;
mod survey;
mod toloka;

pub(crate) use answers::{joined, joined_list};
pub(crate) use json_records::{from_json, has_table, table};
pub use label_studio_predictions::write_label_studio_predictions;
pub use pairwise::PositionBias;
pub(crate) use pairwise::has_pairs;
pub(crate) use questions::Questions;
pub(crate) use several_a_task::{Apart, Join};
pub(crate) use survey::{may_be as may_be_survey, read as survey};

use serde_json::{Map, Value};

/// A table that is held in memory: what became of an export, of JSON, or of a spreadsheet.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Held {
    /// The program whose export it was.
    pub(crate) tool: Option<&'static str>,
    /// What its columns were called there.
    pub(crate) keys: Option<Keys>,
    pub(crate) names: Vec<String>,
    /// The values of each column; a missing one is empty.
    pub(crate) columns: Vec<Vec<String>>,
    /// What was left out or changed, a clause each.
    pub(crate) notes: Vec<String>,
    /// How often each judge chose what stood first, of verdicts on pairs.
    pub(crate) positions: Vec<PositionBias>,
}

/// What an export calls that which became columns of a long table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Keys {
    pub(crate) task: String,
    pub(crate) worker: String,
    /// The questions that were answered, where they have names.
    pub(crate) questions: Vec<String>,
    /// Of a survey: the columns that are tasks.
    pub(crate) tasks: Vec<String>,
}

impl Held {
    pub(crate) fn rows(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// The number of a column.
    fn at(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| other == name)
    }

    /// The values of a column.
    pub(crate) fn column(&self, name: &str) -> Option<&[String]> {
        Some(&self.columns[self.at(name)?])
    }
}

/// A record of a JSON export.
pub(crate) type Record = Map<String, Value>;

/// A tool's exports of records: how to recognise one, and how to read it.
struct Tool {
    is_export: fn(&Record) -> bool,
    read: fn(&[Record]) -> Result<Held, String>,
}

const TOOLS: [Tool; 6] = [
    Tool { is_export: label_studio::is_export, read: label_studio::read },
    Tool { is_export: prodigy::is_export, read: prodigy::read },
    Tool { is_export: labelbox::is_export, read: labelbox::read },
    Tool { is_export: argilla::is_export, read: argilla::read },
    // Before doccano, whose lists of labels do not say whose they are.
    Tool { is_export: annotators_within::is_export, read: annotators_within::read },
    Tool { is_export: doccano::is_export, read: doccano::read },
];

/// How many records are looked at to see whose they are.
pub(crate) const SEVERAL: usize = 100;

/// The export that these records are, as a long table; an error says in a clause why it cannot be one.
fn from_records(records: &[Record]) -> Option<Result<Held, String>> {
    // Those that nobody has answered yet do not show whose they are.
    let first = &records[..records.len().min(SEVERAL)];
    TOOLS.iter().find(|tool| first.iter().any(tool.is_export)).map(|tool| (tool.read)(records))
}

/// Whether a record is of an export that has to be read as a whole.
pub(crate) fn is_export(record: &Record) -> bool {
    TOOLS.iter().any(|tool| (tool.is_export)(record))
}

/// Whether a table with these columns is an export that has to be read as a whole.
pub(crate) fn is_table(names: &[String]) -> bool {
    mturk::is_export(names) || toloka::is_export(names) || label_studio::is_flat(names)
}

/// Whether a table of texts with these columns is an export in which lists were written as texts.
pub(crate) fn has_listed_texts(names: &[String]) -> bool {
    argilla::is_flat(names)
}

/// Whether some rows hold verdicts on pairs.
pub(crate) fn are_pairs(table: &Held) -> bool {
    pairwise::read(table).is_some()
}

/// The export that a table of such columns is, as a long table; none if it is a table like any other.
pub(crate) fn from_table(table: &Held) -> Option<Result<Held, String>> {
    if mturk::is_export(&table.names) {
        return Some(mturk::read(table));
    }
    if toloka::is_export(&table.names) {
        return Some(toloka::read(table));
    }
    if label_studio::is_flat(&table.names) {
        return Some(label_studio::read_flat(table));
    }
    if argilla::is_flat(&table.names) {
        return Some(argilla::read_flat(table));
    }
    let apart = several_a_task::made_distinct(table);
    pairwise::read(apart.as_ref().unwrap_or(table)).or(apart.map(Ok))
}
