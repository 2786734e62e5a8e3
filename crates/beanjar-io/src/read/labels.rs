//! Rows of task, worker, label; with a column of questions, a table for each question.

use super::doubtful::{nearly_alike, one_label_each, other_tasks};
use super::wide::Matrix;
use super::{Data, Input, Question, Read, Rows};
use crate::class_names::with_one_name_each;
use crate::column_roles::{Header, Role};
use crate::{Error, Result, Understood};
use beanjar::judgments::LabelsPart;
use beanjar::{Context, Labels, counted};
use std::collections::HashMap;

#[derive(Default)]
struct Part {
    labels: LabelsPart,
    /// With a column of questions: of each its labels, and where it was first seen.
    questions: HashMap<String, (Place, LabelsPart)>,
    incomplete: usize,
    /// Rows that are the header once more, as where files were put one behind the other.
    headers: usize,
}

/// A block and a row in it.
type Place = (u32, usize);

pub(super) fn read(input: Input, header: &Header<'_>, context: &Context) -> Result<Read> {
    // Where the user asks for labels, they may be in a column of values.
    let label = header.find(Role::Label)?.map_or_else(|| header.find(Role::Value), |label| Ok(Some(label)))?;
    let label = label.map_or_else(|| header.need(Role::Label), Ok)?;
    let (task, worker, question) =
        (header.need(Role::Object)?, header.need(Role::Worker)?, header.find(Role::Attribute)?);
    let roles = [
        (Role::Object, Some(task)),
        (Role::Worker, Some(worker)),
        (Role::Label, Some(label)),
        (Role::Attribute, question),
    ];
    header.apart(&roles)?;
    let mut used = vec![(task, "task"), (worker, "worker"), (label, "label")];
    used.extend(question.map(|question| (question, "question")));
    let mut understood = Understood::of(header.names, &used);

    let kept: Vec<usize> = used.iter().map(|(column, _)| *column).collect();
    let data = |source| Error::Data { file: header.file.into(), source };
    let asked = question.is_some();
    let other = if asked || input.tool.is_some() { None } else { other_tasks(&input, [task, worker, label]) };
    let names: Vec<&str> = kept.iter().map(|&column| header.names[column].as_str()).collect();
    let parts = input.read(&kept, context, |part: &mut Part, rows| part.take(rows, &names).map_err(data))?;
    let incomplete = parts.iter().map(|part| part.incomplete).sum();
    understood.notes.extend(header_again(parts.iter().map(|part| part.headers).sum()));
    if incomplete > 0 {
        understood.notes.push(format!("{} with a missing value left out", counted(incomplete, "row")));
    }
    let mut tables = match asked {
        true => by_question(parts, context).map_err(data)?,
        false => {
            let parts = parts.into_iter().map(|part| part.labels).collect();
            vec![Question { name: String::new(), labels: Labels::from_parts(parts, context).map_err(data)? }]
        }
    };
    if tables.iter().all(|table| table.labels.is_empty()) {
        return Err(data(beanjar::Error::Empty("row with a task, a worker and a label")));
    }
    for table in &mut tables {
        if let Some((labels, note)) = with_one_name_each(&table.labels).map_err(data)? {
            table.labels = labels;
            understood.notes.push(note);
        }
    }
    understood.notes.dedup();
    if let [Question { labels, .. }] = &tables[..] {
        understood.notes.extend(one_label_each(labels, other.as_deref()));
        understood.notes.extend(nearly_alike(labels));
    }
    let data = match tables.len() {
        1 => Data::Labels(tables.remove(0).labels),
        _ => Data::Questions(tables),
    };
    Ok(Read { data, incomplete, understood, positions: Vec::new() })
}

/// Reads a table with a column for each annotator.
pub(super) fn read_matrix(input: Input, header: &Header<'_>, matrix: &Matrix, context: &Context) -> Result<Read> {
    let names: Vec<String> = matrix.annotators.iter().map(|&column| header.names[column].clone()).collect();
    let kept: Vec<usize> = std::iter::once(matrix.object).chain(matrix.annotators.iter().copied()).collect();
    let data = |source| Error::Data { file: header.file.into(), source };
    let object = &header.names[matrix.object];
    let take = |part: &mut Part, rows: &Rows| part.take_matrix(rows, object, &names).map_err(data);
    let parts = input.strict().read(&kept, context, take)?;
    let incomplete = parts.iter().map(|part| part.incomplete).sum();
    let headers = parts.iter().map(|part| part.headers).sum();
    let parts = parts.into_iter().map(|part| part.labels).collect();
    let mut labels = Labels::from_parts(parts, context).map_err(data)?;
    if labels.is_empty() {
        return Err(data(beanjar::Error::Empty("cell with a label")));
    }
    let mut understood = Understood::of(header.names, &[(matrix.object, "task")]).with_many("annotators", names);
    understood.notes.extend(header_again(headers));
    if incomplete > 0 {
        understood.notes.push(format!("{} without a value left out", counted(incomplete, "cell")));
    }
    if let Some((alike, note)) = with_one_name_each(&labels).map_err(data)? {
        labels = alike;
        understood.notes.push(note);
    }
    understood.notes.extend(nearly_alike(&labels));
    Ok(Read { data: Data::Labels(labels), incomplete, understood, positions: Vec::new() })
}

