use crate::frame::{Draw, Frame, Key};
use crate::scale::Axis;
use crate::svg::{Anchor, Svg, Taken};
use crate::table::MOST_ROWS;

/// A line of a chart.
#[derive(Clone, Debug)]
pub struct Series {
    name: String,
    points: Vec<(f64, f64)>,
    /// The lower and upper edge of a shaded band.
    band: Vec<(f64, f64, f64)>,
    dashed: bool,
    look: Look,
    spots: bool,
    notes: Vec<String>,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// A line.
    Line,
    /// A line with a mark at each point.
    Marked,
    /// One of many, that has no name in the legend.
    Quiet,
}

impl Series {
    /// A line through points, from left to right. Points that are not finite are left out.
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let points = points.into_iter().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
        let (band, notes) = (Vec::new(), Vec::new());
        Series { name: name.into(), points, band, dashed: false, look: Look::Line, spots: false, notes }
    }

    /// The same with a shaded band: where, from and to. Parts that are not finite are left out.
    #[must_use]
    pub fn with_band(self, band: impl IntoIterator<Item = (f64, f64, f64)>) -> Self {
        let finite = |(x, low, high): &(f64, f64, f64)| x.is_finite() && low.is_finite() && high.is_finite();
        Series { band: band.into_iter().filter(finite).collect(), ..self }
    }

    /// The same, dashed.
    #[must_use]
    pub fn dashed(self) -> Self {
        Series { dashed: true, ..self }
    }

    /// The same, with a mark at each point.
    pub(crate) fn marked(self) -> Self {
        Series { look: Look::Marked, ..self }
    }

    /// The same, thin and without a place in the legend.
    pub(crate) fn quiet(self) -> Self {
        Series { look: Look::Quiet, ..self }
    }

    /// The same, its points being the rows of the figure's table.
    pub(crate) fn with_spots(self) -> Self {
        Series { spots: true, ..self }
    }

    /// The same, with a word above each point.
    pub(crate) fn with_notes(self, notes: Vec<String>) -> Self {
        Series { notes, ..self }
    }
}

/// A chart of lines.
#[derive(Clone, Debug)]
pub struct Chart {
    title: String,
    across: String,
    up: String,
    series: Vec<Series>,
    /// Whether the horizontal axis is logarithmic, and the vertical one.
    logarithmic: (bool, bool),
    percent: (bool, bool),
    includes: Vec<(f64, f64)>,
    markers: Vec<(f64, String)>,
    slides: bool,
}

const WIDTH: f64 = 640.0;

impl Chart {
    /// A chart with names for itself and its axes.
    pub fn new(title: impl Into<String>, across: impl Into<String>, up: impl Into<String>) -> Self {
        Chart {
            title: title.into(),
            across: across.into(),
            up: up.into(),
            series: Vec::new(),
            logarithmic: (false, false),
            percent: (false, false),
            includes: Vec::new(),
            markers: Vec::new(),
            slides: false,
        }
    }

