//! An open file of any format: a header, and blocks of rows to be decoded by whichever thread is free.

mod opening;
mod vectors;

use super::columnar::{self, Batch, Batches, Columnar};
use super::text_pieces::{Cutter, Piece};
use super::wanted_columns::{Float32, Numbers, Wanted};
use super::{Missing, Rows, delimited, jsonl};
use crate::exports::{Held, Join, Keys, PositionBias};
use crate::{Error, Result, Source};
use arrow_schema::SchemaRef;
use beanjar::Context;
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
    /// The line of the header, in formats that have lines.
    header_line: u64,
    strict: bool,
    nested: bool,
    numbers: Numbers,
    missing: Option<Arc<Missing>>,
    /// Columns that are made part of others.
    joins: Vec<Join>,
    /// The program whose export this is, and what was changed or left out of it.
    pub(crate) tool: Option<&'static str>,
    pub(crate) keys: Option<Keys>,
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

/// What is yet to be read.
enum Reader {
    Text {
        cutter: Cutter,
        first: Option<Piece>,
    },
    /// Columns that are known, and not read yet.
    Columnar(Columnar),
    Batches(Batches),
    Held {
        table: Arc<Held>,
        next: usize,
    },
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
    fn new(source: &Source, names: Vec<String>, shape: Shape, reader: Reader) -> Input {
        Input {
            file: source.name(),
            names,
            schema: None,
            shape,
            reader,
            header_line: 1,
            strict: false,
            nested: false,
            numbers: Numbers::default(),
            missing: None,
            joins: Vec::new(),
            tool: None,
            keys: None,
            notes: Vec::new(),
            positions: Vec::new(),
        }
    }

    /// A table that is held in memory.
    fn held(source: &Source, table: Held) -> Input {
        let (tool, keys) = (table.tool, table.keys.clone());
        let (notes, positions) = (table.notes.clone(), table.positions.clone());
        let (names, reader) = (table.names.clone(), Reader::Held { table: Arc::new(table), next: 0 });
        Input { tool, keys, notes, positions, ..Input::new(source, names, Shape::Held, reader) }
    }

    /// Whether this was a survey, and is a long table now.
    pub(crate) fn is_survey(&self) -> bool {
        self.keys.as_ref().is_some_and(|keys| !keys.tasks.is_empty())
    }

    /// Whether a column is made part of another.
    pub(crate) fn is_joined(&self, column: usize) -> bool {
        self.joins.iter().any(|join| join.parts.iter().any(|(part, _)| *part == column))
    }

    /// From here on, a row must not have anything that the header does not announce.
    pub(crate) fn strict(self) -> Input {
        Input { strict: true, ..self }
    }

    /// From here on, what is nested in JSON is the text that it is.
    pub(crate) fn nested_as_text(self) -> Input {
        Input { nested: true, ..self }
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
            Shape::Delimited(_) => format!("{}, line {}", self.file, self.header_line),
            Shape::Jsonl | Shape::Columnar | Shape::Held => self.file.clone(),
        }
    }

    /// Reads the columns `kept` block by block, in order.
    pub(crate) fn for_each(self, kept: &[usize], mut take: impl FnMut(Rows) -> Result<()>) -> Result<()> {
        let place = self.header_place();
        let (mut queue, decoder) = self.start(kept)?;
        let mut rows_read = 0;
        while let (index, Some(raw)) = queue.next()? {
            let rows = decoder.decode(index, raw)?;
            rows_read += rows.len();
            take(rows)?;
        }
        if rows_read == 0 { Err(Error::HeaderOnly { file: place }) } else { Ok(()) }
    }

    /// Reads the columns `kept`, each thread into a part of its own. Blocks are handed out in order, and of several
    /// errors the one that stands first in the file is reported, so the outcome is the same for any number of threads.
    pub(crate) fn read<P: Default + Send>(
        self,
        kept: &[usize],
        context: &Context,
        take: impl Fn(&mut P, &Rows) -> Result<()> + Sync,
    ) -> Result<Vec<P>> {
        let place = self.header_place();
        let (queue, decoder) = self.start(kept)?;
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
        if rows_read.iter().sum::<usize>() == 0 { Err(Error::HeaderOnly { file: place }) } else { Ok(parts) }
    }

    fn start(self, kept: &[usize]) -> Result<(Queue, Decoder)> {
        let Input { file, names, shape, reader, strict, nested, numbers, missing, joins, .. } = self;
        let mut all = kept.to_vec();
        let mut slot_of = |column: usize| {
            let found = all.iter().position(|&other| other == column);
            found.unwrap_or_else(|| {
                all.push(column);
                all.len() - 1
            })
        };
        let mut slots = Vec::new();
        for join in joins {
            if let Some(whole) = kept.iter().position(|&column| column == join.whole) {
                slots.push((whole, join.parts.iter().map(|(part, _)| slot_of(*part)).collect(), join));
            }
        }
        let wanted = Wanted::new(names.len(), &all, strict).with_nested(nested);
        let wanted = wanted.with_numbers(numbers).with_joined(kept.len());
        let reader = match reader {
            Reader::Columnar(columnar) => Reader::Batches(columnar.batches(&all)?),
            reader => reader,
        };
        Ok((Queue { reader, next: 0 }, Decoder { file, names, shape, wanted, missing, joins: slots, kept: kept.len() }))
    }
}

struct Decoder {
    file: String,
    names: Vec<String>,
    shape: Shape,
    wanted: Wanted,
    missing: Option<Arc<Missing>>,
    /// Of each column with parts its number among the kept, and those of its parts.
    joins: Vec<(usize, Vec<usize>, Join)>,
    /// How many columns were asked for.
    kept: usize,
}

impl Decoder {
    fn decode(&self, index: u32, raw: Raw) -> Result<Rows> {
        let Decoder { file, names, shape, wanted, missing, joins, kept } = self;
        let decimal_commas = matches!(shape, Shape::Delimited(b';'));
        let rows = match (raw, shape) {
            (Raw::Batch(batch), _) => columnar::decode(file, index, &batch, wanted),
            (Raw::Held { table, rows }, _) => Ok(Rows::of_table(index, &table, rows, wanted)),
            (Raw::Piece(piece), Shape::Delimited(delimiter)) => {
                delimited::decode(file, index, piece, *delimiter, wanted)
            }
            (Raw::Piece(piece), _) => jsonl::decode(file, index, &piece, names, wanted),
        };
        let rows = rows?.of_file(missing.clone(), decimal_commas);
        Ok(if joins.is_empty() { rows } else { rows.joined(joins, *kept) })
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
            Reader::Batches(batches) => batches.next().map(|batch| batch.map(Raw::Batch)),
            // Its batches are asked for before anything is read.
            Reader::Columnar(_) => Ok(None),
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
