//! Parquet and Arrow files: batches of typed columns, taken as text or as numbers.

use super::arrow_lengths::Checked;
use super::cell_text::{as_numbers, push_texts};
use super::columnar_records::records;
use super::decoded_rows::{Places, Rows};
use super::int128::Changed;
use super::wanted_columns::Wanted;
use super::{arrow_lengths, int128, parquet_lengths};
use crate::error::{shown, visible};
use crate::exports::{self, Held, Record, SEVERAL};
use crate::format::READING;
use crate::guard::guarded;
use crate::memory::{Content, Memory};
use crate::unpacking::Wrong;
use crate::{Error, Format, Result, Source};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, SchemaRef};
use beanjar::Context;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use std::fmt::Write;
use std::fs::File;
use std::io::{BufReader, Seek};
use std::sync::Arc;

/// Rows in a batch: about as many as a piece of text holds.
const BATCH: usize = 16_384;

/// A file, or a table that the calling program holds, whose columns are known, and of which nothing else has been read.
pub(super) struct Columnar {
    source: Source,
    form: Form,
    context: Context,
}

enum Form {
    Parquet(File, ArrowReaderMetadata),
    Arrow(File, SchemaRef, Checked),
    Memory(SchemaRef, Vec<RecordBatch>),
}

type Reader = Box<dyn Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + Send>;

/// The batches of a file, in order, and how many rows came before.
pub(super) struct Batches {
    file: String,
    batches: Reader,
    /// Which columns of the file the batches have.
    kept: Arc<[Kept]>,
    /// What is left of the last batch, which may be larger than one that threads can share.
    rest: Option<RecordBatch>,
    rows: u64,
    /// How many rows there are in all, where the file says so.
    all: Option<u64>,
    context: Context,
}

/// A batch, and the number of its first row, from 1.
pub(crate) struct Batch {
    columns: RecordBatch,
    kept: Arc<[Kept]>,
    first: u64,
}

/// A column that batches have: which one of the file, and whether it holds whole numbers of 128 bits.
#[derive(Clone, Copy)]
struct Kept {
    column: usize,
    int128: bool,
}

