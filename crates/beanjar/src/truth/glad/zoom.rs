//! A step along a line that satisfies the strong Wolfe conditions, by doubling it until it is too long and narrowing down
//! from there, for where the step of `line_search` is not good enough.
//!
//! J. Nocedal and S. J. Wright, Numerical Optimization (1999), algorithms 3.5 and 3.6. How the next step is interpolated, and
//! the numbers, are those of SciPy, so that a fit goes where one of crowd-kit does.

use super::line_search::{At, DECREASE, FLATTEN};

/// How often a step is doubled, or an interval narrowed: as often as in SciPy, whose steps these are.
const MOST_LOOKS: usize = 10;
/// How far from the ends of an interval, as a share of it, a step must lie that a cubic or a quadratic suggests.
const OFF_THE_ENDS: [f64; 2] = [0.2, 0.1];

/// The step, or none if none was found. `look` gives value and slope at a step, and whether it may be taken.
pub(super) fn search(start: At, first: f64, mut look: impl FnMut(f64) -> (At, bool)) -> Option<At> {
    if start.slope >= 0.0 || !first.is_finite() {
        return None;
    }
    let (mut before, mut step) = (start, first);
    for looks in 0..MOST_LOOKS {
        let (here, allowed) = look(step);
        if !here.value.is_finite() {
            return None;
        }
        if start.is_too_high(here) || looks > 0 && here.value >= before.value {
            return narrow(start, before, here, look);
        }
        if start.is_flat(here) && allowed {
            return Some(here);
        }
        if here.slope >= 0.0 {
            return narrow(start, here, before, look);
        }
        before = here;
        step *= 2.0;
    }
    // The value still falls.
    Some(look(step).0).filter(|here| here.value < before.value)
}

/// A step between two, of which the value is lower at `low`.
fn narrow(start: At, mut low: At, mut high: At, mut look: impl FnMut(f64) -> (At, bool)) -> Option<At> {
    // The end of the interval that was given up last.
    let mut left = None;
    for _ in 0..=MOST_LOOKS {
        let (here, allowed) = look(between(low, high, left));
        if !here.value.is_finite() {
            return None;
        }
        if start.is_too_high(here) || here.value >= low.value {
            left = Some(std::mem::replace(&mut high, here));
            continue;
        }
        if start.is_flat(here) && allowed {
            return Some(here);
        }
        left = Some(match here.slope * (high.step - low.step) >= 0.0 {
            true => std::mem::replace(&mut high, low),
            false => low,
        });
        low = here;
    }
    None
}

impl At {
    /// Whether the value at a step has not fallen as the slope here promises.
    fn is_too_high(self, there: At) -> bool {
        there.value > self.value + DECREASE * there.step * self.slope
    }

    fn is_flat(self, there: At) -> bool {
        there.slope.abs() <= FLATTEN * -self.slope
    }
}

/// Where a cubic through three points is lowest, a quadratic through two, or the middle: the first that is off the ends.
fn between(low: At, high: At, left: Option<At>) -> f64 {
    let span = high.step - low.step;
    let (first, last) = (low.step.min(high.step), low.step.max(high.step));
    let off_ends = |step: f64, share: f64| step <= last - share * span && step >= first + share * span;
    let cubic = left.map(|left| lowest_of_cubic(low, high, left)).filter(|step| off_ends(*step, OFF_THE_ENDS[0]));
    let quadratic = || Some(lowest_of_quadratic(low, high)).filter(|step| off_ends(*step, OFF_THE_ENDS[1]));
    cubic.or_else(quadratic).unwrap_or(low.step + 0.5 * span)
}

/// With the slope at `low`; not a number where there is none.
fn lowest_of_cubic(low: At, high: At, left: At) -> f64 {
    let (b, c) = (high.step - low.step, left.step - low.step);
    let (of_b, of_c) = (high.value - low.value - low.slope * b, left.value - low.value - low.slope * c);
    let all = (b * c).powi(2) * (b - c);
    let third = (c.powi(2) * of_b - b.powi(2) * of_c) / all;
    let second = (b.powi(3) * of_c - c.powi(3) * of_b) / all;
    low.step + (-second + (second * second - 3.0 * third * low.slope).sqrt()) / (3.0 * third)
}

fn lowest_of_quadratic(low: At, high: At) -> f64 {
    let span = high.step - low.step;
    let second = (high.value - low.value - low.slope * span) / (span * span);
    low.step - low.slope / (2.0 * second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(f: impl Fn(f64) -> (f64, f64), first: f64, allowed: impl Fn(f64) -> bool) -> Option<At> {
        let at = |step: f64| {
            let (value, slope) = f(step);
            (At { step, value, slope }, allowed(step))
        };
        search(at(0.0).0, first, at)
    }

    #[test]
    fn steps_satisfy_the_wolfe_conditions_from_any_first_step() {
        let lines: [fn(f64) -> (f64, f64); 3] = [
            |x| ((x - 3.0).powi(2), 2.0 * (x - 3.0)),
            |x| (-x / (x * x + 2.0), (x * x - 2.0) / (x * x + 2.0).powi(2)),
            |x| ((x - 5.0).exp() - x, (x - 5.0).exp() - 1.0),
        ];
        for line in lines {
            let (value, slope) = line(0.0);
            for first in [0.01, 0.1, 1.0, 7.0, 30.0] {
                let found = found(line, first, |_| true).unwrap();
                assert_eq!(line(found.step), (found.value, found.slope));
                assert!(found.value <= value + DECREASE * found.step * slope, "{first}: {found:?}");
                assert!(found.slope.abs() <= FLATTEN * slope.abs(), "{first}: {found:?}");
            }
        }
    }

    #[test]
    fn a_step_that_is_not_allowed_is_not_taken() {
        let parabola = |x: f64| ((x - 3.0).powi(2), 2.0 * (x - 3.0));
        assert!((found(parabola, 2.0, |_| true).unwrap().step - 2.0).abs() < 1e-12);
        let found = found(parabola, 2.0, |step| step > 2.5).unwrap();
        assert!(found.step > 2.5 && found.slope.abs() <= FLATTEN * 6.0, "{found:?}");
    }

    #[test]
    fn lines_that_rise_and_steps_that_are_never_allowed_give_none() {
        assert!(found(|x| (x, 1.0), 1.0, |_| true).is_none());
        assert!(found(|x| ((x - 3.0).powi(2), 2.0 * (x - 3.0)), 1.0, |_| false).is_none());
        assert!(found(|x| (if x > 0.0 { f64::NAN } else { 0.0 }, -1.0), 1.0, |_| true).is_none());
    }

    #[test]
    fn curves_are_lowest_where_their_slope_is_zero() {
        let at = |step: f64| {
            let (value, slope) = ((step - 1.0).powi(3) - 3.0 * step, 3.0 * (step - 1.0).powi(2) - 3.0);
            At { step, value, slope }
        };
        assert!((lowest_of_cubic(at(0.3), at(4.0), at(3.0)) - 2.0).abs() < 1e-12);
        let at = |step: f64| At { step, value: (step - 2.0).powi(2), slope: 2.0 * (step - 2.0) };
        assert!((lowest_of_quadratic(at(0.5), at(4.0)) - 2.0).abs() < 1e-12);
    }
}
