//! Parquet and Arrow files: batches of typed columns, taken as text or as numbers.

use super::cell_text::{as_numbers, push_texts};
use super::decoded_rows::{Places, Rows};
use super::wanted_columns::Wanted;
use crate::format::READING;
use crate::guard::guarded;
use crate::{Error, Format, Result, Source};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::SchemaRef;
use beanjar::Context;
use std::fmt::Write;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// Rows in a batch: about as many as a piece of text holds.
const BATCH: usize = 16_384;

/// The batches of a file, in order, and how many rows came before.
pub(super) struct Batches {
    file: String,
    batches: Box<dyn Iterator<Item = std::result::Result<RecordBatch, String>> + Send>,
    rows: u64,
    /// How many rows there are in all, where the file says so.
    all: Option<u64>,
    context: Context,
}

/// A batch, and the number of its first row, from 1.
pub(crate) struct Batch {
    pub(super) columns: RecordBatch,
    pub(super) first: u64,
}

impl Batches {
    pub(super) fn open(source: &Source, format: Format, file: File, context: &Context) -> Result<(SchemaRef, Self)> {
        guarded(|| Self::open_file(source, format, file, context)).unwrap_or_else(|| Err(damaged(&source.name())))
    }

    fn open_file(source: &Source, format: Format, file: File, context: &Context) -> Result<(SchemaRef, Self)> {
        let unreadable = |error: String| Error::Unreadable { file: source.name(), reason: plainly(&error) };
        if file.metadata().is_ok_and(|metadata| metadata.len() == 0) {
            return Err(Error::Empty { file: source.name() });
        }
        let mut all = None;
        let (schema, batches): (SchemaRef, Box<dyn Iterator<Item = _> + Send>) = match format {
            Format::Parquet => {
                let builder = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file)
                    .map_err(|error| unreadable(error.to_string()))?;
                let schema = builder.schema().clone();
                all = u64::try_from(builder.metadata().file_metadata().num_rows()).ok().filter(|rows| *rows > 0);
                let reader = builder.with_batch_size(BATCH).build().map_err(|error| unreadable(error.to_string()))?;
                (schema, Box::new(reader.map(|batch| batch.map_err(|error| error.to_string()))))
            }
            _ => {
                if is_stream(&file).map_err(|error| source.unreadable(&error))? {
                    let reader = arrow_ipc::reader::StreamReader::try_new_buffered(file, None)
                        .map_err(|error| unreadable(error.to_string()))?;
                    let schema = reader.schema();
                    (schema, Box::new(reader.map(|batch| batch.map_err(|error| error.to_string())).flat_map(small)))
                } else {
                    let reader = arrow_ipc::reader::FileReader::try_new_buffered(file, None)
                        .map_err(|error| unreadable(error.to_string()))?;
                    let schema = reader.schema();
                    (schema, Box::new(reader.map(|batch| batch.map_err(|error| error.to_string())).flat_map(small)))
                }
            }
        };
        Ok((schema, Batches { file: source.name(), batches, rows: 0, all, context: context.clone() }))
    }

    pub(super) fn next(&mut self) -> Result<Option<Batch>> {
        let batches = &mut self.batches;
        let next = guarded(|| batches.next()).ok_or_else(|| damaged(&self.file))?;
        let Some(batch) = next else { return Ok(None) };
        let columns = batch.map_err(|error| Error::Unreadable { file: self.file.clone(), reason: plainly(&error) })?;
        let first = self.rows + 1;
        self.rows += columns.num_rows() as u64;
        let share = self.all.map_or(0.0, |all| self.rows as f64 / all as f64);
        let stopped = |source| Error::Data { file: self.file.clone(), source };
        self.context.report(READING, share).map_err(stopped)?;
        Ok(Some(Batch { columns, first }))
    }
}

/// Whether this is Arrow's stream format, which has no index at its end, and not its file format.
fn is_stream(mut file: &File) -> std::io::Result<bool> {
    let mut start = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(4).read_to_end(&mut start)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(start == [0xff; 4])
}

/// An Arrow file may hold everything in one batch: cut it, so that threads can share it.
fn small(batch: std::result::Result<RecordBatch, String>) -> Vec<std::result::Result<RecordBatch, String>> {
    match batch {
        Ok(batch) => {
            let starts = (0..batch.num_rows()).step_by(BATCH);
            starts.map(|start| Ok(batch.slice(start, BATCH.min(batch.num_rows() - start)))).collect()
        }
        Err(error) => vec![Err(error)],
    }
}

/// A library's message as one clause of ours.
fn plainly(error: &str) -> String {
    format!("damaged, or not of the format its name shows ({})", error.trim_end_matches('.'))
}

/// The error for a file that its reader panics about.
fn damaged(file: &str) -> Error {
    let reason = "damaged: its lengths or codes contradict one another".into();
    Error::Unreadable { file: file.into(), reason }
}

pub(super) fn decode(file: &str, index: u32, batch: &Batch, wanted: &Wanted) -> Result<Rows> {
    guarded(|| decode_batch(file, index, batch, wanted)).unwrap_or_else(|| Err(damaged(file)))
}

fn decode_batch(file: &str, index: u32, batch: &Batch, wanted: &Wanted) -> Result<Rows> {
    let mut text = String::new();
    let mut cells: Vec<Vec<(u32, u32)>> = vec![Vec::new(); wanted.kept];
    let mut numbers = vec![None; wanted.kept];
    for (column, array) in batch.columns.columns().iter().enumerate() {
        let Some(slot) = wanted.slot(column) else { continue };
        if wanted.is_number(slot) {
            numbers[slot] = as_numbers(array, wanted.numbers.float32);
        }
        if numbers[slot].is_some() {
            continue;
        }
        push_column(&mut text, &mut cells[slot], array).map_err(|reason| Error::Unreadable {
            file: file.into(),
            reason: format!("column '{}' {reason}", batch.columns.schema().field(column).name()),
        })?;
    }
    let places = Places::Rows { first: batch.first, count: batch.columns.num_rows() };
    Ok(Rows::new(index, text, cells, places).with_numbers(numbers))
}

fn push_column(text: &mut String, cells: &mut Vec<(u32, u32)>, array: &ArrayRef) -> std::result::Result<(), String> {
    let push = &mut |value: Option<&dyn std::fmt::Display>| {
        let start = text.len() as u32;
        if let Some(value) = value {
            write!(text, "{value}").unwrap_or_default();
        }
        cells.push((start, text.len() as u32));
    };
    // What cannot be text is an error, not a missing value.
    let not_text = |_| format!("of type {} holds what is not text, number or date", array.data_type());
    push_texts(array, push).map_err(not_text)
}
