//! A block of rows, decoded: some columns, as text.

use super::missing::{Missing, is_missing, is_missing_id};
use super::wanted_columns::Wanted;
use crate::Place;
use crate::exports::{Held, Join};
use crate::write::plain;
use arrow_array::{Array, Float64Array};
use std::ops::Range;
use std::sync::Arc;

/// Rows of the chosen columns. A missing value is the empty text.
pub(crate) struct Rows {
    /// Which block of the file this is, from 0.
    pub(crate) index: u32,
    text: String,
    /// Of each column, where in `text` each row's value begins and ends.
    cells: Vec<Vec<(u32, u32)>>,
    /// Of each column that came as numbers, these instead; empty where there is none.
    numbers: Vec<Option<Float64Array>>,
    places: Places,
    /// What stands for a missing value in this file, if anything does that does not elsewhere.
    missing: Option<Arc<Missing>>,
    /// Whether a comma between digits can only be that of a decimal: where fields are separated by semicolons.
    decimal_commas: bool,
}

/// A value of a column of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Missing,
    /// A finite one.
    Value(f64),
    /// The same, written with a decimal comma.
    WithComma(f64),
    /// Text, or infinite.
    Not,
}

/// Where in the file the rows stand.
pub(super) enum Places {
    /// The line of each row, counted from `first`.
    Lines { first: u64, after: Vec<u32> },
    /// Consecutive rows.
    Rows { first: u64, count: usize },
}

impl Rows {
    pub(super) fn new(index: u32, text: String, cells: Vec<Vec<(u32, u32)>>, places: Places) -> Self {
        Rows { index, text, cells, numbers: Vec::new(), places, missing: None, decimal_commas: false }
    }

    /// Some rows of a table that is held in memory.
    pub(super) fn of_table(index: u32, table: &Held, rows: Range<usize>, wanted: &Wanted) -> Self {
        let mut text = String::new();
        let mut cells: Vec<Vec<(u32, u32)>> = vec![Vec::with_capacity(rows.len()); wanted.kept];
        for (column, values) in table.columns.iter().enumerate() {
            let Some(slot) = wanted.slot(column) else { continue };
            for value in &values[rows.clone()] {
                let start = text.len() as u32;
                text.push_str(value);
                cells[slot].push((start, text.len() as u32));
            }
        }
        let places = Places::Rows { first: rows.start as u64 + 1, count: rows.len() };
        Rows::new(index, text, cells, places)
    }

    pub(super) fn with_numbers(self, numbers: Vec<Option<Float64Array>>) -> Self {
        Rows { numbers, ..self }
    }

    /// The same rows of a file with its own words for a missing value, and its own way to write numbers.
    pub(super) fn of_file(self, missing: Option<Arc<Missing>>, decimal_commas: bool) -> Self {
        Rows { missing, decimal_commas, ..self }
    }

    /// The first `count` columns, some of them with others made part of them: of each such column its number, that of each of
    /// its parts, and how they are joined.
    pub(super) fn joined(mut self, joins: &[(usize, Vec<usize>, Join)], count: usize) -> Self {
        for (whole, parts, join) in joins {
            let (ids, values) = (self.column(*whole), parts.iter().map(|&part| self.column(part)).collect::<Vec<_>>());
            let mut text = String::new();
            let mut cells = Vec::with_capacity(ids.len());
            for (row, id) in ids.iter().enumerate() {
                let start = self.text.len() + text.len();
                text += &join.joined(id, values.iter().map(|values| values[row]));
                cells.push((start as u32, (self.text.len() + text.len()) as u32));
            }
            self.cells[*whole] = cells;
            self.text += &text;
        }
        self.cells.truncate(count);
        self.numbers.truncate(count);
        self
    }

    pub(crate) fn len(&self) -> usize {
        match &self.places {
            Places::Lines { after, .. } => after.len(),
            Places::Rows { count, .. } => *count,
        }
    }

