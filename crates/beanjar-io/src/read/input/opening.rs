//! Opening a file of any format, and finding the table in it: exports of annotation tools are unfolded.

use super::{BLOCK, Columnar, Input, Queue, Raw, Reader, Shape};
use crate::column_roles::ColumnNames;
use crate::error::shown;
use crate::exports::{self, Held};
use crate::format::Opened;
use crate::read::text_pieces::Cutter;
use crate::read::wanted_columns::Wanted;
use crate::read::{delimited, jsonl};
use crate::spreadsheet;
use crate::{Error, Format, Result, Source};
use beanjar::Context;
use std::io::{self, Read};

impl Input {
    pub(crate) fn open(source: &Source, context: &Context) -> Result<Input> {
        Self::open_with(source, &ColumnNames::default(), context)
    }

    /// The same where the user may have named columns: a file that has them is read as it is, even if it is an export.
    pub(crate) fn open_with(source: &Source, given: &ColumnNames, context: &Context) -> Result<Input> {
        let input = match source.open(context)? {
            Opened::Text { format: Format::Json, bytes } => Self::open_json(source, bytes)?,
            Opened::Text { format, bytes } => Self::open_text(source, format, Cutter::new(source.clone(), bytes))?,
            Opened::Sheet { bytes } => {
                Input::held(source, spreadsheet::read(bytes).map_err(|wrong| wrong.with(&source.name()))?)
            }
            Opened::Columnar { format, file } => Self::columnar(source, Columnar::open(source, format, file, context)?),
            Opened::Table(memory) => Self::columnar(source, Columnar::held(source, &memory, context)?),
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

    fn columnar(source: &Source, columnar: Columnar) -> Input {
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

    /// The long table in an export of an annotation tool or platform; any other input as it is.
    fn unfolded(self, source: &Source) -> Result<Input> {
        let may_be = match (&self.reader, self.shape) {
            (Reader::Text { first: Some(piece), .. }, Shape::Jsonl) => {
                let first = jsonl::first_records(piece, exports::SEVERAL);
                first.iter().any(exports::is_export)
                    || first.first().is_some_and(exports::has_table)
                    || exports::is_table(&self.names)
                    || self.may_be_pairs()
                    || exports::may_have_several_a_task(&self.names)
            }
            // JSON has been looked into; sheets have not.
            (Reader::Held { table, .. }, _) => {
                return match exports::from_table(table) {
                    Some(Ok(held)) => Ok(Input::held(source, held)),
                    Some(Err(problem)) => Err(Error::NoTable { file: source.name(), problem }),
                    None => Ok(self),
                };
            }
            _ => exports::is_table(&self.names) || self.may_be_pairs() || exports::may_have_several_a_task(&self.names),
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
}

/// The separator that the header line has most of.
fn likely_delimiter(line: &[u8]) -> u8 {
    let count = |delimiter: u8| line.iter().filter(|&&byte| byte == delimiter).count();
    // The last of equals wins, so the comma does.
    [b'\t', b';', b','].into_iter().max_by_key(|&delimiter| count(delimiter)).unwrap_or(b',')
}
