//! What `aggregate` found of tasks, as tables of Arrow that other libraries take over without copying.

use crate::numbers::array;
use crate::watch::BeanjarError;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, LargeStringArray, RecordBatch, RecordBatchIterator, StringArray,
};
use beanjar::AggregateOutcome;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyCapsule};
use std::sync::Arc;

/// What was found of tasks, which may be millions: nothing is made of it before somebody asks.
#[pyclass(frozen, module = "beanjar._beanjar")]
pub(crate) struct Tasks(AggregateOutcome);

impl From<AggregateOutcome> for Tasks {
    fn from(outcome: AggregateOutcome) -> Self {
        Tasks(outcome)
    }
}

#[pymethods]
impl Tasks {
    fn __len__(&self) -> usize {
        self.0.task_ids.len()
    }

    /// The first tasks, or all, as the command line has them in its JSON.
    #[pyo3(signature = (first=None))]
    fn json<'py>(&self, py: Python<'py>, first: Option<usize>) -> PyResult<Bound<'py, PyBytes>> {
        let text = py.detach(|| serde_json::to_vec(&self.0.written_tasks(first.unwrap_or(usize::MAX))));
        Ok(PyBytes::new(py, &text.map_err(|error| BeanjarError::new_err(error.to_string()))?))
    }

    /// Of each task how probable its label is, as bytes for NumPy.
    fn confidences<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        let found: Vec<f64> = self.0.tasks().map(|task| task.confidence).collect();
        array(py, &found)
    }

    /// A row for each task.
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        Table::of(py.detach(|| self.columns()))
    }

    /// A row for each task: the probability of each class that has one.
    fn probabilities(&self, py: Python<'_>) -> PyResult<Table> {
        Table::of(py.detach(|| self.columns_of_classes()))
    }
}

impl Tasks {
    fn ids(&self) -> (String, ArrayRef) {
        ("task".into(), texts(|| self.0.task_ids.iter()))
    }

    fn columns(&self) -> Vec<(String, ArrayRef)> {
        let outcome = &self.0;
        let tied: Vec<bool> = outcome.tasks().map(|task| task.tied).collect();
        let mut columns = vec![
            self.ids(),
            ("label".into(), texts(|| outcome.tasks().map(|task| task.label))),
            numbers("confidence", outcome.tasks().map(|task| task.confidence).collect()),
            ("tied".into(), Arc::new(BooleanArray::from(tied))),
            ("state".into(), texts(|| outcome.tasks().map(|task| task.state.name()))),
        ];
        columns.extend(outcome.effective_votes.as_ref().map(|votes| numbers("effective_votes", votes.clone())));
        columns
    }

    fn columns_of_classes(&self) -> Vec<(String, ArrayRef)> {
        let outcome = &self.0;
        // Nothing that is written is not a number.
        let mut found: Vec<Vec<f64>> = vec![Vec::new(); outcome.classes.len()];
        for (number, task) in outcome.tasks().enumerate() {
            for (class, p) in task.probabilities.written() {
                let column = &mut found[class];
                if column.capacity() == 0 {
                    column.reserve_exact(outcome.task_ids.len());
                }
                column.resize(number, f64::NAN);
                column.push(p);
            }
        }
        let named = outcome.classes.iter().zip(found).filter(|(_, found)| !found.is_empty());
        let column = |(class, mut found): (&str, Vec<f64>)| {
            found.resize(outcome.task_ids.len(), f64::NAN);
            // As in tables of the command line, where there is a column of that name already.
            let name = if class == "task" { "P(task)" } else { class };
            numbers(name, found)
        };
        std::iter::once(self.ids()).chain(named.map(column)).collect()
    }
}

/// A column of texts. Those of more than two gigabytes have longer offsets.
fn texts<'a, I: Iterator<Item = &'a str>>(all: impl Fn() -> I) -> ArrayRef {
    let bytes: usize = all().map(str::len).sum();
    match i32::try_from(bytes) {
        Ok(_) => Arc::new(StringArray::from_iter_values(all())),
        Err(_) => Arc::new(LargeStringArray::from_iter_values(all())),
    }
}

/// A column of numbers; what is not a number is missing.
fn numbers(name: &str, values: Vec<f64>) -> (String, ArrayRef) {
    let column = match values.iter().any(|value| value.is_nan()) {
        true => values.into_iter().map(|value| (!value.is_nan()).then_some(value)).collect(),
        false => Float64Array::from(values),
    };
    (name.to_owned(), Arc::new(column))
}

/// A table that speaks Arrow's C interface. That of pyo3-arrow can do more, and would make the wheel half as large again.
#[pyclass(frozen, module = "beanjar._beanjar")]
pub(crate) struct Table(RecordBatch);

impl Table {
    fn of(columns: Vec<(String, ArrayRef)>) -> PyResult<Self> {
        RecordBatch::try_from_iter(columns).map(Table).map_err(|error| BeanjarError::new_err(error.to_string()))
    }
}

#[pymethods]
impl Table {
    /// Whoever asks for another schema may cast what comes: so the protocol allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches = RecordBatchIterator::new([Ok(self.0.clone())], self.0.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), c"arrow_array_stream")
    }
}
