//! A step along a line that satisfies the strong Wolfe conditions, by Moré and Thuente.
//!
//! J. J. Moré and D. J. Thuente, Line search algorithms with guaranteed sufficient decrease, ACM TOMS 20 (1994).

/// A value and its slope at a step along the line.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) step: f64,
    pub(super) value: f64,
    pub(super) slope: f64,
}

/// How much the value must fall, as a share of what the slope at the start promises.
pub(super) const DECREASE: f64 = 1e-4;
/// How far the slope must flatten; small, for conjugate directions need good steps.
pub(super) const FLATTEN: f64 = 0.4;
/// An interval of this relative width holds nothing more.
const NARROW: f64 = 1e-14;
const SMALLEST: f64 = 1e-100;
const LARGEST: f64 = 1e100;
/// More looks than this find nothing new.
const MOST_LOOKS: usize = 100;

/// The step, or none if none was found. `look` gives value and slope at a step.
pub(super) fn search(start: At, first: f64, mut look: impl FnMut(f64) -> (f64, f64)) -> Option<At> {
    if start.slope >= 0.0 || !first.is_finite() {
        return None;
    }
    let promised = DECREASE * start.slope;
    let mut modified = true;
    let (mut width, mut width_before) = (LARGEST - SMALLEST, 2.0 * (LARGEST - SMALLEST));
    let mut step = first.clamp(SMALLEST, LARGEST);
    let mut interval = Interval { best: start, other: start, bracketed: false, low: 0.0, high: step + 4.0 * step };
    for _ in 0..MOST_LOOKS {
        let (value, slope) = look(step);
        let here = At { step, value, slope };
        let enough = start.value + step * promised;
        if modified && value <= enough && slope >= 0.0 {
            modified = false;
        }
        if value <= enough && slope.abs() <= FLATTEN * -start.slope {
            return Some(here);
        }
        let stuck = interval.is_narrow_at(step);
        let at_end = step == LARGEST && value <= enough && slope <= promised
            || step == SMALLEST && (value > enough || slope >= promised);
        if stuck || at_end || !value.is_finite() {
            return None;
        }
        if modified && value <= interval.best.value && value > enough {
            // Of the function less what was promised, which has a minimum where the other may have none yet.
            let less = |at: At| At { value: at.value - at.step * promised, slope: at.slope - promised, ..at };
            let more = |at: At| At { value: at.value + at.step * promised, slope: at.slope + promised, ..at };
            let mut lowered = Interval { best: less(interval.best), other: less(interval.other), ..interval };
            step = lowered.next(less(here));
            interval = Interval { best: more(lowered.best), other: more(lowered.other), ..lowered };
        } else {
            step = interval.next(here);
        }
        let Interval { best, other, .. } = interval;
        if interval.bracketed {
            let span = (other.step - best.step).abs();
            if span >= 0.66 * width_before {
                step = best.step + 0.5 * (other.step - best.step);
            }
            width_before = width;
            width = span;
            (interval.low, interval.high) = (best.step.min(other.step), best.step.max(other.step));
        } else {
            interval.low = step + 1.1 * (step - best.step);
            interval.high = step + 4.0 * (step - best.step);
        }
        step = step.clamp(SMALLEST, LARGEST);
        if interval.is_narrow_at(step) {
            step = best.step;
        }
    }
    None
}

/// An interval that holds the minimum once it is bracketed.
#[derive(Clone, Copy)]
struct Interval {
    best: At,
    other: At,
    bracketed: bool,
    /// The steps that may be looked at next.
    low: f64,
    high: f64,
}

impl Interval {
    /// Whether nothing is left to look at from this step on.
    fn is_narrow_at(&self, step: f64) -> bool {
        let Interval { low, high, .. } = *self;
        self.bracketed && (step <= low || step >= high || high - low <= NARROW * high)
    }

