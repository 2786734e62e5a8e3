//! M-MSR: the library's skills, from crowd-kit's start and with its number of values left out.

use super::{Rows, Votes};
use crate::numbers::{array, floats};
use crate::watch::{BeanjarError, watched};
use beanjar::truth::{Mmsr, Pairs};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

/// The workers' accuracies, and how far each turn moved the products of skills.
#[pyfunction]
pub(crate) fn mmsr<'py>(
    py: Python<'py>,
    rows: Rows<'py>,
    start: Bound<'py, PyBytes>,
    n_iter: usize,
    tol: f64,
) -> PyResult<(Bound<'py, PyByteArray>, Vec<f64>)> {
    let ballots = Votes::of(&rows)?.ballots()?;
    let start: Vec<f64> = floats(start.as_bytes()).collect();
    let found = watched(py, None, |ear| {
        let pairs = Pairs::of(&ballots)?;
        Mmsr { iterations: n_iter, tolerance: tol }.skills(&pairs, pairs.trim(), &start, &ear.context())
    })?;
    let found = found.map_err(|error| BeanjarError::new_err(error.to_string()))?;
    Ok((array(py, &found.accuracies)?, found.moved))
}
