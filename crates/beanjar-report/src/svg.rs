//! Small pieces of SVG.

use crate::text::{escaped, lines, plain, width_of};
use std::fmt::{Display, Write};

/// A drawing, grown piece by piece.
#[derive(Clone, Debug)]
pub(crate) struct Svg {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Attributes of the whole, for the page's script.
    pub(crate) data: String,
    body: String,
}

/// Where a text begins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// The size of letters.
pub(crate) const LETTERS: f64 = 13.0;
/// Between two lines below a plot.
const CAPTION_LINE: f64 = 18.0;
/// That of the title of a file.
const TITLE: f64 = 16.0;
const TITLE_LINE: f64 = 21.0;

impl Svg {
    pub(crate) fn new(width: f64, height: f64) -> Self {
        Svg { width, height, data: String::new(), body: String::new() }
    }

    /// Adds a piece.
    pub(crate) fn add(&mut self, piece: impl Display) {
        let _ = writeln!(self.body, "{piece}");
    }

    /// Adds words of any origin.
    pub(crate) fn text(&mut self, at: (f64, f64), anchor: Anchor, class: &str, words: &str) {
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let words = escaped(&plain(words));
        self.add(format_args!("<text x=\"{:.1}\" y=\"{:.1}\"{anchor}{class}>{words}</text>", at.0, at.1));
    }

    /// Adds words that stand over lines: the lines end a little before them.
    pub(crate) fn text_over(&mut self, at: (f64, f64), anchor: Anchor, class: &str, words: &str) {
        // Twice, for few programs but browsers draw an edge below its letters.
        self.text(at, anchor, "edge", words);
        self.text(at, anchor, class, words);
    }

    /// Adds words below a plot, in as many lines as they need, around the middle; `y` is that of the first line.
    pub(crate) fn caption(&mut self, middle: f64, y: f64, words: &str) {
        for (i, line) in caption_lines(words, self.width).iter().enumerate() {
            // A long line is kept on the drawing.
            let half = LETTERS * width_of(line) / 2.0;
            let x = middle.min(self.width - half - 2.0).max(half + 2.0);
            self.text((x, y + CAPTION_LINE * i as f64), Anchor::Middle, "soft", line);
        }
    }

    /// The drawing as an element of a page, with a name for those who cannot see it.
    pub(crate) fn element(&self, name: &str) -> String {
        format!(
            "<svg class=\"figure\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {:.0} {:.0}\"{}>\n{}</svg>\n",
            escaped(&plain(name)),
            self.width,
            self.height,
            self.data,
            self.body
        )
    }

    /// The drawing as a file of its own, under a title.
    pub(crate) fn document(&self, title: &str) -> String {
        let title_lines = lines(&plain(title), (self.width - 20.0) / TITLE);
        let above = if title_lines.is_empty() { 0.0 } else { TITLE_LINE * title_lines.len() as f64 + 16.0 };
        let height = self.height + above;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure\" viewBox=\"0 0 {:.0} {height:.0}\" width=\"{:.0}\" height=\"{height:.0}\">\n<style>\n{}</style>\n<rect width=\"{:.0}\" height=\"{height:.0}\" class=\"paper\"/>\n",
            self.width,
            self.width,
            style(),
            self.width,
        );
        for (i, line) in title_lines.iter().enumerate() {
            let y = 10.0 + TITLE_LINE * (i as f64 + 0.7);
            let _ = writeln!(out, "<text x=\"10\" y=\"{y:.1}\" class=\"title\">{}</text>", escaped(line));
        }
        let _ = write!(out, "<g transform=\"translate(0 {above:.0})\">\n{}</g>\n</svg>\n", self.body);
        out
    }
}

/// Where words stand already, so that no others cover them.
#[derive(Default)]
pub(crate) struct Taken(Vec<(f64, f64, f64)>);

