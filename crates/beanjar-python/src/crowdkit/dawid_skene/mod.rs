//! Dawid and Skene's model, and that of one coin.

mod expectation;
mod pairs;

use super::{Rows, Votes, threads};
use crate::numbers::{array, floats, integers};
use crate::watch::{BeanjarError, watched};
use beanjar::Context;
use expectation::{Logs, Sums, probabilities, shares};
use pairs::Pairs;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

/// No probability is below this.
const SMALLEST: f64 = 1e-10;

/// Probabilities of tasks, their most probable labels, class prior, errors of each pair of worker and label, the workers and
/// the labels of the pairs, skills, losses.
type Fitted<'py> = (
    Bound<'py, PyByteArray>,
    Bound<'py, PyByteArray>,
    Bound<'py, PyByteArray>,
    Bound<'py, PyByteArray>,
    (Bound<'py, PyByteArray>, Bound<'py, PyByteArray>),
    Bound<'py, PyByteArray>,
    Vec<f64>,
);

/// EM from the shares of votes, or from given errors. `gold` has a label for each task, -1 where it is not known. It stops
/// as crowd-kit does, by a bound in which the class prior counts once for each vote and not once for each task.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "those of a function of Python")]
#[pyo3(signature = (rows, gold, errors, n_iter, tol, one_coin))]
pub(crate) fn dawid_skene<'py>(
    py: Python<'py>,
    rows: Rows<'py>,
    gold: Option<Bound<'py, PyBytes>>,
    errors: Option<Bound<'py, PyBytes>>,
    n_iter: usize,
    tol: f64,
    one_coin: bool,
) -> PyResult<Fitted<'py>> {
    let pairs = Pairs::of(&rows, Votes::of(&rows)?)?;
    let gold: Vec<i32> = gold.map(|gold| integers(gold.as_bytes()).collect()).unwrap_or_default();
    let errors: Option<Vec<f64>> = errors.map(|errors| floats(errors.as_bytes()).collect());
    let em = Em { n_iter, tol, one_coin };
    let fit = watched(py, None, |ear| {
        let context = ear.context().with_threads(threads())?;
        Ok(em.run(&pairs, &gold, errors, &context))
    })?;
    let Fit { probabilities, best, model, skills, losses } =
        fit.map_err(|error: beanjar::Error| BeanjarError::new_err(error.to_string()))?;
    let of_pairs = (array(py, &pairs.worker)?, array(py, &pairs.label)?);
    let (prior, errors) = (array(py, &model.prior)?, array(py, &model.errors)?);
    Ok((array(py, &probabilities)?, array(py, &best)?, prior, errors, of_pairs, array(py, &skills)?, losses))
}

struct Em {
    n_iter: usize,
    tol: f64,
    one_coin: bool,
}

/// The class prior, and of each pair of worker and label the probability of the label by class.
struct Model {
    prior: Vec<f64>,
    errors: Vec<f64>,
}

struct Fit {
    /// By task, then class.
    probabilities: Vec<f64>,
    /// The most probable class of each task, the first of equals.
    best: Vec<i32>,
    model: Model,
    skills: Vec<f64>,
    losses: Vec<f64>,
}

impl Em {
    fn run(&self, pairs: &Pairs, gold: &[i32], errors: Option<Vec<f64>>, context: &Context) -> Fit {
        let Em { n_iter, tol, one_coin } = *self;
        let classes = pairs.labels;
        let first = |task: usize, row: &mut [f64]| {
            shares(pairs, task, row);
            known(gold, task, row);
            0.0
        };
        let (mut model, mut skills) = maximise(pairs, &Sums::over(pairs, context, first), one_coin);
        if let Some(errors) = errors {
            model.errors = errors;
        }
        // What the probabilities of the tasks follow from.
        let mut used = None;
        let (mut last, mut losses) = (f64::NEG_INFINITY, Vec::new());
        for step in 0..n_iter {
            if context.report("fitting", step as f64 / n_iter as f64).is_err() {
                break;
            }
            let logs = Logs::of(&model);
            let sums = Sums::over(pairs, context, |task, row| {
                let joint = probabilities(pairs, task, &model, &logs, row);
                known(gold, task, row).map_or(joint, |class| logs.of_class(pairs, task, class))
            });
            let (better, of_workers) = maximise(pairs, &sums, one_coin);
            let before = std::mem::replace(&mut model, better);
            skills = of_workers;
            let loss = sums.bound(&logs, &Logs::of(&model)) / pairs.len() as f64;
            model.prior.iter_mut().for_each(|p| *p = p.max(SMALLEST));
            used = Some((before, logs));
            losses.push(loss);
            if loss - last < tol {
                break;
            }
            last = loss;
        }
        let row_of = |task: usize, row: &mut [f64]| match &used {
            None => drop(first(task, row)),
            Some((model, logs)) => {
                probabilities(pairs, task, model, logs, row);
                known(gold, task, row);
                row.iter_mut().for_each(|p| *p = p.max(SMALLEST));
            }
        };
        let mut rows = vec![0.0; pairs.tasks() * classes];
        let best = fill(&mut rows, classes, context, &row_of);
        Fit { probabilities: rows, best, model, skills, losses }
    }
}

