//! Numeric judgments: who gave which value to which attribute of which object.

use super::coded_blocks::{self, MISSING, Part, check_lengths};
use super::dictionary::Dictionary;
use super::grouping::{offsets, scatter};
use super::sum::{Grouped, Sum, sum_over};
use crate::{Context, Error, Result};

/// The worker of a judgment by nobody knows whom, in a table that has workers.
pub const ANONYMOUS: u32 = MISSING;

/// Judgments of objects' attributes, grouped by object and within it by attribute.
///
/// Objects, attributes and workers are numbered in order of first appearance. A triple of object, attribute and
/// worker may occur more than once. Memory: 16 bytes a judgment (12 without workers), and the ids.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgments {
    /// The objects' ids.
    pub objects: Dictionary,
    /// The attributes' names.
    pub attributes: Dictionary,
    /// The workers' ids; none if the table has no workers.
    pub workers: Dictionary,
    offsets: Vec<usize>,
    attribute: Vec<u32>,
    worker: Vec<u32>,
    value: Vec<f64>,
}

/// The judgments of one object, sorted by attribute.
#[derive(Clone, Copy, Debug)]
pub struct ObjectJudgments<'a> {
    /// Which object.
    pub object: usize,
    /// Which attributes, in rising order.
    pub attributes: &'a [u32],
    /// By whom, in the same order; empty if the table has no workers.
    pub workers: &'a [u32],
    /// With what value, in the same order.
    pub values: &'a [f64],
}

impl<'a> ObjectJudgments<'a> {
    /// The judgments of each attribute that has any: its number, the workers and the values.
    pub fn by_attribute(self) -> impl Iterator<Item = (usize, &'a [u32], &'a [f64])> {
        let mut start = 0;
        self.attributes.chunk_by(|a, b| a == b).map(move |run| {
            let rows = start..start + run.len();
            start = rows.end;
            let workers = self.workers.get(rows.clone()).unwrap_or_default();
            (run[0] as usize, workers, &self.values[rows])
        })
    }
}

/// Rows of judgments, column by column.
///
/// The columns are equally long, but for `workers`, which is empty in all blocks if the table has none. An empty text is
/// a worker that is not known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgmentColumns<'a> {
    /// The objects' ids.
    pub objects: &'a [&'a str],
    /// The attributes' names.
    pub attributes: &'a [&'a str],
    /// The workers' ids.
    pub workers: &'a [&'a str],
    /// The values.
    pub values: Vec<f64>,
}

/// The judgments that one thread has read, on their way into a [`Judgments`].
#[derive(Clone, Debug, Default)]
pub struct JudgmentsPart(Part);

impl JudgmentsPart {
    /// Takes the rows of block number `block`. A part takes its blocks in rising order; which part takes which does not
    /// matter.
    pub fn push(&mut self, block: u32, rows: JudgmentColumns<'_>) -> Result<()> {
        let JudgmentColumns { objects, attributes, workers, values } = rows;
        let rows = objects.len();
        check_lengths(rows, &[("attributes", attributes.len()), ("values", values.len())])?;
        if !workers.is_empty() {
            check_lengths(rows, &[("workers", workers.len())])?;
        }
        if let Some(bad) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::NotFinite { object: objects[bad].to_owned(), attribute: attributes[bad].to_owned() });
        }
        if let Some(bad) = values.iter().position(|value| value.abs() > LARGEST) {
            let (object, attribute) = (objects[bad].to_owned(), attributes[bad].to_owned());
            return Err(Error::TooLarge { object, attribute, value: values[bad] });
        }
        self.0.push(block, [objects, attributes, workers], values)
    }
}

/// Larger values would overflow where squares of them are multiplied.
pub const LARGEST: f64 = 1e50;

