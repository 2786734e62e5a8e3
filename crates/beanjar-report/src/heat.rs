//! A square of pairs: the stronger the colour, the more.

use crate::frame::Draw;
use crate::number::percent;
use crate::svg::{Anchor, LETTERS, Svg};
use crate::text::{distinct, width_of};

/// What each pair of names has in common.
#[derive(Clone, Debug)]
pub(crate) struct Heat {
    pub(crate) names: Vec<String>,
    /// Of each pair i < j, in that order, its share, if there is one; it is the row of the figure's table.
    pub(crate) shares: Vec<Option<f64>>,
    /// What the share is.
    pub(crate) meaning: String,
    /// Runs of names that belong together, from and to.
    pub(crate) blocks: Vec<(usize, usize)>,
}

impl Heat {
    /// The number of the pair.
    fn pair(&self, i: usize, j: usize) -> usize {
        let (low, high) = (i.min(j), i.max(j));
        let n = self.names.len();
        low * n - low * (low + 1) / 2 + high - low - 1
    }
}

/// Shades of the colour: more cannot be distinguished.
const SHADES: usize = 20;
/// The side of a square, in cells.
const SIDE: f64 = 0.94;
/// Sizes of letters, the first that fits being taken.
const SIZES: [f64; 3] = [LETTERS, 11.0, 9.0];

/// Where the squares are.
struct Place {
    /// The size of the letters of names; none where these do not fit.
    letters: Option<f64>,
    left: f64,
    top: f64,
    cell: f64,
}

impl Place {
    fn of(names: &[String], width: f64) -> Self {
        let widest = names.iter().map(|name| width_of(name)).fold(0.0, f64::max);
        let cell_beside = |left: f64| ((width - left - 8.0) / names.len().max(1) as f64).min(44.0);
        for letters in SIZES {
            let left = 12.0 + 1.05 * letters * widest;
            let cell = cell_beside(left);
            if cell >= 1.15 * letters {
                return Place { letters: Some(letters), left, top: left + 2.0, cell };
            }
        }
        Place { letters: None, left: 8.0, top: 8.0, cell: cell_beside(8.0) }
    }
}

impl Heat {
    /// The squares, those of a shade as one line: a page of many workers stays small.
    fn squares(&self, svg: &mut Svg, place: &Place, depth: &dyn Fn(f64) -> f64) {
        let Place { left, top, cell, .. } = *place;
        let n = self.names.len();
        let (mut lines, mut empty) = (vec![String::new(); SHADES + 1], String::new());
        for i in 0..n {
            for j in (0..n).filter(|&j| j != i) {
                match self.shares.get(self.pair(i, j)).copied().flatten() {
                    None => empty += &format!("M{j} {i}h{SIDE}v{SIDE}h-{SIDE}z"),
                    Some(share) => {
                        lines[(depth(share) * SHADES as f64).round() as usize] += &format!("M{j} {i}.5h{SIDE}");
                    }
                }
            }
        }
        svg.add(format_args!("<g transform=\"translate({left:.1} {top:.1}) scale({cell:.3})\">"));
        if !empty.is_empty() {
            svg.add(format_args!("<path class=\"nothing\" d=\"{empty}\"/>"));
        }
        for (shade, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
            let opacity = 0.06 + 0.94 * shade as f64 / SHADES as f64;
            svg.add(format_args!("<path class=\"heat k0\" stroke-opacity=\"{opacity:.2}\" d=\"{line}\"/>"));
        }
        svg.add("</g>");
    }

    /// The shares within the squares.
    fn numbers(&self, svg: &mut Svg, place: &Place, depth: &dyn Fn(f64) -> f64) {
        let Place { left, top, cell, .. } = *place;
        let n = self.names.len();
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| i != j) {
            let Some(share) = self.shares.get(self.pair(i, j)).copied().flatten() else { continue };
            let class = if depth(share) > 0.55 { "on-dark" } else { "" };
            let at = (left + cell * (j as f64 + 0.5), top + cell * (i as f64 + 0.5) + 4.0);
            svg.text(at, Anchor::Middle, class, &format!("{:.0}", 100.0 * share));
        }
    }
}

