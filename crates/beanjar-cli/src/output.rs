//! What a command prints: tables for people, JSON and CSV for programs.

use crate::failure::{Failure, Result};
use crate::progress::{moved, working};
use crate::{Common, Format};
pub(crate) use beanjar::counted as count;
use beanjar_io::{Output, Source, write_csv};
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use serde::Serialize;
use std::io::{IsTerminal, Write};

/// A result in its three forms.
pub(crate) trait Report: Serialize {
    /// For people.
    fn text(&self) -> String;
    /// The main table: its header, then its rows.
    fn rows(&self) -> Rows<'_>;
}

/// The rows of a table, made as they are written.
pub(crate) type Rows<'a> = Box<dyn Iterator<Item = Vec<String>> + 'a>;

/// A header and the rows under it.
pub(crate) fn with_header<'a>(header: &[&str], rows: impl Iterator<Item = Vec<String>> + 'a) -> Rows<'a> {
    let header = header.iter().map(|name| (*name).to_owned()).collect();
    Box::new(std::iter::once(header).chain(rows))
}

/// Where a command's result goes, made sure of before the work begins.
pub(crate) struct Sink<'a> {
    common: &'a Common,
    format: Format,
    output: Option<Output>,
}

impl Sink<'_> {
    /// Prints a result, or writes it to the file given with `--out`.
    pub(crate) fn emit(self, report: &impl Report) -> Result<()> {
        let format = self.format;
        self.write(|out| match format {
            Format::Table => out.write_all(report.text().as_bytes()),
            Format::Json => {
                serde_json::to_writer_pretty(&mut *out, report)?;
                out.write_all(b"\n")
            }
            Format::Csv => write_csv(out, report.rows()),
        })
    }

    pub(crate) fn emit_text(self, text: &str) -> Result<()> {
        self.write(|out| out.write_all(text.as_bytes()))
    }

    fn write(self, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
        self.common.clear_bar();
        match self.output {
            None => {
                let mut out = std::io::BufWriter::new(std::io::stdout().lock());
                write(&mut out)?;
                Ok(out.flush()?)
            }
            Some(mut output) => {
                output.write_with(write)?;
                Ok(output.finish()?)
            }
        }
    }
}

impl Common {
    /// Makes sure that the result can go where it should, which is none of the `inputs`.
    pub(crate) fn sink(&self, inputs: &[&Source]) -> Result<Sink<'_>> {
        if let (None, Some(path)) = (self.wished_format(), &self.out) {
            let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
            if ["tsv", "jsonl", "parquet", "arrow", "gz", "zst"].contains(&extension.as_str()) {
                return Err(Failure::Words(format!(
                    "{}: results are written as .json, .csv or .txt; name the file so, or say --format",
                    path.display()
                )));
            }
        }
        let output = self.out.as_ref().map(|path| Output::create(path, inputs)).transpose()?;
        Ok(Sink { common: self, format: self.chosen_format(), output })
    }

    /// The format that the user asked for, by name or by that of the file.
    pub(crate) fn wished_format(&self) -> Option<Format> {
        let by_name = || {
            let extension = self.out.as_ref()?.extension()?.to_str()?.to_lowercase();
            match extension.as_str() {
                "json" => Some(Format::Json),
                "csv" => Some(Format::Csv),
                "txt" => Some(Format::Table),
                _ => None,
            }
        };
        self.format.or_else(by_name)
    }

    fn chosen_format(&self) -> Format {
        let by_place = || match self.out.is_none() && std::io::stdout().is_terminal() {
            true => Format::Table,
            false => Format::Json,
        };
        self.wished_format().unwrap_or_else(by_place)
    }

    /// The threads asked for or all there are, the seed, and a bar for how far the library is.
    pub(crate) fn context(&self) -> Result<beanjar::Context> {
        if let Some((context, _)) = self.started.get() {
            return Ok(context.clone());
        }
        let all = || std::thread::available_parallelism().unwrap_or(std::num::NonZeroUsize::MIN);
        let threads = self.threads.unwrap_or_else(all);
        let bar = working(self);
        let shown = bar.clone();
        let context =
            beanjar::Context::new().with_threads(threads)?.with_seed(self.seed).with_progress(move |progress| {
                moved(&shown, progress);
                std::ops::ControlFlow::Continue(())
            });
        Ok(self.started.get_or_init(|| (context, bar)).0.clone())
    }

    /// Takes the bar off the terminal, so that a sentence or a result can stand there.
    pub(crate) fn clear_bar(&self) {
        if let Some((_, bar)) = self.started.get() {
            bar.finish_and_clear();
        }
    }

    /// Says something once, on standard error.
    pub(crate) fn warn(&self, sentence: &str) {
        self.say(&format!("warning: {}\n", one_line(sentence)));
    }

    /// Says what was understood or done, on standard error; dim, for it matters only where it surprises.
    pub(crate) fn note(&self, sentence: &str) {
        let sentence = one_line(sentence);
        let dim = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        self.say(&if dim { format!("\x1b[2m{sentence}\x1b[0m\n") } else { format!("{sentence}\n") });
    }

    /// Writes to standard error, unless all is to be quiet.
    pub(crate) fn say(&self, text: &str) {
        if !self.quiet {
            self.clear_bar();
            say(text);
        }
    }

    /// Says what the library warns of the labels of one question.
    pub(crate) fn warn_all_of(&self, question: &str, warnings: &[beanjar::Warning]) {
        warnings.iter().for_each(|warning| self.warn(&format!("question '{question}': {warning}{}", advice(warning))));
    }

    /// Says what the library warns of.
    pub(crate) fn warn_all(&self, warnings: &[beanjar::Warning]) {
        warnings.iter().for_each(|warning| self.warn(&format!("{warning}{}", advice(warning))));
    }
}

/// Writes to standard error. What cannot be written there is lost; a result is not lost for it.
pub(crate) fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// The flag that mends what the library warns of.
fn advice(warning: &beanjar::Warning) -> &'static str {
    match warning {
        beanjar::Warning::Stopped { .. } => "; --iterations gives it more",
        beanjar::Warning::Overfitted => " (--ridge 0.4, --never)",
        _ => "",
    }
}

/// A plain table: the first column to the left, numbers to the right.
pub(crate) fn table(header: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(terminal_size::terminal_size_of(std::io::stdout()).map_or(100, |(width, _)| width.0));
    table.set_header(header.iter().map(Cell::new));
    table.add_rows(rows.into_iter().map(|row| row.iter().map(|cell| one_line(cell)).collect::<Vec<_>>()));
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if i == 0 { 2 } else { 1 }, 1));
        column.set_cell_alignment(if i == 0 { CellAlignment::Left } else { CellAlignment::Right });
    }
    let lines = table.lines().map(|line| line.trim_end().to_owned() + "\n");
    lines.collect()
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

/// A text on one line of a terminal, whatever characters the user's data put in it.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
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
