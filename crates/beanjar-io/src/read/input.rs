//! An open file of any format: a header, and blocks of rows to be decoded by whichever thread is free.

use super::columnar::{self, Batch, Batches};
use super::text_pieces::{Cutter, Piece};
use super::wanted_columns::{Float32, Numbers, Wanted};
use super::{Missing, Rows, delimited, jsonl};
use crate::column_roles::ColumnNames;
use crate::error::shown;
use crate::exports::{self, Held, PositionBias};
use crate::format::Opened;
use crate::spreadsheet;
use crate::{Error, Format, Result, Source};
use arrow_schema::SchemaRef;
use beanjar::Context;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// An open file.
pub(crate) struct Input {
    /// Its name, for messages.
    pub(crate) file: String,
    /// The names of its columns.
    pub(crate) names: Vec<String>,
    /// Their types, in formats that have them.
    pub(crate) schema: Option<SchemaRef>,
    shape: Shape,
    reader: Reader,
    strict: bool,
    numbers: Numbers,
    missing: Option<Arc<Missing>>,
    /// The program whose export this is, and what was changed or left out of it.
    pub(crate) tool: Option<&'static str>,
    pub(crate) notes: Vec<String>,
    pub(crate) positions: Vec<PositionBias>,
}

#[derive(Clone, Copy)]
enum Shape {
    Delimited(u8),
    Jsonl,
    Columnar,
    Held,
}

enum Reader {
    Text { cutter: Cutter, first: Option<Piece> },
    Columnar(Batches),
    Held { table: Arc<Held>, next: usize },
}

enum Raw {
    Piece(Piece),
    Batch(Batch),
    Held { table: Arc<Held>, rows: Range<usize> },
}

/// How many rows of a table that is held make a block.
const BLOCK: usize = 16_384;

/// Dictionaries are kept per thread, and more than this many would cost more memory than they save time.
const MOST_THREADS: usize = 8;

impl Input {
    pub(crate) fn open(source: &Source, context: &Context) -> Result<Input> {
        Self::open_with(source, &ColumnNames::default(), context)
    }

