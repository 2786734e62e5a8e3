//! A square of pairs: the darker, the more.

use crate::frame::Draw;
use crate::number::percent;
use crate::svg::{Anchor, LETTERS, Svg};
use crate::text::{plain, shortened, width_of};

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

impl Draw for Heat {
    fn draw(&self, width: f64) -> Svg {
        let n = self.names.len();
        let most = if width < 480.0 { 11 } else { 24 };
        let names: Vec<String> = self.names.iter().map(|name| shortened(&plain(name), most)).collect();
        let letters = if n > 40 { 9.0 } else { LETTERS };
        let widest = letters * names.iter().map(|name| width_of(name)).fold(0.0, f64::max);
        let left = 8.0 + widest;
        let cell = ((width - left - 8.0) / n.max(1) as f64).min(44.0);
        let top = 12.0 + widest;
        let mut svg = Svg::new(width, top + cell * n as f64 + 52.0);
        let finite = self.shares.iter().flatten().filter(|share| share.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)));
        let depth = |share: f64| if high > low { (share - low) / (high - low) } else { 1.0 };
        let named = cell >= letters * 0.85;
        for (i, name) in names.iter().enumerate().filter(|_| named) {
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
        for i in 0..n {
            for j in (0..n).filter(|&j| j != i) {
                let pair = self.pair(i, j);
                let (x, y) = (left + cell * j as f64, top + cell * i as f64);
                let place = format!(
                    "data-row=\"{pair}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{w:.1}\"",
                    w = (cell - 1.0).max(0.5)
                );
                match self.shares.get(pair).copied().flatten() {
                    None => svg.add(format_args!("<rect class=\"mark nothing\" {place}/>")),
                    Some(share) => {
                        let depth = depth(share);
                        svg.add(format_args!(
                            "<rect class=\"mark f0\" fill-opacity=\"{:.2}\" {place}/>",
                            0.06 + 0.94 * depth
                        ));
                        if cell >= 30.0 {
                            let class = if depth > 0.55 { "on-dark" } else { "" };
                            let at = (x + cell / 2.0, y + cell / 2.0 + 4.0);
                            svg.text(at, Anchor::Middle, class, &format!("{:.0}", 100.0 * share));
                        }
                    }
                }
            }
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
            let ends = format!("{}: lightest {}, darkest {}", self.meaning, percent(low), percent(high));
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
        assert_eq!(svg.matches("mark f0").count(), 10);
        assert_eq!(svg.matches("mark nothing").count(), 2);
        assert!(svg.contains("lightest 10%, darkest 90%"));
    }
}
