//! The normal distribution: its density, its distribution function, and means under it.

/// Of the standard normal, 95 percent lie within this.
pub(crate) const NINETY_FIVE: f64 = 1.959_963_984_540_054;

/// The density.
pub(crate) fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// The distribution function, to about 1e-12: by its power series near the middle, by a continued fraction in the tails.
pub(crate) fn cumulative(x: f64) -> f64 {
    let tail = if x.abs() < 3.0 {
        let (mut term, mut sum, mut n) = (x.abs(), x.abs(), 1.0);
        while term > 1e-17 * sum {
            n += 2.0;
            term *= x * x / n;
            sum += term;
        }
        0.5 - sum * density(x)
    } else {
        let fraction = (1..=60).rev().fold(x.abs(), |rest, k| x.abs() + f64::from(k) / rest);
        density(x) / fraction
    };
    if x > 0.0 { 1.0 - tail } else { tail }
}

/// The number below which the standard normal is with this probability.
pub(crate) fn quantile(probability: f64) -> f64 {
    crossing(-40.0, 40.0, |x| cumulative(x) - probability)
}

/// The mean of `f` of a standard normal number, by the trapezoid rule, which for smooth functions and a density that
/// falls so fast is exact to rounding.
pub(crate) fn expected(f: impl Fn(f64) -> f64) -> f64 {
    const STEP: f64 = 0.1;
    (-100..=100).map(|i| f64::from(i) * STEP).map(|x| f(x) * density(x)).sum::<f64>() * STEP
}

/// Where a rising function crosses zero between `low` and `high`.
pub(crate) fn crossing(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    // Each step halves the interval: 60 of them exhaust the digits of a double of its size.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if f(middle) < 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        for (x, expected) in
            [(0.0, 0.5), (NINETY_FIVE, 0.975), (-3.0, 0.001_349_898_031_630_1), (4.0, 0.999_968_328_758_166_9)]
        {
            assert!((cumulative(x) - expected).abs() < 1e-12, "{x}: {}", cumulative(x));
            assert!((quantile(expected) - x).abs() < 1e-7, "{x}: {}", quantile(expected));
        }
        assert!((expected(|x| x * x) - 1.0).abs() < 1e-12);
        // The mean of the distribution function of a normal with mean m and deviation s is that of m / sqrt(1 + s^2).
        assert!((expected(|x| cumulative(0.3 + 2.0 * x)) - cumulative(0.3 / 5f64.sqrt())).abs() < 1e-12);
    }
}
