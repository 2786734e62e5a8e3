//! From one file format to another.

use crate::class_names::is_plain_number;
use crate::column_roles::{Header, Role, role_of};
use crate::error::shown;
use crate::read::{Data, Input, Question, ReadOptions, Rows, Wide, read};
use crate::write::{Cell, ColumnType, TableWriter};
use crate::{Error, Result, Source};
use beanjar::judgments::{ANONYMOUS, ObjectJudgments};
use beanjar::{Context, Judgments};
use std::collections::HashMap;
use std::path::Path;

/// How a converted table is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// As it was, columns and all.
    #[default]
    Same,
    /// One row per judgment or label.
    Long,
    /// Of judgments: one row per object and worker, one column per attribute.
    Wide,
}

/// How a converted table is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// How judgments are laid out.
    pub form: Form,
    /// Whether texts in CSV and TSV that a spreadsheet would take for a formula are made [`harmless`](crate::harmless).
    pub safe: bool,
}

/// Begins the table with these columns.
type Create<'a> = &'a dyn Fn(&[(&str, ColumnType)]) -> Result<TableWriter>;

/// What was converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Converted {
    /// How many rows were written.
    pub rows: usize,
    /// How many rows or cells were left out because something in them was missing.
    pub incomplete: usize,
}

/// Writes what is in `source` to `path`, in the format that its name shows.
///
/// In the same form every column is kept, ids and labels as text; a column of another role is a column of numbers if
/// all its values are numbers that a double holds. Missing values come out empty, or null where the format has that.
/// In another form, only judgments or labels are kept. A survey becomes a long table.
pub fn convert(
    source: &Source,
    path: &Path,
    layout: Layout,
    options: &ReadOptions,
    context: &Context,
) -> Result<Converted> {
    let Layout { form, safe } = layout;
    // A column for each annotator makes rows of the long form, if the user says that there are such.
    let form = if form == Form::Same && options.wide == Some(Wide::Annotators) { Form::Long } else { form };
    let create: Create<'_> = &|columns| match safe {
        true => TableWriter::create_safe(path, columns, &[source]),
        false => TableWriter::create(path, columns, &[source]),
    };
    if form == Form::Same {
        return Ok(Converted { rows: same(source, create, options, context)?, incomplete: 0 });
    }
    let read = read(source, options, context)?;
    let rows = match (read.data, form) {
        (Data::Judgments(judgments), Form::Wide) => wide(&judgments, source, create)?,
        (Data::Judgments(judgments), _) => long(&judgments, create)?,
        (Data::Labels(labels), Form::Long) => long_labels(&[Question { name: String::new(), labels }], create)?,
        (Data::Questions(questions), Form::Long) => long_labels(&questions, create)?,
        (Data::Labels(_) | Data::Questions(_), _) => return Err(Error::NotJudgments { file: source.name() }),
    };
    Ok(Converted { rows, incomplete: read.incomplete })
}

fn same(source: &Source, create: Create<'_>, options: &ReadOptions, context: &Context) -> Result<usize> {
    let open = || Ok(Input::open_with(source, options, context)?.strict().nested_as_text());
    let input: Input = open()?;
    let place = input.header_place();
    let kept: Vec<usize> = (0..input.names.len()).filter(|&column| !input.is_joined(column)).collect();
    let names: Vec<String> = kept.iter().map(|&column| input.names[column].clone()).collect();
    let schema: Option<Vec<bool>> = input
        .schema
        .as_ref()
        .map(|schema| kept.iter().map(|&column| schema.field(column).data_type().is_numeric()).collect());
    let header = Header { place: &place, file: &source.name(), names: &names, given: &options.columns };
    let mut types = likely_types(&header, schema.as_deref());

    // What a column holds is known at its end. A file is then read again; a pipe cannot be, and is held.
    let mut held = Vec::new();
    input.for_each(&kept, |rows| {
        narrow(&mut types, &rows);
        if !source.can_be_read_again() {
            held.push(rows);
        }
        Ok(())
    })?;
    let columns: Vec<(&str, ColumnType)> = names.iter().map(String::as_str).zip(types.iter().copied()).collect();
    let mut writer = create(&columns)?;
    let mut write = |rows: &Rows| {
        let values: Vec<Vec<&str>> = (0..kept.len()).map(|column| rows.column(column)).collect();
        let mut cells = Vec::with_capacity(kept.len());
        for row in 0..rows.len() {
            cells.clear();
            cells.extend(values.iter().zip(&types).map(|(column, kind)| cell(column[row], *kind)));
            writer.row(&cells)?;
        }
        Ok(())
    };
    match source.can_be_read_again() {
        true => open()?.for_each(&kept, |rows| write(&rows))?,
        false => held.iter().try_for_each(&mut write)?,
    }
    writer.finish()
}

/// Ids and labels are text, and so is what a typed file does not call a number. Another column holds numbers until a
/// value says otherwise.
fn likely_types(header: &Header<'_>, numeric: Option<&[bool]>) -> Vec<ColumnType> {
    let mut types: Vec<ColumnType> = match numeric {
        Some(numeric) => {
            numeric.iter().map(|&numeric| if numeric { ColumnType::Number } else { ColumnType::Text }).collect()
        }
        None => vec![ColumnType::Number; header.names.len()],
    };
    for (name, kind) in header.names.iter().zip(&mut types) {
        if header.given.role_of(name).or(role_of(name)).is_some_and(|role| role != Role::Value) {
            *kind = ColumnType::Text;
        }
    }
    types
}

