//! Rows on their way into a table: coded by thread-local dictionaries, in blocks that know their place.

use super::dictionary::{Dictionary, Interner, unite};
use crate::{Context, Error, Result};

/// Some consecutive rows of the table: three columns of codes and, for judgments, the values.
/// A column that the table does not have is empty.
#[derive(Clone, Debug)]
pub(super) struct Block {
    index: u32,
    pub(super) codes: [Vec<u32>; 3],
    pub(super) values: Vec<f64>,
}

/// The rows that one thread has read.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    interners: [Interner; 3],
    blocks: Vec<Block>,
}

/// No id has this code: it stands for an id that is missing where it may be.
pub(super) const MISSING: u32 = u32::MAX;

impl Part {
    /// Takes block number `index`. A column has a text for each row, or none at all.
    pub(super) fn push(&mut self, index: u32, texts: [&[&str]; 3], values: Vec<f64>) -> Result<()> {
        let position = u64::from(index) << 32;
        let mut codes: [Vec<u32>; 3] = Default::default();
        for ((interner, texts), codes) in self.interners.iter_mut().zip(texts).zip(&mut codes) {
            codes.reserve_exact(texts.len());
            interner.intern_all(texts, position, codes);
            if interner.len() >= MISSING as usize {
                return Err(Error::TooMany { what: "ids", limit: u64::from(MISSING) });
            }
        }
        self.blocks.push(Block { index, codes, values });
        Ok(())
    }
}

/// An error unless each column has a value for each row.
pub(super) fn check_lengths(rows: usize, columns: &[(&'static str, usize)]) -> Result<()> {
    match columns.iter().find(|(_, length)| *length != rows) {
        None => Ok(()),
        Some((name, length)) => Err(Error::OutOfRange {
            name,
            value: format!("a column of {length} for {rows} rows"),
            range: "as many as there are rows",
        }),
    }
}

/// All rows, in order, with the codes of one dictionary per column.
pub(super) fn join(parts: Vec<Part>, context: &Context) -> ([Dictionary; 3], Vec<Block>) {
    let mut columns: [Vec<Interner>; 3] = Default::default();
    let mut blocks = Vec::new();
    for (number, part) in parts.into_iter().enumerate() {
        for (column, interner) in columns.iter_mut().zip(part.interners) {
            column.push(interner);
        }
        blocks.extend(part.blocks.into_iter().map(|block| (number, block)));
    }
    blocks.sort_unstable_by_key(|(_, block)| block.index);

    let united = context.map(columns.into_iter().collect(), unite);
    let (dictionaries, renumbered): (Vec<_>, Vec<_>) = united.into_iter().unzip();
    let blocks = context.map(blocks, |(number, mut block)| {
        for (codes, renumbered) in block.codes.iter_mut().zip(&renumbered) {
            for code in codes {
                *code = renumbered[number][*code as usize];
            }
        }
        block
    });
    let mut dictionaries = dictionaries.into_iter();
    ([(); 3].map(|()| dictionaries.next().unwrap_or_default()), blocks)
}
