//! Opening a file of any format, and finding the table in it: exports of annotation tools are unfolded.

use super::{BLOCK, Columnar, Input, Queue, Raw, Reader, Shape};
use crate::column_roles::{ColumnNames, Role};
use crate::error::shown;
use crate::exports::{self, Apart, Held, Join, Questions};
use crate::format::Opened;
use crate::read::above_header::above_header;
use crate::read::text_pieces::Cutter;
use crate::read::wanted_columns::Wanted;
use crate::read::{ReadOptions, Rows, Wide, delimited, jsonl};
use crate::spreadsheet;
use crate::{Error, Format, Result, Source};
use beanjar::Context;
use memchr::memchr;
use std::io::{self, Read};
use std::sync::Arc;

impl Input {
    /// A table of any kind.
    pub(crate) fn open(source: &Source, context: &Context) -> Result<Input> {
        Self::open_for(source, None, context)
    }

    /// A table of judgments or labels. A file with columns that the user names is read as it is, even if it is an export.
    pub(crate) fn open_with(source: &Source, options: &ReadOptions, context: &Context) -> Result<Input> {
        Self::open_for(source, Some(options), context)
    }

    fn open_for(source: &Source, options: Option<&ReadOptions>, context: &Context) -> Result<Input> {
        let given = options.map(|options| &options.columns);
        let input = Self::as_it_is(source, given, context)?;
        let named = input.names.iter().any(|name| given.is_some_and(|given| given.role_of(name).is_some()));
        let input = match options {
            Some(options) => input.survey_unfolded(source, options)?,
            None => input,
        };
        let input = if named || input.is_survey() { input } else { input.unfolded(source, context)? };
        let mut sorted: Vec<&String> = input.names.iter().collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1] && !pair[0].is_empty()) {
            Some(twice) => Err(Error::DuplicateColumn { file: input.header_place(), name: shown(twice[0]) }),
            None => Ok(input),
        }
    }

    fn as_it_is(source: &Source, given: Option<&ColumnNames>, context: &Context) -> Result<Input> {
        Ok(match source.open(context)? {
            Opened::Text { format: Format::Json, bytes } => Self::open_json(source, bytes)?,
            Opened::Text { format, bytes } => Self::open_text(source, format, Cutter::new(source.clone(), bytes))?,
            Opened::Sheet { bytes } => {
                Input::held(source, spreadsheet::read(bytes, given).map_err(|wrong| wrong.with(&source.name()))?)
            }
            Opened::Columnar { format, file } => Self::columnar(source, Columnar::open(source, format, file, context)?),
            Opened::Table(memory) => Self::columnar(source, Columnar::held(source, &memory, context)?),
        })
    }

    pub(super) fn columnar(source: &Source, columnar: Columnar) -> Input {
        let schema = columnar.schema().clone();
        let names = schema.fields().iter().map(|field| field.name().clone()).collect();
        Input { schema: Some(schema), ..Input::new(source, names, Shape::Columnar, Reader::Columnar(columnar)) }
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
            Err(error) => {
                Err(Error::NoTable { file, problem: format!("this is not JSON: {}", shown(&error.to_string())) })
            }
        }
    }

    /// The long table of a survey, if this is one by the user's word or unmistakably; any other input as it is.
    fn survey_unfolded(self, source: &Source, options: &ReadOptions) -> Result<Input> {
        let asked = options.wide == Some(Wide::Tasks);
        let answers = [Role::Object, Role::Label, Role::Value, Role::Attribute];
        let may_be = || {
            let is_long = options.wide.is_some() || answers.into_iter().any(|role| options.columns.has(role));
            let is_survey = |sample: Held| exports::survey(&sample, &options.columns, false).is_some();
            !is_long && exports::may_be_survey(&self.names) && self.sample().is_some_and(is_survey)
        };
        if !asked && !may_be() {
            return Ok(self);
        }
        let notes = self.notes.clone();
        let table = match self.reader {
            Reader::Held { table, .. } => Arc::unwrap_or_clone(table),
            _ => Held { notes, ..self.all()? },
        };
        match exports::survey(&table, &options.columns, asked) {
            Some(Ok(mut held)) => {
                held.notes.splice(0..0, table.notes);
                Ok(Input::held(source, held))
            }
            Some(Err(problem)) => Err(Error::NoTable { file: source.name(), problem }),
            None => Ok(Input::held(source, table)),
        }
    }

    /// The long table of several questions.
    pub(crate) fn with_rows_of(self, source: &Source, questions: &Questions) -> Result<Input> {
        let notes = self.notes.clone();
        let table = self.all()?;
        let mut held = questions.long(&table).unwrap_or(table);
        held.notes.splice(0..0, notes);
        Ok(Input::held(source, held))
    }

    /// The long table in an export of an annotation tool or platform; any other input as it is.
    fn unfolded(self, source: &Source, context: &Context) -> Result<Input> {
        let is_export = match (&self.reader, self.shape) {
            (Reader::Text { first: Some(piece), .. }, Shape::Jsonl) => {
                let first = jsonl::first_records(piece, exports::SEVERAL);
                first.iter().any(exports::is_export)
                    || first.first().is_some_and(exports::has_table)
                    || exports::is_table(&self.names)
                    || self.may_be_pairs()
            }
            // JSON has been looked into; sheets have not.
            (Reader::Held { table, .. }, _) => {
                return match exports::from_table(table) {
                    Some(Ok(held)) => Ok(Input::held(source, held)),
                    Some(Err(problem)) => Err(Error::NoTable { file: source.name(), problem }),
                    None => Ok(self),
                };
            }
            (Reader::Columnar(columnar), _) if columnar.is_export() => {
                let records = columnar.records()?.into_iter().map(serde_json::Value::Object).collect();
                let held = exports::from_json(serde_json::Value::Array(records));
                let held = held.map_err(|problem| Error::NoTable { file: source.name(), problem })?;
                return Ok(Input::held(source, held));
            }
            _ => exports::is_table(&self.names) || exports::has_listed_texts(&self.names) || self.may_be_pairs(),
        };
        match (is_export, Apart::of(&self.names)) {
            (false, None) => return Ok(self),
            (false, Some(apart)) => {
                if let Some(joins) = found_again(apart, source, context) {
                    let notes = self.notes.iter().cloned().chain(joins.iter().flat_map(Join::notes)).collect();
                    return Ok(Input { joins, notes, ..self });
                }
            }
            _ => {}
        }
        let notes = self.notes.clone();
        let held = match self.shape {
            Shape::Jsonl => exports::from_json(self.values()?),
            _ => {
                let table = self.all()?;
                exports::from_table(&table).unwrap_or(Ok(table))
            }
        };
        let no_table = |problem| Error::NoTable { file: source.name(), problem };
        let mut held = held.map_err(no_table)?;
        held.notes.splice(0..0, notes);
        Ok(Input::held(source, held))
    }

    /// Whether the first rows hold verdicts on pairs.
    fn may_be_pairs(&self) -> bool {
        exports::has_pairs(&self.names) && self.sample().is_none_or(|sample| exports::are_pairs(&sample))
    }

    /// All rows of all columns but those of lists and the like.
    fn all(self) -> Result<Held> {
        let is_nested =
            |column: usize| self.schema.as_ref().is_some_and(|schema| schema.field(column).data_type().is_nested());
        let kept: Vec<usize> = (0..self.names.len()).filter(|&column| !is_nested(column)).collect();
        let names: Vec<String> = kept.iter().map(|&column| self.names[column].clone()).collect();
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
            (Reader::Columnar(columnar), _) => columnar.sample(&names),
            _ => None,
        }
    }

    fn open_text(source: &Source, format: Format, mut cutter: Cutter) -> Result<Input> {
        let file = source.name();
        let delimiters: &[u8] = match format {
            Format::Jsonl => b"",
            Format::Tsv => b"\t",
            _ => b",;\t",
        };
        let above = above_header(cutter.peek()?, delimiters).filter(|_| format != Format::Jsonl);
        if let Some(above) = &above {
            cutter.skip(above.bytes);
        }
        let text = cutter.peek()?;
        let line = &text[..memchr(b'\n', text).unwrap_or(text.len())];
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
        let (names, header_line) = match shape {
            Shape::Delimited(delimiter) => first.take_header(&file, delimiter)?,
            _ => (jsonl::header(&file, &first)?, 1),
        };
        let reader = Reader::Text { cutter, first: Some(first) };
        let notes = above.and_then(|above| above.note()).into_iter().collect();
        Ok(Input { header_line, notes, ..Input::new(source, names, shape, reader) })
    }
}

/// The columns that tell judgments apart, by another look at the file; none if there is no other, or if those columns hold more
/// than plain values.
fn found_again(mut apart: Apart, source: &Source, context: &Context) -> Option<Vec<Join>> {
    if !source.can_be_read_again() {
        return None;
    }
    let columns = apart.columns();
    let see = |rows: Rows| {
        let cells: Vec<Vec<&str>> = (0..columns.len()).map(|column| rows.column(column)).collect();
        for row in 0..rows.len() {
            apart.see(&cells.iter().map(|column| column[row]).collect::<Vec<_>>());
        }
        Ok(())
    };
    Input::as_it_is(source, None, context).and_then(|input| input.for_each(&columns, see)).ok()?;
    Some(apart.joins())
}

/// The separator that the header line has most of; the bar is one where there is no other.
fn likely_delimiter(line: &[u8]) -> u8 {
    let count = |delimiter: u8| line.iter().filter(|&&byte| byte == delimiter).count();
    // The last of equals wins, so the comma does.
    let usual = [b'\t', b';', b','].into_iter().max_by_key(|&delimiter| count(delimiter)).unwrap_or(b',');
    if count(usual) == 0 && count(b'|') > 0 { b'|' } else { usual }
}
