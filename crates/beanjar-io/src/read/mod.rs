//! From files to tables: cut into blocks, decode in parallel, code, group.

pub(crate) mod above_header;
mod arrow_lengths;
mod cell_text;
mod columnar;
mod columnar_records;
mod decimals;
mod decoded_rows;
mod delimited;
mod doubtful;
mod input;
mod int128;
mod jsonl;
mod judgments;
mod labels;
mod missing;
mod parquet_lengths;
mod text_pieces;
mod thrift;
mod time_spans;
mod wanted_columns;
pub(crate) mod wide;

pub(crate) use decimals::Decimals;
pub(crate) use decoded_rows::{Number, Rows};
pub(crate) use input::Input;
pub use missing::Missing;
pub(crate) use wanted_columns::Float32;
pub use wide::Wide;

use crate::column_roles::{ColumnNames, Header, Role};
use crate::error::shown;
use crate::exports::{PositionBias, Questions};
use crate::{Error, Result, Source, Understood};
use beanjar::{Context, Judgments, Labels};

/// How to read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// Which columns hold what, where their names do not show it.
    pub columns: ColumnNames,
    /// What the file holds, where its columns do not show it.
    pub kind: Option<Kind>,
    /// What is needed of a file that could hold either.
    pub needed: Option<Kind>,
    /// What stands for a missing value in this file, besides an empty text, NA, N/A, NaN and null.
    pub missing: Missing,
    /// What the columns of a wide table are, where the file does not show it.
    pub wide: Option<Wide>,
}

/// The two kinds of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Numbers: object, attribute, worker, value.
    Judgments,
    /// Categories: task, worker, label.
    Labels,
}

/// What was in a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Read {
    /// The table.
    pub data: Data,
    /// How many rows were left out because something in them was missing; in the wide form, how many cells.
    pub incomplete: usize,
    /// What the file was understood to hold.
    pub understood: Understood,
    /// Of verdicts on pairs: how often each judge chose what stood first.
    pub positions: Vec<PositionBias>,
}

/// A table of either kind.
#[derive(Clone, Debug)]
pub enum Data {
    /// Numbers.
    Judgments(Judgments),
    /// Categories.
    Labels(Labels),
    /// Categories, in answer to several questions.
    Questions(Vec<Question>),
}

/// The labels that answer one of several questions.
#[derive(Clone, Debug)]
pub struct Question {
    /// Which question.
    pub name: String,
    /// Its labels.
    pub labels: Labels,
}

/// Reads a file of judgments or labels.
///
/// Judgments may be long (`object,attribute,worker,value`) or wide (one row per object and worker, one column per
/// attribute). Labels with a column of attributes are those of several questions. A judgment file without an attribute
/// column has one attribute, called as its value column is. Cost: O(bytes); memory: the table, a dictionary of ids per thread, and a few blocks of text.
pub fn read(source: &Source, options: &ReadOptions, context: &Context) -> Result<Read> {
    let input = Input::open_with(source, options, context)?.missing(&options.missing);
    let (input, question) = with_questions(input, source, options)?;
    let (file, names) = (input.file.clone(), input.names.clone());
    let place = input.header_place();
    if names.is_empty() {
        return Err(Error::NoTable {
            file: place,
            problem: "no object column, nor any other: the table is empty".into(),
        });
    }
    // Of a survey the respondents have a column of their own by now.
    let is_survey = input.is_survey();
    let given = if is_survey { options.columns.clone().without(Role::Worker) } else { options.columns.clone() };
    let given = question.map_or(given.clone(), |question| given.with(Role::Label, question));
    let header = Header { place: &place, file: &file, names: &names, given: &given };
    let (tool, keys) = (input.tool, input.keys.clone());
    let (notes, positions) = (input.notes.clone(), input.positions.clone());
    let joined: Vec<&String> = (0..names.len()).filter(|&column| input.is_joined(column)).map(|i| &names[i]).collect();
    let mut read = match wide::matrix(&input, &header, options)? {
        Some(matrix) if matrix.kind == Kind::Labels => labels::read_matrix(input, &header, &matrix, context),
        Some(matrix) => judgments::read_matrix(input, &header, &matrix, context),
        None => match kind_of(&input, &header, options)? {
            Kind::Labels => labels::read(input, &header, context),
            Kind::Judgments => judgments::read(input, &header, options.wide, context),
        },
    }?;
    read.understood.tool = tool;
    if let Some(keys) = keys {
        read.understood.in_words_of(keys);
    }
    read.understood.ignored.retain(|name| !joined.contains(&name));
    read.understood.notes.splice(0..0, notes);
    read.positions = positions;
    Ok(read)
}

/// Where each row is what a worker says of a task, in columns of words: the long table of several questions, or the table as it
/// is and the name of the only one.
fn with_questions(input: Input, source: &Source, options: &ReadOptions) -> Result<(Input, Option<String>)> {
    let answers = [Role::Label, Role::Value, Role::Attribute];
    let is_other = options.kind.or(options.needed) == Some(Kind::Judgments)
        || options.wide.is_some()
        || answers.into_iter().any(|role| options.columns.has(role));
    let names = input.names.clone();
    let header = Header { place: "", file: "", names: &names, given: &options.columns };
    if is_other || !Questions::may_be(&header) {
        return Ok((input, None));
    }
    match input.sample().and_then(|sample| Questions::of(&sample, &header)) {
        None => Ok((input, None)),
        Some(questions) => match &questions.columns[..] {
            [one] => Ok((input, Some(one.clone()))),
            _ => Ok((input.with_rows_of(source, &questions)?.missing(&options.missing), None)),
        },
    }
}

/// The kind of data. Where a column could hold labels and another values, labels that are texts of one's own explain the values;
/// else what is needed is taken.
fn kind_of(input: &Input, header: &Header<'_>, options: &ReadOptions) -> Result<Kind> {
    match kind(header, options.kind) {
        Err(unclear @ Error::UnclearKind { .. }) => {
            let explains = |label: usize| input.sample().is_some_and(|sample| wide::is_explanation(&sample, label));
            match header.find(Role::Label)?.is_some_and(explains) {
                true => Ok(Kind::Judgments),
                false => options.needed.ok_or(unclear),
            }
        }
        other => other,
    }
}

fn kind(header: &Header<'_>, given: Option<Kind>) -> Result<Kind> {
    let column = |role| header.find(role);
    match (given, column(Role::Label)?, column(Role::Value)?) {
        (Some(kind), ..) => Ok(kind),
        (None, Some(_), Some(_)) if header.given.has(Role::Label) != header.given.has(Role::Value) => {
            Ok(if header.given.has(Role::Label) { Kind::Labels } else { Kind::Judgments })
        }
        (None, Some(_), None) => Ok(Kind::Labels),
        (None, None, _) => Ok(Kind::Judgments),
        (None, Some(_), Some(_)) if column(Role::Attribute)?.is_some() => Ok(Kind::Judgments),
        (None, Some(label), Some(value)) => Err(Error::UnclearKind {
            file: header.place.into(),
            label: shown(&header.names[label]),
            value: shown(&header.names[value]),
        }),
    }
}