    /// The same where the user may have named columns: a file that has them is read as it is, even if it is an export.
    pub(crate) fn open_with(source: &Source, given: &ColumnNames, context: &Context) -> Result<Input> {
        let no_table = |problem| Error::NoTable { file: source.name(), problem };
        let input = match source.open(context)? {
            Opened::Text { format: Format::Json, bytes } => Self::open_json(source, bytes)?,
            Opened::Text { format, bytes } => Self::open_text(source, format, Cutter::new(source.clone(), bytes))?,
            Opened::Sheet { bytes } => Input::held(source, spreadsheet::read(bytes).map_err(no_table)?),
            Opened::Columnar { format, file } => {
                let (schema, batches) = Batches::open(source, format, file, context)?;
                let names = schema.fields().iter().map(|field| field.name().clone()).collect();
                let reader = Reader::Columnar(batches);
                Input { schema: Some(schema), ..Input::new(source, names, Shape::Columnar, reader) }
            }
        };
        let named = input.names.iter().any(|name| given.role_of(name).is_some());
        let input = if named { input } else { input.unfolded(source)? };
        let mut sorted: Vec<&String> = input.names.iter().collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1] && !pair[0].is_empty()) {
            Some(twice) => Err(Error::DuplicateColumn { file: input.header_place(), name: shown(twice[0]) }),
            None => Ok(input),
        }
    }

    fn new(source: &Source, names: Vec<String>, shape: Shape, reader: Reader) -> Input {
        Input {
            file: source.name(),
            names,
            schema: None,
            shape,
            reader,
            strict: false,
            numbers: Numbers::default(),
            missing: None,
            tool: None,
            notes: Vec::new(),
            positions: Vec::new(),
        }
    }

    /// A table that is held in memory.
    fn held(source: &Source, table: Held) -> Input {
        let (tool, notes, positions) = (table.tool, table.notes.clone(), table.positions.clone());
        let (names, reader) = (table.names.clone(), Reader::Held { table: Arc::new(table), next: 0 });
        Input { tool, notes, positions, ..Input::new(source, names, Shape::Held, reader) }
    }

    /// JSON that is one value; where it is one object a line after all, as such.
    fn open_json(source: &Source, mut bytes: Box<dyn Read + Send>) -> Result<Input> {
        let file = source.name();
        let mut all = Vec::new();
        bytes.read_to_end(&mut all).map_err(|error| source.unreadable(&error))?;
        delimited::check_utf8(&file, &all, 0)?;
        let text = all.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&all).trim_ascii();
        if text.is_empty() {
            return Err(Error::Empty { file });
        }
        match serde_json::from_slice(text) {
            Ok(value) => {
                let held = exports::from_json(value).map_err(|problem| Error::NoTable { file, problem })?;
                Ok(Input::held(source, held))
            }
            // One whole object a line: what comes after the first line is too much for one value.
            Err(error) if text[0] == b'{' && error.line() == 2 && error.column() == 1 => {
                Self::open_text(source, Format::Jsonl, Cutter::new(source.clone(), Box::new(io::Cursor::new(all))))
            }
            Err(error) => Err(Error::NoTable { file, problem: format!("this is not JSON: {error}") }),
        }
    }

    /// The long table in an export of an annotation tool or platform; any other input as it is.
    fn unfolded(self, source: &Source) -> Result<Input> {
        let may_be = match (&self.reader, self.shape) {
            (Reader::Text { first: Some(piece), .. }, Shape::Jsonl) => {
                jsonl::first_record(piece).is_some_and(|first| exports::is_export(&first) || exports::has_table(&first))
                    || self.may_be_pairs()
            }
            (Reader::Held { .. }, _) => false,
            _ => exports::is_table(&self.names) || self.may_be_pairs(),
        };
        if !may_be {
            return Ok(self);
        }
        let held = match self.shape {
            Shape::Jsonl => exports::from_json(self.values()?),
            _ => {
                let table = self.all()?;
                exports::from_table(&table).unwrap_or(Ok(table))
            }
        };
        let no_table = |problem| Error::NoTable { file: source.name(), problem };
        Ok(Input::held(source, held.map_err(no_table)?))
    }

    /// Whether the first rows hold verdicts on pairs.
    fn may_be_pairs(&self) -> bool {
        exports::has_pairs(&self.names) && self.sample().is_none_or(|sample| exports::are_pairs(&sample))
    }

    /// All rows of all columns.
    fn all(self) -> Result<Held> {
        let names = self.names.clone();
        let kept: Vec<usize> = (0..names.len()).collect();
        let mut columns = vec![Vec::new(); names.len()];
        self.for_each(&kept, |rows| {
            for (i, column) in columns.iter_mut().enumerate() {
                column.extend(rows.column(i).into_iter().map(str::to_owned));
            }
            Ok(())
        })?;
        Ok(Held { names, columns, ..Held::default() })
    }

    /// All records of JSON lines.
    fn values(self) -> Result<serde_json::Value> {
        let Input { file, reader, .. } = self;
        let mut queue = Queue { reader, next: 0 };
        let mut records = Vec::new();
        while let (_, Some(Raw::Piece(piece))) = queue.next()? {
            records.extend(jsonl::records(&file, &piece)?.into_iter().map(serde_json::Value::Object));
        }
        // A single record may have all others in it.
        Ok(if records.len() == 1 { records.remove(0) } else { serde_json::Value::Array(records) })
    }

    /// The first rows, where they can be had without reading on.
    pub(crate) fn sample(&self) -> Option<Held> {
        let names = self.names.clone();
        match (&self.reader, self.shape) {
            (Reader::Held { table, .. }, _) => {
                let first = |column: &Vec<String>| column.iter().take(BLOCK).cloned().collect();
                Some(Held { names, columns: table.columns.iter().map(first).collect(), ..Held::default() })
            }
            (Reader::Text { first: Some(piece), .. }, Shape::Delimited(delimiter)) => {
                let kept: Vec<usize> = (0..names.len()).collect();
                let wanted = Wanted::new(names.len(), &kept, false);
                let rows = delimited::decode(&self.file, 0, piece.clone(), delimiter, &wanted).ok()?;
                let rows = rows.of_file(self.missing.clone(), false);
                let column = |i: usize| rows.column(i).into_iter().map(str::to_owned).collect();
                Some(Held { columns: (0..names.len()).map(column).collect(), names, ..Held::default() })
            }
            (Reader::Text { first: Some(piece), .. }, Shape::Jsonl) => {
                Some(exports::table(&jsonl::records(&self.file, piece).ok()?))
            }
            _ => None,
        }
    }

    fn open_text(source: &Source, format: Format, mut cutter: Cutter) -> Result<Input> {
        let file = source.name();
        let line = cutter.peek_line()?;
        let shape = match format {
            Format::Jsonl => Shape::Jsonl,
            Format::Tsv => Shape::Delimited(b'\t'),
            _ => Shape::Delimited(likely_delimiter(line)),
        };
        if let Shape::Delimited(delimiter) = shape {
            cutter.quoted_fields(delimiter);
        }
        let Some(mut first) = cutter.next()? else { return Err(Error::Empty { file }) };
        delimited::check_utf8(&file, &first.bytes, first.offset)?;
        if first.bytes.trim_ascii().is_empty() {
            return Err(Error::Empty { file });
        }
        let names = match shape {
            Shape::Delimited(delimiter) => first.take_header(&file, delimiter)?,
            _ => jsonl::header(&file, &first)?,
        };
        let reader = Reader::Text { cutter, first: Some(first) };
        Ok(Input::new(source, names, shape, reader))
    }

    /// From here on, a row must not have anything that the header does not announce.
    pub(crate) fn strict(self) -> Input {
        Input { strict: true, ..self }
    }

    /// From here on, these too stand for a missing value.
    pub(crate) fn missing(self, missing: &Missing) -> Input {
        Input { missing: (!missing.is_empty()).then(|| Arc::new(missing.clone())), ..self }
    }

    /// From here on, the kept columns from the one of number `from` are numbers, to be had with [`Rows::number`].
    pub(crate) fn numbers(self, from: usize, float32: Float32) -> Input {
        Input { numbers: Numbers { from: Some(from), float32 }, ..self }
    }

    /// The file, and the line of its header if it has one.
    pub(crate) fn header_place(&self) -> String {
        match self.shape {
            Shape::Delimited(_) => format!("{}, line 1", self.file),
            Shape::Jsonl | Shape::Columnar | Shape::Held => self.file.clone(),
        }
    }

    /// Reads the columns `kept` block by block, in order.
    pub(crate) fn for_each(self, kept: &[usize], mut take: impl FnMut(Rows) -> Result<()>) -> Result<()> {
        let (mut queue, decoder) = self.start(kept);
        let mut rows_read = 0;
        while let (index, Some(raw)) = queue.next()? {
            let rows = decoder.decode(index, raw)?;
            rows_read += rows.len();
            take(rows)?;
        }
        if rows_read == 0 { Err(Error::HeaderOnly { file: decoder.file }) } else { Ok(()) }
    }

    /// Reads the columns `kept`, each thread into a part of its own. Blocks are handed out in order, and of several
    /// errors the one that stands first in the file is reported, so the outcome is the same for any number of threads.
    pub(crate) fn read<P: Default + Send>(
        self,
        kept: &[usize],
        context: &Context,
        take: impl Fn(&mut P, &Rows) -> Result<()> + Sync,
    ) -> Result<Vec<P>> {
        let (queue, decoder) = self.start(kept);
        let queue = Mutex::new(queue);
        let failed = AtomicBool::new(false);
        let work = || {
            let mut part = P::default();
            let mut rows_read = 0;
            while !failed.load(Ordering::Relaxed) {
                let (index, raw) = match lock(&queue).next_or_index() {
                    Ok((_, None)) => break,
                    Ok((index, Some(raw))) => (index, raw),
                    Err(located) => {
                        failed.store(true, Ordering::Relaxed);
                        return Err(located);
                    }
                };
                let taken = decoder.decode(index, raw).and_then(|rows| {
                    rows_read += rows.len();
                    take(&mut part, &rows)
                });
                if let Err(error) = taken {
                    failed.store(true, Ordering::Relaxed);
                    return Err((index, error));
                }
            }
            Ok((rows_read, part))
        };
        let threads = context.threads().min(MOST_THREADS);
        let outcomes: Vec<_> = std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut outcomes = vec![work()];
            outcomes.extend(others.into_iter().map(|other| match other.join() {
                Ok(outcome) => outcome,
                Err(panic) => std::panic::resume_unwind(panic),
            }));
            outcomes
        });
        let (done, mut failures): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(std::result::Result::is_ok);
        failures.sort_by_key(|failure| failure.as_ref().err().map(|(index, _)| *index));
        if let Some(Err((_, error))) = failures.into_iter().next() {
            return Err(error);
        }
        let (rows_read, parts): (Vec<usize>, Vec<P>) = done.into_iter().flatten().unzip();
        if rows_read.iter().sum::<usize>() == 0 { Err(Error::HeaderOnly { file: decoder.file }) } else { Ok(parts) }
    }

    fn start(self, kept: &[usize]) -> (Queue, Decoder) {
        let Input { file, names, shape, reader, strict, numbers, missing, .. } = self;
        let wanted = Wanted::new(names.len(), kept, strict).with_numbers(numbers);
        (Queue { reader, next: 0 }, Decoder { file, names, shape, wanted, missing })
    }
}

