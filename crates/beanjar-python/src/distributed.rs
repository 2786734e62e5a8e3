//! The pieces of a fit whose votes are in the partitions of a distributed engine: `beanjar.spark` puts them together.

use crate::numbers::floats;
use crate::watch::BeanjarError;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use beanjar::judgments::{Dictionary, TaskBlock, TaskGathering, TaskIds, TaskPlacer, TaskSample};
use beanjar::reliability::{InspectLabels, Patterns, Scale};
use beanjar::truth::ClassPrior;
use beanjar::truth::distributed::{self, Cluster, DistributedFit, DistributedMethod};
use beanjar::{Context, Error, Repeats};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) fn py_error(error: &Error) -> PyErr {
    BeanjarError::new_err(error.to_string())
}

fn bytes<'py>(py: Python<'py>, numbers: &[f64]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, 8 * numbers.len(), |bytes| {
        for (bytes, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            bytes.copy_from_slice(&number.to_ne_bytes());
        }
        Ok(())
    })
}

/// A block's place, its votes and the ids of its tasks, as bytes.
type Placed<'py> = (u32, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

fn placed<'py>(py: Python<'py>, blocks: Vec<(u32, TaskBlock, TaskIds)>) -> Vec<Placed<'py>> {
    let bytes = |(place, block, ids): (u32, TaskBlock, TaskIds)| {
        (place, PyBytes::new(py, &block.to_bytes()), PyBytes::new(py, &ids.to_bytes()))
    };
    blocks.into_iter().map(bytes).collect()
}

/// Rows of text on their way to the partition of their task.
#[pyclass]
pub(crate) struct Placer(TaskPlacer);

#[pymethods]
impl Placer {
    #[new]
    fn new(workers: Vec<String>, labels: Vec<(String, u16)>, bits: u32) -> PyResult<Self> {
        let labels = labels.iter().map(|(label, class)| (label.as_str(), *class));
        TaskPlacer::new(workers.iter().map(String::as_str), labels, bits).map(Placer).map_err(|error| py_error(&error))
    }

    /// Takes a table of task, worker and label. Gives what is waiting, part by part, if that is `most` rows or more.
    fn push<'py>(&mut self, table: &Bound<'py, PyAny>, most: usize) -> PyResult<Vec<Placed<'py>>> {
        for batch in batches(table)? {
            let columns: Vec<Vec<&str>> = batch.columns().iter().map(texts).collect::<PyResult<_>>()?;
            let [tasks, workers, labels] = &columns[..] else {
                return Err(PyTypeError::new_err("the columns are not task, worker and label"));
            };
            let rows: Vec<(&str, &str, &str)> =
                tasks.iter().zip(workers).zip(labels).map(|((task, worker), label)| (*task, *worker, *label)).collect();
            self.0.push(&rows).map_err(|error| py_error(&error))?;
        }
        if self.0.waiting() >= most { Ok(placed(table.py(), self.0.drain())) } else { Ok(Vec::new()) }
    }

    /// What is left, part by part.
    fn finish<'py>(&mut self, py: Python<'py>) -> Vec<Placed<'py>> {
        placed(py, self.0.drain())
    }
}

/// The batches of a table of any library that speaks Arrow's C interface.
pub(crate) fn batches(table: &Bound<'_, PyAny>) -> PyResult<Vec<RecordBatch>> {
    let reader = crate::held::stream(table)?;
    reader.collect::<Result<Vec<_>, _>>().map_err(|error| PyTypeError::new_err(format!("not a table: {error}")))
}

pub(crate) fn texts(column: &Arc<dyn Array>) -> PyResult<Vec<&str>> {
    match column.data_type() {
        _ if column.null_count() > 0 => Err(PyTypeError::new_err("an id is missing")),
        DataType::Utf8 => Ok(column.as_string::<i32>().iter().flatten().collect()),
        DataType::LargeUtf8 => Ok(column.as_string::<i64>().iter().flatten().collect()),
        other => Err(PyTypeError::new_err(format!("ids are text, not {other}"))),
    }
}

/// The votes of one partition on their way into blocks.
#[pyclass]
#[derive(Default)]
pub(crate) struct Gathering(TaskGathering);

