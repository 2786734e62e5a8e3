//! GLAD: the library's steps, with crowd-kit's rule to stop.

use super::{Rows, Votes, threads};
use crate::numbers::{array, floats};
use crate::watch::{BeanjarError, watched};
use beanjar::truth::{Evidence, GladClimb};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

/// Probabilities of tasks, abilities, log-ease, losses.
type Fitted<'py> = (Bound<'py, PyByteArray>, Bound<'py, PyByteArray>, Bound<'py, PyByteArray>, Vec<f64>);

/// EM until the expected log-likelihood, per vote and class, gains less than `tol`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "those of a function of Python")]
#[pyo3(signature = (rows, prior, abilities, ease, n_iter, tol, m_step_max_iter, m_step_tol, progress))]
pub(crate) fn glad<'py>(
    py: Python<'py>,
    rows: Rows<'py>,
    prior: Vec<f64>,
    abilities: Bound<'py, PyBytes>,
    ease: Bound<'py, PyBytes>,
    n_iter: usize,
    tol: f64,
    m_step_max_iter: usize,
    m_step_tol: f64,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Fitted<'py>> {
    let votes = Votes::of(&rows)?;
    let ballots = votes.ballots()?;
    let (abilities, ease): (Vec<f64>, Vec<f64>) =
        (floats(abilities.as_bytes()).collect(), floats(ease.as_bytes()).collect());
    let fit = watched(py, progress, |ear| -> beanjar::Result<_> {
        let context = ear.context().with_threads(threads())?;
        let evidence = Evidence::votes(&ballots)?;
        let mut climb = GladClimb::new(&evidence, prior)?.with_centres(&abilities, &ease)?;
        climb.expect(&context);
        // The first is not divided by the number of votes and classes, so the first step never ends it.
        let mut last = climb.expected(&context);
        let mut losses = Vec::new();
        for step in 0..n_iter {
            context.report("fitting", step as f64 / n_iter as f64)?;
            climb.expect(&context);
            climb.maximise(m_step_max_iter, m_step_tol, &context)?;
            let loss = climb.expected(&context) / (ballots.len() * ballots.classes()) as f64;
            losses.push(loss);
            if loss - last < tol {
                break;
            }
            last = loss;
        }
        let posterior: Vec<f64> = (0..ballots.tasks()).flat_map(|task| climb.posterior().of(task).to_vec()).collect();
        Ok((posterior, climb.abilities().to_vec(), climb.ease().to_vec(), losses))
    })?;
    let (posterior, abilities, ease, losses) = fit.map_err(|error| BeanjarError::new_err(error.to_string()))?;
    Ok((array(py, &posterior)?, array(py, &abilities)?, array(py, &ease)?, losses))
}
