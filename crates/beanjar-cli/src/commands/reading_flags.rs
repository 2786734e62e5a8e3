//! The flags for reading a file of judgments or labels, and what the file was understood to hold.

use crate::Common;
use crate::failure::{Failure, Result};
use beanjar::{Judgments, Labels};
use beanjar_io::{ColumnNames, Data, Kind, Missing, Question, Read, ReadOptions, Role, Source, Wide};
use clap::{Args, ValueEnum};
use std::convert::Infallible;
use std::str::FromStr;

/// How to read a file of judgments or labels.
#[derive(Args)]
pub(crate) struct Reading {
    /// Which columns hold what, where their names do not show it: object=id,worker=rater,label=choice. With
    /// attribute=NAME, labels are answers to several questions, named in that column. A name with a comma stands in
    /// quotes: label="yes, or no".
    #[arg(long, value_name = "ROLE=NAME,...")]
    columns: Option<ColumnNames>,
    /// What the file holds, where its columns do not show it.
    #[arg(long, value_enum)]
    kind: Option<KindName>,
    /// What the columns of a table without a column of labels or values are, where the file does not show it.
    #[arg(long, value_enum)]
    wide: Option<WideName>,
    /// What stands for a missing value in the file, besides nothing, NA, N/A, NaN and null: 999,-99,"don't know".
    #[arg(long, value_name = "VALUE,...", allow_hyphen_values = true)]
    missing: Vec<Listed>,
    /// The order of labels that are not numbers, the lowest first: low,medium,high. One with a comma stands in quotes.
    #[arg(long, value_name = "LABEL,...")]
    order: Vec<Listed>,
    /// Of labels that answer several questions, read only those of this one.
    #[arg(long, value_name = "NAME")]
    question: Option<String>,
}

/// Values between commas; one with a comma in it stands in quotes, which may stand around any.
#[derive(Clone)]
struct Listed(Vec<String>);

impl FromStr for Listed {
    type Err = Infallible;

    fn from_str(text: &str) -> std::result::Result<Self, Infallible> {
        let (mut values, mut rest) = (Vec::new(), Some(text));
        while let Some(text) = rest {
            let (value, behind) = quoted(text.trim_start()).unwrap_or_else(|| match text.split_once(',') {
                Some((value, behind)) => (value.to_owned(), Some(behind)),
                None => (text.to_owned(), None),
            });
            values.push(value);
            rest = behind;
        }
        Ok(Listed(values))
    }
}

/// A value in quotes, those within being doubled, and what is behind the comma after it; none if it is not so.
fn quoted(text: &str) -> Option<(String, Option<&str>)> {
    let inner = text.strip_prefix('"')?;
    let mut at = 0;
    loop {
        at += inner[at..].find('"')? + 1;
        match inner[at..].strip_prefix('"') {
            Some(_) => at += 1,
            None => break,
        }
    }
    let behind = inner[at..].trim_start();
    let behind = if behind.is_empty() { None } else { Some(behind.strip_prefix(',')?) };
    Some((inner[..at - 1].replace("\"\"", "\""), behind))
}

/// The flag for the column of questions, for commands that treat each question on its own.
#[derive(Args, Default)]
pub(crate) struct By {
    /// The column with the question that a row answers, where there are several; each question is treated on its own.
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,
}