/// A table for each question, in order of first appearance.
fn by_question(parts: Vec<Part>, context: &Context) -> beanjar::Result<Vec<Question>> {
    let mut found: HashMap<String, (Place, Vec<LabelsPart>)> = HashMap::new();
    for (name, (first, labels)) in parts.into_iter().flat_map(|part| part.questions) {
        let (earliest, parts) = found.entry(name).or_insert_with(|| (first, Vec::new()));
        *earliest = first.min(*earliest);
        parts.push(labels);
    }
    let mut found: Vec<(Place, String, Vec<LabelsPart>)> =
        found.into_iter().map(|(name, (first, parts))| (first, name, parts)).collect();
    found.sort_unstable_by_key(|(first, ..)| *first);
    let table = |(_, name, parts)| Ok(Question { name, labels: Labels::from_parts(parts, context)? });
    found.into_iter().map(table).collect()
}

impl Part {
    fn take_matrix(&mut self, rows: &Rows, object: &str, names: &[String]) -> beanjar::Result<()> {
        let row_tasks = rows.column(0);
        let (mut tasks, mut workers, mut labels) = (Vec::new(), Vec::new(), Vec::new());
        let columns: Vec<Vec<&str>> = (1..=names.len()).map(|column| rows.classes(column)).collect();
        for (row, task) in row_tasks.iter().enumerate() {
            if *task == object && names.iter().zip(&columns).all(|(name, column)| column[row].trim() == name) {
                self.headers += 1;
                continue;
            }
            for (name, column) in names.iter().zip(&columns) {
                if task.is_empty() || column[row].is_empty() {
                    self.incomplete += 1;
                    continue;
                }
                tasks.push(*task);
                workers.push(name.as_str());
                labels.push(column[row]);
            }
        }
        self.labels.push(rows.index, &tasks, &workers, &labels)
    }

    /// Takes rows of columns with these names: tasks, workers, labels, and questions if there are any.
    fn take(&mut self, rows: &Rows, names: &[&str]) -> beanjar::Result<()> {
        if names.len() == 3 {
            let mut columns = [rows.column(0), rows.column(1), rows.classes(2)];
            self.headers += drop_headers(&mut columns, names);
            self.incomplete += drop_incomplete(&mut columns);
            let [tasks, workers, labels] = &columns;
            return self.labels.push(rows.index, tasks, workers, labels);
        }
        let mut columns = [rows.column(0), rows.column(1), rows.classes(2), rows.column(3)];
        self.headers += drop_headers(&mut columns, names);
        self.incomplete += drop_incomplete(&mut columns);
        let mut rows_of: HashMap<&str, Vec<usize>> = HashMap::new();
        columns[3].iter().enumerate().for_each(|(row, question)| rows_of.entry(question).or_default().push(row));
        for (question, chosen) in rows_of {
            let [tasks, workers, labels] =
                [0, 1, 2].map(|column: usize| chosen.iter().map(|&row| columns[column][row]).collect::<Vec<_>>());
            let place = (rows.index, chosen[0]);
            let (_, part) = self.questions.entry(question.to_owned()).or_insert_with(|| (place, LabelsPart::default()));
            part.push(rows.index, &tasks, &workers, &labels)?;
        }
        Ok(())
    }
}

/// Says that the header stood among the rows, if it did.
pub(super) fn header_again(rows: usize) -> Option<String> {
    (rows > 0).then(|| format!("{} left out: the header once more", counted(rows, "row")))
}

/// Takes out the rows in which each column has its own name for a value, and says how many there were.
fn drop_headers<const N: usize>(columns: &mut [Vec<&str>; N], names: &[&str]) -> usize {
    let is_name = |row: usize| columns.iter().zip(names).all(|(column, name)| column[row].trim() == *name);
    let headers: Vec<usize> =
        (0..columns[0].len()).filter(|&row| columns[0][row] == names[0] && is_name(row)).collect();
    if headers.is_empty() {
        return 0;
    }
    retain(columns, |row| headers.binary_search(&row).is_err());
    headers.len()
}

/// Takes out the rows in which a value is missing, and says how many there were.
pub(super) fn drop_incomplete<const N: usize>(columns: &mut [Vec<&str>; N]) -> usize {
    let rows = columns[0].len();
    if columns.iter().all(|column| column.iter().all(|text| !text.is_empty())) {
        return 0;
    }
    let complete: Vec<bool> = (0..rows).map(|row| columns.iter().all(|column| !column[row].is_empty())).collect();
    retain(columns, |row| complete[row]);
    rows - columns[0].len()
}

fn retain<const N: usize>(columns: &mut [Vec<&str>; N], keep: impl Fn(usize) -> bool) {
    for column in columns.iter_mut() {
        let mut row = 0;
        column.retain(|_| {
            row += 1;
            keep(row - 1)
        });
    }
}
