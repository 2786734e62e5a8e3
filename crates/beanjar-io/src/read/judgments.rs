//! Rows of object, attribute, worker, value; or of object, worker and a column for each attribute.

use super::decimals::{DECIMAL_COMMAS, Decimals};
use super::labels::header_again;
use super::wide::{Matrix, without_repeats};
use super::{Data, Float32, Input, Number, Read, Rows, Wide};
use crate::column_roles::{Header, Role};
use crate::error::shown;
use crate::understood::some;
use crate::usual_names::is_nameless;
use crate::{Error, Result, Understood};
use beanjar::judgments::{JudgmentColumns, JudgmentsPart, LARGEST};
use beanjar::{Context, Judgments, counted};

#[derive(Default)]
struct Part {
    judgments: JudgmentsPart,
    incomplete: usize,
    /// Cells that hold the name of their column, in rows that are the header once more.
    headers: usize,
    decimals: Decimals,
}

/// What the kept columns are.
struct Layout {
    file: String,
    /// Kept columns: the object, then the worker if there is one, then the attribute if there is one, then values.
    worker: bool,
    attribute: bool,
    /// What the column of objects is called, and those of values.
    object: String,
    columns: Vec<String>,
    /// The attributes of the value columns.
    values: Vec<String>,
    wide: bool,
    /// Of a table with a column for each annotator: their names.
    annotators: Vec<String>,
}

pub(super) fn read(input: Input, header: &Header<'_>, wide: Option<Wide>, context: &Context) -> Result<Read> {
    let (layout, kept) = layout(header, wide)?;
    read_layout(input, header, &layout, &kept, context)
}

/// Reads a table with a column of numbers for each annotator.
pub(super) fn read_matrix(input: Input, header: &Header<'_>, matrix: &Matrix, context: &Context) -> Result<Read> {
    let annotators: Vec<String> = matrix.annotators.iter().map(|&column| header.names[column].clone()).collect();
    let values = vec!["value".to_owned(); annotators.len()];
    let (object, columns) = (header.names[matrix.object].clone(), annotators.clone());
    let file = header.file.into();
    let layout = Layout { file, worker: false, attribute: false, object, columns, values, wide: true, annotators };
    let kept: Vec<usize> = std::iter::once(matrix.object).chain(matrix.annotators.iter().copied()).collect();
    read_layout(input, header, &layout, &kept, context)
}

fn read_layout(input: Input, header: &Header<'_>, layout: &Layout, kept: &[usize], context: &Context) -> Result<Read> {
    let input = if layout.wide { input.strict() } else { input };
    let input = input.numbers(layout.first_value(), Float32::AsWritten);
    let parts = input.read(kept, context, |part: &mut Part, rows| part.take(rows, layout))?;
    let data = |source| Error::Data { file: header.file.into(), source };
    let incomplete = parts.iter().map(|part| part.incomplete).sum();
    let commas = Decimals::of(parts.iter().map(|part| &part.decimals)).check(header.file)?;
    let headers: usize = parts.iter().map(|part| part.headers).sum();
    let parts = parts.into_iter().map(|part| part.judgments).collect();
    let judgments = Judgments::from_parts(parts, context).map_err(data)?;
    if judgments.is_empty() {
        return Err(data(beanjar::Error::Empty("row with an object and a value")));
    }
    let mut understood = layout.understood(header, kept);
    understood.notes.extend(header_again(headers / layout.values.len().max(1)));
    understood.notes.extend(commas.then(|| DECIMAL_COMMAS.to_owned()));
    match (incomplete, layout.wide) {
        (0, _) => {}
        (n, true) => understood.notes.push(format!("{} without a value left out", counted(n, "cell"))),
        (n, false) => understood.notes.push(format!("{} with a missing value left out", counted(n, "row"))),
    }
    Ok(Read { data: Data::Judgments(judgments), incomplete, understood, positions: Vec::new() })
}

fn layout(header: &Header<'_>, wide: Option<Wide>) -> Result<(Layout, Vec<usize>)> {
    // Where the user asks for judgments, they may be in a column of labels.
    let value = header.find(Role::Value)?.map_or_else(|| header.find(Role::Label), |value| Ok(Some(value)))?;
    let attribute = header.find(Role::Attribute)?;
    let worker = header.find(Role::Worker)?;
    if value.is_none() && attribute.is_some() {
        header.need(Role::Value)?;
    }
    let object = header.need(Role::Object)?;
    let roles =
        [(Role::Object, Some(object)), (Role::Worker, worker), (Role::Attribute, attribute), (Role::Value, value)];
    header.apart(&roles)?;
    let mut kept = vec![object];
    kept.extend(worker);
    let values = match value {
        Some(value) => {
            kept.extend(attribute);
            vec![value]
        }
        None => (0..header.names.len())
            .filter(|column| !kept.contains(column) && !is_nameless(&header.names[*column]))
            .collect(),
    };
    if values.is_empty() {
        header.need(Role::Value)?;
    }
    kept.extend(&values);
    let names: Vec<String> = values.iter().map(|&column| header.names[column].clone()).collect();
    let layout = Layout {
        file: header.file.into(),
        worker: worker.is_some(),
        attribute: value.is_some() && attribute.is_some(),
        object: header.names[object].clone(),
        columns: names.clone(),
        values: match (value, wide) {
            (None, None | Some(Wide::Repeats)) => without_repeats(&names, wide.is_some()),
            _ => names,
        },
        wide: value.is_none(),
        annotators: Vec::new(),
    };
    Ok((layout, kept))
}

