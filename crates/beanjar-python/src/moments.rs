//! The pieces of a selection whose judgments are in the partitions of a distributed engine.

use crate::distributed::{batches, py_error, texts};
use crate::held::{Held, memory};
use crate::watch::BeanjarError;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{Array, RecordBatch};
use beanjar::multiselect::{self, Elsewhere, GroupedJudgment, MomentsPass};
use beanjar::{Context, Judgments};
use beanjar_io::{Data, Kind, ReadOptions, Source, read, read_table, with_memory};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// What to sum over judgments that are elsewhere, by a sample of whole objects with a table of their labels, of which `label` is
/// the column. `classes` are the labels of all objects and how many have each, where labels are classes. Gives the pass, how
/// many groups objects are to be put into, and the attributes.
#[pyfunction]
pub(crate) fn moments_pass<'py>(
    py: Python<'py>,
    judgments: Held<'py>,
    labels: Held<'py>,
    label: &str,
    classes: Option<Vec<(String, u64)>>,
) -> PyResult<(Bound<'py, PyBytes>, usize, Vec<String>)> {
    let names = [judgments.0.clone(), labels.0.clone()].map(Source::from);
    let held = vec![memory(judgments)?, memory(labels)?];
    let made = with_memory(held, || {
        let sample = sampled(&names[0])?;
        let table = read_table(&Source::from(names[1].name())).map_err(|error| error.to_string())?;
        let label = table.named(label).ok_or_else(|| format!("the labels have no column '{label}'"))?;
        let pass = MomentsPass::new(&sample, &label, classes.as_deref()).map_err(|error| error.to_string())?;
        Ok::<_, String>((pass, sample.attributes.iter().map(str::to_owned).collect()))
    });
    let (pass, attributes) = made.map_err(BeanjarError::new_err)?;
    Ok((PyBytes::new(py, &pass.to_bytes()), pass.groups(), attributes))
}

fn sampled(source: &Source) -> Result<Judgments, String> {
    let options = ReadOptions { needed: Some(Kind::Judgments), ..ReadOptions::default() };
    match read(&Source::from(source.name()), &options, &Context::new()).map_err(|error| error.to_string())?.data {
        Data::Judgments(judgments) => Ok(judgments),
        _ => Err("the sample holds no judgments".to_owned()),
    }
}

/// The sums of the groups in one partition, on their way.
#[pyclass]
pub(crate) struct GroupMoments(Option<multiselect::GroupMoments>);

#[pymethods]
impl GroupMoments {
    #[new]
    fn new(bytes: &[u8]) -> PyResult<Self> {
        let pass = MomentsPass::from_bytes(bytes).map_err(|error| py_error(&error))?;
        Ok(GroupMoments(Some(multiselect::GroupMoments::new(pass))))
    }

    /// Takes a table of group, object, attribute, value and label. Groups come one after the other, and so do their objects.
    fn push(&mut self, table: &Bound<'_, PyAny>) -> PyResult<()> {
        let sums = self.0.as_mut().ok_or_else(finished)?;
        batches(table)?.iter().try_for_each(|batch| observe(sums, batch))
    }

    /// The groups that were seen, with their sums.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<(u32, Bound<'py, PyBytes>)>> {
        let sums = self.0.take().ok_or_else(finished)?.finish();
        Ok(sums.into_iter().map(|(group, sum)| (group, PyBytes::new(py, &sum))).collect())
    }
}

fn finished() -> PyErr {
    PyTypeError::new_err("these sums were finished already")
}

fn observe(sums: &mut multiselect::GroupMoments, batch: &RecordBatch) -> PyResult<()> {
    let [group, object, attribute, value, label] = batch.columns() else {
        return Err(PyTypeError::new_err("the columns are not group, object, attribute, value and label"));
    };
    let wrong = || PyTypeError::new_err("a group is a whole number, a value a number, a label a text");
    let groups = group.as_primitive_opt::<Int32Type>().ok_or_else(wrong)?.values();
    let values = value.as_primitive_opt::<Float64Type>().ok_or_else(wrong)?;
    let labels = label.as_string_opt::<i32>().ok_or_else(wrong)?;
    let (objects, attributes) = (texts(object)?, texts(attribute)?);
    for row in 0..batch.num_rows() {
        let value = if values.is_null(row) { f64::NAN } else { values.value(row) };
        let label = (!labels.is_null(row)).then(|| labels.value(row));
        let (object, attribute) = (objects[row], attributes[row]);
        let judgment = GroupedJudgment { group: groups[row] as u32, object, attribute, value, label };
        sums.push(judgment).map_err(|error| py_error(&error))?;
    }
    Ok(())
}

/// All that `select --moments` reads: the pass, the groups of the sampled objects, and the sums of all groups.
#[pyfunction]
pub(crate) fn moments_file<'py>(
    py: Python<'py>,
    bytes: &[u8],
    sampled: Vec<(String, u32)>,
    sums: Vec<(u32, Vec<u8>)>,
) -> PyResult<Bound<'py, PyBytes>> {
    let pass = MomentsPass::from_bytes(bytes).map_err(|error| py_error(&error))?;
    Ok(PyBytes::new(py, &Elsewhere::bytes_of(&pass, &sampled, &sums)))
}
