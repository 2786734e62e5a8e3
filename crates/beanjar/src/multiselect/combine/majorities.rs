//! What majorities of yes-no judgments tell.

use super::{Combined, MAJORITIES};

/// What majorities tell of the share of the upper of two values, where shares have this mean and variance over objects.
pub(super) fn majorities(centre: f64, signal: f64, width: f64) -> Combined {
    /// Points of the distribution of shares.
    const POINTS: usize = 400;
    let most = centre * (1.0 - centre);
    if most <= 0.0 || most.is_nan() {
        return Combined::default();
    }
    let signal = signal.clamp(1e-4 * most, 0.99 * most);
    let both = most / signal - 1.0;
    let (a, b) = (centre * both, (1.0 - centre) * both);
    // p = sin(t)^2, which takes the poles off both ends.
    let angle = |i: usize| (i as f64 + 0.5) / POINTS as f64 * std::f64::consts::FRAC_PI_2;
    let log = |i: usize| (2.0 * a - 1.0) * angle(i).sin().ln() + (2.0 * b - 1.0) * angle(i).cos().ln();
    let highest = (0..POINTS).map(log).fold(f64::NEG_INFINITY, f64::max);
    let points: Vec<(f64, f64)> = (0..POINTS).map(|i| (angle(i).sin().powi(2), (log(i) - highest).exp())).collect();
    let all: f64 = points.iter().map(|point| point.1).sum();
    let mean = |of: &dyn Fn(f64) -> f64| points.iter().map(|(p, weight)| weight * of(*p)).sum::<f64>() / all;
    let middle = mean(&|p| p);
    let spread = mean(&|p| (p - middle).powi(2));
    let single = mean(&|p| p * (1.0 - p));
    let mut found = Combined::default();
    for r in 1..=MAJORITIES {
        let upper = mean(&|p| upper(r, p).0);
        let square = mean(&|p| upper_square(r, p));
        let slope = mean(&|p| (p - middle) * self::upper(r, p).0) / spread;
        let noise = (square - upper * upper) / (slope * slope) - spread;
        found.noise.push((noise / single).max(1e-9));
        found.slope.push(slope.max(1e-9));
        found.shift.push((upper - middle) * width);
    }
    found
}

/// The mean of the majority of r yes-no judgments that say yes with probability p, a tie being a half; and how often there is
/// a tie.
fn upper(r: usize, p: f64) -> (f64, f64) {
    let mut term = (1.0 - p).powi(r as i32);
    let odds = p / (1.0 - p);
    let (mut sum, mut ties) = (0.0, 0.0);
    for yes in 0..=r {
        if 2 * yes > r {
            sum += term;
        } else if 2 * yes == r {
            sum += term / 2.0;
            ties = term;
        }
        term *= odds * (r - yes) as f64 / (yes + 1) as f64;
    }
    (sum, ties)
}

/// The mean of its square.
fn upper_square(r: usize, p: f64) -> f64 {
    let (mean, ties) = upper(r, p);
    mean - ties / 4.0
}