impl Taken {
    /// Takes the place from `left` to `right` on a line of text at height `y`, if it is free.
    pub(crate) fn take(&mut self, left: f64, right: f64, y: f64) -> bool {
        let covers = |&(l, r, other): &(f64, f64, f64)| left < r + 4.0 && l < right + 4.0 && (other - y).abs() < 15.0;
        let free = !self.0.iter().any(covers);
        if free {
            self.0.push((left, right, y));
        }
        free
    }

    /// Writes words around `x`, moved so that they stay on the drawing, if they cover no others.
    pub(crate) fn put(&mut self, svg: &mut Svg, at: (f64, f64), class: &str, words: &str) {
        if let Some(at) = self.place(svg, at, words) {
            svg.text(at, Anchor::Middle, class, words);
        }
    }

    /// The same, over lines.
    pub(crate) fn put_over(&mut self, svg: &mut Svg, at: (f64, f64), class: &str, words: &str) {
        if let Some(at) = self.place(svg, at, words) {
            svg.text_over(at, Anchor::Middle, class, words);
        }
    }

    /// The place of words around `x`, if it is free.
    fn place(&mut self, svg: &Svg, (x, y): (f64, f64), words: &str) -> Option<(f64, f64)> {
        let half = LETTERS * width_of(words) / 2.0;
        let x = x.min(svg.width - half - 2.0).max(half + 2.0);
        self.take(x - half, x + half, y).then_some((x, y))
    }
}

fn caption_lines(words: &str, width: f64) -> Vec<String> {
    lines(words, (width - 8.0) / LETTERS)
}

/// How much higher a drawing is for words below its plot that do not fit in one line.
pub(crate) fn caption_room(words: &str, width: f64) -> f64 {
    CAPTION_LINE * caption_lines(words, width).len().saturating_sub(1) as f64
}

/// How figures look; the page's style holds the same file.
pub(crate) const FIGURE_CSS: &str = include_str!("../assets/figure.css");

/// The same for a file on its own. Few programs but browsers know variables, so their values stand in their places.
fn style() -> String {
    let mut css = FIGURE_CSS.to_owned();
    while let Some((name, value)) = variable(&css) {
        css = css.replace(&format!("--{name}: {value};"), "").replace(&format!("var(--{name})"), &value);
    }
    css.lines().filter(|line| !line.trim().is_empty()).map(|line| format!("{line}\n")).collect()
}

/// The first variable that is given a value.
fn variable(css: &str) -> Option<(String, String)> {
    css.split(';').find_map(|statement| {
        let (name, value) = statement.rsplit_once("--")?.1.split_once(": ")?;
        Some((name.to_owned(), value.to_owned())).filter(|_| !statement.contains("var("))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_values_in_place_of_variables() {
        let mut svg = Svg::new(100.0, 50.0);
        svg.text((1.0, 2.0), Anchor::End, "", "a < b\u{1}");
        let file = svg.document("A title that is too long for one line of this width");
        assert!(!file.contains("var(") && !file.contains("--"), "{file}");
        assert!(file.contains("a &lt; b\u{fffd}</text>"));
        assert!(file.matches("class=\"title\"").count() > 2);
        assert!(svg.element("\"named\"").contains("aria-label=\"&quot;named&quot;\""));
    }

    #[test]
    fn words_that_would_cover_others_are_left_out_and_none_leaves_the_drawing() {
        let (mut svg, mut taken) = (Svg::new(100.0, 50.0), Taken::default());
        for (x, words) in [(10.0, "100"), (20.0, "200"), (60.0, "300"), (99.0, "400")] {
            taken.put(&mut svg, (x, 10.0), "", words);
        }
        taken.put(&mut svg, (20.0, 40.0), "", "500");
        let out = svg.element("");
        assert!(out.contains("100<") && !out.contains("200<") && out.contains("300<") && out.contains("500<"), "{out}");
        let x: f64 = out.split("<text x=\"").nth(3).unwrap().split('"').next().unwrap().parse().unwrap();
        assert!(x + LETTERS * width_of("400") / 2.0 <= 98.1, "{x}");
    }
}
