//! Points, each with a place and a name.

use crate::frame::{Draw, Frame, Key};
use crate::scale::Axis;
use crate::svg::{Anchor, LETTERS, Svg};
use crate::text::{plain, shortened, width_of};

/// A point.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) name: String,
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Whether it is chosen: then it is filled, and named before the others.
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

/// With more points than this only the chosen ones are named.
const MOST_NAMES: usize = 60;

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
        let at: Vec<(usize, (f64, f64))> =
            order.iter().filter_map(|&i| Some((i, frame.at(self.points[i].x, self.points[i].y)?))).collect();
        for &(i, (x, y)) in &at {
            let class = if self.points[i].chosen { "f0" } else { "hollow" };
            svg.add(format_args!(
                "<circle class=\"mark point k0 {class}\" data-row=\"{i}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{size}\"/>"
            ));
        }
        let page = Area { left: frame.left, right: frame.right, top: frame.top - LETTERS, bottom: frame.bottom };
        let mut taken: Vec<Area> = at.iter().map(|&(_, point)| Area::around(point, size, size)).collect();
        let others = self.points.len() <= MOST_NAMES && width > 480.0;
        for &(i, point) in at.iter().rev().filter(|(i, _)| self.points[*i].chosen || others) {
            let name = shortened(&plain(&self.points[i].name), 24);
            if let Some(place) = Place::beside(point, size, &name, &page, &taken) {
                let class = if self.points[i].chosen { "name" } else { "name soft" };
                svg.text((place.x, place.area.bottom - BELOW), place.anchor, class, &name);
                taken.push(place.area);
            }
        }
        svg
    }
}

/// A rectangle of the drawing.
#[derive(Clone, Copy, Debug)]
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Area {
    fn around((x, y): (f64, f64), half_wide: f64, half_high: f64) -> Self {
        Area { left: x - half_wide, right: x + half_wide, top: y - half_high, bottom: y + half_high }
    }

    fn covers(&self, other: &Area) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    fn holds(&self, other: &Area) -> bool {
        self.left <= other.left && other.right <= self.right && self.top <= other.top && other.bottom <= self.bottom
    }
}

/// From the line that letters stand on to the lower edge of their area.
const BELOW: f64 = 3.5;

/// Where a name stands.
struct Place {
    area: Area,
    x: f64,
    anchor: Anchor,
}

impl Place {
    /// The first place beside a point where its name covers no other and no point; none if there is no such place: then
    /// the name shows under the pointer, and in the table.
    fn beside((x, y): (f64, f64), size: f64, name: &str, page: &Area, taken: &[Area]) -> Option<Self> {
        let (wide, half_high) = (LETTERS * width_of(name), LETTERS / 2.0 + 0.5);
        let (beside, above) = (size + 3.0, size + half_high + 1.0);
        // To the side as far as the point reaches, and half as high as it would stand above.
        let corner = (0.7 * size + 2.0, 0.7 * size + half_high - 1.0);
        let sides = [
            (Anchor::Start, beside, 0.0),
            (Anchor::End, -beside, 0.0),
            (Anchor::Middle, 0.0, -above),
            (Anchor::Middle, 0.0, above),
            (Anchor::Start, corner.0, -corner.1),
            (Anchor::Start, corner.0, corner.1),
            (Anchor::End, -corner.0, -corner.1),
            (Anchor::End, -corner.0, corner.1),
        ];
        sides.into_iter().find_map(|(anchor, across, down)| {
            let x = x + across;
            let left = match anchor {
                Anchor::Start => x,
                Anchor::Middle => x - wide / 2.0,
                Anchor::End => x - wide,
            };
            let (top, bottom) = (y + down - half_high, y + down + half_high);
            let area = Area { left, right: left + wide, top, bottom };
            (page.holds(&area) && !taken.iter().any(|other| other.covers(&area))).then_some(Place { area, x, anchor })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scatter(points: Vec<Point>) -> Scatter {
        Scatter { across: "x".into(), up: "y".into(), points, kinds: ["chosen".into(), "not chosen".into()] }
    }

    #[test]
    fn chosen_points_are_filled_and_all_are_named_where_there_is_room() {
        let point = |(i, chosen): (usize, bool)| Point { name: format!("p{i}"), x: i as f64, y: 1.0, chosen };
        let points: Vec<Point> = [true, false, true].into_iter().enumerate().map(point).collect();
        let svg = scatter(points.clone()).draw(640.0).element("");
        assert_eq!(svg.matches("mark point k0 f0").count(), 2);
        assert!(svg.contains("class=\"name\">p0<") && svg.contains("class=\"name soft\">p1<"));
        let narrow = scatter(points).draw(350.0).element("");
        assert!(narrow.contains(">p0<") && !narrow.contains(">p1<"));
    }

    #[test]
    fn names_cover_neither_points_nor_one_another() {
        let page = Area { left: 0.0, right: 400.0, top: 0.0, bottom: 300.0 };
        for n in [1, 2, 30, 300] {
            // Spread without order over the page, some of them in one place.
            let spread = |i: usize| ((i * i * 37 % 401) as f64, (i * 91 % 301) as f64);
            let points: Vec<(f64, f64)> = (0..n).map(spread).chain([(200.0, 150.0); 3]).collect();
            let circles: Vec<Area> = points.iter().map(|&point| Area::around(point, 5.5, 5.5)).collect();
            let mut taken = circles.clone();
            for &point in &points {
                if let Some(place) = Place::beside(point, 5.5, "a-name", &page, &taken) {
                    taken.push(place.area);
                }
            }
            let names = &taken[circles.len()..];
            assert!(n > 30 || names.len() > n / 2, "{} of {n} have a name", names.len());
            for (i, name) in names.iter().enumerate() {
                assert!(page.holds(name));
                assert!(!circles.iter().chain(&names[i + 1..]).any(|other| other.covers(name)), "{name:?}");
            }
        }
    }

    #[test]
    fn a_name_stands_on_another_side_where_the_right_is_taken() {
        let page = Area { left: 0.0, right: 200.0, top: 0.0, bottom: 100.0 };
        let beside = |taken: &[Area]| Place::beside((100.0, 50.0), 5.0, "name", &page, taken);
        assert!(beside(&[]).is_some_and(|place| place.anchor == Anchor::Start));
        let right = Area { left: 110.0, right: 120.0, top: 40.0, bottom: 60.0 };
        assert!(beside(&[right]).is_some_and(|place| place.anchor == Anchor::End));
        assert!(beside(&[page]).is_none());
    }
}
