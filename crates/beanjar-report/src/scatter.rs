//! Points, each with a place and a name.

use crate::frame::{Draw, Frame, Key};
use crate::scale::Axis;
use crate::svg::{Anchor, LETTERS, Svg, Taken};
use crate::text::{plain, shortened, width_of};

/// A point.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) name: String,
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Whether it is chosen: then it is filled, and named if there is room.
    pub(crate) chosen: bool,
}

/// A chart of points; point i is row i of the figure's table.
#[derive(Clone, Debug)]
pub(crate) struct Scatter {
    pub(crate) across: String,
    pub(crate) up: String,
    pub(crate) points: Vec<Point>,
    /// What chosen points are, and the others.
    pub(crate) kinds: [String; 2],
}

impl Draw for Scatter {
    fn draw(&self, width: f64) -> Svg {
        let x = Axis::of(&self.across, self.points.iter().map(|point| point.x)).roomy();
        let y = Axis::of(&self.up, self.points.iter().map(|point| point.y)).roomy();
        let samples = [
            "<circle class=\"f0 k0\" cx=\"11\" cy=\"0\" r=\"5\"/>",
            "<circle class=\"hollow k0\" cx=\"11\" cy=\"0\" r=\"5\"/>",
        ];
        let keys: Vec<Key> = self
            .kinds
            .iter()
            .zip(samples)
            .map(|(name, sample)| Key { name: name.clone(), sample: sample.to_owned() })
            .collect();
        let (mut svg, frame) = Frame::new(width, &keys, x, y);
        let size = if self.points.len() > 300 { 3.5 } else { 5.5 };
        // The chosen ones above the others.
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        order.sort_by_key(|&i| self.points[i].chosen);
        let mut taken = Taken::default();
        for i in order {
            let point = &self.points[i];
            let Some((x, y)) = frame.at(point.x, point.y) else { continue };
            let class = if point.chosen { "f0" } else { "hollow" };
            svg.add(format_args!(
                "<circle class=\"mark point k0 {class}\" data-row=\"{i}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{size}\"/>"
            ));
            if point.chosen {
                name(&mut svg, &mut taken, (x, y), &shortened(&plain(&point.name), 18), frame.right);
            }
        }
        svg
    }
}

/// The name beside a point, if it covers no other.
fn name(svg: &mut Svg, taken: &mut Taken, (x, y): (f64, f64), name: &str, right: f64) {
    let wide = LETTERS * width_of(name);
    let (left, anchor, at) = match x + 9.0 + wide > right {
        true => (x - 9.0 - wide, Anchor::End, x - 9.0),
        false => (x + 9.0, Anchor::Start, x + 9.0),
    };
    if left > 0.0 && taken.take(left, left + wide, y) {
        svg.text((at, y + 4.5), anchor, "", name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_points_are_filled_and_named() {
        let point = |(i, chosen): (usize, bool)| Point { name: format!("p{i}"), x: i as f64, y: 1.0, chosen };
        let points = [true, false, true].into_iter().enumerate().map(point).collect();
        let kinds = ["chosen".into(), "not chosen".into()];
        let svg = Scatter { across: "x".into(), up: "y".into(), points, kinds }.draw(640.0).element("");
        assert_eq!(svg.matches("mark point k0 f0").count(), 2);
        assert!(svg.contains(">p0<") && !svg.contains(">p1<"));
    }
}
