//! What a command prints: tables for people, JSON and CSV for programs.

mod text_table;

use crate::failure::{Failure, Result};
use crate::progress::{moved, working};
use crate::{Common, Format};
use beanjar::AggregateOutcome;
pub(crate) use beanjar::counted as count;
pub(crate) use beanjar_io::visible as one_line;
use beanjar_io::{Output, Source, Understood, write_csv, write_rows};
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::path::Path;
pub(crate) use text_table::{exact, number, table, width};

/// A result in its three forms.
pub(crate) trait Report: Serialize {
    /// For people.
    fn text(&self) -> String;
    /// The main table: its header, then its rows.
    fn rows(&self) -> Rows<'_>;
    /// What is said on the terminal when the result itself goes to a file; by default nothing.
    fn summary(&self) -> String {
        String::new()
    }
}

/// The rows of a table, made as they are written.
pub(crate) type Rows<'a> = Box<dyn Iterator<Item = Vec<String>> + 'a>;

/// A text of several lines, without anything that plays tricks with a terminal.
fn harmless_lines(text: &str) -> String {
    text.split('\n').map(one_line).collect::<Vec<_>>().join("\n")
}

/// The same rows without formulas, if they are to be safe.
fn made_safe(rows: Rows<'_>, safe: bool) -> Rows<'_> {
    let harmless = |row: Vec<String>| row.iter().map(|cell| beanjar_io::harmless(cell).into_owned()).collect();
    if safe { Box::new(rows.map(harmless)) } else { rows }
}

/// A header and the rows under it.
pub(crate) fn with_header<'a>(header: &[&str], rows: impl Iterator<Item = Vec<String>> + 'a) -> Rows<'a> {
    let header = header.iter().map(|name| (*name).to_owned()).collect();
    Box::new(std::iter::once(header).chain(rows))
}

/// Where a command's result goes, made sure of before the work begins.
pub(crate) struct Sink<'a> {
    common: &'a Common,
    format: Kind,
    output: Option<Output>,
}

/// What a result is written as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Printed(Format),
    /// The main table alone, in the format that the name of the file shows.
    Table,
    Markdown,
    /// The report, which is drawn: there is nothing left to print.
    Page,
}

impl Sink<'_> {
    /// Prints a result, or writes it to the file given with `--out`.
    pub(crate) fn emit(self, report: &impl Report) -> Result<()> {
        let safe = self.common.safe_csv;
        let (common, called) = (self.common, self.common.caller.is_some());
        match (self.format, &self.common.out) {
            (Kind::Page, _) => {
                self.common.clear_bar();
                Ok(())
            }
            (Kind::Table, Some(path)) => {
                self.common.clear_bar();
                let output = self.output.map_or_else(|| Output::create(path, &[]), Ok)?;
                let is_delimited =
                    matches!(beanjar_io::Format::of(path)?.0, beanjar_io::Format::Csv | beanjar_io::Format::Tsv);
                write_rows(path, output, made_safe(report.rows(), safe && is_delimited))?;
                Ok(())
            }
            (format, _) => self.write(|out| match format {
                Kind::Printed(Format::Table) => out.write_all(harmless_lines(&report.text()).as_bytes()),
                // A program needs no line breaks.
                Kind::Printed(Format::Json) if called => Ok(serde_json::to_writer(out, report)?),
                Kind::Printed(Format::Json) => {
                    serde_json::to_writer_pretty(&mut *out, report)?;
                    out.write_all(b"\n")
                }
                Kind::Markdown => write_markdown(out, report.rows()),
                Kind::Printed(Format::Csv) | Kind::Table | Kind::Page => write_csv(out, made_safe(report.rows(), safe)),
            }),
        }?;
        if common.out.is_some() {
            common.say(&harmless_lines(&report.summary()));
        }
        Ok(())
    }

    pub(crate) fn emit_text(self, text: &str) -> Result<()> {
        self.write(|out| out.write_all(harmless_lines(text).as_bytes()))
    }

    fn write(self, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
        self.common.clear_bar();
        match (self.output, &self.common.caller) {
            (None, Some(caller)) => {
                let mut json = Vec::new();
                write(&mut json)?;
                caller.tell(|answer| answer.json = json);
                Ok(())
            }
            (None, None) => {
                let mut out = std::io::BufWriter::new(std::io::stdout().lock());
                write(&mut out)?;
                Ok(out.flush()?)
            }
            (Some(mut output), _) => {
                output.write_with(write)?;
                Ok(output.finish()?)
            }
        }
    }
}

