//! Tables to files of any format.

use crate::output::{Output, unwritable};
use crate::{Compression, Format, Result, Source};
use arrow_array::builder::{Float64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

/// Writes a table row by row, in the format that the file's name tells.
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
    encoder: Encoder,
}

enum Encoder {
    Delimited(Box<csv::Writer<Stream>>),
    Jsonl { names: Vec<String>, stream: Box<Stream> },
    Columnar(Box<Columnar>),
}

impl TableWriter {
    /// Begins a table with these columns. The file must not be one of the `inputs`.
    pub fn create(path: impl AsRef<Path>, columns: &[(&str, ColumnType)], inputs: &[&Source]) -> Result<TableWriter> {
        let path = path.as_ref();
        let (format, compression) = Format::of(path)?;
        let output = Output::create(path, inputs)?;
        let encoder = match format {
            Format::Csv | Format::Tsv => {
                let delimiter = if format == Format::Csv { b',' } else { b'\t' };
                let stream = Stream::new(output, compression).map_err(|error| unwritable(path, &error))?;
                let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(stream);
                let header = writer.write_record(columns.iter().map(|(name, _)| name));
                header.map_err(|error| unwritable(path, &error.into()))?;
                Encoder::Delimited(Box::new(writer))
            }
            Format::Jsonl => {
                let stream = Stream::new(output, compression).map_err(|error| unwritable(path, &error))?;
                let names = columns.iter().map(|(name, _)| json_text(name)).collect();
                Encoder::Jsonl { names, stream: Box::new(stream) }
            }
            Format::Parquet | Format::Arrow => {
                let columnar = Columnar::new(output, format, columns);
                Encoder::Columnar(Box::new(columnar.map_err(|error| unwritable(path, &error))?))
            }
        };
        Ok(TableWriter { path: path.to_owned(), encoder })
    }

    /// Writes a row: a cell for each column, of that column's type.
    pub fn row(&mut self, cells: &[Cell<'_>]) -> Result<()> {
        let written = match &mut self.encoder {
            Encoder::Delimited(writer) => delimited_row(writer, cells),
            Encoder::Jsonl { names, stream } => json_row(stream, names, cells),
            Encoder::Columnar(columnar) => columnar.row(cells),
        };
        written.map_err(|error| unwritable(&self.path, &error))
    }

    /// Completes the file and gives it its name.
    pub fn finish(self) -> Result<()> {
        let TableWriter { path, encoder } = self;
        let output = match encoder {
            Encoder::Delimited(writer) => {
                writer.into_inner().map_err(|error| io::Error::other(error.to_string())).and_then(Stream::finish)
            }
            Encoder::Jsonl { stream, .. } => stream.finish(),
            Encoder::Columnar(columnar) => columnar.finish(),
        };
        output.map_err(|error| unwritable(&path, &error))?.finish()
    }
}

fn delimited_row(writer: &mut csv::Writer<Stream>, cells: &[Cell<'_>]) -> io::Result<()> {
    for cell in cells {
        match cell {
            Cell::Text(text) => writer.write_field(text)?,
            Cell::Number(number) => writer.write_field(plain(*number))?,
            Cell::Missing => writer.write_field("")?,
        }
    }
    Ok(writer.write_record(None::<&[u8]>)?)
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
    stream.write_all(b"}\n")
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

/// Rows collected into batches for Parquet or Arrow.
struct Columnar {
    output: Output,
    schema: SchemaRef,
    builders: Vec<Builder>,
    rows: usize,
    sink: Sink,
}

enum Sink {
    Parquet(parquet::arrow::ArrowWriter<File>),
    Arrow(arrow_ipc::writer::FileWriter<BufWriter<File>>),
}

enum Builder {
    Text(StringBuilder),
    Number(Float64Builder),
}

impl Columnar {
    /// Large enough to compress well, small enough to hold.
    const ROWS_IN_A_BATCH: usize = 1 << 16;

    fn new(output: Output, format: Format, columns: &[(&str, ColumnType)]) -> io::Result<Columnar> {
        let fields: Vec<Field> = columns
            .iter()
            .map(|(name, column)| match column {
                ColumnType::Text => Field::new(*name, DataType::Utf8, true),
                ColumnType::Number => Field::new(*name, DataType::Float64, true),
            })
            .collect();
        let builders = columns
            .iter()
            .map(|(_, column)| match column {
                ColumnType::Text => Builder::Text(StringBuilder::new()),
                ColumnType::Number => Builder::Number(Float64Builder::new()),
            })
            .collect();
        let schema: SchemaRef = Arc::new(Schema::new(fields));
        let file = output.handle()?;
        let sink = match format {
            Format::Parquet => {
                let compression = parquet::basic::Compression::ZSTD(parquet::basic::ZstdLevel::default());
                let properties = parquet::file::properties::WriterProperties::builder().set_compression(compression);
                let writer = parquet::arrow::ArrowWriter::try_new(file, schema.clone(), Some(properties.build()));
                Sink::Parquet(writer.map_err(io::Error::other)?)
            }
            _ => {
                let writer = arrow_ipc::writer::FileWriter::try_new_buffered(file, &schema);
                Sink::Arrow(writer.map_err(io::Error::other)?)
            }
        };
        Ok(Columnar { output, schema, builders, rows: 0, sink })
    }

    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        for (builder, cell) in self.builders.iter_mut().zip(cells) {
            match (builder, cell) {
                (Builder::Text(builder), Cell::Text(text)) => builder.append_value(text),
                (Builder::Text(builder), Cell::Number(number)) => builder.append_value(number.to_string()),
                (Builder::Text(builder), Cell::Missing) => builder.append_null(),
                (Builder::Number(builder), Cell::Number(number)) => builder.append_value(*number),
                (Builder::Number(builder), _) => builder.append_null(),
            }
        }
        self.rows += 1;
        if self.rows == Self::ROWS_IN_A_BATCH { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let arrays = self.builders.iter_mut().map(|builder| -> ArrayRef {
            match builder {
                Builder::Text(builder) => Arc::new(builder.finish()),
                Builder::Number(builder) => Arc::new(builder.finish()),
            }
        });
        let batch = RecordBatch::try_new(self.schema.clone(), arrays.collect()).map_err(io::Error::other)?;
        self.rows = 0;
        match &mut self.sink {
            Sink::Parquet(writer) => writer.write(&batch).map_err(io::Error::other),
            Sink::Arrow(writer) => writer.write(&batch).map_err(io::Error::other),
        }
    }

    fn finish(mut self) -> io::Result<Output> {
        if self.rows > 0 {
            self.flush()?;
        }
        match self.sink {
            Sink::Parquet(writer) => drop(writer.close().map_err(io::Error::other)?),
            Sink::Arrow(mut writer) => writer.finish().map_err(io::Error::other)?,
        }
        Ok(self.output)
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
    fn numbers_are_short_and_read_back_the_same() {
        for (number, text) in [(7.0, "7"), (0.1, "0.1"), (-1e300, "-1e300"), (1e-12, "1e-12"), (0.0, "0")] {
            assert_eq!(plain(number), text);
        }
    }
}
