//! A block of rows, decoded: some columns, as text.

use crate::Place;
use crate::write::plain;
use arrow_array::{Array, Float64Array};

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
}

/// A value of a column of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Missing,
    /// A finite one.
    Value(f64),
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
        Rows { index, text, cells, numbers: Vec::new(), places }
    }

    pub(super) fn with_numbers(self, numbers: Vec<Option<Float64Array>>) -> Self {
        Rows { numbers, ..self }
    }

    pub(crate) fn len(&self) -> usize {
        match &self.places {
            Places::Lines { after, .. } => after.len(),
            Places::Rows { count, .. } => *count,
        }
    }

    /// The values of a column, by its number among the chosen.
    pub(crate) fn column(&self, column: usize) -> Vec<&str> {
        self.cells[column]
            .iter()
            .map(|&cell| {
                let text = self.text(cell);
                if is_missing(text) { "" } else { text }
            })
            .collect()
    }

    /// A value of a column of numbers, by the column's number among the chosen.
    pub(crate) fn number(&self, column: usize, row: usize) -> Number {
        match self.numbers.get(column) {
            Some(Some(numbers)) if numbers.is_null(row) || numbers.value(row).is_nan() => Number::Missing,
            Some(Some(numbers)) if numbers.value(row).is_finite() => Number::Value(numbers.value(row)),
            Some(Some(_)) => Number::Not,
            _ => number(self.text(self.cells[column][row])),
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

fn number(text: &str) -> Number {
    // Most values of most wide tables are 0.
    if let [digit @ b'0'..=b'9'] = text.as_bytes() {
        return Number::Value(f64::from(digit - b'0'));
    }
    if is_missing(text) {
        return Number::Missing;
    }
    match text.trim().parse() {
        Ok(value) if f64::is_finite(value) => Number::Value(value),
        _ => Number::Not,
    }
}

fn is_missing(text: &str) -> bool {
    // Most values are settled by a look at their ends.
    if let [first, _, _, _, .., last] = text.as_bytes()
        && !first.is_ascii_whitespace()
        && !last.is_ascii_whitespace()
    {
        return text == "null" || text == "NULL";
    }
    matches!(text.trim_ascii(), "" | "NA" | "N/A" | "n/a" | "NaN" | "nan" | "null" | "NULL")
}

#[cfg(test)]
mod tests {
    use super::is_missing;

    #[test]
    fn what_stands_for_nothing_is_missing_with_any_space_around_it() {
        for text in ["", " ", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "  NA   ", "null \t", "        "] {
            assert!(is_missing(text), "{text:?}");
        }
        for text in ["0", "none", "NAN1", "nullo", "a b c d", "NA NA", "-"] {
            assert!(!is_missing(text), "{text:?}");
        }
    }
}