#[pymethods]
impl Gathering {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Takes a block.
    fn push(&mut self, votes: &[u8], ids: &[u8]) -> PyResult<()> {
        let taken =
            TaskBlock::from_bytes(votes).and_then(|votes| self.0.push_block(&votes, &TaskIds::from_bytes(ids)?));
        taken.map_err(|error| py_error(&error))
    }

    /// The blocks, by leaf.
    fn finish<'py>(&mut self, py: Python<'py>, leaf_bits: u32, average: bool) -> Vec<Placed<'py>> {
        placed(py, std::mem::take(&mut self.0).into_blocks(leaf_bits, average))
    }
}

/// A sum over all tasks.
#[pyclass(frozen)]
pub(crate) struct Pass(distributed::Pass);

#[pymethods]
impl Pass {
    #[new]
    fn new(bytes: &[u8]) -> PyResult<Self> {
        distributed::Pass::from_bytes(bytes).map(Pass).map_err(|error| py_error(&error))
    }

    /// The sums of the parts that are among these blocks, which come as tables of leaf and votes.
    fn sums<'py>(
        &self,
        py: Python<'py>,
        tables: &Bound<'py, PyIterator>,
        leaf_bits: u32,
        part_bits: u32,
    ) -> PyResult<Vec<(u32, Bound<'py, PyBytes>)>> {
        let mut failed = None;
        let read = |table: PyResult<Bound<'py, PyAny>>| match table.and_then(|table| blocks_of(&table)) {
            Ok(blocks) => blocks,
            Err(error) => {
                failed = Some(error);
                vec![Err(Error::Stopped)]
            }
        };
        let sums = self.0.sums(tables.try_iter()?.flat_map(read), leaf_bits, part_bits);
        match (sums, failed) {
            (_, Some(failed)) => Err(failed),
            (Err(error), None) => Err(py_error(&error)),
            (Ok(sums), None) => sums.iter().map(|(part, sum)| Ok((*part, bytes(py, sum)?))).collect(),
        }
    }
}

/// The blocks of a table of leaf and votes, each with its leaf. They are read where Arrow has them.
fn blocks_of(table: &Bound<'_, PyAny>) -> PyResult<Vec<beanjar::Result<(u32, TaskBlock)>>> {
    let mut blocks = Vec::new();
    for batch in batches(table)? {
        let [leaves, votes] = batch.columns() else {
            return Err(PyTypeError::new_err("the columns are not leaf and votes"));
        };
        let (Some(leaves), Some(votes)) = (leaves.as_primitive_opt::<Int32Type>(), votes.as_binary_opt::<i32>()) else {
            return Err(PyTypeError::new_err("leaves are numbers of 32 bits and votes are bytes"));
        };
        let block = |(leaf, votes): (&i32, Option<&[u8]>)| {
            TaskBlock::from_bytes(votes.unwrap_or_default()).map(|votes| (*leaf as u32, votes))
        };
        blocks.extend(leaves.values().iter().zip(votes).map(block));
    }
    Ok(blocks)
}

/// The sum of the parts' sums, or of the same slice of each.
#[pyfunction]
pub(crate) fn add_parts<'py>(
    py: Python<'py>,
    parts: Vec<(u32, Bound<'py, PyBytes>)>,
    bits: u32,
) -> PyResult<Bound<'py, PyBytes>> {
    let parts = parts.iter().map(|(part, sum)| (*part, floats(sum.as_bytes()).collect())).collect();
    let sum = distributed::add_parts(parts, bits).map_err(|error| py_error(&error))?;
    bytes(py, &sum.unwrap_or_default())
}

/// Classes, their probabilities, whether they are tied, and the probabilities of all classes.
type Answers<'py> = (Vec<u32>, Bound<'py, PyBytes>, Vec<bool>, Bound<'py, PyBytes>);

/// What gives the tasks their labels.
#[pyclass(frozen)]
pub(crate) struct Reading(distributed::Reading);

#[pymethods]
impl Reading {
    #[new]
    fn new(bytes: &[u8]) -> PyResult<Self> {
        distributed::Reading::from_bytes(bytes).map(Reading).map_err(|error| py_error(&error))
    }