impl Columnar {
    pub(super) fn open(source: &Source, format: Format, file: File, context: &Context) -> Result<Columnar> {
        let name = source.name();
        if file.metadata().is_ok_and(|metadata| metadata.len() == 0) {
            return Err(Error::Empty { file: name });
        }
        let opened = guarded(|| {
            let form = match format {
                Format::Parquet => {
                    parquet_lengths::check_footer(&file)?;
                    // Types that only the writer's program knows are in a schema of their own, which need not be read.
                    let plain =
                        || ArrowReaderMetadata::load(&file, ArrowReaderOptions::new().with_skip_arrow_metadata(true));
                    let metadata = match guarded(|| ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())) {
                        Some(Ok(metadata)) => Ok(metadata),
                        _ => plain(),
                    };
                    Form::Parquet(file, metadata.map_err(|error| plainly(&error))?)
                }
                _ => {
                    let checked = arrow_lengths::check(&file)?;
                    let schema = match checked.is_stream {
                        true => StreamReader::try_new(start(&file, &checked)?, None).map(|reader| reader.schema()),
                        false => FileReader::try_new(start(&file, &checked)?, None).map(|reader| reader.schema()),
                    };
                    Form::Arrow(file, schema.map_err(|error| plainly(&error))?, checked)
                }
            };
            Ok::<_, Wrong>(form)
        });
        let form = opened.unwrap_or_else(|| Err(DAMAGED.into())).map_err(|wrong| wrong.with(&name))?;
        Ok(Columnar { source: source.clone(), form, context: context.clone() })
    }

    /// A table that the calling program holds.
    pub(super) fn held(source: &Source, memory: &Memory, context: &Context) -> Result<Columnar> {
        let Content::Table(schema, batches) = memory.content() else {
            let reason = "these are features, and a table is needed here".into();
            return Err(Error::Unreadable { file: source.name(), reason });
        };
        let form = Form::Memory(schema.clone(), batches.clone());
        Ok(Columnar { source: source.clone(), form, context: context.clone() })
    }

    /// A table that was made of another.
    pub(super) fn of_batches(
        source: &Source,
        schema: SchemaRef,
        batches: Vec<RecordBatch>,
        context: &Context,
    ) -> Columnar {
        Columnar { source: source.clone(), form: Form::Memory(schema, batches), context: context.clone() }
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        match &self.form {
            Form::Parquet(_, metadata) => metadata.schema(),
            Form::Arrow(_, schema, _) | Form::Memory(schema, _) => schema,
        }
    }

    /// The batches of some columns; the others are not read.
    pub(super) fn batches(&self, kept: &[usize]) -> Result<Batches> {
        let mut kept = kept.to_vec();
        kept.sort_unstable();
        kept.dedup();
        let name = self.source.name();
        let opened = guarded(|| self.reader(&kept)).unwrap_or_else(|| Err(DAMAGED.into()));
        let batches = opened.map_err(|wrong| wrong.with(&name))?;
        let all = match &self.form {
            Form::Parquet(_, metadata) => u64::try_from(metadata.metadata().file_metadata().num_rows()).ok(),
            Form::Arrow(..) => None,
            Form::Memory(_, batches) => Some(batches.iter().map(|batch| batch.num_rows() as u64).sum()),
        };
        let kept = kept.iter().map(|&column| Kept { column, int128: self.is_int128(column) }).collect();
        let (all, context) = (all.filter(|rows| *rows > 0), self.context.clone());
        Ok(Batches { file: name, batches, kept, rest: None, rows: 0, all, context })
    }

    fn reader(&self, kept: &[usize]) -> std::result::Result<Reader, Wrong> {
        let columns = Some(kept.to_vec());
        Ok(match &self.form {
            Form::Parquet(file, metadata) => {
                let mask = ProjectionMask::roots(metadata.parquet_schema(), kept.iter().copied());
                parquet_lengths::check_pages(file, metadata.metadata(), &mask)?;
                let file = file.try_clone()?;
                let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone());
                let reader = builder.with_projection(mask).with_batch_size(BATCH).build();
                Box::new(reader.map_err(|error| plainly(&error))?)
            }
            Form::Arrow(file, _, checked) => {
                let file = start(file, checked)?;
                match checked.is_stream {
                    true => Box::new(StreamReader::try_new(file, columns).map_err(|error| plainly(&error))?),
                    false => Box::new(FileReader::try_new(file, columns).map_err(|error| plainly(&error))?),
                }
            }
            Form::Memory(_, batches) => {
                let kept = kept.to_vec();
                Box::new(batches.clone().into_iter().map(move |batch| batch.project(&kept)))
            }
        })
    }

    /// Whether a column holds whole numbers of 128 bits.
    fn is_int128(&self, column: usize) -> bool {
        matches!(&self.form, Form::Arrow(_, _, checked) if checked.int128.contains(&column))
    }

    /// Whether columns of lists and the like make the rows records of an annotation tool's export.
    pub(super) fn is_export(&self) -> bool {
        let is_nested = self.schema().fields().iter().any(|field| field.data_type().is_nested());
        let first = || self.whole().ok()?.next().ok()?;
        let is_of_export = |batch: Batch| {
            let few = batch.columns.slice(0, batch.columns.num_rows().min(SEVERAL));
            guarded(|| records(&few)).unwrap_or_default().iter().any(exports::is_export)
        };
        is_nested && first().is_some_and(is_of_export)
    }

    /// All rows, with lists and the like as JSON has them.
    pub(super) fn records(&self) -> Result<Vec<Record>> {
        let mut all = Vec::new();
        let mut batches = self.whole()?;
        while let Some(batch) = batches.next()? {
            let damaged = || Wrong::from(DAMAGED).with(&self.source.name());
            all.extend(guarded(|| records(&batch.columns)).ok_or_else(damaged)?);
        }
        Ok(all)
    }

    /// All rows of all columns.
    pub(super) fn all_batches(&self) -> Result<Vec<RecordBatch>> {
        let (mut all, mut batches) = (Vec::new(), self.whole()?);
        while let Some(batch) = batches.next()? {
            all.push(batch.columns);
        }
        Ok(all)
    }

    /// The batches of all columns.
    fn whole(&self) -> Result<Batches> {
        self.batches(&(0..self.schema().fields().len()).collect::<Vec<_>>())
    }

    /// The first rows of the columns that have a text.
    pub(super) fn sample(&self, names: &[String]) -> Option<Held> {
        let has_text = |column: &usize| {
            let empty = arrow_array::new_empty_array(self.schema().field(*column).data_type());
            push_texts(&empty, &mut |_| ()).is_ok()
        };
        let kept: Vec<usize> = guarded(|| (0..names.len()).filter(has_text).collect())?;
        let first = self.batches(&kept).ok()?.next().ok()??;
        let rows = decode("", 0, &first, &Wanted::new(names.len(), &kept, false)).ok()?;
        let mut columns = vec![vec![String::new(); rows.len()]; names.len()];
        for (slot, &column) in kept.iter().enumerate() {
            columns[column] = rows.column(slot).into_iter().map(str::to_owned).collect();
        }
        Some(Held { names: names.to_vec(), columns, ..Held::default() })
    }
}