impl Draw for Heat {
    fn draw(&self, width: f64) -> Svg {
        let n = self.names.len();
        let most = if width < 480.0 { 11 } else { 24 };
        let names: Vec<String> = distinct(&self.names.iter().map(String::as_str).collect::<Vec<_>>(), most);
        let place = Place::of(&names, width);
        let Place { letters, left, top, cell } = place;
        let mut svg = Svg::new(width, top + cell * n as f64 + 52.0);
        // The page's script lays a mark over each square.
        svg.data = format!(" data-heat=\"{n}\" data-left=\"{left:.1}\" data-top=\"{top:.1}\" data-cell=\"{cell:.3}\"");
        let finite = self.shares.iter().flatten().filter(|share| share.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)));
        let depth = |share: f64| if high > low { (share - low) / (high - low) } else { 1.0 };
        for (i, name, letters) in names.iter().enumerate().filter_map(|(i, name)| Some((i, name, letters?))) {
            let middle = cell * (i as f64 + 0.5);
            let size = format!("style=\"font-size:{letters}px\"");
            let words = crate::text::escaped(name);
            svg.add(format_args!(
                "<text {size} x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{words}</text>",
                left - 5.0,
                top + middle + letters * 0.36
            ));
            svg.add(format_args!(
                "<text {size} transform=\"translate({:.1} {:.1}) rotate(-90)\">{words}</text>",
                left + middle + letters * 0.36,
                top - 5.0
            ));
        }
        self.squares(&mut svg, &place, &depth);
        if cell >= 30.0 {
            self.numbers(&mut svg, &place, &depth);
        }
        for &(from, to) in &self.blocks {
            svg.add(format_args!(
                "<rect class=\"frame\" x=\"{:.1}\" y=\"{:.1}\" width=\"{w:.1}\" height=\"{w:.1}\"/>",
                left + cell * from as f64 - 1.0,
                top + cell * from as f64 - 1.0,
                w = cell * (to - from) as f64 + 1.0
            ));
        }
        let y = top + cell * n as f64 + 18.0;
        if low.is_finite() {
            let ends = format!("{}: faintest {}, strongest {}", self.meaning, percent(low), percent(high));
            for (i, line) in crate::text::lines(&ends, (width - 8.0) / LETTERS).iter().enumerate() {
                svg.text((4.0, y + 18.0 * i as f64), Anchor::Start, "soft", line);
            }
        }
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_numbered_row_by_row_and_drawn_on_both_sides() {
        let names = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let shares = vec![Some(0.1), Some(0.2), None, Some(0.4), Some(0.5), Some(0.9)];
        let heat = Heat { names, shares, meaning: "agree".into(), blocks: vec![(2, 4)] };
        let mut numbers = Vec::new();
        for i in 0..4 {
            for j in i + 1..4 {
                assert_eq!(heat.pair(i, j), heat.pair(j, i));
                numbers.push(heat.pair(i, j));
            }
        }
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5]);
        let svg = heat.draw(640.0).element("");
        assert_eq!(svg.matches(".5h0.94").count(), 10);
        assert_eq!(svg.matches("v0.94h-0.94z").count(), 2);
        assert!(
            svg.contains("stroke-opacity=\"1.00\" d=\"M3 2.5h0.94M2 3.5h0.94\""),
            "the strongest are 2 and 3: {svg}"
        );
        assert!(svg.contains("faintest 10%, strongest 90%"));
    }

    #[test]
    fn names_do_not_cover_one_another_and_many_squares_stay_small() {
        for (n, width, named) in [(12, 350.0, true), (25, 350.0, true), (60, 350.0, false), (60, 720.0, true)] {
            let names: Vec<String> = (0..n).map(|i| format!("w{i}")).collect();
            let shares = (0..n * (n - 1) / 2).map(|i| Some((i % 97) as f64 / 97.0)).collect();
            let heat = Heat { names: names.clone(), shares, meaning: "agree".into(), blocks: Vec::new() };
            let place = Place::of(&names, width);
            assert_eq!(place.letters.is_some(), named, "{n} at {width}: {}", place.cell);
            assert!(place.letters.is_none_or(|letters| letters < place.cell));
            assert!(heat.draw(width).element("").len() < 60_000);
        }
    }
}
