//! Tables that fit a terminal, and the numbers in them.

use super::one_line;
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use std::io::IsTerminal;

/// A plain table: the first column to the left, numbers to the right.
pub(crate) fn table(header: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(width());
    table.set_header(header.iter().map(|name| Cell::new(one_line(name))));
    table.add_rows(rows.into_iter().map(|row| row.iter().map(|cell| one_line(cell)).collect::<Vec<_>>()));
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if i == 0 { 2 } else { 1 }, 1));
        column.set_cell_alignment(if i == 0 { CellAlignment::Left } else { CellAlignment::Right });
    }
    let lines = table.lines().map(|line| line.trim_end().to_owned() + "\n");
    lines.collect()
}

/// The columns of the terminal. One that does not say how wide it is gets 80; what goes elsewhere has room for 100.
pub(crate) fn width() -> u16 {
    match terminal_size::terminal_size_of(std::io::stdout()) {
        Some((width, _)) if width.0 > 0 => width.0,
        _ if std::io::stdout().is_terminal() => 80,
        _ => 100,
    }
}

/// A number in at most about six characters; a dash for none.
pub(crate) fn number(value: impl Into<Option<f64>>) -> String {
    match value.into() {
        None => "-".into(),
        Some(value) if value.fract() == 0.0 && value.abs() < 1e6 => format!("{value:.0}"),
        Some(value) if value.abs() >= 1e6 || value.abs() < 1e-4 => format!("{value:.2e}"),
        Some(value) if value.abs() >= 1000.0 => format!("{value:.0}"),
        Some(value) if value.abs() >= 10.0 => format!("{value:.2}"),
        Some(value) => format!("{value:.4}"),
    }
}

/// A number with all its digits, for CSV; nothing for none.
pub(crate) fn exact(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(0.12345), "0.1235");
        assert_eq!(number(12.345), "12.35");
        assert_eq!(number(-123_456.7), "-123457");
        assert_eq!(number(1e-9), "1.00e-9");
        assert_eq!(number(None), "-");
    }
}