    /// With one more line.
    #[must_use]
    pub fn with(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// With both axes logarithmic; points at or below zero are left out.
    #[must_use]
    pub fn logarithmic(self) -> Self {
        Chart { logarithmic: (true, true), ..self }
    }

    /// With a logarithmic horizontal axis.
    pub(crate) fn logarithmic_across(self) -> Self {
        Chart { logarithmic: (true, false), ..self }
    }

    /// With percent on the horizontal axis or the vertical one.
    pub(crate) fn in_percent(self, across: bool, up: bool) -> Self {
        Chart { percent: (across, up), ..self }
    }

    /// With axes that reach this point.
    pub(crate) fn including(mut self, point: (f64, f64)) -> Self {
        self.includes.push(point);
        self
    }

    /// With a vertical line at this place.
    pub(crate) fn with_marker(mut self, at: f64, name: impl Into<String>) -> Self {
        self.markers.push((at, name.into()));
        self
    }

    /// With a vertical line that the page's slider moves from spot to spot.
    pub(crate) fn sliding(self) -> Self {
        Chart { slides: true, ..self }
    }

    /// The chart as an SVG document.
    pub fn svg(&self) -> String {
        self.draw(WIDTH).document(&self.title)
    }

    fn axes(&self) -> (Axis, Axis) {
        let points = || self.series.iter().flat_map(|series| &series.points).chain(&self.includes);
        let edges = self.series.iter().flat_map(|series| &series.band).flat_map(|&(_, low, high)| [low, high]);
        let markers = self.markers.iter().map(|(at, _)| *at);
        let axis = |title: &String, values: &mut dyn Iterator<Item = f64>, logarithmic: bool, percent: bool| {
            let axis = if logarithmic { Axis::logarithmic(title, values) } else { Axis::of(title, values) };
            if percent { axis.in_percent() } else { axis }
        };
        (
            axis(&self.across, &mut points().map(|point| point.0).chain(markers), self.logarithmic.0, self.percent.0),
            axis(&self.up, &mut points().map(|point| point.1).chain(edges), self.logarithmic.1, self.percent.1),
        )
    }

    /// The dashes of a line: colour is never all that tells lines apart.
    fn dashes(&self, number: usize) -> String {
        const DASHES: [&str; 6] = ["", "7 4", "2 3", "9 3 2 3", "4 2", "1 4"];
        let dashes = match self.series[number].dashed {
            true => "5 4",
            false if self.series[number].look != Look::Line => "",
            false => DASHES[number % DASHES.len()],
        };
        if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") }
    }

    fn keys(&self) -> Vec<Key> {
        let named = self.series.iter().enumerate().filter(|(_, series)| series.look != Look::Quiet);
        let key = |(i, series): (usize, &Series)| {
            let (dashes, colour) = (self.dashes(i), i % COLOURS);
            let mut sample = format!("<path class=\"line k{colour}\" d=\"M0 0h22\"{dashes}/>");
            if series.look == Look::Marked {
                sample += &mark(11.0, 0.0, i);
            }
            if !series.band.is_empty() {
                sample.insert_str(
                    0,
                    &format!("<rect class=\"band f{colour}\" x=\"0\" y=\"-6\" width=\"22\" height=\"12\"/>"),
                );
            }
            Key { name: series.name.clone(), sample }
        };
        named.map(key).collect()
    }
}

pub(crate) const COLOURS: usize = 7;

/// A mark whose shape goes with the number of the line.
fn mark(x: f64, y: f64, number: usize) -> String {
    let class = format!("class=\"f{} k{}\"", number % COLOURS, number % COLOURS);
    match number % 3 {
        0 => format!("<circle {class} cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>"),
        1 => format!("<rect {class} x=\"{:.1}\" y=\"{:.1}\" width=\"7\" height=\"7\"/>", x - 3.5, y - 3.5),
        _ => format!("<path {class} d=\"M{x:.1} {:.1}l4.5 8h-9z\"/>", y - 5.0),
    }
}

/// Points nearer than this to the one before are not seen as two.
const NEAR: f64 = 0.7;

fn near(a: (f64, f64), b: (f64, f64)) -> bool {
    (a.0 - b.0).abs() < NEAR && (a.1 - b.1).abs() < NEAR
}

/// Points as the attribute of a line; of thousands, those that can be seen.
fn words(points: &[(f64, f64)]) -> String {
    let mut kept: Vec<(f64, f64)> = points.to_vec();
    kept.dedup_by(|b, a| near(*a, *b));
    // A line ends where its last point is.
    if let (Some(last), Some(end)) = (points.last(), kept.last_mut()) {
        *end = *last;
    }
    kept.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
}

impl Draw for Chart {
    fn draw(&self, width: f64) -> Svg {
        let (x, y) = self.axes();
        let keys = if self.series.len() > 1 { self.keys() } else { Vec::new() };
        let (mut svg, frame) = Frame::new(width, &keys, x, y);
        let place = |(x, y): (f64, f64)| frame.at(x, y);
        for (i, series) in self.series.iter().enumerate().filter(|(_, series)| !series.band.is_empty()) {
            let lower = series.band.iter().map(|&(at, low, _)| (at, low));
            let upper = series.band.iter().rev().map(|&(at, _, high)| (at, high));
            let edge: Vec<(f64, f64)> = lower.chain(upper).filter_map(place).collect();
            svg.add(format_args!("<polygon class=\"band f{}\" points=\"{}\"/>", i % COLOURS, words(&edge)));
        }
        for (i, series) in self.series.iter().enumerate() {
            let points: Vec<(f64, f64)> = series.points.iter().filter_map(|&point| place(point)).collect();
            let quiet = if series.look == Look::Quiet { " quiet" } else { "" };
            svg.add(format_args!(
                "<polyline class=\"line k{}{quiet}\" points=\"{}\"{}/>",
                i % COLOURS,
                words(&points),
                self.dashes(i)
            ));
            if series.look == Look::Marked {
                points.iter().for_each(|(x, y)| svg.add(mark(*x, *y, i)));
            }
            let mut taken = Taken::default();
            for ((x, y), note) in points.iter().zip(&series.notes) {
                taken.put_over(&mut svg, (*x, y - 10.0), "soft", note);
            }
        }
        let markers: Vec<(f64, &str)> =
            self.markers.iter().filter_map(|(at, name)| Some((frame.across(*at)?, name.as_str()))).collect();
        for (x, _) in &markers {
            svg.add(format_args!("<path class=\"axis\" d=\"M{x:.1} {:.1}V{:.1}\"/>", frame.top, frame.bottom));
        }
        for (i, &(x, name)) in markers.iter().enumerate() {
            let (anchor, x) =
                if x > (frame.left + frame.right) / 2.0 { (Anchor::End, x - 5.0) } else { (Anchor::Start, x + 5.0) };
            svg.text_over((x, frame.top + 12.0 + 16.0 * i as f64), anchor, "strong", name);
        }
        for series in self.series.iter().filter(|series| series.spots) {
            let spots = series.points.iter().enumerate().filter_map(|(row, &point)| Some((row, place(point)?)));
            let mut spots: Vec<(usize, (f64, f64))> = spots.collect();
            // The slider goes from spot to spot; else those that have a row, and can be pointed at, are enough.
            if !self.slides {
                spots.retain(|(row, _)| *row < MOST_ROWS);
                spots.dedup_by(|(_, b), (_, a)| near(*a, *b));
            }
            if self.slides
                && let Some((_, (x, _))) = spots.last()
            {
                svg.add(format_args!(
                    "<line class=\"here\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/>",
                    frame.top, frame.bottom
                ));
            }
            for (row, (x, y)) in spots {
                svg.add(format_args!(
                    "<circle class=\"mark spot\" data-row=\"{row}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"7\"/>"
                ));
            }
        }
        svg
    }
}

/// Charts above one another, as one SVG document.
pub fn stacked(charts: &[Chart]) -> String {
    tiled(charts, 1)
}

/// Charts side by side in this many columns, row by row, as one SVG document.
pub fn tiled(charts: &[Chart], columns: usize) -> String {
    let documents: Vec<String> = charts.iter().map(Chart::svg).collect();
    let height_of = |document: &String| {
        let value = document.split("height=\"").nth(1).and_then(|rest| rest.split('"').next());
        value.and_then(|value| value.parse::<f64>().ok()).unwrap_or(0.0)
    };
    let columns = columns.max(1);
    let (mut body, mut height) = (String::new(), 0.0);
    for row in documents.chunks(columns) {
        for (column, document) in row.iter().enumerate() {
            let x = column as f64 * WIDTH;
            body += &document.replacen("<svg ", &format!("<svg x=\"{x}\" y=\"{height}\" "), 1);
        }
        height += row.iter().map(height_of).fold(0.0, f64::max);
    }
    let width = columns.min(documents.len().max(1)) as f64 * WIDTH;
    format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\">\n{body}</svg>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points_of(svg: &str, element: &str) -> Vec<(f64, f64)> {
        let points = svg.split(&format!("<{element} ")).nth(1).unwrap().split("points=\"").nth(1).unwrap();
        let pairs = points.split('"').next().unwrap().split(' ').map(|pair| pair.split_once(',').unwrap());
        pairs.map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap())).collect()
    }

    #[test]
    fn lines_are_within_the_drawing_and_words_are_escaped() {
        let chart = Chart::new("a < b", "x", "y")
            .with(Series::new("one & two", [(0.0, -5.0), (10.0, 5.0), (f64::NAN, 1.0)]))
            .with(Series::new("flat", [(3.0, 0.0)]).dashed());
        let svg = chart.svg();
        assert!(svg.contains("a &lt; b") && svg.contains("one &amp; two") && svg.contains("stroke-dasharray"));
        let points = points_of(&svg, "polyline");
        assert_eq!(points.len(), 2, "the point that is none is left out");
        assert!(points.iter().all(|(x, y)| (0.0..=WIDTH).contains(x) && (0.0..=400.0).contains(y)));
        assert!(points[0].1 > points[1].1, "larger is higher");
    }

    #[test]
    fn bands_widen_the_frame_and_charts_stack() {
        let band = [(0.0, 0.0, 3.0), (1.0, 0.5, 2.0), (2.0, f64::NAN, 1.0)];
        let chart = Chart::new("", "", "").with(Series::new("s", [(0.0, 1.0), (1.0, 1.0)]).with_band(band));
        let edge = points_of(&chart.svg(), "polygon");
        assert_eq!(edge.len(), 4);
        assert!(edge.iter().all(|(_, y)| (0.0..=400.0).contains(y)));
        let three = tiled(&[chart.clone(), chart.clone(), chart.clone()], 2);
        let one = stacked(std::slice::from_ref(&chart));
        let size = |svg: &str| -> Vec<f64> {
            let numbers = svg.split("viewBox=\"0 0 ").nth(1).unwrap().split('"').next().unwrap();
            numbers.split(' ').map(|number| number.parse().unwrap()).collect()
        };
        assert_eq!(size(&three), [2.0 * size(&one)[0], 2.0 * size(&one)[1]]);
        let both = stacked(&[chart.clone(), chart]);
        assert_eq!(both.matches("<svg").count(), 3);
        assert_eq!(both.matches("</svg>").count(), 3);
    }

    #[test]
    fn nothing_to_draw_is_an_empty_chart() {
        assert!(Chart::new("", "", "").svg().ends_with("</svg>\n"));
        let nothing_positive = Chart::new("", "", "").with(Series::new("s", [(0.0, 1.0)])).logarithmic();
        assert!(nothing_positive.svg().contains("points=\"\""));
    }

    #[test]
    fn a_line_of_very_many_points_stays_small_and_keeps_its_ends() {
        let points = (0..50_000).map(|i| (f64::from(i), (f64::from(i) / 8000.0).sin()));
        let chart = Chart::new("", "", "").with(Series::new("s", points).with_spots());
        let svg = chart.draw(720.0).element("");
        assert!(svg.len() < 400_000, "{}", svg.len());
        let kept = points_of(&svg, "polyline");
        assert!((500..2000).contains(&kept.len()), "{}", kept.len());
        assert!(kept[0].0 < 60.0 && kept.last().unwrap().0 > 690.0, "{kept:?}");
    }

    #[test]
    fn spots_are_numbered_as_the_rows_of_the_table() {
        let chart = Chart::new("", "", "").with(Series::new("s", [(1.0, 1.0), (2.0, 3.0)]).with_spots()).sliding();
        let svg = chart.draw(360.0).element("name");
        assert!(svg.contains("data-row=\"0\"") && svg.contains("data-row=\"1\"") && svg.contains("class=\"here\""));
    }
}