struct Decoder {
    file: String,
    names: Vec<String>,
    shape: Shape,
    wanted: Wanted,
    missing: Option<Arc<Missing>>,
}

impl Decoder {
    fn decode(&self, index: u32, raw: Raw) -> Result<Rows> {
        let Decoder { file, names, shape, wanted, missing } = self;
        let decimal_commas = matches!(shape, Shape::Delimited(b';'));
        let rows = match (raw, shape) {
            (Raw::Batch(batch), _) => columnar::decode(file, index, &batch, wanted),
            (Raw::Held { table, rows }, _) => Ok(Rows::of_table(index, &table, rows, wanted)),
            (Raw::Piece(piece), Shape::Delimited(delimiter)) => {
                delimited::decode(file, index, piece, *delimiter, wanted)
            }
            (Raw::Piece(piece), _) => jsonl::decode(file, index, &piece, names, wanted),
        };
        Ok(rows?.of_file(missing.clone(), decimal_commas))
    }
}

struct Queue {
    reader: Reader,
    next: u32,
}

impl Queue {
    /// The next block and its number.
    fn next(&mut self) -> Result<(u32, Option<Raw>)> {
        self.next_or_index().map_err(|(_, error)| error)
    }

    /// The same, an error with the number of the block that could not be had.
    fn next_or_index(&mut self) -> std::result::Result<(u32, Option<Raw>), (u32, Error)> {
        let index = self.next;
        self.next += 1;
        let raw = match &mut self.reader {
            Reader::Text { cutter, first } => match first.take() {
                Some(piece) => Ok(Some(piece)),
                None => cutter.next(),
            }
            .map(|piece| piece.map(Raw::Piece)),
            Reader::Columnar(batches) => batches.next().map(|batch| batch.map(Raw::Batch)),
            Reader::Held { table, next } => {
                let rows = *next..table.rows().min(*next + BLOCK);
                *next = rows.end;
                Ok((!rows.is_empty()).then(|| Raw::Held { table: table.clone(), rows }))
            }
        };
        raw.map(|raw| (index, raw)).map_err(|error| (index, error))
    }
}

/// A thread that panics is reported when it is joined; the others need not fail over its lock.
fn lock(queue: &Mutex<Queue>) -> std::sync::MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The separator that the header line has most of.
fn likely_delimiter(line: &[u8]) -> u8 {
    let count = |delimiter: u8| line.iter().filter(|&&byte| byte == delimiter).count();
    // The last of equals wins, so the comma does.
    [b'\t', b';', b','].into_iter().max_by_key(|&delimiter| count(delimiter)).unwrap_or(b',')
}
