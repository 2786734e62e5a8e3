//! The minimum of a smooth function of many variables, by conjugate gradients (Polak and Ribière).

use super::line_search::{At, search};
use super::zoom;
use crate::Result;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limits {
    /// After this many directions.
    pub(super) iterations: usize,
    /// When no slope is steeper than this.
    pub(super) steepest: f64,
}

/// A direction must lead downhill by this share of the steepest one.
const DOWNHILL: f64 = 0.01;

/// Moves `x` to a minimum of the function of which `look` gives the value and, in its second argument, the slopes.
///
/// A step is only taken to where the next direction leads downhill (Gilbert and Nocedal 1992). Where that of the first line
/// search does not, another one looks for it.
pub(super) fn minimise(
    x: &mut Vec<f64>,
    limits: Limits,
    mut look: impl FnMut(&[f64], &mut [f64]) -> Result<f64>,
) -> Result<()> {
    let n = x.len();
    let mut slopes = vec![0.0; n];
    let mut value = look(x, &mut slopes)?;
    let mut value_before = value + dot(&slopes, &slopes).sqrt() / 2.0;
    let mut direction: Vec<f64> = slopes.iter().map(|slope| -slope).collect();
    let (mut there, mut slopes_there) = (vec![0.0; n], vec![0.0; n]);
    for _ in 0..limits.iterations {
        if steepest(&slopes) <= limits.steepest {
            break;
        }
        let start = At { step: 0.0, value, slope: dot(&slopes, &direction) };
        let guess = 1.01 * 2.0 * (value - value_before) / start.slope;
        let first = if guess < 0.0 { 1.0 } else { guess.min(1.0) };
        let mut failed = None;
        let mut at = |step: f64| {
            there.iter_mut().zip(x.iter().zip(&direction)).for_each(|(there, (x, along))| *there = x + step * along);
            let value = look(&there, &mut slopes_there).unwrap_or_else(|error| {
                failed = Some(error);
                f64::NAN
            });
            let here = At { step, value, slope: dot(&slopes_there, &direction) };
            let square = dot(&slopes_there, &slopes_there);
            let downhill = kept(&slopes, &slopes_there) * here.slope - square <= -DOWNHILL * square;
            (here, downhill || steepest(&slopes_there) <= limits.steepest)
        };
        let mut leads_on = false;
        let found = search(start, first, |step| {
            let (here, allowed) = at(step);
            leads_on = allowed;
            (here.value, here.slope)
        });
        // The step that is taken is the last one that was looked at.
        let found = found.filter(|_| leads_on).or_else(|| zoom::search(start, first, &mut at));
        if let Some(error) = failed {
            return Err(error);
        }
        let Some(found) = found else { break };
        (value_before, value) = (value, found.value);
        std::mem::swap(x, &mut there);
        let keep = kept(&slopes, &slopes_there);
        std::mem::swap(&mut slopes, &mut slopes_there);
        direction.iter_mut().zip(&slopes).for_each(|(along, slope)| *along = keep * *along - slope);
    }
    Ok(())
}

/// How much of the direction is kept where slopes are new.
fn kept(old: &[f64], new: &[f64]) -> f64 {
    let turned: f64 = new.iter().zip(old).map(|(new, old)| (new - old) * new).sum();
    (turned / dot(old, old)).max(0.0)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    crate::linalg::dot(a, b)
}

fn steepest(slopes: &[f64]) -> f64 {
    slopes.iter().fold(0.0, |most: f64, slope| most.max(slope.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quadratic_and_a_curved_valley_are_minimised() {
        let limits = Limits { iterations: 2000, steepest: 1e-9 };
        let mut x = vec![5.0, -3.0, 2.0];
        let quadratic = |x: &[f64], slopes: &mut [f64]| {
            let weights = [1.0, 20.0, 0.1];
            (0..3).for_each(|i| slopes[i] = 2.0 * weights[i] * (x[i] - i as f64));
            Ok((0..3).map(|i| weights[i] * (x[i] - i as f64).powi(2)).sum())
        };
        minimise(&mut x, limits, quadratic).unwrap();
        assert!(x.iter().enumerate().all(|(i, x)| (x - i as f64).abs() < 1e-7), "{x:?}");
        let mut x = vec![-1.2, 1.0];
        let rosenbrock = |x: &[f64], slopes: &mut [f64]| {
            slopes[0] = -400.0 * x[0] * (x[1] - x[0] * x[0]) - 2.0 * (1.0 - x[0]);
            slopes[1] = 200.0 * (x[1] - x[0] * x[0]);
            Ok(100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2))
        };
        minimise(&mut x, limits, rosenbrock).unwrap();
        assert!((x[0] - 1.0).abs() < 1e-6 && (x[1] - 1.0).abs() < 1e-6, "{x:?}");
    }
}