impl Judgments {
    /// Builds the table from rows of object, attribute, worker and value.
    pub fn from_rows<'a>(rows: impl IntoIterator<Item = (&'a str, &'a str, &'a str, f64)>) -> Result<Self> {
        let (mut objects, mut attributes, mut workers, mut values) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (object, attribute, worker, value) in rows {
            objects.push(object);
            attributes.push(attribute);
            workers.push(worker);
            values.push(value);
        }
        let mut part = JudgmentsPart::default();
        let rows = JudgmentColumns { objects: &objects, attributes: &attributes, workers: &workers, values };
        part.push(0, rows)?;
        Judgments::from_parts(vec![part], &Context::new())
    }

    /// Joins what several threads have read.
    pub fn from_parts(parts: Vec<JudgmentsPart>, context: &Context) -> Result<Self> {
        let ([objects, attributes, workers], mut blocks) =
            coded_blocks::join(parts.into_iter().map(|part| part.0).collect(), context);
        let (workers, worker_codes) = without_empty(workers);
        let offsets = offsets(&blocks, objects.len());
        let mut attribute =
            scatter(&mut blocks, &offsets, context, |block| std::mem::take(&mut block.codes[1]), |code| code);
        let mut value =
            scatter(&mut blocks, &offsets, context, |block| std::mem::take(&mut block.values), |value| value);
        let mut worker = Vec::new();
        if !worker_codes.is_empty() {
            let take = |block: &mut coded_blocks::Block| std::mem::take(&mut block.codes[2]);
            worker = scatter(&mut blocks, &offsets, context, take, |code| worker_codes[code as usize]);
        }
        if workers.is_empty() {
            worker = Vec::new();
        }
        sort_by_attribute(&offsets, &mut attribute, &mut worker, &mut value);
        Ok(Judgments { objects, attributes, workers, offsets, attribute, worker, value })
    }

    /// How many judgments there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.value.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.value.is_empty()
    }

    /// The judgments of one object.
    ///
    /// # Panics
    /// If there is no such object.
    #[must_use]
    pub fn of(&self, object: usize) -> ObjectJudgments<'_> {
        let rows = self.offsets[object]..self.offsets[object + 1];
        ObjectJudgments {
            object,
            attributes: &self.attribute[rows.clone()],
            workers: self.worker.get(rows.clone()).unwrap_or_default(),
            values: &self.value[rows],
        }
    }

    /// How many judgments are by a worker who judged the same attribute of the same object before.
    #[must_use]
    pub fn repeated(&self, context: &Context) -> usize {
        let attributes = self.attributes.len();
        sum_over(self, context, || Repeats { attributes, last: vec![usize::MAX; self.workers.len()], repeated: 0 })
            .repeated
    }
}

impl Grouped for Judgments {
    type Object<'a> = ObjectJudgments<'a>;

    fn objects(&self) -> usize {
        self.objects.len()
    }

    fn rows(&self) -> usize {
        self.len()
    }

    fn object(&self, object: usize) -> ObjectJudgments<'_> {
        self.of(object)
    }
}

/// The dictionary less the empty text, and the new code of each old one.
fn without_empty(workers: Dictionary) -> (Dictionary, Vec<u32>) {
    let mut next = 0..;
    let codes =
        workers.iter().map(|id| if id.is_empty() { ANONYMOUS } else { next.next().unwrap_or(ANONYMOUS) }).collect();
    if workers.iter().all(|id| !id.is_empty()) {
        return (workers, codes);
    }
    (workers.iter().filter(|id| !id.is_empty()).collect(), codes)
}

/// Sorts each object's rows by attribute, those of one attribute staying in file order.
fn sort_by_attribute(offsets: &[usize], attribute: &mut [u32], worker: &mut [u32], value: &mut [f64]) {
    let mut rows: Vec<(u32, u32, f64)> = Vec::new();
    for bounds in offsets.windows(2) {
        let range = bounds[0]..bounds[1];
        if attribute[range.clone()].is_sorted() {
            continue;
        }
        rows.clear();
        rows.extend(
            range.clone().map(|row| (attribute[row], worker.get(row).copied().unwrap_or(ANONYMOUS), value[row])),
        );
        rows.sort_by_key(|row| row.0);
        for (row, sorted) in range.zip(&rows) {
            (attribute[row], value[row]) = (sorted.0, sorted.2);
            if let Some(worker) = worker.get_mut(row) {
                *worker = sorted.1;
            }
        }
    }
}

