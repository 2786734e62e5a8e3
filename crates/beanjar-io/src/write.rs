//! Tables to files of any format.

use crate::class_names::is_plain_number;
use crate::column_roles::{Role, role_of};
use crate::output_file::{Output, unwritable};
use crate::write_columnar::Columnar;
use crate::write_sheet::SheetWriter;
use crate::{Compression, Error, Format, Result, Source};
use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// What a column of a table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Text.
    Text,
    /// Numbers.
    Number,
}

/// One value of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Text, in a text column.
    Text(&'a str),
    /// A finite number, in a number column.
    Number(f64),
    /// Nothing.
    Missing,
}

/// Writes a table row by row, in the format that the file's name shows.
///
/// ```
/// use beanjar_io::{Cell, ColumnType, TableWriter};
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("truth.csv");
/// let columns = [("object", ColumnType::Text), ("height", ColumnType::Number)];
/// let mut table = TableWriter::create(&path, &columns, &[])?;
/// table.row(&[Cell::Text("photo 1"), Cell::Number(67.5)])?;
/// table.finish()?;
/// assert_eq!(std::fs::read_to_string(&path).unwrap(), "object,height\nphoto 1,67.5\n");
/// # Ok::<(), beanjar_io::Error>(())
/// ```
pub struct TableWriter {
    path: PathBuf,
    types: Vec<ColumnType>,
    rows: usize,
    safe: bool,
    encoder: Encoder,
}

enum Encoder {
    Delimited(Box<csv::Writer<Stream>>),
    Jsonl { names: Vec<String>, stream: Box<Stream> },
    Json { names: Vec<String>, stream: Box<Stream> },
    Columnar(Box<Columnar>),
    Sheet(Box<SheetWriter>),
}

impl fmt::Debug for TableWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableWriter").field("path", &self.path).field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl TableWriter {
    /// Begins a table with these columns. The file must not be one of the `inputs`.
    pub fn create(path: impl AsRef<Path>, columns: &[(&str, ColumnType)], inputs: &[&Source]) -> Result<TableWriter> {
        let path = path.as_ref();
        Format::of(path)?;
        TableWriter::begin(path, Output::create(path, inputs)?, columns, false)
    }

    /// The same; in CSV and TSV, texts that a spreadsheet would take for a formula are made [`harmless`].
    pub fn create_safe(path: &Path, columns: &[(&str, ColumnType)], inputs: &[&Source]) -> Result<TableWriter> {
        Format::of(path)?;
        TableWriter::begin(path, Output::create(path, inputs)?, columns, true)
    }

    /// The same in an output that is begun already; `path` shows the format.
    fn begin(path: &Path, output: Output, columns: &[(&str, ColumnType)], safe: bool) -> Result<TableWriter> {
        let (format, compression) = Format::of(path)?;
        if let (Format::Sheet, Some(other)) = (format, path.extension().filter(|extension| *extension != "xlsx")) {
            let problem = format!("spreadsheets are written as .xlsx, not as .{}", other.display());
            return Err(Error::UnknownFormat { file: path.display().to_string(), problem });
        }
        let encoder = match format {
            Format::Csv | Format::Tsv => {
                let delimiter = if format == Format::Csv { b',' } else { b'\t' };
                let stream = Stream::new(output, compression).map_err(|error| unwritable(path, &error))?;
                let mut writer = delimited(stream, delimiter);
                let name = |name| if safe { harmless(name) } else { Cow::Borrowed(name) };
                let header = writer.write_record(columns.iter().map(|(text, _)| name(*text).into_owned()));
                header.map_err(|error| unwritable(path, &error.into()))?;
                Encoder::Delimited(Box::new(writer))
            }
            Format::Jsonl => {
                let stream = Stream::new(output, compression).map_err(|error| unwritable(path, &error))?;
                let names = columns.iter().map(|(name, _)| json_text(name)).collect();
                Encoder::Jsonl { names, stream: Box::new(stream) }
            }
            Format::Json => {
                let stream = Stream::new(output, compression).map_err(|error| unwritable(path, &error))?;
                let names = columns.iter().map(|(name, _)| json_text(name)).collect();
                Encoder::Json { names, stream: Box::new(stream) }
            }
            Format::Sheet => {
                let sheet = SheetWriter::new(output, columns).map_err(|error| unwritable(path, &error))?;
                Encoder::Sheet(Box::new(sheet))
            }
            Format::Parquet | Format::Arrow => {
                let columnar = Columnar::new(output, format, columns);
                Encoder::Columnar(Box::new(columnar.map_err(|error| unwritable(path, &error))?))
            }
        };
        let types = columns.iter().map(|(_, column)| *column).collect();
        Ok(TableWriter { path: path.to_owned(), types, rows: 0, safe, encoder })
    }

    /// Writes a row: a cell for each column, of that column's type.
    pub fn row(&mut self, cells: &[Cell<'_>]) -> Result<()> {
        let written = check_cells(cells, &self.types).and_then(|()| match &mut self.encoder {
            Encoder::Delimited(writer) => delimited_row(writer, cells, self.safe),
            Encoder::Jsonl { names, stream } => json_row(stream, names, cells).and_then(|()| stream.write_all(b"\n")),
            Encoder::Json { names, stream } => {
                let before: &[u8] = if self.rows == 0 { b"[\n" } else { b",\n" };
                stream.write_all(before).and_then(|()| json_row(stream, names, cells))
            }
            Encoder::Sheet(sheet) => sheet.row(cells),
            Encoder::Columnar(columnar) => columnar.row(cells),
        });
        self.rows += 1;
        written.map_err(|error| unwritable(&self.path, &error))
    }

    /// Completes the file and gives it its name. Returns how many rows were written.
    pub fn finish(self) -> Result<usize> {
        self.complete()?.finish()
    }

    /// Completes the file, which has its name later: together with others, say.
    pub fn complete(self) -> Result<CompleteTable> {
        let TableWriter { path, encoder, rows, .. } = self;
        let output = match encoder {
            Encoder::Delimited(writer) => {
                writer.into_inner().map_err(|error| io::Error::other(error.to_string())).and_then(Stream::finish)
            }
            Encoder::Jsonl { stream, .. } => stream.finish(),
            Encoder::Json { mut stream, .. } => {
                let end: &[u8] = if rows == 0 { b"[]\n" } else { b"\n]\n" };
                stream.write_all(end).and_then(|()| stream.finish())
            }
            Encoder::Sheet(sheet) => sheet.finish(),
            Encoder::Columnar(columnar) => columnar.finish(),
        };
        let output = output.map_err(|error| unwritable(&path, &error))?;
        Ok(CompleteTable { path, output, rows })
    }
}

