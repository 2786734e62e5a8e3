//! The numbers behind a figure.

use crate::number::{count, short, whole};
use crate::text::{LONGEST, escaped, plain, plain_words, shortened};
use std::fmt::Write;

/// A cell: what is shown, and what is saved if that is another text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell {
    shown: String,
    exact: Option<String>,
    number: bool,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        let shown = plain(text).into_owned();
        let exact = shortened(text, LONGEST);
        Cell { exact: (exact != shown).then_some(exact), shown, number: false }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell::from(text.as_str())
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        if !value.is_finite() {
            return Cell { shown: String::new(), exact: None, number: true };
        }
        let (shown, exact) = (short(value), value.to_string());
        Cell { exact: (exact != shown).then_some(exact), shown, number: true }
    }
}

impl From<Option<f64>> for Cell {
    fn from(value: Option<f64>) -> Self {
        value.unwrap_or(f64::NAN).into()
    }
}

impl From<usize> for Cell {
    fn from(value: usize) -> Self {
        let (shown, exact) = (whole(value), value.to_string());
        Cell { exact: (exact != shown).then_some(exact), shown, number: true }
    }
}

impl From<bool> for Cell {
    fn from(value: bool) -> Self {
        Cell::from(if value { "yes" } else { "no" })
    }
}

impl Cell {
    /// Words made of ids that were shortened one by one: these are not cut again.
    pub(crate) fn words(text: &str) -> Self {
        Cell { shown: plain_words(text), exact: None, number: false }
    }
}

/// A row of cells of several kinds.
macro_rules! row {
    ($($cell:expr),* $(,)?) => { vec![$($crate::table::Cell::from($cell)),*] };
}
pub(crate) use row;

/// The rows behind a figure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<Cell>>,
    left_out: usize,
}

/// More rows are not read on a page; a file of the command has them all.
pub(crate) const MOST_ROWS: usize = 2000;

impl Table {
    pub(crate) fn new(header: &[&str], rows: impl Iterator<Item = Vec<Cell>>) -> Self {
        let mut rows = rows;
        let kept: Vec<Vec<Cell>> = rows.by_ref().take(MOST_ROWS).collect();
        let left_out = rows.count();
        Table { header: header.iter().map(|name| (*name).to_owned()).collect(), rows: kept, left_out }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table under its figure, closed unless it is the figure.
    pub(crate) fn html(&self, name: &str, title: &str, open: bool) -> String {
        let mut out = format!(
            "<details class=\"numbers\"{}><summary>The numbers ({})</summary>\n<div class=\"tools\" hidden><button type=\"button\" data-do=\"csv\" data-file=\"{}.csv\">Save as CSV</button> <button type=\"button\" data-do=\"copy\">Copy</button> <span role=\"status\"></span></div>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"The numbers of {}: {}\"><table>\n<thead><tr>",
            if open { " open" } else { "" },
            match self.left_out {
                0 => count(self.rows.len(), "row"),
                more => format!("{} of {}", whole(self.rows.len()), count(self.rows.len() + more, "row")),
            },
            escaped(name),
            // Parts of a page may have figures with the same title.
            escaped(name),
            escaped(title),
        );
        for (i, name) in self.header.iter().enumerate() {
            let number = self.rows.first().and_then(|row| row.get(i)).is_some_and(|cell| cell.number);
            let class = if number { " class=\"n\"" } else { "" };
            let _ = write!(out, "<th scope=\"col\"{class}>{}</th>", escaped(name));
        }
        out += "</tr></thead>\n<tbody>\n";
        for row in &self.rows {
            out += "<tr>";
            for cell in row {
                let class = if cell.number { " class=\"n\"" } else { "" };
                let exact = cell.exact.as_ref().map(|exact| format!(" data-v=\"{}\"", escaped(exact)));
                let (open, close) = if cell.number { ("", "") } else { ("<bdi>", "</bdi>") };
                let _ =
                    write!(out, "<td{class}{}>{open}{}{close}</td>", exact.unwrap_or_default(), escaped(&cell.shown));
            }
            out += "</tr>\n";
        }
        out += "</tbody></table></div>\n";
        if self.left_out > 0 {
            let more = count(self.left_out, "more row");
            let _ = writeln!(out, "<p class=\"note\">{more} left out here; the command's JSON or CSV has all.</p>");
        }
        out + "</details>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_show_short_and_save_exact() {
        let rows = [row!["<i>\n", 0.123_456_789, 12_345usize, Some(1.5), None::<f64>, true]];
        let html = Table::new(&["a", "b", "c", "d", "e", "f"], rows.into_iter()).html("x", "y", false);
        assert!(html.contains("<td data-v=\"&lt;i&gt;\n\"><bdi>&lt;i&gt; </bdi></td>"), "{html}");
        assert!(html.contains("<td class=\"n\" data-v=\"0.123456789\">0.123</td>"));
        assert!(html.contains("<td class=\"n\" data-v=\"12345\">12,345</td>"));
        assert!(html.contains("<td class=\"n\">1.5</td><td class=\"n\"></td>"));
    }

    #[test]
    fn long_tables_are_cut_and_say_so() {
        let table = Table::new(&["a"], (0..MOST_ROWS + 7).map(|i| row![i]));
        assert_eq!(table.rows.len(), MOST_ROWS);
        let html = table.html("x", "y", true);
        assert!(html.contains("The numbers (2,000 of 2,007 rows)") && html.contains("7 more rows left out"), "{html}");
    }
}