    /// Of a block's tasks the class, its probability, whether it is tied, and the probabilities of all classes.
    fn answers<'py>(&self, py: Python<'py>, votes: &[u8], ids: &[u8], seed: u64) -> PyResult<Answers<'py>> {
        let read = || self.0.answers(TaskBlock::from_bytes(votes)?, &TaskIds::from_bytes(ids)?, seed);
        let found = read().map_err(|error| py_error(&error))?;
        Ok((found.classes, bytes(py, &found.confidence)?, found.tied, bytes(py, &found.probabilities)?))
    }
}

/// A block's part of a sample, as votes and ids.
#[pyfunction]
pub(crate) fn sample_tasks<'py>(
    py: Python<'py>,
    sample: (u64, u64, u64),
    votes: &[u8],
    ids: &[u8],
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let (seed, bound, most) = sample;
    let draw =
        || TaskSample { seed, bound, votes: most }.of(&TaskBlock::from_bytes(votes)?, &TaskIds::from_bytes(ids)?);
    let (votes, ids) = draw().map_err(|error| py_error(&error))?;
    Ok((PyBytes::new(py, &votes.to_bytes()), PyBytes::new(py, &ids.to_bytes())))
}

/// By the numbers of labels, workers and classes: how many leaves there are, how many partitions can work at once (both as powers
/// of two), and how many numbers the largest sum has.
#[pyfunction]
pub(crate) fn layout(method: &str, labels: u64, workers: u64, classes: u64) -> PyResult<(u32, u32, u64)> {
    let numbers = match method {
        "inspect" => 3 * workers + 1,
        method => DistributedMethod::named(method, None, None, None)
            .map_err(|error| py_error(&error))?
            .numbers(workers, classes),
    };
    Ok((distributed::leaf_bits(labels), distributed::sum_bits(labels, numbers), numbers))
}

/// The classes of these labels in the order of their numbers, and the number of each label's class. A class has one name,
/// as in files.
#[pyfunction]
pub(crate) fn classes_of(labels: Vec<String>) -> (Vec<String>, Vec<usize>) {
    let names = beanjar_io::class_names(&labels.iter().map(String::as_str).collect::<Vec<_>>());
    let mut once = names.clone();
    once.sort_unstable();
    once.dedup();
    let classes = beanjar::judgments::sorted_classes(&once.into_iter().collect::<Dictionary>());
    let lookup = classes.lookup();
    let numbers = names.iter().map(|name| lookup.code(name).unwrap_or_default()).collect();
    (classes.iter().map(str::to_owned).collect(), numbers)
}

/// A cluster that Python speaks to: `sum(pass, numbers)` and `sample((seed, bound, votes))`.
struct Asked {
    sum: Py<PyAny>,
    /// What else is asked: a sample for a fit, patterns for inspecting.
    other: Py<PyAny>,
    failed: Arc<Mutex<Option<PyErr>>>,
}

impl Asked {
    fn ask<T>(&self, question: impl FnOnce(Python<'_>) -> PyResult<T>) -> beanjar::Result<T> {
        Python::attach(question).map_err(|error| {
            *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            Error::Stopped
        })
    }
}

impl Asked {
    /// What was found, unless a callable failed.
    fn answer<T>(&self, found: beanjar::Result<T>) -> PyResult<T> {
        match self.failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => found.map_err(|error| py_error(&error)),
        }
    }
}

impl Cluster for Asked {
    fn sum(&self, pass: &distributed::Pass) -> beanjar::Result<Vec<f64>> {
        self.ask(|py| {
            let answer = self.sum.call1(py, (PyBytes::new(py, &pass.to_bytes()), pass.numbers()))?;
            Ok(floats(answer.bind(py).cast::<PyBytes>()?.as_bytes()).collect())
        })
    }

    fn sample(&self, sample: &TaskSample) -> beanjar::Result<Vec<(TaskBlock, TaskIds)>> {
        let blocks: Vec<(Vec<u8>, Vec<u8>)> =
            self.ask(|py| self.other.call1(py, ((sample.seed, sample.bound, sample.votes),))?.extract(py))?;
        blocks.iter().map(|(votes, ids)| Ok((TaskBlock::from_bytes(votes)?, TaskIds::from_bytes(ids)?))).collect()
    }

