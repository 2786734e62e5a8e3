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

/// digamma(x + by) - digamma(x) for x > 0 and by >= 0: in a fifth of the time, and without cancellation where `by` is small.
pub(crate) fn digamma_gain(x: f64, by: f64) -> f64 {
    let Gain { but_for_log, log, far } = Gain::of(x, by);
    but_for_log + far.map_or(log, f64::ln)
}

/// Gains that are found side by side.
pub(crate) const LANES: usize = 8;

/// The same of several numbers, in half the time that one takes after the other.
pub(crate) fn digamma_gains(x: &[f64; LANES], by: &[f64; LANES]) -> [f64; LANES] {
    let (mut gains, mut ratios) = ([0.0; LANES], [0.0; LANES]);
    let mut logs = [0.0; LANES];
    for lane in 0..LANES {
        let Gain { but_for_log, log, far } = Gain::of(x[lane], by[lane]);
        (gains[lane], logs[lane], ratios[lane]) = (but_for_log, log, far.unwrap_or(0.0));
    }
    for lane in 0..LANES {
        gains[lane] += if ratios[lane] > 0.0 { ratios[lane].ln() } else { logs[lane] };
    }
    gains
}

/// A gain, of which a logarithm may be left to take.
struct Gain {
    but_for_log: f64,
    /// The logarithm by its series.
    log: f64,
    /// What it is the logarithm of, where that is too far from 1 for the series.
    far: Option<f64>,
}

impl Gain {
    #[inline(always)]
    fn of(x: f64, by: f64) -> Self {
        // From here on the series below is exact to 1e-12.
        const NEAR: f64 = 8.0;
        let (steps, is_near) = (eight_steps(x, by), x < NEAR);
        let (x, near) = (if is_near { x + NEAR } else { x }, if is_near { steps } else { 0.0 });
        let end = x + by;
        let inverse = 1.0 / (x * end);
        let (of_x, of_end) = (end * inverse, x * inverse);
        let series = |y: f64| y * (1.0 / 12.0 - y * (1.0 / 120.0 - y * (1.0 / 252.0 - y * (1.0 / 240.0 - y / 132.0))));
        // ln (end / x) = 2 atanh z.
        let z = by / (x + end);
        let y = z * z;
        let log =
            2.0 * z * (1.0 + y * (1.0 / 3.0 + y * (1.0 / 5.0 + y * (1.0 / 7.0 + y * (1.0 / 9.0 + y * (1.0 / 11.0))))));
        Gain {
            but_for_log: near + 0.5 * by * inverse + series(of_x * of_x) - series(of_end * of_end),
            log,
            far: (z >= 0.1).then_some(end * of_x),
        }
    }
}

/// The sum of by / ((x + i) (x + i + by)) over i from 0 to 7. Fractions are added two by two, for a division takes longer than
/// all else.
fn eight_steps(x: f64, by: f64) -> f64 {
    let of = |i: f64| (x + i) * (x + i + by);
    let two = |i: f64| (of(i) + of(i + 1.0), of(i) * of(i + 1.0));
    let add = |one: (f64, f64), other: (f64, f64)| (one.0 * other.1 + other.0 * one.1, one.1 * other.1);
    let (above, below) = add(add(two(0.0), two(2.0)), add(two(4.0), two(6.0)));
    by * above / below
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
        for x in [1e-7, 1e-4, 0.02, 0.7, 3.0, 7.9, 8.0, 12.0, 400.0] {
            for by in [0.0, 1e-6, 0.3, 1.0, 2.0, 15.0, 1e4, 1e7] {
                let direct = digamma(x + by) - digamma(x);
                assert!((digamma_gain(x, by) - direct).abs() < 1e-11 * (1.0 + 1.0 / x), "{x} {by}");
                let several = digamma_gains(&[x; LANES], &std::array::from_fn(|lane| by * lane as f64));
                (0..LANES).for_each(|lane| assert_eq!(several[lane], digamma_gain(x, by * lane as f64)));
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