    /// The ids in a column, by its number among the chosen.
    pub(crate) fn column(&self, column: usize) -> Vec<&str> {
        self.texts(column, is_missing_id)
    }

    /// The classes in a column, around whose names space does not count.
    pub(crate) fn classes(&self, column: usize) -> Vec<&str> {
        self.texts(column, is_missing)
    }

    fn texts(&self, column: usize, is_missing: fn(&str) -> bool) -> Vec<&str> {
        let known = |&cell: &(u32, u32)| {
            let text = self.text(cell);
            let missing = is_missing(text) || self.missing.as_ref().is_some_and(|own| own.has(text));
            if missing { "" } else { text }
        };
        self.cells[column].iter().map(known).collect()
    }

    /// A value of a column of numbers, by the column's number among the chosen.
    pub(crate) fn number(&self, column: usize, row: usize) -> Number {
        let found = match self.numbers.get(column) {
            Some(Some(numbers)) if numbers.is_null(row) || numbers.value(row).is_nan() => Number::Missing,
            Some(Some(numbers)) if numbers.value(row).is_finite() => Number::Value(numbers.value(row)),
            Some(Some(_)) => Number::Not,
            _ => number(self.text(self.cells[column][row]), self.decimal_commas),
        };
        match (&self.missing, found) {
            (None, found) => found,
            (Some(own), Number::Value(value)) if own.has_number(value) => Number::Missing,
            (Some(own), Number::Not) if own.has(&self.not_a_number(column, row)) => Number::Missing,
            (Some(_), found) => found,
        }
    }

    /// What stands where [`Rows::number`] found none.
    pub(crate) fn not_a_number(&self, column: usize, row: usize) -> String {
        match self.numbers.get(column) {
            Some(Some(numbers)) => plain(numbers.value(row)),
            _ => self.text(self.cells[column][row]).to_owned(),
        }
    }

    fn text(&self, (start, end): (u32, u32)) -> &str {
        &self.text[start as usize..end as usize]
    }

    /// Where in the file a row stands.
    pub(crate) fn place(&self, row: usize) -> Place {
        match &self.places {
            Places::Lines { first, after } => Place::Line(first + u64::from(after[row])),
            Places::Rows { first, .. } => Place::Row(first + row as u64),
        }
    }
}

fn number(text: &str, decimal_commas: bool) -> Number {
    // Most values of most wide tables are 0.
    if let [digit @ b'0'..=b'9'] = text.as_bytes() {
        return Number::Value(f64::from(digit - b'0'));
    }
    if is_missing(text) {
        return Number::Missing;
    }
    match text.trim().parse() {
        Ok(value) if f64::is_finite(value) => Number::Value(value),
        _ => with_comma(text.trim(), decimal_commas).map_or(Number::Not, Number::WithComma),
    }
}

/// The number in `3,5`. Three digits behind the comma may as well be thousands, unless the file shows what its commas are.
fn with_comma(text: &str, decimal_commas: bool) -> Option<f64> {
    let (whole, decimals) = text.split_once(',')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let unclear = decimals.len() == 3 && !decimal_commas;
    match digits(whole.trim_start_matches('-')) && digits(decimals) && !unclear {
        true => format!("{whole}.{decimals}").parse().ok(),
        false => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_comma_is_understood_where_it_can_be_nothing_else() {
        assert_eq!(number("3,5", false), Number::WithComma(3.5));
        assert_eq!(number(" -0,25 ", false), Number::WithComma(-0.25));
        assert_eq!(number("1,234", false), Number::Not);
        assert_eq!(number("1,234", true), Number::WithComma(1.234));
        for text in ["1,2,3", "1.234,5", ",5", "5,", "a,b", "3,5e2"] {
            assert_eq!(number(text, true), Number::Not, "{text}");
        }
        assert_eq!(number("3.5", true), Number::Value(3.5));
    }
}