/// A table that is written, and not yet seen under its name.
#[derive(Debug)]
pub struct CompleteTable {
    path: PathBuf,
    output: Output,
    rows: usize,
}

impl CompleteTable {
    /// The file's name to be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name. Returns how many rows it has.
    pub fn finish(self) -> Result<usize> {
        self.output.finish()?;
        Ok(self.rows)
    }
}

/// Writes rows of text to an output that is begun already, in the format that `path` shows. The first row has the names of
/// columns. A column is one of numbers if all its values are numbers, and it is not called as ids and labels are.
pub fn write_rows(path: &Path, output: Output, rows: impl IntoIterator<Item = Vec<String>>) -> Result<usize> {
    let mut rows = rows.into_iter();
    let names = rows.next().unwrap_or_default();
    let rows: Vec<Vec<String>> = rows.collect();
    let is_number = |column: usize| {
        let is_id = role_of(&names[column]).is_some_and(|role| role != Role::Value);
        !is_id && rows.iter().all(|row| row[column].is_empty() || is_plain_number(&row[column]))
    };
    let types: Vec<ColumnType> =
        (0..names.len()).map(|column| if is_number(column) { ColumnType::Number } else { ColumnType::Text }).collect();
    let columns: Vec<(&str, ColumnType)> = names.iter().map(String::as_str).zip(types.iter().copied()).collect();
    let mut writer = TableWriter::begin(path, output, &columns, false)?;
    for row in &rows {
        let cells: Vec<Cell<'_>> = row
            .iter()
            .zip(&types)
            .map(|(text, kind)| match (text.as_str(), kind) {
                ("", _) => Cell::Missing,
                (text, ColumnType::Number) => text.parse().map_or(Cell::Missing, Cell::Number),
                (text, ColumnType::Text) => Cell::Text(text),
            })
            .collect();
        writer.row(&cells)?;
    }
    writer.finish()
}

/// A text that no spreadsheet takes for a formula: with `'` before it if it begins with =, +, -, @, a tab or a line end, and
/// is no number.
pub fn harmless(text: &str) -> Cow<'_, str> {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) && text.parse::<f64>().is_err() {
        true => Cow::Owned(format!("'{text}")),
        false => Cow::Borrowed(text),
    }
}

/// Writes rows as CSV; a field is quoted where it has to be.
pub fn write_csv(out: impl Write, rows: impl IntoIterator<Item = Vec<String>>) -> io::Result<()> {
    let mut writer = delimited(out, b',');
    rows.into_iter().try_for_each(|row| writer.write_record(row)).map_err(cause)?;
    writer.flush()
}

