//! The logarithm of the gamma function and its derivative, by Stirling's series.

/// From here on the series is exact to a double's precision.
const FAR: f64 = 12.0;

/// ln Gamma(x) for x > 0: the tests hold the evidence against it.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut product) = (x, 1.0);
    while x < FAR {
        product *= x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * (1.0 / 1680.0 - y * (1.0 / 1188.0))))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - product.ln()
}

/// The derivative of ln Gamma at x > 0: what gains are held against.
#[cfg(test)]
pub(crate) fn digamma(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < FAR {
        sum += 1.0 / x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = y * (1.0 / 12.0 - y * (1.0 / 120.0 - y * (1.0 / 252.0 - y * (1.0 / 240.0 - y / 132.0))));
    x.ln() - 0.5 / x - series - sum
}

/// digamma(x + by) - digamma(x) for x > 0 and by >= 0: in a third of the time, and without cancellation where `by` is small.
pub(crate) fn digamma_gain(x: f64, by: f64) -> f64 {
    // From here on the series below is exact to 1e-12.
    const NEAR: f64 = 8.0;
    let (mut x, mut sum) = (x, 0.0);
    while x < NEAR {
        sum += by / (x * (x + by));
        x += 1.0;
    }
    let series = |x: f64| {
        let y = 1.0 / (x * x);
        y * (1.0 / 12.0 - y * (1.0 / 120.0 - y * (1.0 / 252.0 - y * (1.0 / 240.0 - y / 132.0))))
    };
    let end = x + by;
    sum + (by / x).ln_1p() + 0.5 * by / (x * end) + series(x) - series(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factorials_and_halves() {
        let mut factorial = 1.0f64;
        for n in 1..20 {
            assert!((ln_gamma(f64::from(n)) - factorial.ln()).abs() < 1e-12 * factorial.ln().max(1.0));
            factorial *= f64::from(n);
        }
        assert!((ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-13);
        assert!((ln_gamma(1e-8) - 1e8f64.ln()).abs() < 1e-7);
    }

    #[test]
    fn a_gain_is_the_difference_of_two() {
        for x in [1e-4, 0.02, 0.7, 3.0, 7.9, 12.0, 400.0] {
            for by in [0.0, 1e-6, 0.3, 1.0, 15.0, 1e4] {
                let direct = digamma(x + by) - digamma(x);
                assert!((digamma_gain(x, by) - direct).abs() < 1e-10 * (1.0 + 1.0 / x), "{x} {by}");
            }
        }
    }

    #[test]
    fn the_derivative_is_the_derivative() {
        assert!((digamma(1.0) + 0.577_215_664_901_532_9).abs() < 1e-13);
        for x in [0.01, 0.3, 1.7, 5.0, 33.0, 1e4] {
            let h = 1e-5 * x;
            let slope = (ln_gamma(x + h) - ln_gamma(x - h)) / (2.0 * h);
            assert!((digamma(x) - slope).abs() < 1e-5 * slope.abs().max(1.0), "{x}");
        }
    }
}
