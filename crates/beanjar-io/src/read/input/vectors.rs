//! Columns of vectors, as embeddings often come: a column for each of their numbers.

use super::{Columnar, Input, Queue, Raw, Reader, Shape};
use crate::error::shown;
use crate::read::cell_text::as_numbers;
use crate::read::jsonl;
use crate::read::wanted_columns::Float32;
use crate::{Error, Result, Source};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use beanjar::Context;
use serde_json::Value;
use std::ops::Range;
use std::sync::Arc;

impl Input {
    /// The same table with a column for each number of a vector: `embedding_0`, `embedding_1` and so on. Columns that are
    /// called as `left_out` says stay as they are.
    pub(crate) fn with_vectors_spread(
        self,
        source: &Source,
        left_out: &dyn Fn(&str) -> bool,
        context: &Context,
    ) -> Result<Input> {
        let wrong = |problem| Error::NoTable { file: source.name(), problem };
        let batches = match (&self.reader, self.shape) {
            (Reader::Columnar(columnar), _) => {
                let fields = columnar.schema().fields();
                let holds_vectors = |field: &Arc<Field>| is_vector(field.data_type()) && !left_out(field.name());
                let vectors: Vec<bool> = fields.iter().map(holds_vectors).collect();
                if !vectors.contains(&true) {
                    return Ok(self);
                }
                spread(columnar.all_batches()?, &vectors).map_err(wrong)?
            }
            (Reader::Text { first: Some(piece), .. }, Shape::Jsonl) => {
                let first = jsonl::first_records(piece, 1).pop().unwrap_or_default();
                let is_list = |name: &String| first.get(name).is_some_and(is_list_of_numbers) && !left_out(name);
                let vectors: Vec<bool> = self.names.iter().map(is_list).collect();
                if !vectors.contains(&true) {
                    return Ok(self);
                }
                let (file, names, reader) = (self.file, self.names, self.reader);
                vec![from_records(&file, &names, &vectors, reader)?]
            }
            _ => return Ok(self),
        };
        match batches.first().map(RecordBatch::schema) {
            Some(schema) => Ok(Self::columnar(source, Columnar::of_batches(source, schema, batches, context))),
            None => Err(Error::HeaderOnly { file: source.name() }),
        }
    }
}

/// Whether a type is one of lists of numbers.
fn is_vector(kind: &DataType) -> bool {
    match kind {
        DataType::List(of) | DataType::LargeList(of) | DataType::FixedSizeList(of, _) => {
            as_numbers(&arrow_array::new_empty_array(of.data_type()), Float32::Exact).is_some()
        }
        _ => false,
    }
}

fn is_list_of_numbers(value: &Value) -> bool {
    value.as_array().is_some_and(|values| !values.is_empty() && values.iter().all(Value::is_number))
}

/// A column for each number of the columns that are vectors.
fn spread(batches: Vec<RecordBatch>, vectors: &[bool]) -> std::result::Result<Vec<RecordBatch>, String> {
    let mut widths = vec![None; vectors.len()];
    let mut rows = 0;
    let mut all = Vec::with_capacity(batches.len());
    for batch in batches {
        let schema = batch.schema();
        let mut table = Table::default();
        for (at, array) in batch.columns().iter().enumerate() {
            let name = schema.field(at).name();
            match vectors[at] {
                true => table.push_vectors(name, array, &mut widths[at], rows)?,
                false => table.push(name, array.clone()),
            }
        }
        rows += batch.num_rows();
        all.push(table.batch()?);
    }
    Ok(all)
}

/// The columns of a batch that is being made.
#[derive(Default)]
struct Table {
    fields: Vec<Field>,
    columns: Vec<ArrayRef>,
}

impl Table {
    fn push(&mut self, name: &str, column: ArrayRef) {
        self.fields.push(Field::new(name, column.data_type().clone(), true));
        self.columns.push(column);
    }

    /// A column for each number of vectors, all of which must have as many; `before` rows are in other batches.
    fn push_vectors(
        &mut self,
        name: &str,
        array: &ArrayRef,
        width: &mut Option<usize>,
        before: usize,
    ) -> std::result::Result<(), String> {
        let (numbers, places) = numbers_of(array);
        let numbers = as_numbers(&numbers, Float32::Exact).unwrap_or_else(|| Float64Array::new_null(numbers.len()));
        for (row, place) in places.iter().enumerate() {
            check_width(name, width, place.len()).map_err(|problem| format!("row {}: {problem}", before + row + 1))?;
        }
        for at in 0..width.unwrap_or_default() {
            let value = |place: &Range<usize>| {
                let at = place.start + at;
                numbers.is_valid(at).then(|| numbers.value(at))
            };
            let column: Float64Array = places.iter().map(value).collect();
            self.push(&format!("{name}_{at}"), Arc::new(column));
        }
        Ok(())
    }

