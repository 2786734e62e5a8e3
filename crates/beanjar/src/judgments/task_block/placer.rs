//! Rows find the partition of their task.

use super::gathering::TaskGathering;
use super::{TaskBlock, TaskIds, key_of_task, leaf_of_key};
use crate::judgments::dictionary::Interner;
use crate::{Dictionary, Error, Result};

/// Parts, as a power of two, beyond which each would hold next to nothing.
const MOST_BITS: u32 = 16;

/// Rows on their way to partitions: texts become numbers, and whole parts of the tasks travel together.
#[derive(Clone, Debug)]
pub struct TaskPlacer {
    workers: Interner,
    labels: Interner,
    class: Vec<u16>,
    bits: u32,
    parts: Vec<TaskGathering>,
    rows: usize,
}

impl TaskPlacer {
    /// Of these workers and these labels with the numbers of their classes, each once, for 2 to the power of `bits` parts,
    /// of which there are 65,536 at most.
    pub fn new<'a>(
        workers: impl IntoIterator<Item = &'a str>,
        labels: impl IntoIterator<Item = (&'a str, u16)>,
        bits: u32,
    ) -> Result<Self> {
        if bits > MOST_BITS {
            let value = format!("2 to the power of {bits}");
            return Err(Error::OutOfRange { name: "the number of parts", value, range: "at most 65,536" });
        }
        let intern = |texts: Vec<&str>| -> Result<Interner> {
            let ids: Dictionary = texts.iter().copied().collect();
            if let Some(twice) = ids.repeated() {
                return Err(Error::RepeatedId(twice.to_owned()));
            }
            let mut interner = Interner::default();
            interner.intern_all(&texts, 0, &mut Vec::new());
            Ok(interner)
        };
        let (labels, class): (Vec<&str>, Vec<u16>) = labels.into_iter().unzip();
        let (workers, labels) = (intern(workers.into_iter().collect())?, intern(labels)?);
        Ok(TaskPlacer { workers, labels, class, bits, parts: vec![TaskGathering::default(); 1 << bits], rows: 0 })
    }

    /// How many rows are waiting.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.rows
    }

    /// Takes rows of task, worker and label. A worker or class that is not among those given is an error.
    pub fn push(&mut self, rows: &[(&str, &str, &str)]) -> Result<()> {
        let known = |interner: &Interner, text: &str, what: &'static str| {
            let why = || format!("'{text}' was not there when the rows were first read; cache the table and try again");
            interner.code(text).ok_or_else(|| Error::Inconsistent { what, why: why() })
        };
        let mut of_part: Vec<(Vec<&str>, Vec<u32>, Vec<u16>)> = vec![Default::default(); self.parts.len()];
        for (task, worker, label) in rows {
            let (ids, workers, labels) = &mut of_part[leaf_of_key(key_of_task(task), self.bits) as usize];
            ids.push(task);
            workers.push(known(&self.workers, worker, "workers")?);
            labels.push(self.class[known(&self.labels, label, "labels")? as usize]);
        }
        for (part, (ids, workers, labels)) in self.parts.iter_mut().zip(&of_part) {
            part.push(ids, workers, labels)?;
        }
        self.rows += rows.len();
        Ok(())
    }

    /// What is waiting, part by part.
    pub fn drain(&mut self) -> Vec<(u32, TaskBlock, TaskIds)> {
        self.rows = 0;
        let parts = self.parts.iter_mut().map(std::mem::take).enumerate();
        let block = |(part, gathering): (usize, TaskGathering)| {
            let (block, ids) = gathering.into_block();
            (part as u32, block, ids)
        };
        parts.filter(|(_, gathering)| !gathering.is_empty()).map(block).collect()
    }
}