impl Part {
    fn take(&mut self, rows: &Rows, layout: &Layout) -> Result<()> {
        let row_objects = rows.column(0);
        let row_workers = if layout.worker { rows.column(1) } else { Vec::new() };
        let first_value = layout.first_value();
        let row_attributes = if layout.attribute { rows.column(first_value - 1) } else { Vec::new() };

        let most = rows.len() * layout.values.len();
        let (mut objects, mut attributes, mut values) =
            (Vec::with_capacity(most), Vec::with_capacity(most), Vec::with_capacity(most));
        let mut workers: Vec<&str> = Vec::with_capacity(if layout.worker { most } else { 0 });
        for row in 0..rows.len() {
            for (column, name) in (first_value..).zip(&layout.values) {
                let attribute = row_attributes.get(row).copied().unwrap_or(name);
                let value = match rows.number(column, row) {
                    _ if row_objects[row].is_empty() || attribute.is_empty() => None,
                    Number::Missing => None,
                    Number::Value(value) => {
                        self.decimals.points |= value.fract() != 0.0;
                        Some(value)
                    }
                    Number::WithComma(value) => {
                        self.decimals.comma.get_or_insert_with(|| rows.place(row));
                        Some(value)
                    }
                    Number::Not if layout.is_header(rows, row, column) => {
                        self.headers += 1;
                        continue;
                    }
                    Number::Not => Some(layout.yes_or_no(rows, row, column, name)?),
                };
                let Some(value) = value else {
                    self.incomplete += 1;
                    continue;
                };
                if value.abs() > LARGEST {
                    let (file, place) = (layout.file.clone(), rows.place(row));
                    return Err(Error::TooLarge { file, place, column: shown(name), value });
                }
                objects.push(row_objects[row]);
                attributes.push(attribute);
                match layout.annotators.get(column - first_value) {
                    Some(annotator) => workers.push(annotator.as_str()),
                    None => workers.extend(row_workers.get(row)),
                }
                values.push(value);
            }
        }
        let columns = JudgmentColumns { objects: &objects, attributes: &attributes, workers: &workers, values };
        let pushed = self.judgments.push(rows.index, columns);
        pushed.map_err(|source| Error::Data { file: layout.file.clone(), source })
    }
}

impl Layout {
    fn understood(&self, header: &Header<'_>, kept: &[usize]) -> Understood {
        let roles = ["object"].into_iter().chain(self.worker.then_some("worker"));
        let roles = roles.chain(self.attribute.then_some("attribute")).chain((!self.wide).then_some("value"));
        let used: Vec<(usize, &'static str)> = kept.iter().copied().zip(roles).collect();
        let understood = Understood::of(header.names, &used);
        if !self.wide {
            return understood;
        }
        let names = kept[self.first_value()..].iter().map(|&column| header.names[column].clone()).collect();
        if !self.annotators.is_empty() {
            return understood.with_many("annotators", names);
        }
        let mut understood = understood.with_many("attributes", names);
        let mut attributes = self.values.clone();
        attributes.dedup();
        if attributes.len() < self.values.len() {
            let is_repeated = |name: &&String| self.values.iter().filter(|other| other == name).count() > 1;
            let repeated: Vec<&String> = attributes.iter().filter(is_repeated).collect();
            understood.notes.push(format!("repeats of one attribute: {}", some(&repeated)));
        }
        understood
    }

    /// Whether a cell holds the name of its column, and that of objects does too.
    fn is_header(&self, rows: &Rows, row: usize, column: usize) -> bool {
        let name = &self.columns[column - self.first_value()];
        rows.not_a_number(column, row).trim() == name && rows.column(0)[row] == self.object
    }

    /// The first kept column that holds values.
    fn first_value(&self) -> usize {
        1 + usize::from(self.worker) + usize::from(self.attribute)
    }

    /// The value of a yes-no judgment, which typed files have as true and false; an error for any other text.
    fn yes_or_no(&self, rows: &Rows, row: usize, column: usize, name: &str) -> Result<f64> {
        let text = rows.not_a_number(column, row);
        match text.trim() {
            "true" | "True" | "TRUE" => Ok(1.0),
            "false" | "False" | "FALSE" => Ok(0.0),
            _ => Err(Error::NotANumber {
                file: self.file.clone(),
                place: rows.place(row),
                column: shown(name),
                value: shown(&text),
                wide: self.wide,
            }),
        }
    }
}
