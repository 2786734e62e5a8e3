//! Tables to Parquet and Arrow files.

use crate::output_file::Output;
use crate::{Cell, ColumnType, Format};
use arrow_array::builder::{Float64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use std::fs::File;
use std::io::{self, BufWriter};
use std::sync::Arc;

/// Rows collected into batches for Parquet or Arrow.
pub(crate) struct Columnar {
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

    pub(crate) fn new(output: Output, format: Format, columns: &[(&str, ColumnType)]) -> io::Result<Columnar> {
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

    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        for (builder, cell) in self.builders.iter_mut().zip(cells) {
            match (builder, cell) {
                (Builder::Text(builder), Cell::Text(text)) => builder.append_value(text),
                (Builder::Text(builder), _) => builder.append_null(),
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

    pub(crate) fn finish(mut self) -> io::Result<Output> {
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
