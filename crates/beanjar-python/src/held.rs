//! What Python holds, for a command to read in place of a file.

use crate::numbers::{floats, integers};
use crate::watch::BeanjarError;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, RecordBatch, RecordBatchReader, StringArray};
use arrow_schema::{ArrowError, Schema};
use beanjar::FeatureTable;
use beanjar::experts::Features;
use beanjar_io::{Content, Memory};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3_arrow::input::AnyRecordBatch;
use std::sync::Arc;

/// A name, the kind of thing that is held under it, and the thing.
pub(crate) type Held<'py> = (String, String, Bound<'py, PyAny>);

/// What is held, as the reader wants it.
pub(crate) fn memory((name, kind, thing): Held<'_>) -> PyResult<Memory> {
    let content = match kind.as_str() {
        "arrow" => arrow(&thing)?,
        "columns" => columns(thing.extract()?).map_err(|error| wrong(&name, &error))?,
        "features" => features(&name, thing.extract()?)?,
        "text" => Content::Text(thing.extract()?),
        "bytes" => Content::Bytes(thing.extract::<Bound<'_, PyBytes>>()?.as_bytes().to_vec()),
        _ => return Err(PyTypeError::new_err(format!("{name}: a {kind} cannot be held"))),
    };
    Ok(Memory::new(name, content))
}

fn wrong(name: &str, error: &ArrowError) -> PyErr {
    BeanjarError::new_err(format!("{name}: {error}"))
}

/// A table of any library that speaks Arrow's C interface, without copying it.
fn arrow(table: &Bound<'_, PyAny>) -> PyResult<Content> {
    let reader = stream(table)?;
    let schema = reader.schema();
    let batches = reader.collect::<Result<Vec<_>, _>>().map_err(refused)?;
    Ok(Content::Table(schema, batches))
}

/// The batches of such a table, one by one.
pub(crate) fn stream(table: &Bound<'_, PyAny>) -> PyResult<Box<dyn RecordBatchReader + Send>> {
    table.extract::<AnyRecordBatch>()?.into_reader()
}

fn refused(error: ArrowError) -> PyErr {
    PyTypeError::new_err(format!("not a table: {error}"))
}

/// Columns of texts, each as numbers of entries in a list; -1 is a missing one.
fn columns(columns: Vec<(String, Bound<'_, PyBytes>, Vec<Option<String>>)>) -> Result<Content, ArrowError> {
    let mut arrays: Vec<(String, ArrayRef)> = Vec::with_capacity(columns.len());
    for (name, codes, texts) in columns {
        let codes: Int32Array = integers(codes.as_bytes()).map(|code| (code >= 0).then_some(code)).collect();
        let array = DictionaryArray::<Int32Type>::try_new(codes, Arc::new(StringArray::from(texts)))?;
        arrays.push((name, Arc::new(array)));
    }
    if arrays.is_empty() {
        return Ok(Content::Table(Arc::new(Schema::empty()), Vec::new()));
    }
    let batch = RecordBatch::try_from_iter(arrays)?;
    Ok(Content::Table(batch.schema(), vec![batch]))
}

/// Ids of units, names of features, and a matrix by columns: where each begins, its rows, and its values there.
type Matrix<'py> = (Vec<String>, Vec<String>, Vec<usize>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

fn features(name: &str, (units, names, starts, rows, values): Matrix<'_>) -> PyResult<Content> {
    let rows: Vec<u32> = integers(rows.as_bytes()).map(|row| row as u32).collect();
    let values: Vec<f64> = floats(values.as_bytes()).collect();
    let column =
        |bounds: &[usize]| Some((rows.get(bounds[0]..bounds[1])?.to_vec(), values.get(bounds[0]..bounds[1])?.to_vec()));
    let columns: Option<Vec<_>> = starts.windows(2).map(column).collect();
    let columns = columns.ok_or_else(|| PyTypeError::new_err(format!("{name}: not a matrix")))?;
    let table = Features::from_sparse(units.len(), columns)
        .and_then(|features| FeatureTable::new(units.into_iter().collect(), names, features))
        .map_err(|error| BeanjarError::new_err(format!("{name}: {error}")))?;
    Ok(Content::Features(table))
}
