//! A figure: what it finds, the drawing, what it means, and its numbers.

use crate::frame::Draw;
use crate::table::Table;
use crate::text::escaped;
use std::sync::Arc;

/// A figure of a report.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Its name within its part.
    pub(crate) id: String,
    /// The finding, in words, with the number in it.
    pub(crate) title: String,
    /// The same as HTML, if the page's slider changes it.
    pub(crate) live_title: Option<String>,
    /// None where the table is the figure.
    pub(crate) drawing: Option<Arc<dyn Draw + Send + Sync>>,
    /// What it means for the reader, in one sentence.
    pub(crate) meaning: String,
    pub(crate) table: Table,
    /// HTML below the drawing, for the page alone.
    pub(crate) more: String,
    /// What the page's script knows it by.
    pub(crate) class: &'static str,
}

/// Widths at which figures are drawn: for screens and paper, and for phones.
pub(crate) const WIDE: f64 = 720.0;
const NARROW: f64 = 350.0;

impl Figure {
    pub(crate) fn new(
        id: &str,
        title: String,
        drawing: impl Draw + Send + Sync + 'static,
        meaning: impl Into<String>,
        table: Table,
    ) -> Self {
        let drawing: Option<Arc<dyn Draw + Send + Sync>> = Some(Arc::new(drawing));
        Figure {
            id: id.into(),
            title,
            live_title: None,
            drawing,
            meaning: meaning.into(),
            table,
            more: String::new(),
            class: "",
        }
    }

    /// A figure that is a table.
    pub(crate) fn of_table(id: &str, title: String, meaning: impl Into<String>, table: Table) -> Self {
        let meaning = meaning.into();
        Figure { id: id.into(), title, live_title: None, drawing: None, meaning, table, more: String::new(), class: "" }
    }

    /// Its name in addresses and files, where other parts may have a figure of the same kind.
    pub(crate) fn name_in(&self, part: &str) -> String {
        format!("{part}-{}", self.id)
    }

    /// The figure as an SVG document; none where it is a table.
    pub fn svg(&self) -> Option<String> {
        self.drawing.as_ref().map(|drawing| drawing.draw(WIDE).document(&self.title))
    }

    pub(crate) fn html(&self, part: &str) -> String {
        let name = self.name_in(part);
        let id = escaped(&name);
        let title = self.live_title.clone().unwrap_or_else(|| escaped(&self.title));
        let mut out = format!(
            "<figure id=\"{id}\" class=\"{}\" aria-labelledby=\"{id}-title\">\n<h3 id=\"{id}-title\">{title}</h3>\n",
            self.class
        );
        if let Some(drawing) = &self.drawing {
            for (class, width) in [("wide", WIDE), ("narrow", NARROW)] {
                out += &format!("<div class=\"{class}\">{}</div>\n", drawing.draw(width).element(&self.title));
            }
        }
        out += &self.more;
        out += &format!("<figcaption>{}</figcaption>\n", escaped(&self.meaning));
        out + &self.table.html(&name, &self.title, self.drawing.is_none() && !self.table.is_empty()) + "</figure>\n"
    }
}
