//! Rows with a bar, or with a dot and its interval.

use crate::frame::Draw;
use crate::number::percent;
use crate::scale::Axis;
use crate::svg::{Anchor, LETTERS, Svg, Taken, caption_room};
use crate::text::{distinct, width_of};

/// One row.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) interval: Option<(f64, f64)>,
    /// What is written at the right end.
    pub(crate) note: String,
    /// Whether the mark is filled: a hollow one is left out, dropped, not chosen.
    pub(crate) filled: bool,
    /// The row of the figure's table.
    pub(crate) row: usize,
}

/// How a value is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// As the length of a bar from zero.
    Bar,
    /// As the place of a dot, with its interval.
    Dot,
}

/// A value for each of several names.
#[derive(Clone, Debug)]
pub(crate) struct RowChart {
    pub(crate) shape: Shape,
    pub(crate) axis: String,
    pub(crate) rows: Vec<Row>,
    pub(crate) percent: bool,
    /// A vertical line, with its meaning.
    pub(crate) reference: Option<(f64, String)>,
    /// Whether the page's slider sets the lengths of the bars.
    pub(crate) slides: bool,
}

impl RowChart {
    /// A share for each name, as bars.
    pub(crate) fn of_shares<'a>(axis: &str, shares: impl Iterator<Item = (&'a str, f64)>) -> Self {
        let row = |(row, (name, share)): (usize, (&str, f64))| Row {
            name: name.to_owned(),
            value: share,
            interval: None,
            note: percent(share),
            filled: true,
            row,
        };
        RowChart {
            shape: Shape::Bar,
            axis: axis.into(),
            rows: shares.enumerate().map(row).collect(),
            percent: true,
            reference: None,
            slides: false,
        }
    }
}

const STEP: f64 = 24.0;

impl Draw for RowChart {
    fn draw(&self, width: f64) -> Svg {
        let names: Vec<String> = {
            let most = if width < 480.0 { 16 } else { 34 };
            distinct(&self.rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), most)
        };
        let widest = |texts: &mut dyn Iterator<Item = &String>| texts.map(|text| width_of(text)).fold(0.0, f64::max);
        let left = 18.0 + LETTERS * widest(&mut names.iter()).min(width / LETTERS * 0.42);
        // The slider writes other notes than the first.
        let note_room = widest(&mut self.rows.iter().map(|row| &row.note)) + if self.slides { 1.5 } else { 0.0 };
        // Half a dot may stand beyond the end of the axis.
        let right = width - 20.0 - LETTERS * note_room;
        let (top, bottom) = (24.0, 24.0 + STEP * self.rows.len() as f64);
        let mut svg = Svg::new(width, bottom + 46.0 + caption_room(&self.axis, width));
        let values = self.rows.iter().flat_map(|row| {
            let (low, high) = row.interval.unwrap_or((row.value, row.value));
            [row.value, low, high]
        });
        let axis = Axis::of(&self.axis, values.chain(self.reference.iter().map(|(at, _)| *at)));
        let axis = if self.percent { axis.in_percent() } else { axis };
        // Lengths and shares are read from zero.
        let axis = if self.percent || self.shape == Shape::Bar { axis.with(0.0) } else { axis };
        let across = |value: f64| axis.place(value).map(|at| left + at * (right - left));
        let mut taken = Taken::default();
        for (at, name) in axis.ticks(((right - left) / 70.0).max(2.0) as usize) {
            let x = left + at * (right - left);
            svg.add(format_args!("<path class=\"grid\" d=\"M{x:.1} {top:.1}V{bottom:.1}\"/>"));
            taken.put(&mut svg, (x, bottom + 17.0), "soft", &name);
        }
        svg.caption((left + right) / 2.0, bottom + 37.0, &axis.title);
        if let Some((at, meaning)) = &self.reference
            && let Some(x) = across(*at)
        {
            svg.add(format_args!("<path class=\"here\" d=\"M{x:.1} {top:.1}V{bottom:.1}\"/>"));
            let anchor = if x > (left + right) / 2.0 { Anchor::End } else { Anchor::Start };
            svg.text((x, 14.0), anchor, "soft", meaning);
        }
        if self.slides
            && let (Some(zero), Some(one)) = (across(0.0), across(1.0))
        {
            svg.data = format!(" data-zero=\"{zero:.2}\" data-unit=\"{:.4}\"", one - zero);
        }
        for (i, (row, name)) in self.rows.iter().zip(&names).enumerate() {
            let y = top + STEP * (i as f64 + 0.5);
            svg.add(format_args!("<g class=\"mark\" data-row=\"{}\">", row.row));
            svg.add(format_args!(
                "<rect class=\"spot\" x=\"0\" y=\"{:.1}\" width=\"{width:.0}\" height=\"{STEP}\"/>",
                y - STEP / 2.0
            ));
            svg.text((left - 8.0, y + 4.5), Anchor::End, "", name);
            match self.shape {
                Shape::Bar => self.bar(&mut svg, y, row, &across),
                Shape::Dot => self.dot(&mut svg, y, row, &across),
            }
            svg.text((width - 4.0, y + 4.5), Anchor::End, "note", &row.note);
            svg.add("</g>");
        }
        svg.add(format_args!("<path class=\"axis\" d=\"M{left:.1} {bottom:.1}H{right:.1}\"/>"));
        svg
    }
}