struct Repeats {
    attributes: usize,
    /// Of each worker, the last object and attribute seen, as one number.
    last: Vec<usize>,
    repeated: usize,
}

impl Sum<Judgments> for Repeats {
    fn observe(&mut self, object: ObjectJudgments<'_>) {
        for (attribute, workers, _) in object.by_attribute() {
            let here = object.object * self.attributes + attribute;
            for &worker in workers.iter().filter(|&&worker| worker != ANONYMOUS) {
                let last = std::mem::replace(&mut self.last[worker as usize], here);
                self.repeated += usize::from(last == here);
            }
        }
    }

    fn merge(&mut self, later: Self) {
        self.repeated += later.repeated;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_grouped_by_object_and_sorted_by_attribute() {
        let rows = [
            ("b", "tall", "ann", 1.0),
            ("a", "male", "ann", 2.0),
            ("b", "male", "bob", 3.0),
            ("b", "tall", "", 4.0),
            ("b", "tall", "bob", 5.0),
        ];
        let judgments = Judgments::from_rows(rows).unwrap();
        assert_eq!(judgments.objects.iter().collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(judgments.attributes.iter().collect::<Vec<_>>(), ["tall", "male"]);
        assert_eq!(judgments.workers.iter().collect::<Vec<_>>(), ["ann", "bob"]);
        let of_b: Vec<_> = judgments.of(0).by_attribute().collect();
        assert_eq!(of_b, [(0, &[0, ANONYMOUS, 1][..], &[1.0, 4.0, 5.0][..]), (1, &[1][..], &[3.0][..])]);
        assert_eq!(judgments.repeated(&Context::new()), 0);
    }

    #[test]
    fn a_table_without_workers_has_none() {
        let mut part = JudgmentsPart::default();
        let (objects, attributes) = (&["a", "a"], &["x", "x"]);
        part.push(0, JudgmentColumns { objects, attributes, workers: &[], values: vec![1.0, 2.0] }).unwrap();
        let judgments = Judgments::from_parts(vec![part], &Context::new()).unwrap();
        assert!(judgments.workers.is_empty());
        assert_eq!(judgments.of(0).by_attribute().collect::<Vec<_>>(), [(0, &[][..], &[1.0, 2.0][..])]);
    }

    #[test]
    fn repeats_are_counted_within_an_attribute_only() {
        let rows = [("a", "x", "w", 1.0), ("a", "y", "w", 1.0), ("a", "x", "w", 1.0), ("b", "x", "w", 1.0)];
        assert_eq!(Judgments::from_rows(rows).unwrap().repeated(&Context::new()), 1);
    }

    #[test]
    fn columns_of_different_lengths_are_refused() {
        let mut part = JudgmentsPart::default();
        let whole =
            JudgmentColumns { objects: &["a", "b"], attributes: &["x", "x"], workers: &[], values: vec![1.0, 2.0] };
        assert!(part.push(0, JudgmentColumns { values: vec![1.0], ..whole.clone() }).is_err());
        assert!(part.push(0, JudgmentColumns { attributes: &["x"], ..whole.clone() }).is_err());
        assert!(part.push(0, JudgmentColumns { workers: &["w"], ..whole }).is_err());
        assert!(Judgments::from_parts(vec![part], &Context::new()).unwrap().is_empty());
    }

    #[test]
    fn a_value_that_is_no_number_is_an_error() {
        let error = Judgments::from_rows([("a", "x", "w", f64::NAN)]).unwrap_err();
        assert!(error.to_string().contains("'a'"));
    }
}