    fn patterns(&self) -> beanjar::Result<Vec<Patterns>> {
        let parts: Vec<Vec<u8>> = self.ask(|py| self.other.call0(py)?.extract(py))?;
        parts.iter().map(|part| Patterns::from_bytes(part)).collect()
    }
}

/// A cluster that these callables speak to, and a context that Ctrl-C stops.
fn asked(seed: u64, sum: Py<PyAny>, other: Py<PyAny>) -> (Context, Asked) {
    let failed = Arc::new(Mutex::new(None));
    let interrupted = failed.clone();
    let context =
        Context::new().with_seed(seed).with_progress(move |_| match Python::attach(|py| py.check_signals()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                *interrupted.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                ControlFlow::Break(())
            }
        });
    (context, Asked { sum, other, failed })
}

/// Method, class prior (shares, or uniform), smoothing, steps at most.
type Settings = (String, Option<Vec<f64>>, bool, Option<f64>, Option<usize>);

/// Workers, classes, how many labels, whether repeats are averaged.
type Known = (Vec<String>, Vec<String>, u64, bool);

/// Fits. Gives the reading, the outcome as JSON, and warnings.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "those of a function of Python")]
pub(crate) fn fit_distributed<'py>(
    py: Python<'py>,
    settings: Settings,
    known: Known,
    seed: u64,
    sum: Py<PyAny>,
    sample: Py<PyAny>,
) -> PyResult<(Bound<'py, PyBytes>, String, Vec<String>)> {
    let (name, shares, uniform, smoothing, iterations) = settings;
    let prior = if uniform { Some(ClassPrior::Uniform) } else { shares.map(ClassPrior::Given) };
    let method = DistributedMethod::named(&name, prior, smoothing, iterations).map_err(|error| py_error(&error))?;
    let (workers, classes, labels, average) = known;
    let (workers, classes) = (workers.into_iter().collect(), classes.into_iter().collect());
    let repeats = if average { Repeats::Average } else { Repeats::All };
    let fit = DistributedFit { method, workers, classes, labels, repeats };
    let (context, asked) = asked(seed, sum, sample);
    let found = py.detach(|| {
        let (reading, outcome) = fit.fit(&asked, &context)?;
        Ok((reading.to_bytes(), outcome.to_json()?, outcome.warnings))
    });
    let (reading, json, warnings) = asked.answer(found)?;
    Ok((PyBytes::new(py, &reading), json, warnings.iter().map(ToString::to_string).collect()))
}

/// Inspects labels that are elsewhere: `settings` are the scale and the number of bootstrap copies. Gives JSON and warnings.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "those of a function of Python")]
pub(crate) fn inspect_distributed(
    py: Python<'_>,
    settings: (String, usize),
    known: Known,
    seed: u64,
    sum: Py<PyAny>,
    patterns: Py<PyAny>,
) -> PyResult<(String, Vec<String>)> {
    let (name, bootstrap) = settings;
    let scale = Scale::named(&name).map_err(|error| py_error(&error))?;
    let (workers, classes, labels, _) = known;
    let (workers, classes): (Dictionary, Dictionary) = (workers.into_iter().collect(), classes.into_iter().collect());
    let (context, asked) = asked(seed, sum, patterns);
    let inspect = InspectLabels { scale, bootstrap, ..InspectLabels::default() };
    let found = py.detach(|| inspect.run_far(labels, (&workers, &classes), &asked, &context));
    let outcome = asked.answer(found)?;
    let json = outcome.to_json().map_err(|error| py_error(&error))?;
    Ok((json, outcome.warnings.iter().map(ToString::to_string).collect()))
}

/// The patterns of the votes in these blocks, as bytes.
#[pyfunction]
pub(crate) fn vote_patterns<'py>(
    py: Python<'py>,
    blocks: &Bound<'py, PyIterator>,
    workers: usize,
    classes: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut patterns = Patterns::new(classes);
    for block in blocks.try_iter()? {
        let votes = block?.extract::<Bound<'py, PyBytes>>()?;
        let seen = TaskBlock::from_bytes(votes.as_bytes()).and_then(|block| patterns.observe_block(block, workers));
        seen.map_err(|error| py_error(&error))?;
    }
    Ok(PyBytes::new(py, &patterns.to_bytes()))
}