impl RowChart {
    fn bar(&self, svg: &mut Svg, y: f64, row: &Row, across: &dyn Fn(f64) -> Option<f64>) {
        let (Some(zero), Some(end)) = (across(0.0), across(row.value)) else { return };
        let class = if row.filled { "f0" } else { "hollow k6" };
        svg.add(format_args!(
            "<rect class=\"bar {class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"15\" rx=\"2\"/>",
            zero.min(end),
            y - 7.5,
            (end - zero).abs()
        ));
        if let Some((low, high)) = row.interval
            && let (Some(low), Some(high)) = (across(low), across(high))
        {
            svg.add(format_args!(
                "<path class=\"whisker\" d=\"M{low:.1} {y:.1}H{high:.1}M{low:.1} {a:.1}v8M{high:.1} {a:.1}v8\"/>",
                a = y - 4.0
            ));
        }
    }

    fn dot(&self, svg: &mut Svg, y: f64, row: &Row, across: &dyn Fn(f64) -> Option<f64>) {
        let Some(x) = across(row.value) else { return };
        let colour = if row.filled { 0 } else { 1 };
        if let Some((low, high)) = row.interval
            && let (Some(low), Some(high)) = (across(low), across(high))
        {
            svg.add(format_args!("<path class=\"line k{colour}\" d=\"M{low:.1} {y:.1}H{high:.1}\"/>"));
        }
        match row.filled {
            true => svg.add(format_args!("<circle class=\"f0\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"/>")),
            false => svg.add(format_args!(
                "<rect class=\"hollow k1\" x=\"{:.1}\" y=\"{:.1}\" width=\"9\" height=\"9\"/>",
                x - 4.5,
                y - 4.5
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(shape: Shape) -> RowChart {
        let row = |(i, value): (usize, f64)| Row {
            name: format!("<b>{i}"),
            value,
            interval: Some((value - 1.0, value + 1.0)),
            note: value.to_string(),
            filled: i > 0,
            row: i,
        };
        let rows = [2.0, -3.0, f64::NAN].into_iter().enumerate().map(row).collect();
        RowChart { shape, axis: "x".into(), rows, percent: false, reference: Some((0.0, "none".into())), slides: true }
    }

    #[test]
    fn bars_begin_at_zero_and_negative_ones_go_left() {
        let svg = chart(Shape::Bar).draw(640.0).element("");
        let bars: Vec<(f64, f64)> = svg
            .split("<rect class=\"bar")
            .skip(1)
            .map(|bar| {
                let of = |name: &str| bar.split(name).nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
                (of("x=\""), of("width=\""))
            })
            .collect();
        assert_eq!(bars.len(), 2, "what is no number has no bar");
        assert!((bars[0].0 - (bars[1].0 + bars[1].1)).abs() < 0.2);
        assert!((bars[0].1 / bars[1].1 - 2.0 / 3.0).abs() < 0.01);
        assert!(svg.contains("&lt;b&gt;0") && svg.contains("data-unit"));
    }

    #[test]
    fn dots_that_are_left_out_have_another_shape() {
        let svg = chart(Shape::Dot).draw(360.0).element("");
        assert_eq!(svg.matches("<circle class=\"f0\"").count(), 1);
        assert_eq!(svg.matches("hollow k1").count(), 1);
        assert!(RowChart { rows: Vec::new(), ..chart(Shape::Dot) }.draw(360.0).element("").contains("</svg>"));
    }

    #[test]
    fn shares_are_read_from_zero_to_one() {
        for shares in [vec![0.8, 0.9], vec![1.0], vec![0.7]] {
            let named = shares.iter().map(|share| ("a", *share));
            let chart = RowChart { shape: Shape::Dot, ..RowChart::of_shares("share", named) };
            let svg = chart.draw(640.0).element("");
            assert!(svg.contains(">0%<") && !svg.contains(">120%<") && !svg.contains(">150%<"), "{shares:?}: {svg}");
        }
    }
}
