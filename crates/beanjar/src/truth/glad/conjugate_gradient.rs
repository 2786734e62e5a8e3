//! The minimum of a smooth function of many variables, by conjugate gradients (Polak and Ribière).

use super::line_search::{At, search};
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
        let slope = dot(&slopes, &direction);
        let guess = 1.01 * 2.0 * (value - value_before) / slope;
        let first = if guess < 0.0 { 1.0 } else { guess.min(1.0) };
        let mut failed = None;
        let found = search(At { step: 0.0, value, slope }, first, |step| {
            there.iter_mut().zip(x.iter().zip(&direction)).for_each(|(there, (x, along))| *there = x + step * along);
            match look(&there, &mut slopes_there) {
                Ok(value) => (value, dot(&slopes_there, &direction)),
                Err(error) => {
                    failed = Some(error);
                    (f64::NAN, f64::NAN)
                }
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        // The step that is taken is the last one that was looked at.
        let Some(found) = found else { break };
        (value_before, value) = (value, found.value);
        std::mem::swap(x, &mut there);
        let square = dot(&slopes, &slopes);
        let turned: f64 = slopes_there.iter().zip(&slopes).map(|(new, old)| (new - old) * new).sum();
        let keep = (turned / square).max(0.0);
        std::mem::swap(&mut slopes, &mut slopes_there);
        direction.iter_mut().zip(&slopes).for_each(|(along, slope)| *along = keep * *along - slope);
        if dot(&direction, &slopes) > -DOWNHILL * dot(&slopes, &slopes) {
            direction.iter_mut().zip(&slopes).for_each(|(along, slope)| *along = -slope);
        }
    }
    Ok(())
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