fn narrow(types: &mut [ColumnType], rows: &Rows) {
    for (column, kind) in types.iter_mut().enumerate().filter(|(_, kind)| **kind == ColumnType::Number) {
        if !rows.column(column).into_iter().all(|text| text.is_empty() || is_plain_number(text)) {
            *kind = ColumnType::Text;
        }
    }
}

fn cell(text: &str, kind: ColumnType) -> Cell<'_> {
    match kind {
        _ if text.is_empty() => Cell::Missing,
        ColumnType::Text => Cell::Text(text),
        ColumnType::Number => text.trim().parse().map_or(Cell::Missing, Cell::Number),
    }
}

fn worker<'a>(judgments: &'a Judgments, code: Option<&u32>) -> Cell<'a> {
    match code {
        Some(&code) if code != ANONYMOUS => Cell::Text(judgments.workers.get(code as usize)),
        _ => Cell::Missing,
    }
}

fn long(judgments: &Judgments, create: Create<'_>) -> Result<usize> {
    let mut columns = vec![("object", ColumnType::Text), ("attribute", ColumnType::Text)];
    if !judgments.workers.is_empty() {
        columns.push(("worker", ColumnType::Text));
    }
    columns.push(("value", ColumnType::Number));
    let mut writer = create(&columns)?;
    for (code, object) in judgments.objects.iter().enumerate() {
        for (attribute, workers, values) in judgments.of(code).by_attribute() {
            for (row, &value) in values.iter().enumerate() {
                let mut cells = vec![Cell::Text(object), Cell::Text(judgments.attributes.get(attribute))];
                if !judgments.workers.is_empty() {
                    cells.push(worker(judgments, workers.get(row)));
                }
                cells.push(Cell::Number(value));
                writer.row(&cells)?;
            }
        }
    }
    writer.finish()
}

/// Labels task by task; of several questions, each with its name.
fn long_labels(questions: &[Question], create: Create<'_>) -> Result<usize> {
    let mut names = vec!["task", "worker", "label"];
    if questions.len() > 1 {
        names.insert(1, "attribute");
    }
    let columns: Vec<(&str, ColumnType)> = names.into_iter().map(|name| (name, ColumnType::Text)).collect();
    let mut writer = create(&columns)?;
    for Question { name, labels } in questions {
        for (code, task) in labels.tasks.iter().enumerate() {
            for (worker, class) in labels.votes(code).iter() {
                let mut cells = vec![task, labels.workers.get(worker), labels.classes.get(class)];
                if questions.len() > 1 {
                    cells.insert(1, name);
                }
                writer.row(&cells.into_iter().map(Cell::Text).collect::<Vec<_>>())?;
            }
        }
    }
    writer.finish()
}

fn wide(judgments: &Judgments, source: &Source, create: Create<'_>) -> Result<usize> {
    let with_workers = !judgments.workers.is_empty();
    let mut columns = vec![("object", ColumnType::Text)];
    if with_workers {
        columns.push(("worker", ColumnType::Text));
    }
    let first = columns.len();
    columns.extend(judgments.attributes.iter().map(|attribute| (attribute, ColumnType::Number)));
    for name in judgments.attributes.iter() {
        if let Some(role) = role_of(name) {
            return Err(Error::NoColumnFor { file: source.name(), name: shown(name), role: role.name() });
        }
    }
    let mut writer = create(&columns)?;
    for (code, object) in judgments.objects.iter().enumerate() {
        for (who, values) in wide_rows(judgments.of(code)) {
            let mut cells = vec![Cell::Missing; columns.len()];
            cells[0] = Cell::Text(object);
            if with_workers {
                cells[1] = worker(judgments, Some(&who));
            }
            for (attribute, value) in values {
                cells[first + attribute] = Cell::Number(value);
            }
            writer.row(&cells)?;
        }
    }
    writer.finish()
}

/// A worker and one judgment of each of some attributes.
type WideRow = (u32, Vec<(usize, f64)>);

/// One object's judgments, a row per worker; one who judged an attribute again has a further row for it.
fn wide_rows(object: ObjectJudgments<'_>) -> Vec<WideRow> {
    let mut rows: Vec<WideRow> = Vec::new();
    let mut rows_of: HashMap<u32, Vec<usize>> = HashMap::new();
    for (attribute, workers, values) in object.by_attribute() {
        let mut judged: HashMap<u32, usize> = HashMap::new();
        for (i, &value) in values.iter().enumerate() {
            let who = workers.get(i).copied().unwrap_or(ANONYMOUS);
            let (own, before) = (rows_of.entry(who).or_default(), judged.entry(who).or_default());
            if *before == own.len() {
                own.push(rows.len());
                rows.push((who, Vec::new()));
            }
            rows[own[*before]].1.push((attribute, value));
            *before += 1;
        }
    }
    rows
}
