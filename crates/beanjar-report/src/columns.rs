//! How many there are of each: upright bars over bins.

use crate::frame::Draw;
use crate::number::{short, whole};
use crate::scale::Axis;
use crate::svg::{Anchor, LETTERS, Svg, Taken, caption_room};
use crate::text::width_of;

/// A bin: its name under the axis, and how many are in it.
#[derive(Clone, Debug)]
pub(crate) struct Bin {
    pub(crate) name: String,
    pub(crate) count: f64,
}

/// Counts by bin; bin i is row i of the figure's table.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    pub(crate) across: String,
    pub(crate) up: String,
    pub(crate) bins: Vec<Bin>,
}

/// One bar alone is still a bar.
const WIDEST: f64 = 90.0;

impl Draw for Columns {
    fn draw(&self, width: f64) -> Svg {
        let height = if width < 480.0 { 260.0 } else { 290.0 };
        let mut svg = Svg::new(width, height + caption_room(&self.across, width));
        let axis = Axis::of(&self.up, self.bins.iter().map(|bin| bin.count).chain([0.0]));
        let ticks = axis.ticks(4);
        let left = 14.0 + LETTERS * ticks.iter().map(|(_, name)| width_of(name)).fold(0.0, f64::max);
        let (right, top, bottom) = (width - 8.0, 40.0, height - 46.0);
        svg.text((2.0, 16.0), Anchor::Start, "soft", &self.up);
        for (at, name) in ticks {
            let y = bottom - at * (bottom - top);
            svg.add(format_args!("<path class=\"grid\" d=\"M{left:.1} {y:.1}H{right:.1}\"/>"));
            svg.text((left - 6.0, y + 4.0), Anchor::End, "soft", &name);
        }
        let step = (right - left) / self.bins.len().max(1) as f64;
        let widest = self.bins.iter().map(|bin| width_of(&bin.name)).fold(1.0, f64::max);
        // Names are left out where they would cover one another.
        let every = ((LETTERS * widest + 8.0) / step).ceil().max(1.0) as usize;
        let wide = (0.88 * step).min(WIDEST);
        let mut taken = Taken::default();
        for (i, bin) in self.bins.iter().enumerate() {
            let x = left + step * i as f64;
            let y = bottom - axis.place(bin.count).unwrap_or(0.0) * (bottom - top);
            svg.add(format_args!("<g class=\"mark\" data-row=\"{i}\">"));
            svg.add(format_args!(
                "<rect class=\"spot\" x=\"{x:.1}\" y=\"{top}\" width=\"{step:.1}\" height=\"{:.1}\"/>",
                bottom - top
            ));
            svg.add(format_args!(
                "<rect class=\"bar f0\" x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
                x + (step - wide) / 2.0,
                wide,
                bottom - y
            ));
            let count = if bin.count.fract() == 0.0 { whole(bin.count.max(0.0) as usize) } else { short(bin.count) };
            if bin.count > 0.0 {
                taken.put(&mut svg, (x + step / 2.0, y - 5.0), "", &count);
            }
            if i.is_multiple_of(every) {
                svg.text((x + step / 2.0, bottom + 18.0), Anchor::Middle, "soft", &bin.name);
            }
            svg.add("</g>");
        }
        svg.add(format_args!("<path class=\"axis\" d=\"M{left:.1} {bottom:.1}H{right:.1}\"/>"));
        svg.caption((left + right) / 2.0, bottom + 38.0, &self.across);
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_are_in_proportion_and_names_have_room() {
        let bins = (0..40).map(|i| Bin { name: format!("{i}00%"), count: f64::from(i) }).collect();
        let svg = Columns { across: "x".into(), up: "y".into(), bins }.draw(360.0).element("");
        let heights: Vec<f64> = svg
            .split("<rect class=\"bar f0\"")
            .skip(1)
            .map(|bar| bar.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
            .collect();
        assert!((heights[20] / heights[10] - 2.0).abs() < 0.01);
        assert!(svg.matches("00%").count() < 15);
        assert!(
            Columns { across: String::new(), up: String::new(), bins: Vec::new() }
                .draw(360.0)
                .element("")
                .ends_with("</svg>\n")
        );
    }

    #[test]
    fn counts_that_would_cover_one_another_are_left_out() {
        let bins = (0..14).map(|i| Bin { name: i.to_string(), count: f64::from(1000 + i) }).collect();
        let svg = Columns { across: "x".into(), up: "y".into(), bins }.draw(350.0).element("");
        let shown = svg.matches(">1,0").count();
        assert!((5..10).contains(&shown), "{shown} of 14");
    }
}