    fn batch(self) -> std::result::Result<RecordBatch, String> {
        RecordBatch::try_new(Arc::new(Schema::new(self.fields)), self.columns).map_err(|error| error.to_string())
    }
}

/// All vectors have as many numbers as the first, which is one at least.
fn check_width(name: &str, width: &mut Option<usize>, found: usize) -> std::result::Result<(), String> {
    let name = shown(name);
    match *width.get_or_insert(found) {
        _ if found == 0 => Err(format!("no vector in column '{name}'; leave such rows out, or the column by --ignore")),
        expected if expected == found => Ok(()),
        expected => Err(format!("a vector of {found} in column '{name}', whose first has {expected} numbers")),
    }
}

/// The numbers of all lists, and where among them each row has its own; a row without a list has none.
fn numbers_of(array: &ArrayRef) -> (ArrayRef, Vec<Range<usize>>) {
    let each = |place: &dyn Fn(usize) -> Range<usize>| {
        (0..array.len()).map(|row| if array.is_valid(row) { place(row) } else { 0..0 }).collect()
    };
    match array.data_type() {
        DataType::List(_) => {
            let (list, at) = (array.as_list::<i32>(), |offset: i32| offset.max(0) as usize);
            let offsets = list.value_offsets();
            (list.values().clone(), each(&|row| at(offsets[row])..at(offsets[row + 1])))
        }
        DataType::LargeList(_) => {
            let (list, at) = (array.as_list::<i64>(), |offset: i64| offset.max(0) as usize);
            let offsets = list.value_offsets();
            (list.values().clone(), each(&|row| at(offsets[row])..at(offsets[row + 1])))
        }
        _ => {
            let list = array.as_fixed_size_list();
            let (size, at) = (list.value_length().max(0) as usize, |row| list.value_offset(row).max(0) as usize);
            (list.values().clone(), each(&|row| at(row)..at(row) + size))
        }
    }
}

/// The same from JSON lines; what is not a vector is text.
fn from_records(file: &str, names: &[String], vectors: &[bool], reader: Reader) -> Result<RecordBatch> {
    let mut texts: Vec<Vec<Option<String>>> = vec![Vec::new(); names.len()];
    let mut numbers: Vec<Vec<Vec<f64>>> = vec![Vec::new(); names.len()];
    let mut widths = vec![None; names.len()];
    let mut queue = Queue { reader, next: 0 };
    let mut rows = 0;
    let wrong =
        |row: usize, problem| Error::NoTable { file: file.to_owned(), problem: format!("row {row}: {problem}") };
    while let (_, Some(Raw::Piece(piece))) = queue.next()? {
        for mut record in jsonl::records(file, &piece)? {
            rows += 1;
            for (at, name) in names.iter().enumerate() {
                let value = record.remove(name).unwrap_or_default();
                if !vectors[at] {
                    texts[at].push(plain(value));
                    continue;
                }
                let values: Option<Vec<f64>> = value.as_array().into_iter().flatten().map(Value::as_f64).collect();
                let not_numbers = || wrong(rows, format!("column '{}' holds what is not a number", shown(name)));
                let values = values.ok_or_else(not_numbers)?;
                check_width(name, &mut widths[at], values.len()).map_err(|problem| wrong(rows, problem))?;
                numbers[at].resize(values.len(), Vec::new());
                values.into_iter().zip(&mut numbers[at]).for_each(|(value, column)| column.push(value));
            }
        }
    }
    let mut table = Table::default();
    for ((name, texts), numbers) in names.iter().zip(texts).zip(numbers) {
        if numbers.is_empty() {
            table.push(name, Arc::new(StringArray::from(texts)));
        }
        for (at, column) in numbers.into_iter().enumerate() {
            table.push(&format!("{name}_{at}"), Arc::new(Float64Array::from(column)));
        }
    }
    table.batch().map_err(|problem| Error::NoTable { file: file.to_owned(), problem })
}

/// A value as text; none of what is nested or nothing.
fn plain(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    }
}
