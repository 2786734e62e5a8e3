//! A block of rows, decoded: some columns, as text.

use crate::Place;

/// Rows of the chosen columns. A missing value is the empty text.
pub(crate) struct Rows {
    /// Which block of the file this is, from 0.
    pub(crate) index: u32,
    text: String,
    /// Of each column, where in `text` each row's value begins and ends.
    cells: Vec<Vec<(u32, u32)>>,
    places: Places,
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
        Rows { index, text, cells, places }
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
            .map(|&(start, end)| {
                let text = &self.text[start as usize..end as usize];
                if is_missing(text) { "" } else { text }
            })
            .collect()
    }

    /// Where in the file a row stands.
    pub(crate) fn place(&self, row: usize) -> Place {
        match &self.places {
            Places::Lines { first, after } => Place::Line(first + u64::from(after[row])),
            Places::Rows { first, .. } => Place::Row(first + row as u64),
        }
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
