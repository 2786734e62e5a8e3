//! Intraclass correlations with intervals.

use super::two_way::{Components, TwoWay};
use crate::f_distribution::quantile;

/// An estimate and its 95 percent interval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Interval {
    /// The estimate.
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The share of an F distribution below the upper end of a 95 percent interval.
const UPPER: f64 = 0.975;

/// ICC(1), of one judgment by anyone: from the mean squares between and within `objects` objects of `judgments` judgments
/// each. The interval is exact where all objects have as many.
pub(super) fn icc1(between: f64, within: f64, objects: f64, judgments: f64, freedom: f64) -> Option<Interval> {
    let of = |ratio: f64| (ratio - 1.0) / (ratio + judgments - 1.0);
    let (low, high) = ratios(between / within, objects - 1.0, freedom)?;
    Some(Interval { estimate: of(between / within), low: of(low), high: of(high) })
}

/// ICC(2,k) and ICC(3,k): the reliability of the mean of k judgments, with k the judgments of an object.
///
/// With the variances of objects, raters and error, ICC(2,k) = o / (o + (r + e) / k), where raters are any raters, and
/// ICC(3,k) = o / (o + e / k), where all objects have the same raters, so that what a rater adds cancels. Intervals are
/// those of Shrout and Fleiss (1979), which are for complete tables; for others they are approximate.
pub(super) fn of_means(table: &TwoWay<'_>) -> Option<(f64, Interval, Interval)> {
    let Components { objects, raters, error, freedom } = table.components()?;
    let (n, k) = (table.objects(), table.judgments_of_an_object());
    if error <= 0.0 || k <= 1.0 {
        return None;
    }
    let of_rater = n * k / table.raters();
    // The mean squares that a complete table with these variances would have.
    let (between, judges) = (error + k * objects, error + of_rater * raters);
    let one = objects / (objects + raters + error);
    let (low, high) = ratios(between / error, n - 1.0, freedom)?;
    let of_three = |ratio: f64| 1.0 - 1.0 / ratio;
    let three = Interval { estimate: of_three(between / error), low: of_three(low), high: of_three(high) };

    // Satterthwaite's degrees of freedom of the mean square of raters and errors together.
    let ratio = judges / error;
    let rest = of_rater * (1.0 + (k - 1.0) * one) - k * one;
    let together = freedom * (k * one * ratio + rest).powi(2)
        / ((table.raters() - 1.0).max(1.0).recip() * freedom * (k * one * ratio).powi(2) + rest.powi(2));
    let (upper, lower) = (quantile(UPPER, n - 1.0, together), quantile(UPPER, together, n - 1.0));
    let spread = k * judges + (k * of_rater - k - of_rater) * error;
    let low = of_rater * (between - upper * error) / (upper * spread + of_rater * between);
    let high = of_rater * (lower * between - error) / (spread + of_rater * lower * between);
    let of_mean = |one: f64| k * one / (1.0 + (k - 1.0) * one);
    let two = Interval { estimate: of_mean(one), low: of_mean(low), high: of_mean(high) };
    let finite = [two, three].iter().all(|icc| [icc.estimate, icc.low, icc.high].iter().all(|x| x.is_finite()));
    finite.then_some((k, two, three))
}

/// The ends of the ratio of two mean squares.
fn ratios(ratio: f64, first: f64, second: f64) -> Option<(f64, f64)> {
    let sound = ratio.is_finite() && first >= 1.0 && second >= 1.0;
    sound.then(|| (ratio / quantile(UPPER, first, second), ratio * quantile(UPPER, second, first)))
}

#[cfg(test)]
mod tests {
    use super::super::two_way::tests::shrout_and_fleiss;
    use super::*;

    fn close(found: Interval, estimate: f64, low: f64, high: f64) {
        let fits = |x: f64, expected: f64| (x - expected).abs() < 0.006;
        assert!(fits(found.estimate, estimate) && fits(found.low, low) && fits(found.high, high), "{found:?}");
    }

    #[test]
    fn the_published_example() {
        // Shrout and Fleiss (1979): .17, .62 and .91; intervals as R's psych prints them for it.
        let rated = shrout_and_fleiss();
        let (k, two, three) = of_means(&TwoWay::new(&rated, 6, 4)).unwrap();
        assert_eq!(k, 4.0);
        close(two, 0.62, 0.071, 0.927);
        close(three, 0.91, 0.676, 0.986);
        // Their table 3: between 11.24, within 6.26.
        close(icc1(56.208_333 / 5.0, 112.75 / 18.0, 6.0, 4.0, 18.0).unwrap(), 0.17, -0.133, 0.723);
    }
}
