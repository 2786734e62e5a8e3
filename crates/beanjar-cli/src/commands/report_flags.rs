//! What a command found as a page and as figures, beside what it prints.

use super::same_file;
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::{Sink, is_page};
use beanjar_io::{Output, Source};
use beanjar_report::{Page, Part};
use clap::Args;
use std::path::{Path, PathBuf};

/// Flags of commands whose result can be drawn.
#[derive(Args)]
pub(crate) struct ReportFlags {
    /// Also write a report: a page with figures and tables, one .html file that needs nothing else.
    #[arg(long, value_name = "FILE.html", help_heading = "Common options")]
    report: Option<PathBuf>,
    /// Also write the report's figures to this folder, as SVG.
    #[arg(long, value_name = "FOLDER", help_heading = "Common options")]
    figures: Option<PathBuf>,
}

/// Where a page and figures go, made sure of before the work begins.
pub(crate) struct ReportFiles<'a> {
    common: &'a Common,
    pages: Vec<(&'a Path, Output)>,
    figures: Option<&'a Path>,
}

impl ReportFlags {
    /// Whether anything is to be drawn.
    pub(crate) fn wanted(&self, common: &Common) -> bool {
        self.report.is_some() || self.figures.is_some() || common.page().is_some()
    }

    /// Makes sure that the result, the page and the figures can be written, and overwrite none of the `inputs`. Where the
    /// result goes to an .html file, the page is the result.
    pub(crate) fn places<'a>(&'a self, inputs: &[&Source], common: &'a Common) -> Result<(Sink<'a>, ReportFiles<'a>)> {
        let sink = common.sink_beside_page(inputs)?;
        if let Some(path) = &self.report {
            if !is_page(path) {
                return Err(Failure::Words(format!(
                    "{}: a report is written as .html; name the file so",
                    path.display()
                )));
            }
            if common.out.as_ref().is_some_and(|out| same_file(out, path)) {
                return Err(Failure::Words("--report and --out name the same file; give each its own".into()));
            }
        }
        if let Some(folder) = &self.figures {
            std::fs::create_dir_all(folder).map_err(|error| {
                Failure::Words(format!("{}: cannot be made a folder for figures: {error}", folder.display()))
            })?;
        }
        let pages = self.report.as_deref().into_iter().chain(common.page());
        let pages = pages.map(|path| Ok((path, Output::create(path, inputs)?))).collect::<Result<_>>()?;
        Ok((sink, ReportFiles { common, pages, figures: self.figures.as_deref() }))
    }
}

impl ReportFiles<'_> {
    /// Draws, if anything is to be drawn.
    pub(crate) fn draw(self, title: &str, parts: impl FnOnce() -> Vec<Part>) -> Result<()> {
        if self.pages.is_empty() && self.figures.is_none() {
            return Ok(());
        }
        let page = Page { title: title.to_owned(), parts: parts() };
        if let Some(folder) = self.figures {
            let mut count = 0;
            for (name, svg) in page.svg_files() {
                write(&folder.join(name), &svg)?;
                count += 1;
            }
            self.common.note(&format!("wrote {} to {}", beanjar::counted(count, "figure"), folder.display()));
        }
        for (path, mut output) in self.pages {
            output.write_text(&page.html())?;
            output.finish()?;
            self.common.note(&format!("wrote {}: open it in a browser", path.display()));
        }
        Ok(())
    }
}

/// The name of what was read, without its folders.
pub(crate) fn title_of(source: &Source) -> String {
    match source {
        Source::File(path) => {
            path.file_name().map_or_else(|| source.name(), |name| name.to_string_lossy().into_owned())
        }
        other => other.name(),
    }
}

/// Writes a file, whole or not at all.
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    let mut output = Output::create(path, &[])?;
    output.write_text(text)?;
    Ok(output.finish()?)
}

/// A part for each of several questions.
pub(crate) fn by_question<'a>(parts: impl Iterator<Item = (&'a str, Part)>) -> Vec<Part> {
    let named = |(i, (question, part)): (usize, (&str, Part))| {
        part.named(&format!("question-{}", i + 1), format!("Question \u{2018}{question}\u{2019}"))
    };
    parts.enumerate().map(named).collect()
}