impl Batches {
    pub(super) fn next(&mut self) -> Result<Option<Batch>> {
        let whole = match self.rest.take() {
            Some(rest) => rest,
            None => {
                let batches = &mut self.batches;
                let next = guarded(|| batches.next()).ok_or_else(|| Wrong::from(DAMAGED).with(&self.file))?;
                let Some(batch) = next else { return Ok(None) };
                batch.map_err(|error| Wrong::from(plainly(&error)).with(&self.file))?
            }
        };
        // An Arrow file may hold everything in one batch: cut it, so that threads can share it.
        let columns = whole.slice(0, whole.num_rows().min(BATCH));
        self.rest = (whole.num_rows() > BATCH).then(|| whole.slice(BATCH, whole.num_rows() - BATCH));
        let first = self.rows + 1;
        self.rows += columns.num_rows() as u64;
        let share = self.all.map_or(0.0, |all| self.rows as f64 / all as f64);
        let stopped = |source| Error::Data { file: self.file.clone(), source };
        self.context.report(READING, share).map_err(stopped)?;
        Ok(Some(Batch { columns, kept: self.kept.clone(), first }))
    }
}

/// The file from its beginning, as Arrow's reader is to see it.
fn start(file: &File, checked: &Checked) -> std::result::Result<BufReader<Changed<File>>, Wrong> {
    let mut again = file.try_clone()?;
    again.rewind()?;
    Ok(BufReader::new(Changed::new(again, checked.changes.clone())))
}

/// A library's message as one clause of ours.
fn plainly(error: &impl ToString) -> String {
    /// Some repeat what they were given.
    const MOST: usize = 200;
    let text: String = error.to_string().trim().chars().take(MOST).collect();
    let is_unknown = text.contains("Disabled feature") || text.contains("not supported");
    let codec = ["brotli", "lzo"].into_iter().find(|codec| text.to_lowercase().contains(codec));
    if let Some(codec) = codec.filter(|_| is_unknown) {
        return format!("packed with {codec}, which is not read; save it packed with zstd or snappy");
    }
    format!("damaged, or not of the format its name shows ({})", visible(text.trim_end_matches('.')))
}

/// Of a file that its reader panics about.
const DAMAGED: &str = "damaged: its lengths or codes contradict one another";

pub(super) fn decode(file: &str, index: u32, batch: &Batch, wanted: &Wanted) -> Result<Rows> {
    guarded(|| decode_batch(file, index, batch, wanted)).unwrap_or_else(|| Err(Wrong::from(DAMAGED).with(file)))
}

fn decode_batch(file: &str, index: u32, batch: &Batch, wanted: &Wanted) -> Result<Rows> {
    let mut text = String::new();
    let mut cells: Vec<Vec<(u32, u32)>> = vec![Vec::new(); wanted.kept];
    let mut numbers = vec![None; wanted.kept];
    for (at, array) in batch.columns.columns().iter().enumerate() {
        let Some(slot) = wanted.slot(batch.kept[at].column) else { continue };
        if wanted.is_number(slot) {
            numbers[slot] = as_numbers(array, wanted.numbers.float32);
        }
        if numbers[slot].is_some() {
            continue;
        }
        push_column(&mut text, &mut cells[slot], array, batch.kept[at].int128).map_err(|reason| {
            Wrong::from(format!("column '{}' {reason}", shown(batch.columns.schema().field(at).name()))).with(file)
        })?;
    }
    let places = Places::Rows { first: batch.first, count: batch.columns.num_rows() };
    Ok(Rows::new(index, text, cells, places).with_numbers(numbers))
}

fn push_column(
    text: &mut String,
    cells: &mut Vec<(u32, u32)>,
    array: &ArrayRef,
    int128: bool,
) -> std::result::Result<(), String> {
    let mut fits = true;
    let push = &mut |value: Option<&dyn std::fmt::Display>| {
        let start = text.len() as u32;
        if let Some(value) = value.filter(|_| fits) {
            write!(text, "{value}").unwrap_or_default();
        }
        fits &= u32::try_from(text.len()).is_ok();
        cells.push((start, text.len() as u32));
    };
    // What cannot be text is an error, not a missing value.
    let not_text = |_| {
        let kind = array.data_type();
        let how = if kind.is_nested() {
            "; save the table as JSON, with pandas: frame.to_json(\"FILE.json\", orient=\"records\")"
        } else {
            ""
        };
        format!("of type {kind} holds what is not text, number or date{how}")
    };
    match array.as_fixed_size_binary_opt().filter(|_| int128) {
        Some(numbers) => numbers.iter().for_each(|bytes| {
            let number = bytes.and_then(int128::number);
            push(number.as_ref().map(|number| number as &dyn std::fmt::Display));
        }),
        None => push_texts(array, push).map_err(not_text)?,
    }
    if fits { Ok(()) } else { Err("holds texts that are longer than any id or label".into()) }
}