impl Common {
    /// Makes sure that the result can go where it should, which is none of the `inputs`.
    pub(crate) fn sink(&self, inputs: &[&Source]) -> Result<Sink<'_>> {
        match self.page() {
            Some(path) => {
                let problem = format!("{}: this command has no report to write as .html", path.display());
                Err(Failure::Words(format!("{problem}; {ENDINGS}")))
            }
            None => self.sink_beside_page(inputs),
        }
    }

    /// The same for a command with a report, to which the name of the file may give the place.
    pub(crate) fn sink_beside_page(&self, inputs: &[&Source]) -> Result<Sink<'_>> {
        if self.page().is_some() {
            return Ok(Sink { common: self, format: Kind::Page, output: None });
        }
        let format = self.kind()?;
        let output = self.out.as_ref().map(|path| Output::create(path, inputs)).transpose()?;
        Ok(Sink { common: self, format, output })
    }

    /// Standard output, whatever --out says.
    pub(crate) fn printed(&self) -> Sink<'_> {
        Sink { common: self, format: Kind::Printed(self.format.unwrap_or(Format::Table)), output: None }
    }

    /// The same for a result that is JSON whatever the user wishes, as a model is.
    pub(crate) fn json_sink(&self, inputs: &[&Source]) -> Result<Sink<'_>> {
        if let Some(path) = &self.out
            && path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("json"))
        {
            return Err(Failure::Words(format!("{}: a model is written as .json; name the file so", path.display())));
        }
        if let Some(format @ (Format::Table | Format::Csv)) = self.format {
            let name = if format == Format::Csv { "csv" } else { "table" };
            return Err(Failure::Words(format!("--format {name}: a model is JSON; leave --format out")));
        }
        let output = self.out.as_ref().map(|path| Output::create(path, inputs)).transpose()?;
        Ok(Sink { common: self, format: Kind::Printed(Format::Json), output })
    }

    /// What the result is written as: by --format, or by the name of --out, of which every ending must be known.
    fn kind(&self) -> Result<Kind> {
        let by_name = || {
            let Some(path) = &self.out else { return Ok(None) };
            // A pipe such as /dev/stdout has no name of its own.
            if path.exists() && !path.is_file() && !path.is_dir() {
                return Ok(None);
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
            Ok(Some(match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
                "json" => Kind::Printed(Format::Json),
                "csv" => Kind::Printed(Format::Csv),
                "txt" => Kind::Printed(Format::Table),
                "md" => Kind::Markdown,
                _ if is_table(&name) => Kind::Table,
                _ => return Err(Failure::Words(format!("{}: {ENDINGS}", path.display()))),
            }))
        };
        match self.format {
            Some(format) => Ok(Kind::Printed(format)),
            None => Ok(by_name()?.unwrap_or(Kind::Printed(self.by_place()))),
        }
    }

    /// The page that --out names: what is to be written there is the report, unless --format says otherwise.
    pub(crate) fn page(&self) -> Option<&Path> {
        self.out.as_deref().filter(|path| self.format.is_none() && is_page(path))
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

    /// An error if the probabilities of all classes are asked for where no table of rows is written.
    pub(crate) fn check_probabilities(&self, asked: bool) -> Result<()> {
        let as_a_table = match self.wished_format() {
            Some(format) => format == Format::Csv,
            None => self.out.is_some() && self.page().is_none(),
        };
        match asked && !as_a_table {
            true => Err(Failure::Words(
                "--probabilities is for tables, as CSV: add --format csv or --out FILE.csv; JSON has them".into(),
            )),
            false => Ok(()),
        }
    }

    /// A table on a terminal, JSON elsewhere.
    fn by_place(&self) -> Format {
        match self.out.is_none() && std::io::stdout().is_terminal() {
            true => Format::Table,
            false => Format::Json,
        }
    }

    /// The threads asked for or all there are, the seed, and a bar for how far the library is.
    pub(crate) fn context(&self) -> Result<beanjar::Context> {
        if let Some((context, _)) = self.started.get() {
            return Ok(context.clone());
        }
        let all = || std::thread::available_parallelism().unwrap_or(std::num::NonZeroUsize::MIN);
        let threads = self.threads.unwrap_or_else(all);
        let bar = working(self);
        let context = beanjar::Context::new().with_threads(threads)?.with_seed(self.seed);
        let context = match &self.caller {
            Some(caller) => {
                let heard = caller.progress.clone();
                context.with_progress(move |progress| heard(progress))
            }
            None => {
                let shown = bar.clone();
                context.with_progress(move |progress| {
                    moved(&shown, progress);
                    std::ops::ControlFlow::Continue(())
                })
            }
        };
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
        if let Some(caller) = &self.caller {
            return caller.tell(|answer| answer.warnings.push(one_line(sentence)));
        }
        self.say(&format!("warning: {}\n", one_line(sentence)));
    }

    /// Says what was understood or done, on standard error; dim, for it matters only where it surprises.
    pub(crate) fn note(&self, sentence: &str) {
        let sentence = one_line(sentence);
        if let Some(caller) = &self.caller {
            return caller.tell(|answer| answer.notes.push(sentence));
        }
        let dim = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        self.say(&if dim { format!("\x1b[2m{sentence}\x1b[0m\n") } else { format!("{sentence}\n") });
    }

    /// Says what a file was understood to hold.
    pub(crate) fn understood(&self, file: &str, understood: &Understood) {
        self.note(&format!("read {file}: {understood}"));
        if let Some(caller) = &self.caller {
            caller.tell(|answer| answer.columns.push((file.to_owned(), understood.columns.clone())));
        }
    }

    /// Whether tasks are handed over to a calling program as they are, and not printed.
    pub(crate) fn hands_over(&self) -> bool {
        self.caller.is_some() && self.out.is_none()
    }

    /// Hands what was found of tasks over, if it is not printed.
    pub(crate) fn hand_over(&self, outcome: AggregateOutcome) {
        if let Some(caller) = self.caller.as_ref().filter(|_| self.hands_over()) {
            caller.tell(|answer| answer.outcomes.push(outcome));
        }
    }

    /// Writes to standard error, unless all is to be quiet.
    pub(crate) fn say(&self, text: &str) {
        if !self.quiet && self.caller.is_none() {
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

/// The flag that helps with what the library warns of.
fn advice(warning: &beanjar::Warning) -> &'static str {
    match warning {
        beanjar::Warning::Stopped { .. } => "; --iterations gives it more",
        beanjar::Warning::Overfitted => " (--ridge 0.4, --never)",
        _ => "",
    }
}

/// What the name of an output may end in.
const ENDINGS: &str = "results are written as .json, .txt, .md, or as a table: .csv, .tsv, .jsonl (these also with .gz or .zst), .parquet, .arrow, .xlsx; name the file so, or say --format";

/// Whether a file of this name holds a page.
pub(crate) fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html") || ending.eq_ignore_ascii_case("htm"))
}

/// Whether a file of this name holds a table.
fn is_table(name: &str) -> bool {
    let plain = name.strip_suffix(".gz").or(name.strip_suffix(".zst"));
    let text = [".csv", ".tsv", ".jsonl", ".ndjson"];
    match plain {
        Some(name) => text.iter().any(|ending| name.ends_with(ending)),
        None => {
            text.iter().chain(&[".parquet", ".pq", ".arrow", ".feather", ".xlsx"]).any(|ending| name.ends_with(ending))
        }
    }
}

/// Rows as a Markdown table.
fn write_markdown(out: &mut dyn Write, rows: Rows<'_>) -> std::io::Result<()> {
    for (row, cells) in rows.enumerate() {
        let cells: Vec<String> = cells.iter().map(|cell| one_line(cell).replace('|', "\\|")).collect();
        writeln!(out, "| {} |", cells.join(" | "))?;
        if row == 0 {
            writeln!(out, "|{}", "---|".repeat(cells.len()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_plays_tricks_with_a_terminal() {
        assert_eq!(
            one_line("a\u{1b}[31m\n\u{202e}b\u{200b}\u{2066}\u{2028}é"),
            "a\\u{1b}[31m\\n\\u{202e}b\\u{200b}\\u{2066}\\u{2028}é"
        );
    }

    #[test]
    fn tables_are_known_by_the_names_of_files() {
        assert!(["a.tsv", "a.csv.gz", "b.jsonl.zst", "c.parquet", "d.xlsx"].into_iter().all(is_table));
        assert!(!["a.json", "a.parquet.gz", "a", "a.html", "csv"].into_iter().any(is_table));
    }
}
