//! One page that holds all it needs.

use crate::figure::Figure;
use crate::number::{count, form};
use crate::svg::FIGURE_CSS;
use crate::text::escaped;
use std::fmt::Write;

/// What one command found: a heading, what matters in a few sentences, and figures.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name in addresses and files.
    pub(crate) id: String,
    pub(crate) heading: String,
    pub(crate) lead: Vec<String>,
    /// HTML above the figures.
    pub(crate) controls: String,
    pub(crate) figures: Vec<Figure>,
    /// JSON for the page's script.
    pub(crate) data: Option<String>,
}

/// A page of one or several parts.
#[derive(Clone, Debug)]
pub struct Page {
    /// What it is about.
    pub title: String,
    /// The parts, in the order in which they are read.
    pub parts: Vec<Part>,
}

const CSS: &str = include_str!("../assets/page.css");
/// In the order in which they run.
const SCRIPTS: [&str; 4] = [
    include_str!("../assets/table.js"),
    include_str!("../assets/marks.js"),
    include_str!("../assets/slider.js"),
    include_str!("../assets/confusion.js"),
];

impl Part {
    pub(crate) fn new(id: &str, heading: impl Into<String>) -> Self {
        let (controls, figures) = (String::new(), Vec::new());
        Part { id: id.into(), heading: heading.into(), lead: Vec::new(), controls, figures, data: None }
    }

    /// The same under another name and heading, where a page has several parts of a kind.
    #[must_use]
    pub fn named(mut self, id: &str, heading: impl Into<String>) -> Self {
        self.id = id.into();
        self.heading = heading.into();
        self
    }

    /// The same with one more sentence at the top.
    #[must_use]
    pub fn with_lead(mut self, sentence: impl Into<String>) -> Self {
        self.lead.insert(0, sentence.into());
        self
    }

    /// The same with what the user should know.
    #[must_use]
    pub fn with_warnings(mut self, warnings: &[beanjar::Warning]) -> Self {
        self.lead.extend(warnings.iter().map(|warning| format!("Note: {warning}.")));
        self
    }

    /// Its figures.
    pub fn figures(&self) -> &[Figure] {
        &self.figures
    }

    fn html(&self) -> String {
        let id = escaped(&self.id);
        let mut out = format!("<section id=\"{id}\" aria-labelledby=\"{id}-heading\">\n");
        let _ = writeln!(out, "<h2 id=\"{id}-heading\">{}</h2>", escaped(&self.heading));
        for sentence in &self.lead {
            let _ = writeln!(out, "<p>{}</p>", escaped(&crate::text::plain_words(sentence)));
        }
        out += &self.controls;
        self.figures.iter().for_each(|figure| out += &figure.html(&self.id));
        if let Some(data) = &self.data {
            // Within a script nothing but '<' can end it.
            let data = data.replace('<', "\\u003c");
            let _ = writeln!(out, "<script type=\"application/json\" class=\"data\">{data}</script>");
        }
        out + "</section>\n"
    }
}

/// Bytes of parts that a page may have: more than a first part of any size is left out.
const LARGEST: usize = 950_000;

impl Page {
    /// The page as HTML that needs nothing else. Of very many parts it has the first, and says how many it has not.
    pub fn html(&self) -> String {
        let title = escaped(&crate::text::plain_words(&self.title));
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<meta name=\"generator\" content=\"beanjar {}\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>\n{FIGURE_CSS}{CSS}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n",
            env!("CARGO_PKG_VERSION"),
        );
        let mut size = 0;
        let mut drawn: Vec<String> = Vec::new();
        for html in self.parts.iter().map(Part::html) {
            size += html.len();
            if size > LARGEST && !drawn.is_empty() {
                break;
            }
            drawn.push(html);
        }
        if self.parts.len() > 1 {
            out += "<nav aria-label=\"Parts\"><ol>\n";
            for part in self.parts.iter().take(drawn.len()) {
                let _ = writeln!(out, "<li><a href=\"#{}\">{}</a></li>", escaped(&part.id), escaped(&part.heading));
            }
            out += "</ol></nav>\n";
        }
        if let more @ 1.. = self.parts.len() - drawn.len() {
            let (more, are) = (count(more, "more part"), form(more, "is", "are"));
            let _ =
                writeln!(out, "<p class=\"note\">{more} {are} left out, to keep the page small: draw each alone.</p>");
        }
        drawn.iter().for_each(|html| out += html);
        out += "</main>\n<footer><p>Made by beanjar. This page is one file: it loads nothing and sends nothing.</p></footer>\n";
        out += "<div id=\"tip\" role=\"status\" hidden></div>\n<script>\n\"use strict\";\n";
        SCRIPTS.iter().for_each(|script| out += script);
        out + "</script>\n</body>\n</html>\n"
    }

    /// The figures that are drawn, as files: their names and SVG.
    pub fn svg_files(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.parts.iter().flat_map(|part| {
            let file = |figure: &Figure| Some((format!("{}.svg", figure.name_in(&part.id)), figure.svg()?));
            part.figures.iter().filter_map(file)
        })
    }
}