/// Makes a known label certain; which it is.
fn known(gold: &[i32], task: usize, row: &mut [f64]) -> Option<usize> {
    let class = usize::try_from(*gold.get(task)?).ok()?;
    row.fill(0.0);
    row[class] = 1.0;
    Some(class)
}

/// Fills each task's row, pieces of them side by side; the first of the largest in each.
fn fill(rows: &mut [f64], classes: usize, context: &Context, row_of: &(impl Fn(usize, &mut [f64]) + Sync)) -> Vec<i32> {
    let classes = classes.max(1);
    let piece = (rows.len() / classes).div_ceil(64).max(1);
    let pieces: Vec<(usize, &mut [f64])> = rows.chunks_mut(piece * classes).enumerate().collect();
    let best = context.map(pieces, |(number, rows)| {
        let rows = rows.chunks_exact_mut(classes).enumerate();
        let best = rows.map(|(at, row)| {
            row_of(number * piece + at, row);
            let better = |best: usize, class: usize| if row[class] > row[best] { class } else { best };
            (1..classes).fold(0, better) as i32
        });
        best.collect::<Vec<i32>>()
    });
    best.concat()
}

/// The class prior and the workers' errors, by expectation; and the workers' skills. Of each worker, the labels they gave
/// share each class.
fn maximise(pairs: &Pairs, sums: &Sums, one_coin: bool) -> (Model, Vec<f64>) {
    let classes = pairs.labels;
    let prior = sums.classes.iter().map(|sum| sum / pairs.tasks() as f64).collect();
    let mut errors = sums.pairs.clone();
    let of_pairs = || pairs.worker.iter().zip(&pairs.label).map(|(&worker, &label)| (worker as usize, label as usize));
    let mut skills = vec![0.0; pairs.workers];
    let mut votes = vec![0.0; pairs.workers];
    for ((row, (worker, label)), &count) in errors.chunks_exact(classes).zip(of_pairs()).zip(&pairs.count) {
        skills[worker] += row[label];
        votes[worker] += f64::from(count);
    }
    skills.iter_mut().zip(votes).for_each(|(sum, n)| *sum /= n);
    if one_coin {
        for (row, (worker, label)) in errors.chunks_exact_mut(classes).zip(of_pairs()) {
            let skill = skills[worker];
            let wrong = (1.0 - skill) / (classes as f64 - 1.0);
            row.iter_mut().for_each(|p| *p = wrong);
            row[label] = skill;
            row.iter_mut().for_each(|p| *p = p.clamp(SMALLEST, 1.0 - SMALLEST));
        }
        return (Model { prior, errors }, skills);
    }
    let mut all = vec![0.0; pairs.workers * classes];
    for (row, (worker, _)) in errors.chunks_exact_mut(classes).zip(of_pairs()) {
        for (p, sum) in row.iter_mut().zip(&mut all[worker * classes..]) {
            *p = p.max(SMALLEST);
            *sum += *p;
        }
    }
    for (row, (worker, _)) in errors.chunks_exact_mut(classes).zip(of_pairs()) {
        row.iter_mut().zip(&all[worker * classes..]).for_each(|(p, sum)| *p /= sum);
    }
    (Model { prior, errors }, skills)
}