/// What went wrong below the CSV writer: whoever writes to a closed pipe has to know it.
fn cause(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

fn delimited<W: Write>(out: W, delimiter: u8) -> csv::Writer<W> {
    csv::WriterBuilder::new().delimiter(delimiter).from_writer(out)
}

fn check_cells(cells: &[Cell<'_>], types: &[ColumnType]) -> io::Result<()> {
    let fits = |(cell, column): (&Cell<'_>, &ColumnType)| match (cell, column) {
        (Cell::Text(_), ColumnType::Text) | (Cell::Missing, _) => true,
        (Cell::Number(number), ColumnType::Number) => number.is_finite(),
        (Cell::Text(_), ColumnType::Number) | (Cell::Number(_), ColumnType::Text) => false,
    };
    match cells.len() == types.len() && cells.iter().zip(types).all(fits) {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{cells:?} does not fit its columns"))),
    }
}

fn delimited_row(writer: &mut csv::Writer<Stream>, cells: &[Cell<'_>], safe: bool) -> io::Result<()> {
    for cell in cells {
        match cell {
            Cell::Text(text) if safe => writer.write_field(harmless(text).as_ref()),
            Cell::Text(text) => writer.write_field(text),
            Cell::Number(number) => writer.write_field(plain(*number)),
            Cell::Missing => writer.write_field(""),
        }
        .map_err(cause)?;
    }
    writer.write_record(None::<&[u8]>).map_err(cause)
}

fn json_row(stream: &mut Stream, names: &[String], cells: &[Cell<'_>]) -> io::Result<()> {
    for (i, (name, cell)) in names.iter().zip(cells).enumerate() {
        write!(stream, "{}{name}:", if i == 0 { "{" } else { "," })?;
        match cell {
            Cell::Text(text) => stream.write_all(json_text(text).as_bytes())?,
            Cell::Number(number) => stream.write_all(plain(*number).as_bytes())?,
            Cell::Missing => stream.write_all(b"null")?,
        }
    }
    stream.write_all(b"}")
}

/// The shortest text that reads back as the same number; a power of ten where zeros would fill the line.
pub(crate) fn plain(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-7..1e17).contains(&size) { format!("{number:e}") } else { number.to_string() }
}

fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Text on its way to the file, compressed as the name says.
enum Stream {
    Plain(BufWriter<Output>),
    Gzip(flate2::write::GzEncoder<BufWriter<Output>>),
    Zstd(zstd::Encoder<'static, BufWriter<Output>>),
}

impl Stream {
    fn new(output: Output, compression: Compression) -> io::Result<Stream> {
        let buffered = BufWriter::with_capacity(1 << 16, output);
        Ok(match compression {
            Compression::Plain => Stream::Plain(buffered),
            Compression::Gzip => Stream::Gzip(flate2::write::GzEncoder::new(buffered, flate2::Compression::default())),
            Compression::Zstd => Stream::Zstd(zstd::Encoder::new(buffered, 0)?),
        })
    }

    fn finish(self) -> io::Result<Output> {
        let buffered = match self {
            Stream::Plain(stream) => stream,
            Stream::Gzip(stream) => stream.finish()?,
            Stream::Zstd(stream) => stream.finish()?,
        };
        buffered.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(stream) => stream.write(bytes),
            Stream::Gzip(stream) => stream.write(bytes),
            Stream::Zstd(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Plain(stream) => stream.flush(),
            Stream::Gzip(stream) => stream.flush(),
            Stream::Zstd(stream) => stream.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_that_is_not_finished_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let names = || std::fs::read_dir(folder.path()).unwrap().count();
        for name in ["a.csv", "a.jsonl.gz", "a.parquet", "a.arrow"] {
            let path = folder.path().join(name);
            std::fs::write(&path, "precious").unwrap();
            let mut table = TableWriter::create(&path, &[("x", ColumnType::Number)], &[]).unwrap();
            (0..100_000).for_each(|i| table.row(&[Cell::Number(f64::from(i))]).unwrap());
            drop(table);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
            std::fs::remove_file(&path).unwrap();
            assert_eq!(names(), 0, "{name}");
        }
    }

    #[test]
    fn a_row_that_does_not_fit_its_columns_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.csv", "a.jsonl", "a.parquet"] {
            let columns = [("id", ColumnType::Text), ("x", ColumnType::Number)];
            let mut table = TableWriter::create(folder.path().join(name), &columns, &[]).unwrap();
            table.row(&[Cell::Text("a"), Cell::Missing]).unwrap();
            for bad in
                [&[Cell::Text("a")][..], &[Cell::Text("a"), Cell::Text("b")], &[Cell::Missing, Cell::Number(f64::NAN)]]
            {
                assert!(table.row(bad).is_err(), "{bad:?}");
            }
        }
    }

    #[test]
    fn fields_that_would_break_a_row_are_quoted() {
        let rows = [["a", "b,c"], ["d\"e", ""], ["two\nlines", " f"]].map(|row| row.map(str::to_owned).to_vec());
        let mut written = Vec::new();
        write_csv(&mut written, rows).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), "a,\"b,c\"\n\"d\"\"e\",\n\"two\nlines\", f\n");
    }

    #[test]
    fn formulas_are_made_harmless_and_numbers_left_alone() {
        for (text, safe) in
            [("=1+2", "'=1+2"), ("-3", "-3"), ("-3e2", "-3e2"), ("-a", "'-a"), ("@x", "'@x"), ("a=", "a=")]
        {
            assert_eq!(harmless(text), safe);
        }
        assert_eq!(harmless("\t=1"), "'\t=1");
    }

    #[test]
    fn numbers_are_short_and_read_back_the_same() {
        for (number, text) in [(7.0, "7"), (0.1, "0.1"), (-1e300, "-1e300"), (1e-12, "1e-12"), (0.0, "0")] {
            assert_eq!(plain(number), text);
        }
    }
}
