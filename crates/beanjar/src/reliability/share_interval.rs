use super::icc::Interval;
use crate::normal::quantile;

/// Where a share lies with 95 percent, seen in `n` cases: Wilson's interval.
///
/// ```
/// let found = beanjar::reliability::share_interval(0.9, 10.0);
/// assert!(found.low > 0.59 && found.high < 0.99);
/// ```
#[must_use]
pub fn share_interval(share: f64, n: f64) -> Interval {
    let z = quantile(0.975);
    let (centre, scale) = (share + z * z / (2.0 * n), 1.0 + z * z / n);
    let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    Interval { estimate: share, low: ((centre - half) / scale).max(0.0), high: ((centre + half) / scale).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_where_the_share_is_a_quantile_off() {
        let z = quantile(0.975);
        for (share, n) in [(0.3, 20.0), (0.9, 7.0), (0.5, 1000.0)] {
            let found = share_interval(share, n);
            for end in [found.low, found.high] {
                // Wilson: the true shares p for which the one seen is z standard errors, those of p, away.
                assert!(((share - end).abs() - z * (end * (1.0 - end) / n).sqrt()).abs() < 1e-9, "{share} {n}");
            }
        }
        // n = 10, share 1: the lower end is 1 / (1 + z^2 / n).
        let all = share_interval(1.0, 10.0);
        assert!((all.low - 1.0 / (1.0 + z * z / 10.0)).abs() < 1e-12 && (all.high - 1.0).abs() < 1e-12);
        assert!(share_interval(0.9, 1000.0).low > all.low);
    }
}
