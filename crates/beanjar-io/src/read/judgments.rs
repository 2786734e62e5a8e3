//! Rows of object, attribute, worker, value; or of object, worker and a column for each attribute.

use super::{Data, Input, Read, Rows};
use crate::columns::{Header, Role, is_nameless};
use crate::error::shown;
use crate::{Error, Result};
use beanjar::judgments::JudgmentsPart;
use beanjar::{Context, Judgments};

#[derive(Default)]
struct Part {
    judgments: JudgmentsPart,
    incomplete: usize,
}

/// What the kept columns are.
struct Layout {
    file: String,
    /// Kept columns: the object, then the worker if there is one, then the attribute if there is one, then values.
    worker: bool,
    attribute: bool,
    /// The names of the value columns.
    values: Vec<String>,
    wide: bool,
}

pub(super) fn read(input: Input, header: &Header<'_>, context: &Context) -> Result<Read> {
    let (layout, kept) = layout(header)?;
    let input = if layout.wide { input.strict() } else { input };
    let parts = input.read(&kept, context, |part: &mut Part, rows| part.take(rows, &layout))?;
    let data = |source| Error::Data { file: header.file.into(), source };
    let incomplete = parts.iter().map(|part| part.incomplete).sum();
    let parts = parts.into_iter().map(|part| part.judgments).collect();
    let judgments = Judgments::from_parts(parts, context).map_err(data)?;
    if judgments.is_empty() {
        return Err(data(beanjar::Error::Empty("row with an object and a value")));
    }
    Ok(Read { data: Data::Judgments(judgments), incomplete, wide: layout.wide })
}

fn layout(header: &Header<'_>) -> Result<(Layout, Vec<usize>)> {
    // A file that is said to hold judgments may call them labels.
    let value = header.find(Role::Value)?.or(header.find(Role::Label)?);
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
    let layout = Layout {
        file: header.file.into(),
        worker: worker.is_some(),
        attribute: value.is_some() && attribute.is_some(),
        values: values.iter().map(|&column| header.names[column].clone()).collect(),
        wide: value.is_none(),
    };
    Ok((layout, kept))
}

impl Part {
    fn take(&mut self, rows: &Rows, layout: &Layout) -> Result<()> {
        let mut column = 0..;
        let mut next = || rows.column(column.next().unwrap_or_default());
        let row_objects = next();
        let row_workers = if layout.worker { next() } else { Vec::new() };
        let row_attributes = if layout.attribute { next() } else { Vec::new() };
        let columns: Vec<Vec<&str>> = layout.values.iter().map(|_| next()).collect();

        let most = rows.len() * columns.len();
        let (mut objects, mut attributes, mut values) =
            (Vec::with_capacity(most), Vec::with_capacity(most), Vec::with_capacity(most));
        let mut workers = Vec::with_capacity(if layout.worker { most } else { 0 });
        for row in 0..rows.len() {
            for (name, column) in layout.values.iter().zip(&columns) {
                let attribute = row_attributes.get(row).copied().unwrap_or(name);
                if row_objects[row].is_empty() || attribute.is_empty() || column[row].is_empty() {
                    self.incomplete += 1;
                    continue;
                }
                objects.push(row_objects[row]);
                attributes.push(attribute);
                workers.extend(row_workers.get(row));
                values.push(layout.number(rows, row, name, column[row])?);
            }
        }
        let pushed = self.judgments.push(rows.index, &objects, &attributes, &workers, values);
        pushed.map_err(|source| Error::Data { file: layout.file.clone(), source })
    }
}

impl Layout {
    fn number(&self, rows: &Rows, row: usize, column: &str, text: &str) -> Result<f64> {
        // Yes-no judgments come as true and false from typed files.
        let number = match text.trim() {
            "true" | "True" | "TRUE" => Some(1.0),
            "false" | "False" | "FALSE" => Some(0.0),
            text => text.parse().ok().filter(|number: &f64| number.is_finite()),
        };
        number.ok_or_else(|| Error::NotANumber {
            file: self.file.clone(),
            place: rows.place(row),
            column: shown(column),
            value: shown(text),
            hint: match self.wide {
                true => "; every column but the object's and the worker's is taken for an attribute: for labels, name the label column with --columns label=NAME",
                false => "; for categories say --kind labels and --columns label=NAME",
            },
        })
    }
}
