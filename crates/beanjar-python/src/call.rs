//! Commands, called with what Python holds.

use crate::held::{Held, memory};
use crate::tasks::Tasks;
use crate::watch::{BeanjarError, watched};
use beanjar_cli::Answer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ffi::OsString;

/// JSON, notes, warnings, of each table its columns and what they hold, and what was found of tasks.
type Called<'py> = (Bound<'py, PyBytes>, Vec<String>, Vec<String>, Vec<(String, Vec<(String, String)>)>, Vec<Tasks>);

/// Calls a command with the arguments of the command line, and what is held under the names among them.
#[pyfunction]
pub(crate) fn call<'py>(
    py: Python<'py>,
    arguments: Vec<String>,
    held: Vec<Held<'py>>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Called<'py>> {
    let held = held.into_iter().map(memory).collect::<PyResult<Vec<_>>>()?;
    let answer = watched(py, progress, move |ear| {
        beanjar_cli::call(&arguments, held, move |progress| ear.hear(progress.stage, progress.done))
    })?;
    let Answer { json, outcomes, notes, warnings, columns } = answer.map_err(BeanjarError::new_err)?;
    let named = |(column, role): (String, &str)| (column, role.to_owned());
    let columns = columns.into_iter().map(|(table, columns)| (table, columns.into_iter().map(named).collect()));
    let tasks = outcomes.into_iter().map(Tasks::from);
    Ok((PyBytes::new(py, &json), notes, warnings, columns.collect(), tasks.collect()))
}

/// The command line, whose first word is the program's name. Gives the exit code.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| beanjar_cli::main(arguments))
}
