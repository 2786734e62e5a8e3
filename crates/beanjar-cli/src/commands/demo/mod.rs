//! The whole story, on data that the program makes itself.

mod crowd;
mod experts;
mod photos;

use super::inspect::JudgmentsReport;
use super::report_flags;
use crate::failure::{Failure, Result};
use crate::{Common, Format};
use beanjar_report::{Page, Part};
use clap::Args;
use std::path::PathBuf;

/// See what beanjar does, on data that it makes itself.
///
/// A crowd judges photos of people: what are the judgments like, what should be asked of new photos to predict people's
/// height, and what error does that give on fresh photos? Another crowd labels tasks, with spammers and copiers in it: whom
/// to drop, and what are the labels? Experts who are right half of the time label units with features: which classifier to
/// believe, with no truth at hand? Ends with a report of it all, in the folder given with --out, else in beanjar-demo.
#[derive(Args)]
#[command(after_help = "Example:\n  beanjar demo --out story")]
pub(crate) struct Demo {}

/// A chapter: its text, and its part of the report.
struct Chapter {
    text: String,
    parts: Vec<Part>,
}

impl Demo {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let context = common.context()?;
        let photos = photos::Album::draw(&context)?;
        if matches!(common.format, Some(Format::Json | Format::Csv)) {
            return common.printed().emit(&JudgmentsReport { outcome: &photos.inspected, all: false });
        }
        let folder = common.out.clone().unwrap_or_else(|| PathBuf::from("beanjar-demo"));
        let refused = |error| Failure::Words(format!("{}: cannot be made a folder: {error}", folder.display()));
        std::fs::create_dir_all(&folder).map_err(refused)?;
        let chapters = [photos.tell(&context)?, crowd::tell(&context)?, experts::tell(&context)?];
        let mut text = String::new();
        let mut parts = Vec::new();
        for chapter in chapters {
            text += &chapter.text;
            parts.extend(chapter.parts);
        }
        let report = folder.join("report.html");
        let page = Page { title: "What beanjar does: a story in three crowds".into(), parts };
        report_flags::write(&report, &page.html())?;
        text += &format!("All of it in pictures, with a slider for the budget: {}\n", report.display());
        text += "(open it in a browser; it is one file and needs nothing else)\n\nThe same for data of your own:\n\n";
        for (data, command) in [
            ("labels of several workers, as task,worker,label", "aggregate labels.csv"),
            ("ratings, as object,attribute,worker,value", "select judgments.csv --labels truth.csv --budget 30"),
            ("features, and labels of several experts", "learn features.csv --labels labels.csv --out model.json"),
        ] {
            text += &format!("  {data}:\n    beanjar {command} --report report.html\n");
        }
        common.printed().emit_text(&text)
    }
}

/// Words in lines that fit a terminal.
fn paragraph(words: &str) -> String {
    const WIDTH: usize = 96;
    let mut lines = vec![String::new()];
    for word in words.split_whitespace() {
        let last = lines.len() - 1;
        match lines[last].chars().count() + word.chars().count() {
            0..WIDTH if lines[last].is_empty() => lines[last] += word,
            0..WIDTH => lines[last] += &format!(" {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n") + "\n\n"
}
