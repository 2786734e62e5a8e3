//! From files to tables: cut into blocks, decode in parallel, code, group.

mod cell_text;
mod columnar;
mod cut;
mod delimited;
mod input;
mod jsonl;
mod judgments;
mod labels;
mod rows;

pub(crate) use input::Input;
pub(crate) use rows::{Number, Rows};

use crate::columns::{ColumnNames, Header, Role};
use crate::error::shown;
use crate::{Error, Result, Source};
use beanjar::{Context, Judgments, Labels};
use std::sync::Arc;

/// Told of every number of bytes read, as they are read.
pub type Progress = Arc<dyn Fn(u64) + Send + Sync>;

/// How to read.
#[derive(Clone, Default)]
pub struct ReadOptions {
    /// Which columns hold what, where the names do not tell.
    pub columns: ColumnNames,
    /// What the file holds, where its columns do not tell.
    pub kind: Option<Kind>,
    /// The threads to use.
    pub context: Context,
    /// Whom to tell how far it is.
    pub progress: Option<Progress>,
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
#[derive(Debug)]
pub struct Read {
    /// The table.
    pub data: Data,
    /// How many rows were left out because something in them was missing; in the wide form, how many cells.
    pub incomplete: usize,
    /// Whether there was a column for each attribute.
    pub wide: bool,
}

/// A table of either kind.
#[derive(Debug)]
pub enum Data {
    /// Numbers.
    Judgments(Judgments),
    /// Categories.
    Labels(Labels),
}

/// Reads a file of judgments or labels.
///
/// Judgments may be long (`object,attribute,worker,value`) or wide (one row per object and worker, one column per
/// attribute). A judgment file without an attribute column has one attribute, called as its value column is. Cost:
/// O(bytes); memory: the table, a dictionary of ids per thread, and a few blocks of text.
pub fn read(source: &Source, options: &ReadOptions) -> Result<Read> {
    let input = Input::open(source, options.progress.clone())?;
    let (file, names) = (input.file.clone(), input.names.clone());
    let place = input.header_place();
    let header = Header { place: &place, file: &file, names: &names, given: &options.columns };
    match kind(&header, options.kind)? {
        Kind::Labels => labels::read(input, &header, &options.context),
        Kind::Judgments => judgments::read(input, &header, &options.context),
    }
}

pub(crate) fn kind(header: &Header<'_>, given: Option<Kind>) -> Result<Kind> {
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
