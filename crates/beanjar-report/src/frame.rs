//! The frame of a plot: axes, grid, legend.

use crate::scale::Axis;
use crate::svg::{Anchor, LETTERS, Svg, Taken, caption_room};
use crate::text::{lines, width_of};

/// What a drawing must know: it is drawn once for wide screens and once for narrow ones.
pub(crate) trait Draw: std::fmt::Debug {
    /// Draws at this width.
    fn draw(&self, width: f64) -> Svg;
}

/// A plot's frame, in the units of the drawing.
pub(crate) struct Frame {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
    x: Axis,
    y: Axis,
}

/// A name in a legend, with the sample that stands before it.
pub(crate) struct Key {
    pub(crate) name: String,
    /// SVG within 22 by 12 units, around (11, 0).
    pub(crate) sample: String,
}

const LINE: f64 = 20.0;
/// From the left of a sample to its name.
const SAMPLE: f64 = 28.0;

impl Frame {
    /// Draws legend, axes and grid on a new drawing, for wide screens about half as high as wide.
    pub(crate) fn new(width: f64, keys: &[Key], x: Axis, y: Axis) -> (Svg, Frame) {
        let legend = legend(keys, width);
        let above = LINE * legend.iter().map(|(line, _, _, words)| line + words.len()).max().unwrap_or(0) as f64;
        let below = caption_room(&x.title, width);
        let up = lines(&y.title, (width - 4.0) / LETTERS);
        let above = above + LINE * up.len().saturating_sub(1) as f64;
        let height = above + if width < 480.0 { 290.0 } else { 350.0 };
        let mut svg = Svg::new(width, height + below);
        for (line, left, key, words) in &legend {
            let y = 14.0 + LINE * *line as f64;
            svg.add(format_args!("<g transform=\"translate({left:.1} {:.1})\">{}</g>", y - 4.0, key.sample));
            for (i, words) in words.iter().enumerate() {
                svg.text((left + SAMPLE, y + LINE * i as f64), Anchor::Start, "", words);
            }
        }
        let across = y.ticks(5);
        let widest = across.iter().map(|(_, name)| width_of(name)).fold(0.0, f64::max);
        let frame = Frame {
            left: 14.0 + LETTERS * widest,
            right: width - 14.0,
            top: above + 34.0,
            bottom: height - 46.0,
            x,
            y,
        };
        for (i, words) in up.iter().rev().enumerate() {
            svg.text((2.0, above + 16.0 - LINE * i as f64), Anchor::Start, "soft", words);
        }
        for (at, name) in across {
            let y = frame.bottom - at * (frame.bottom - frame.top);
            svg.add(format_args!("<path class=\"grid\" d=\"M{:.1} {y:.1}H{:.1}\"/>", frame.left, frame.right));
            svg.text((frame.left - 6.0, y + 4.0), Anchor::End, "soft", &name);
        }
        let room = (frame.right - frame.left) / 62.0;
        let mut taken = Taken::default();
        for (at, name) in frame.x.ticks(room.max(2.0) as usize) {
            let x = frame.left + at * (frame.right - frame.left);
            svg.add(format_args!("<path class=\"axis\" d=\"M{x:.1} {:.1}v5\"/>", frame.bottom));
            taken.put(&mut svg, (x, frame.bottom + 19.0), "soft", &name);
        }
        svg.add(format_args!(
            "<path class=\"axis\" d=\"M{:.1} {:.1}V{:.1}H{:.1}\"/>",
            frame.left, frame.top, frame.bottom, frame.right
        ));
        svg.caption((frame.left + frame.right) / 2.0, frame.bottom + 39.0, &frame.x.title);
        (svg, frame)
    }

    /// Where a point is; none if an axis cannot show it.
    pub(crate) fn at(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        Some((self.across(x)?, self.bottom - self.y.place(y)? * (self.bottom - self.top)))
    }

    /// Where a number of the horizontal axis is.
    pub(crate) fn across(&self, x: f64) -> Option<f64> {
        Some(self.left + self.x.place(x)? * (self.right - self.left))
    }
}

/// The names with the line and the place of each; one that is too wide for a line takes several.
fn legend(keys: &[Key], width: f64) -> Vec<(usize, f64, &Key, Vec<String>)> {
    const LEFT: f64 = 2.0;
    let (mut line, mut left) = (0, LEFT);
    let mut places = Vec::new();
    for key in keys {
        let wide = SAMPLE + LETTERS * width_of(&key.name) + 18.0;
        if left > LEFT && left + wide > width {
            (line, left) = (line + 1, LEFT);
        }
        let words = match LEFT + wide > width {
            true => lines(&key.name, (width - LEFT - SAMPLE - 6.0) / LETTERS),
            false => vec![key.name.clone()],
        };
        let more = words.len().saturating_sub(1);
        places.push((line, left, key, words));
        (line, left) = if more > 0 { (line + more + 1, LEFT) } else { (line, left + wide) };
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_of_the_upright_axis_takes_several_lines() {
        let axis = |title: &str| Axis::of(title, [0.0, 1.0].into_iter());
        let title = "squared error of a label whose name is long, and goes on, and on, and on, to the end";
        let (short, _) = Frame::new(350.0, &[], axis("x"), axis("y"));
        let (long, _) = Frame::new(350.0, &[], axis("x"), axis(title));
        assert!(long.height >= short.height + LINE, "{} and {}", long.height, short.height);
        let drawn = long.element("");
        assert!(!drawn.contains(title) && drawn.contains("to the end</text>"), "{drawn}");
    }

    #[test]
    fn long_names_of_a_legend_take_several_lines_and_cover_no_other() {
        let names =
            ["short", "held-out labels that differ from the prediction, and one standard error of that", "last"];
        let keys = names.map(|name| Key { name: name.into(), sample: String::new() });
        let placed = legend(&keys, 350.0);
        let mut lines: Vec<usize> = Vec::new();
        for (line, left, key, words) in &placed {
            assert_eq!(words.join(" "), key.name);
            assert!(words.iter().all(|words| left + SAMPLE + LETTERS * width_of(words) <= 350.0), "{words:?}");
            lines.extend((0..words.len()).map(|i| line + i));
        }
        assert_eq!(lines, [0, 1, 2, 3]);
        assert!(legend(&keys, 1200.0).iter().all(|(line, ..)| *line == 0));
    }
}
