//! Integers as numbers in order of first appearance.

use crate::numbers::{array, view};
use crate::watch::BeanjarError;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

/// Of each integer the number of its value, and the values, in order of first appearance. Other threads may go on meanwhile,
/// with other columns.
#[pyfunction]
pub(crate) fn codes<'py>(
    py: Python<'py>,
    column: Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
    let column: &[i64] = view(&column)?;
    let found = py.detach(|| numbered(column));
    let (codes, values) = found.ok_or_else(|| BeanjarError::new_err("there are too many different values"))?;
    Ok((array(py, &codes)?, array(py, &values)?))
}

/// As above; none if there are more values than numbers.
fn numbered(column: &[i64]) -> Option<(Vec<i32>, Vec<i64>)> {
    let least = column.iter().copied().min().unwrap_or(0);
    let most = column.iter().copied().max().unwrap_or(0);
    let mut values = Vec::new();
    // Ids mostly fill the range they have, and then a table of that range says it all.
    let range = most.abs_diff(least);
    let codes = if range <= 4 * column.len() as u64 {
        let mut table = vec![-1; range as usize + 1];
        let number = |&value: &i64| {
            let number = &mut table[value.abs_diff(least) as usize];
            if *number < 0 {
                *number = i32::try_from(values.len()).ok()?;
                values.push(value);
            }
            Some(*number)
        };
        column.iter().map(number).collect::<Option<Vec<i32>>>()?
    } else {
        let mut table = Table::new(1 << 12);
        let number = |&value: &i64| {
            if 2 * values.len() >= table.slots.len() {
                table = Table::of(&values, 4 * table.slots.len());
            }
            let slot = table.slot(value, &values);
            if table.slots[slot] < 0 {
                table.slots[slot] = i32::try_from(values.len()).ok()?;
                values.push(value);
            }
            Some(table.slots[slot])
        };
        column.iter().map(number).collect::<Option<Vec<i32>>>()?
    };
    Some((codes, values))
}

/// Where the number of a value is, by open addressing; -1 in a slot that is free. At most half of the slots are taken.
struct Table {
    slots: Vec<i32>,
}

impl Table {
    fn new(slots: usize) -> Table {
        Table { slots: vec![-1; slots] }
    }

    fn of(values: &[i64], slots: usize) -> Table {
        let mut table = Table::new(slots);
        for (number, &value) in values.iter().enumerate() {
            let slot = table.slot(value, values);
            table.slots[slot] = number as i32;
        }
        table
    }

    /// The slot of a value, or the free one where it belongs.
    fn slot(&self, value: i64, values: &[i64]) -> usize {
        // Multiplying by the golden ratio spreads what lies close together, and moves the spread to the high bits.
        let spread = (value as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let last = self.slots.len() - 1;
        let mut slot = (spread >> (64 - self.slots.len().trailing_zeros())) as usize;
        while self.slots[slot] >= 0 && values[self.slots[slot] as usize] != value {
            slot = (slot + 1) & last;
        }
        slot
    }
}
