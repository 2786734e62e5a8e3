//! Newton's direction, by conjugate gradients.

use super::{Newton, Problem};
use crate::experts::smooth::Smooth;
use crate::linalg::dot;
use crate::{Context, Result};

/// Conjugate gradients end where what is left is this share of what there was: half, as is usual of inexact Newton steps (Dembo,
/// Eisenstat and Steihaug 1982). More exact steps are fewer, but each costs more: on four draws of 1,000 units and 512 features
/// .3 took up to 1.4 times as many products in all, and .15 up to 1.7 times.
const LEFT: f64 = 0.5;
/// Or here: a step that needs more is in a valley so flat that the next one, from another place, does better. With twice as many,
/// 50 units and 10,000 features took 2.3 times as many products in all, and 1,000 units and 512 features as many.
const MOST_ROUNDS: usize = 20;

/// The length of a move, in units in which the second derivatives are about 1.
pub(super) fn length(moves: &[f64], scales: &[f64]) -> f64 {
    moves.iter().zip(scales).map(|(by, scale)| scale * by * by).sum::<f64>().sqrt()
}

/// How much of a way leads from moves to where their length is the radius.
fn to_the_edge(moves: &[f64], way: &[f64], scales: &[f64], radius: f64) -> f64 {
    if radius.is_infinite() {
        return f64::INFINITY;
    }
    let (mut two, mut one, mut zero) = (0.0, 0.0, -radius * radius);
    for ((moved, by), scale) in moves.iter().zip(way).zip(scales) {
        two += scale * by * by;
        one += scale * moved * by;
        zero += scale * moved * moved;
    }
    // The larger root; the moves so far are within the radius.
    (-one + (one * one - two * zero.min(0.0)).sqrt()) / two.max(f64::MIN_POSITIVE)
}

impl<S: Smooth> Problem<'_, S> {
    /// Second derivatives times a direction.
    fn curved(&self, newton: &Newton<'_, S::Point>, direction: &[f64], context: &Context) -> Result<Vec<f64>> {
        let moved = self.place_of(direction, newton.products, context)?;
        let curved = self.smooth.curvature(&newton.here.point, &moved);
        self.back(&curved, direction, newton.products, context)
    }

    /// Newton's direction, roughly: by conjugate gradients, preconditioned by the sizes of second derivatives.
    pub(super) fn direction(&self, newton: &Newton<'_, S::Point>, radius: f64, context: &Context) -> Result<Vec<f64>> {
        let Newton { here, slopes, moving, .. } = *newton;
        // Of many coefficients few may move: the arithmetic is on these alone.
        let places: Vec<usize> = (0..slopes.len()).filter(|&at| moving[at]).collect();
        let taken = |all: &[f64]| -> Vec<f64> { places.iter().map(|&at| all[at]).collect() };
        let mut whole = vec![0.0; slopes.len()];
        let put = |whole: &mut [f64], some: &[f64]| places.iter().zip(some).for_each(|(&at, value)| whole[at] = *value);
        let scales = &taken(newton.scales)[..];
        let mut direction = vec![0.0; places.len()];
        let mut left: Vec<f64> = places.iter().map(|&at| -slopes[at]).collect();
        let scaled = |left: &[f64]| -> Vec<f64> { left.iter().zip(scales).map(|(left, scale)| left / scale).collect() };
        let mut way = scaled(&left);
        let mut size = dot(&left, &way);
        let first = size;
        for round in 0..MOST_ROUNDS {
            if size <= LEFT * LEFT * first || size == 0.0 {
                break;
            }
            put(&mut whole, &way);
            let curved = taken(&self.curved(newton, &whole, context)?);
            let curvature = dot(&way, &curved);
            let typical: f64 = way.iter().zip(scales).map(|(by, scale)| scale * by * by).sum();
            let flat = curvature <= 1e-8 * typical;
            if flat && radius.is_infinite() {
                if round == 0 {
                    direction = way;
                }
                break;
            }
            let step = size / curvature;
            let most = to_the_edge(&direction, &way, scales, radius);
            if flat || step >= most {
                direction.iter_mut().zip(&way).for_each(|(to, by)| *to += most * by);
                break;
            }
            direction.iter_mut().zip(&way).for_each(|(to, by)| *to += step * by);
            left.iter_mut().zip(&curved).for_each(|(left, by)| *left -= step * by);
            let next = scaled(&left);
            let now = dot(&left, &next);
            let keep = now / size;
            way.iter_mut().zip(&next).for_each(|(way, next)| *way = next + keep * *way);
            size = now;
        }
        put(&mut whole, &direction);
        let mut direction = whole;
        // A coefficient that is zero moves only the way its gradient points.
        for at in self.penalised().flat_map(|(places, _)| places) {
            if here.values[at] == 0.0 && direction[at] * slopes[at] > 0.0 {
                direction[at] = 0.0;
            }
        }
        Ok(direction)
    }
}
