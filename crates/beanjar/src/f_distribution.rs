//! The F distribution, by the incomplete beta function.

use crate::gamma::ln_gamma;
use crate::normal::crossing;

/// The number below which an F of these degrees of freedom, each above 0, is with this probability.
pub(crate) fn quantile(probability: f64, first: f64, second: f64) -> f64 {
    // In terms of the share x = first F / (first F + second), which lies between 0 and 1.
    let share = crossing(0.0, 1.0, |x| incomplete_beta(x, first / 2.0, second / 2.0) - probability);
    second * share / (first * (1.0 - share))
}

/// The share of the beta distribution below x: a continued fraction (Lentz), on the side where it converges fast.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return if x <= 0.0 { 0.0 } else { 1.0 };
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    match x < (a + 1.0) / (a + b + 2.0) {
        true => front * fraction(x, a, b) / a,
        false => 1.0 - front * fraction(1.0 - x, b, a) / b,
    }
}

fn fraction(x: f64, a: f64, b: f64) -> f64 {
    // A number that stands for zero in Lentz' recurrence.
    const TINY: f64 = 1e-300;
    let safe = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut c, mut d) = (1.0, 1.0 / safe(1.0 - (a + b) * x / (a + 1.0)));
    let mut found = d;
    // It settles in about the root of the larger of a and b.
    for m in 1..10_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for step in [even, odd] {
            d = 1.0 / safe(1.0 + step * d);
            c = safe(1.0 + step / c);
            change = c * d;
            found *= change;
        }
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_quantiles() {
        // Tables of the F distribution, and t squared: 12.706 at one degree of freedom, 1.96 at infinitely many.
        for (probability, first, second, expected) in [
            (0.95, 5.0, 18.0, 2.7729),
            (0.975, 5.0, 15.0, 3.5764),
            (0.975, 15.0, 5.0, 6.4277),
            (0.95, 1.0, 1.0, 161.4476),
            (0.95, 1.0, 1e6, 3.8415),
            (0.5, 7.0, 7.0, 1.0),
        ] {
            let found = quantile(probability, first, second);
            assert!((found - expected).abs() < 1e-4 * expected, "{first}, {second}: {found}");
        }
    }

    #[test]
    fn the_share_is_the_integral_of_the_density() {
        for (a, b, x) in [(0.5, 3.0, 0.2), (4.0, 2.5, 0.7), (30.0, 40.0, 0.45)] {
            let scale = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b)).exp();
            // In y = sqrt of t, where the density is smooth also for a = 1/2.
            let n = 200_000;
            let step = f64::sqrt(x) / f64::from(n);
            let at = |i: i32| (f64::from(i) + 0.5) * step;
            let density = |y: f64| 2.0 * scale * y.powf(2.0 * a - 1.0) * (1.0 - y * y).powf(b - 1.0);
            let integral: f64 = (0..n).map(|i| density(at(i)) * step).sum();
            assert!((incomplete_beta(x, a, b) - integral).abs() < 1e-7, "{a}, {b}, {x}");
        }
    }
}
