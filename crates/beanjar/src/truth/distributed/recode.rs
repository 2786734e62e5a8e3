use super::super::rare_workers::RareWorkers;
use crate::Result;
use crate::bytes::{Reader, Writer, broken};
use crate::judgments::{Ballots, as_one};
use std::borrow::Cow;

/// What becomes of votes before they are counted or read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::truth) struct Recode {
    /// Workers who are copies of one another and vote as one.
    pub(in crate::truth) families: Vec<Vec<usize>>,
    /// The table of each worker, where some share one; empty where each has their own.
    pub(in crate::truth) table: Vec<u32>,
    pub(in crate::truth) tables: usize,
}

impl Recode {
    pub(in crate::truth) fn of_families(families: Vec<Vec<usize>>) -> Self {
        Recode { families, ..Recode::default() }
    }

    pub(in crate::truth) fn with_tables(self, rare: Option<&RareWorkers>) -> Self {
        match rare {
            Some(rare) => {
                let table = rare.table.iter().map(|&table| table as u32).collect();
                Recode { table, tables: rare.tables, ..self }
            }
            None => self,
        }
    }

    /// The votes with copies as one.
    pub(in crate::truth) fn together<'a>(&self, ballots: &'a Ballots) -> Cow<'a, Ballots> {
        match self.families.is_empty() {
            true => Cow::Borrowed(ballots),
            false => Cow::Owned(as_one(ballots, &self.families)),
        }
    }

    /// The votes by the numbers of the tables.
    pub(in crate::truth) fn by_table<'a>(&self, ballots: Cow<'a, Ballots>) -> Cow<'a, Ballots> {
        match self.table.is_empty() {
            true => ballots,
            false => Cow::Owned(ballots.by_workers(|worker| self.table[worker] as usize, self.tables)),
        }
    }

    /// How many workers there are once votes are recoded, by how many there were.
    pub(in crate::truth) fn workers(&self, workers: usize) -> usize {
        if self.table.is_empty() { workers } else { self.tables }
    }

    pub(super) fn write(&self, bytes: &mut Writer) {
        bytes.number(self.families.len() as u64);
        for family in &self.families {
            bytes.integers(&family.iter().map(|&worker| worker as u32).collect::<Vec<_>>());
        }
        bytes.integers(&self.table);
        bytes.number(self.tables as u64);
    }

    pub(super) fn read(bytes: &mut Reader<'_>, workers: usize) -> Result<Self> {
        let count = bytes.number()?;
        let family = |bytes: &mut Reader<'_>| -> Result<Vec<usize>> {
            Ok(bytes.integers()?.into_iter().map(|worker| worker as usize).collect())
        };
        let families = (0..count).map(|_| family(bytes)).collect::<Result<Vec<_>>>()?;
        let recode = Recode { families, table: bytes.integers()?, tables: bytes.count()? };
        let fits = recode.families.iter().flatten().all(|worker| *worker < workers)
            && (recode.table.is_empty() || recode.table.len() == workers)
            && recode.table.iter().all(|table| (*table as usize) < recode.tables);
        if fits { Ok(recode) } else { Err(broken()) }
    }
}
