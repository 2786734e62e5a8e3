use std::fmt::Write;

/// A line of a chart.
#[derive(Clone, Debug)]
pub struct Series {
    name: String,
    points: Vec<(f64, f64)>,
    /// The lower and upper edge of a shaded band.
    band: Vec<(f64, f64, f64)>,
    dashed: bool,
}

impl Series {
    /// A line through points, from left to right. Points that are not finite are left out.
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let finite = |point: &(f64, f64)| point.0.is_finite() && point.1.is_finite();
        let points = points.into_iter().filter(finite).collect();
        Series { name: name.into(), points, band: Vec::new(), dashed: false }
    }

    /// The same with a shaded band: where, from and to. Parts that are not finite are left out.
    pub fn with_band(self, band: impl IntoIterator<Item = (f64, f64, f64)>) -> Self {
        let finite = |(x, low, high): &(f64, f64, f64)| x.is_finite() && low.is_finite() && high.is_finite();
        Series { band: band.into_iter().filter(finite).collect(), ..self }
    }

    /// The same, dashed.
    pub fn dashed(self) -> Self {
        Series { dashed: true, ..self }
    }
}

/// A chart of lines.
#[derive(Clone, Debug)]
pub struct Chart {
    title: String,
    across: String,
    up: String,
    series: Vec<Series>,
    logarithmic: bool,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
/// Colours that the colour-blind can tell apart (after Okabe and Ito).
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

impl Chart {
    /// A chart with names for itself and its axes.
    pub fn new(title: impl Into<String>, across: impl Into<String>, up: impl Into<String>) -> Self {
        let (title, across, up) = (title.into(), across.into(), up.into());
        Chart { title, across, up, series: Vec::new(), logarithmic: false }
    }

    /// With one more line.
    pub fn with(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// With both axes logarithmic; points at or below zero are left out.
    pub fn logarithmic(self) -> Self {
        Chart { logarithmic: true, ..self }
    }

    /// The chart as an SVG document.
    pub fn svg(&self) -> String {
        let scaled = |value: f64| if self.logarithmic { value.log10() } else { value };
        let lines: Vec<Vec<(f64, f64)>> = self
            .series
            .iter()
            .map(|series| {
                let drawable = |point: &&(f64, f64)| !self.logarithmic || (point.0 > 0.0 && point.1 > 0.0);
                series.points.iter().filter(drawable).map(|&(x, y)| (scaled(x), scaled(y))).collect()
            })
            .collect();
        let all = || lines.iter().flatten();
        let (x_low, x_high) = range(all().map(|point| point.0));
        let edges =
            self.series.iter().flat_map(|series| &series.band).flat_map(|&(_, low, high)| [scaled(low), scaled(high)]);
        let (y_low, y_high) = range(all().map(|point| point.1).chain(edges.filter(|edge| edge.is_finite())));
        let x = |value: f64| LEFT + (value - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT);
        let y = |value: f64| HEIGHT - BOTTOM - (value - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM);

        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
        );
        let mut text = |at: (f64, f64), anchor: &str, more: &str, words: &str| {
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\"{more}>{}</text>",
                at.0,
                at.1,
                escaped(words)
            );
        };
        let middle = LEFT + (WIDTH - LEFT - RIGHT) / 2.0;
        text((middle, 22.0), "middle", " font-size=\"14\"", &self.title);
        text((middle, HEIGHT - 12.0), "middle", "", &self.across);
        let turned = format!(" transform=\"rotate(-90 16 {:.1})\"", (HEIGHT - BOTTOM + TOP) / 2.0);
        text((16.0, (HEIGHT - BOTTOM + TOP) / 2.0), "middle", &turned, &self.up);
        let shown = |value: f64| if self.logarithmic { 10f64.powf(value) } else { value };
        for tick in ticks(x_low, x_high) {
            text((x(tick), HEIGHT - BOTTOM + 18.0), "middle", "", &short(shown(tick)));
        }
        for tick in ticks(y_low, y_high) {
            text((LEFT - 8.0, y(tick) + 4.0), "end", "", &short(shown(tick)));
        }
        for (i, series) in self.series.iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            let fill = format!(" fill=\"{colour}\"");
            text((WIDTH - RIGHT + 12.0, TOP + 16.0 + 18.0 * i as f64), "start", &fill, &series.name);
        }
        for tick in ticks(y_low, y_high) {
            let at = y(tick);
            let _ = writeln!(svg, "<path d=\"M{LEFT} {at:.1}H{:.1}\" stroke=\"#ddd\"/>", WIDTH - RIGHT);
        }
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {TOP}V{:.1}H{:.1}\" fill=\"none\" stroke=\"black\"/>",
            HEIGHT - BOTTOM,
            WIDTH - RIGHT
        );
        for (i, series) in self.series.iter().enumerate().filter(|(_, series)| !series.band.is_empty()) {
            let lower = series.band.iter().map(|&(at, low, _)| (at, low));
            let upper = series.band.iter().rev().map(|&(at, _, high)| (at, high));
            let edge = |(px, py): (f64, f64)| format!("{:.1},{:.1}", x(scaled(px)), y(scaled(py)));
            let points: Vec<String> = lower.chain(upper).map(edge).collect();
            let colour = COLOURS[i % COLOURS.len()];
            let _ = writeln!(svg, "<polygon points=\"{}\" fill=\"{colour}\" fill-opacity=\"0.2\"/>", points.join(" "));
        }
        for (i, (line, series)) in lines.iter().zip(&self.series).enumerate() {
            let points: Vec<String> = line.iter().map(|&(px, py)| format!("{:.1},{:.1}", x(px), y(py))).collect();
            let dashes = if series.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"{dashes}/>",
                points.join(" "),
                COLOURS[i % COLOURS.len()]
            );
        }
        svg + "</svg>\n"
    }
}

