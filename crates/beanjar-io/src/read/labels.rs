//! Rows of task, worker, label.

use super::{Data, Input, Read, Rows};
use crate::column_roles::{Header, Role};
use crate::{Error, Result};
use beanjar::judgments::LabelsPart;
use beanjar::{Context, Labels};

#[derive(Default)]
struct Part {
    labels: LabelsPart,
    incomplete: usize,
}

pub(super) fn read(input: Input, header: &Header<'_>, context: &Context) -> Result<Read> {
    // Where the user asks for labels, they may be in a column of values.
    let label = header.find(Role::Label)?.or(header.find(Role::Value)?);
    let label = label.map_or_else(|| header.need(Role::Label), Ok)?;
    let kept = [header.need(Role::Object)?, header.need(Role::Worker)?, label];
    header.apart(&[(Role::Object, Some(kept[0])), (Role::Worker, Some(kept[1])), (Role::Label, Some(label))])?;
    let data = |source| Error::Data { file: header.file.into(), source };
    let parts = input.read(&kept, context, |part: &mut Part, rows| part.take(rows).map_err(data))?;
    let incomplete = parts.iter().map(|part| part.incomplete).sum();
    let labels = Labels::from_parts(parts.into_iter().map(|part| part.labels).collect(), context).map_err(data)?;
    if labels.is_empty() {
        return Err(data(beanjar::Error::Empty("row with a task, a worker and a label")));
    }
    Ok(Read { data: Data::Labels(labels), incomplete, wide: false })
}

impl Part {
    fn take(&mut self, rows: &Rows) -> beanjar::Result<()> {
        let mut columns = [rows.column(0), rows.column(1), rows.column(2)];
        self.incomplete += drop_incomplete(&mut columns);
        let [tasks, workers, labels] = &columns;
        self.labels.push(rows.index, tasks, workers, labels)
    }
}

/// Takes out the rows in which a value is missing, and says how many there were.
pub(super) fn drop_incomplete<const N: usize>(columns: &mut [Vec<&str>; N]) -> usize {
    let rows = columns[0].len();
    if columns.iter().all(|column| column.iter().all(|text| !text.is_empty())) {
        return 0;
    }
    let complete: Vec<bool> = (0..rows).map(|row| columns.iter().all(|column| !column[row].is_empty())).collect();
    for column in columns.iter_mut() {
        let mut keep = complete.iter();
        column.retain(|_| *keep.next().unwrap_or(&true));
    }
    rows - columns[0].len()
}