impl By {
    /// The options with the column of questions named.
    fn by_question(&self, mut options: ReadOptions) -> ReadOptions {
        if let Some(column) = &self.by {
            options.columns = options.columns.with(Role::Attribute, column);
        }
        options
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum KindName {
    /// Numbers: object,attribute,worker,value.
    Judgments,
    /// Categories: task,worker,label.
    Labels,
}

#[derive(Clone, Copy, ValueEnum)]
enum WideName {
    /// Each is an annotator: task,ann1,ann2.
    Annotators,
    /// Each is a task, and each row an annotator or respondent: worker,photo1,photo2.
    Tasks,
    /// Each is an attribute: object,tall,male.
    Attributes,
    /// Those that differ only in a number are repeats of one attribute: object,happy_1,happy_2.
    Repeats,
}

impl Reading {
    pub(crate) fn options(&self) -> ReadOptions {
        let kind = self.kind.map(|kind| match kind {
            KindName::Judgments => Kind::Judgments,
            KindName::Labels => Kind::Labels,
        });
        let wide = self.wide.map(|wide| match wide {
            WideName::Annotators => Wide::Annotators,
            WideName::Tasks => Wide::Tasks,
            WideName::Attributes => Wide::Attributes,
            WideName::Repeats => Wide::Repeats,
        });
        let missing = Missing::new(self.missing.iter().flat_map(|listed| listed.0.clone()));
        ReadOptions { columns: self.columns.clone().unwrap_or_default(), kind, needed: None, missing, wide }
    }

    /// Reads judgments, and says what the file was understood to hold.
    pub(crate) fn judgments(&self, source: &Source, common: &Common) -> Result<Judgments> {
        judgments_of(self.read_with(&self.needing(Kind::Judgments), source, common)?.data, source)
    }

    /// Reads the labels of one question, and says what the file was understood to hold.
    pub(crate) fn labels(&self, source: &Source, common: &Common) -> Result<Labels> {
        labels_of(self.read_with(&self.needing(Kind::Labels), source, common)?.data, source)
    }

    /// Reads labels, question by question, those that `by` tells apart included.
    pub(crate) fn questions(&self, by: &By, source: &Source, common: &Common) -> Result<Labelled> {
        let options = by.by_question(self.needing(Kind::Labels));
        questions_of(self.read_with(&options, source, common)?.data, source)
    }

    fn needing(&self, kind: Kind) -> ReadOptions {
        ReadOptions { needed: Some(kind), ..self.options() }
    }

    /// Reads labels beside features. If the user's word on the column of ids was meant for the features, labels without such
    /// a column are read by their own names.
    pub(crate) fn labels_beside(&self, source: &Source, for_features: bool, common: &Common) -> Result<Labels> {
        match self.labels(source, common) {
            Err(Failure::Io(beanjar_io::Error::NoSuchColumn { role, .. }))
                if for_features && role == Role::Object.name() =>
            {
                let mut options = self.needing(Kind::Labels);
                options.columns = options.columns.without(Role::Object);
                labels_of(self.read_with(&options, source, common)?.data, source)
            }
            other => other,
        }
    }

    /// Reads judgments or labels, whichever the file holds.
    pub(crate) fn read(&self, by: &By, source: &Source, common: &Common) -> Result<Read> {
        self.read_with(&by.by_question(self.options()), source, common)
    }

    fn read_with(&self, options: &ReadOptions, source: &Source, common: &Common) -> Result<Read> {
        let mut read = beanjar_io::read(source, options, &common.context()?)?;
        common.understood(&source.name(), &read.understood);
        if let Some(wanted) = &self.question {
            read.data = only(read.data, wanted, source)?;
        }
        read.data = as_first_written(read.data, common)?;
        if self.orders() {
            read.data = self.ordered(read.data).map_err(|error| Failure::from(error).of(source))?;
        }
        Ok(read)
    }

    /// Whether the user gave the order of labels.
    pub(crate) fn orders(&self) -> bool {
        !self.order.is_empty()
    }

    /// Labels with their classes in the order that the user gave; of several questions, those that have such classes.
    fn ordered(&self, data: Data) -> beanjar::Result<Data> {
        let order: Vec<&str> = self.order.iter().flat_map(|listed| &listed.0).map(|label| label.trim()).collect();
        Ok(match data {
            Data::Labels(labels) => Data::Labels(labels.in_order(&order)?),
            Data::Questions(mut questions) => {
                let ordered: Vec<_> = questions.iter().map(|question| question.labels.in_order(&order)).collect();
                if let (Some(Err(error)), false) = (ordered.first(), ordered.iter().any(std::result::Result::is_ok)) {
                    return Err(error.clone());
                }
                for (question, ordered) in questions.iter_mut().zip(ordered) {
                    question.labels = ordered.unwrap_or_else(|_| question.labels.clone());
                }
                Data::Questions(questions)
            }
            Data::Judgments(judgments) => Data::Judgments(judgments),
        })
    }
}

/// Labels with true and false as the first file of the command has them.
fn as_first_written(data: Data, common: &Common) -> Result<Data> {
    Ok(match data {
        Data::Labels(labels) => Data::Labels(common.labels_as_first_written(labels)?),
        Data::Questions(questions) => {
            let as_first = |Question { name, labels }: Question| {
                Ok(Question { name, labels: common.labels_as_first_written(labels)? })
            };
            Data::Questions(questions.into_iter().map(as_first).collect::<Result<_>>()?)
        }
        judgments => judgments,
    })
}

/// The labels of one question.
fn only(data: Data, wanted: &str, source: &Source) -> Result<Data> {
    let Data::Questions(mut questions) = data else {
        let words = "the file has no column of questions; name it with --columns attribute=NAME";
        return Err(Failure::Words(format!("{}: {words}", source.name())));
    };
    match questions.iter().position(|question| question.name == wanted) {
        Some(at) => Ok(Data::Labels(questions.swap_remove(at).labels)),
        None => {
            let (file, names) = (source.name(), names(&questions));
            Err(Failure::Words(format!("{file}: no question '{wanted}'; found {names}")))
        }
    }
}

/// The first few questions, by name.
fn names(questions: &[Question]) -> String {
    const MOST: usize = 5;
    let shown: Vec<String> = questions.iter().take(MOST).map(|question| format!("'{}'", question.name)).collect();
    let more = if questions.len() > MOST { format!(" and {} more", questions.len() - MOST) } else { String::new() };
    shown.join(", ") + &more
}

/// The judgments in a table, or an error if it holds labels.
fn judgments_of(data: Data, file: &Source) -> Result<Judgments> {
    match data {
        Data::Judgments(judgments) => Ok(judgments),
        Data::Labels(_) | Data::Questions(_) => Err(Failure::Words(format!(
            "{}: this file holds labels, and judgments are needed (object,attribute,worker,value); if its labels are numbers, say --kind judgments",
            file.name()
        ))),
    }
}

/// The labels in a table, or an error if it holds judgments or the answers to several questions.
fn labels_of(data: Data, file: &Source) -> Result<Labels> {
    let questions = questions_of(data, file)?;
    match questions {
        Labelled::One(labels) => Ok(*labels),
        Labelled::Each(questions) => Err(Failure::Words(format!(
            "{}: the labels answer {} questions, and those of one are needed; choose it with --question: {}",
            file.name(),
            questions.len(),
            names(&questions)
        ))),
    }
}

/// Labels, or those of each of several questions.
pub(crate) enum Labelled {
    One(Box<Labels>),
    Each(Vec<Question>),
}

/// The labels in a table, question by question, or an error if it holds judgments.
fn questions_of(data: Data, file: &Source) -> Result<Labelled> {
    match data {
        Data::Labels(labels) => Ok(Labelled::One(Box::new(labels))),
        Data::Questions(questions) => Ok(Labelled::Each(questions)),
        Data::Judgments(_) => Err(Failure::Words(format!(
            "{}: this file holds judgments, and labels are needed (task,worker,label); if its values are classes, say --kind labels, with a column for each annotator --wide annotators, or for each task --wide tasks",
            file.name()
        ))),
    }
}