/// Charts above one another, as one SVG document.
pub fn stacked(charts: &[Chart]) -> String {
    let height = HEIGHT * charts.len() as f64;
    let mut svg = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\">\n");
    for (i, chart) in charts.iter().enumerate() {
        let at = format!("<svg y=\"{}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" ", HEIGHT * i as f64);
        svg += &chart.svg().replacen("<svg ", &at, 1);
    }
    svg + "</svg>\n"
}

/// The smallest and the largest value, with room between them.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    match high - low {
        spread if spread > 0.0 => (low, high + 0.02 * spread),
        _ if low.is_finite() => (low - 0.5, low + 0.5),
        _ => (0.0, 1.0),
    }
}

/// Round numbers between the two, about five.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * power).find(|step| *step >= rough).unwrap_or(rough);
    let first = (low / step).ceil();
    (0..20).map(|i| (first + f64::from(i)) * step).take_while(|tick| *tick <= high).collect()
}

fn short(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e5).contains(&value.abs()) {
        return format!("{value:.0e}");
    }
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_within_the_frame_and_words_are_escaped() {
        let chart = Chart::new("a < b", "x", "y")
            .with(Series::new("one & two", [(0.0, -5.0), (10.0, 5.0), (f64::NAN, 1.0)]))
            .with(Series::new("flat", [(3.0, 0.0)]).dashed());
        let svg = chart.svg();
        assert!(svg.contains("a &lt; b") && svg.contains("one &amp; two") && svg.contains("stroke-dasharray"));
        let points = svg.split("<polyline points=\"").nth(1).unwrap().split('"').next().unwrap();
        let points: Vec<(f64, f64)> = points
            .split(' ')
            .map(|pair| pair.split_once(',').unwrap())
            .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
            .collect();
        assert_eq!(points.len(), 2, "the point that is none is left out");
        assert!(points.iter().all(|(x, y)| (LEFT..=WIDTH - RIGHT).contains(x) && (TOP..=HEIGHT - BOTTOM).contains(y)));
        assert!(points[0].1 > points[1].1, "larger is higher");
    }

    #[test]
    fn bands_widen_the_frame_and_charts_stack() {
        let series = Series::new("s", [(0.0, 1.0), (1.0, 1.0)]).with_band([
            (0.0, 0.0, 3.0),
            (1.0, 0.5, 2.0),
            (2.0, f64::NAN, 1.0),
        ]);
        let chart = Chart::new("", "", "").with(series);
        let svg = chart.svg();
        let points = svg.split("<polygon points=\"").nth(1).unwrap().split('"').next().unwrap();
        let heights: Vec<f64> =
            points.split(' ').map(|pair| pair.split_once(',').unwrap().1.parse().unwrap()).collect();
        assert_eq!(heights.len(), 4);
        assert!(heights.iter().all(|y| (TOP..=HEIGHT - BOTTOM).contains(y)));
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
}
