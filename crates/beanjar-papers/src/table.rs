//! Tables as plain text.

/// The first column to the left, the others to the right.
pub(crate) fn table(header: &[&str], rows: Vec<Vec<String>>) -> String {
    let header = header.iter().map(|name| (*name).to_owned()).collect();
    let lines: Vec<Vec<String>> = std::iter::once(header).chain(rows).collect();
    let width = |column: usize| lines.iter().filter_map(|row| Some(row.get(column)?.chars().count())).max();
    let widths: Vec<usize> = (0..).map_while(width).collect();
    let line = |row: &Vec<String>| {
        let cell = |(column, (text, &width)): (usize, (&String, &usize))| match column {
            0 => format!("  {text:<width$} "),
            _ => format!(" {text:>width$} "),
        };
        let line: String = row.iter().zip(&widths).enumerate().map(cell).collect();
        line.trim_end().to_owned() + "\n"
    };
    lines.iter().map(line).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows = vec![vec!["a".to_owned(), "10".to_owned()], vec!["long".to_owned(), "0.5 ± 1".to_owned()]];
        let text = table(&["set", "n"], rows);
        assert_eq!(text, "  set         n\n  a          10\n  long  0.5 ± 1\n");
        assert_eq!([number(0.12345), number(12.345), number(None)], ["0.1235", "12.35", "-"]);
    }
}