    /// The next step to look at, from the ends of the interval and where we are; the interval is made smaller.
    fn next(&mut self, here: At) -> f64 {
        let Interval { best, other, bracketed, low, high } = self;
        let (low, high) = (*low, *high);
        let opposite = here.slope * (best.slope / best.slope.abs());
        let theta = 3.0 * (best.value - here.value) / (here.step - best.step) + best.slope + here.slope;
        let scale = |other: f64| theta.abs().max(best.slope.abs()).max(other.abs());
        let secant = here.step + here.slope / (here.slope - best.slope) * (best.step - here.step);
        let step;
        if here.value > best.value {
            // The value is higher: the minimum lies between.
            let s = scale(here.slope);
            let root = s * ((theta / s).powi(2) - best.slope / s * (here.slope / s)).sqrt();
            let gamma = if here.step < best.step { -root } else { root };
            let r = (gamma - best.slope + theta) / (gamma - best.slope + gamma + here.slope);
            let cubic = best.step + r * (here.step - best.step);
            let curvature = (best.value - here.value) / (here.step - best.step) + best.slope;
            let quadratic = best.step + best.slope / curvature / 2.0 * (here.step - best.step);
            step = match (cubic - best.step).abs() < (quadratic - best.step).abs() {
                true => cubic,
                false => cubic + (quadratic - cubic) / 2.0,
            };
            *bracketed = true;
        } else if opposite < 0.0 {
            // Lower, and the slope has turned: the minimum lies between.
            let s = scale(here.slope);
            let root = s * ((theta / s).powi(2) - best.slope / s * (here.slope / s)).sqrt();
            let gamma = if here.step > best.step { -root } else { root };
            let r = (gamma - here.slope + theta) / (gamma - here.slope + gamma + best.slope);
            let cubic = here.step + r * (best.step - here.step);
            step = if (cubic - here.step).abs() > (secant - here.step).abs() { cubic } else { secant };
            *bracketed = true;
        } else if here.slope.abs() < best.slope.abs() {
            // Lower, and flatter in the same direction.
            let s = scale(here.slope);
            let root = s * ((theta / s).powi(2) - best.slope / s * (here.slope / s)).max(0.0).sqrt();
            let gamma = if here.step > best.step { -root } else { root };
            let r = (gamma - here.slope + theta) / (gamma + (best.slope - here.slope) + gamma);
            let cubic = match r < 0.0 && gamma != 0.0 {
                true => here.step + r * (best.step - here.step),
                false => {
                    if here.step > best.step {
                        high
                    } else {
                        low
                    }
                }
            };
            let closer = (cubic - here.step).abs() < (secant - here.step).abs();
            step = if *bracketed {
                let tried = if closer { cubic } else { secant };
                let bound = here.step + 0.66 * (other.step - here.step);
                if here.step > best.step { tried.min(bound) } else { tried.max(bound) }
            } else {
                (if closer { secant } else { cubic }).clamp(low, high)
            };
        } else if *bracketed {
            // Lower, and not flatter.
            let theta = 3.0 * (here.value - other.value) / (other.step - here.step) + other.slope + here.slope;
            let s = theta.abs().max(other.slope.abs()).max(here.slope.abs());
            let root = s * ((theta / s).powi(2) - other.slope / s * (here.slope / s)).sqrt();
            let gamma = if here.step > other.step { -root } else { root };
            let r = (gamma - here.slope + theta) / (gamma - here.slope + gamma + other.slope);
            step = here.step + r * (other.step - here.step);
        } else {
            step = if here.step > best.step { high } else { low };
        }
        if here.value > best.value {
            *other = here;
        } else {
            if opposite < 0.0 {
                *other = *best;
            }
            *best = here;
        }
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The conditions, asked of the function itself.
    fn satisfies(f: impl Fn(f64) -> (f64, f64), first: f64) -> bool {
        let (value, slope) = f(0.0);
        let found = search(At { step: 0.0, value, slope }, first, &f).unwrap();
        let (there, flat) = f(found.step);
        there <= value + DECREASE * found.step * slope && flat.abs() <= FLATTEN * slope.abs()
    }

    #[test]
    fn steps_satisfy_the_wolfe_conditions_from_any_first_step() {
        for first in [1e-3, 0.1, 1.0, 30.0, 1e4] {
            assert!(satisfies(|x| ((x - 3.0).powi(2), 2.0 * (x - 3.0)), first), "{first}");
            // Moré and Thuente's first function, with a long flat tail.
            assert!(satisfies(|x| (-x / (x * x + 2.0), (x * x - 2.0) / (x * x + 2.0).powi(2)), first), "{first}");
            assert!(satisfies(|x| ((x - 5.0).exp() - x, (x - 5.0).exp() - 1.0), first.min(100.0)), "{first}");
        }
    }

    #[test]
    fn a_line_that_rises_has_no_step() {
        assert!(search(At { step: 0.0, value: 0.0, slope: 1.0 }, 1.0, |x| (x, 1.0)).is_none());
    }
}
