//! Newton's steps with conjugate gradients, for many features: no matrix of second derivatives is ever made.

use super::products::Products;
use super::smooth::{Place, Shape, Smooth};
use super::standardised::Standardised;
use crate::linalg::dot;
use crate::{Context, Result};

/// What is minimised: a loss with penalties on the coefficients of each row.
pub(super) struct Problem<'a, S> {
    pub(super) features: &'a Standardised,
    pub(super) smooth: &'a S,
    /// Of each row of sums, what |b| costs, and what b^2 / 2 costs.
    pub(super) penalties: Vec<(f64, f64)>,
    /// Free numbers stay within this of zero.
    pub(super) farthest: f64,
}

/// When steps end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Where a step promises less than this share of the objective.
    pub(super) tolerance: f64,
    /// The most steps.
    pub(super) steps: usize,
}

/// Intercepts, coefficients and free numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Numbers {
    /// One for each row that has one.
    pub(super) intercepts: Vec<f64>,
    /// Row after row, one for each feature.
    pub(super) coefficients: Vec<f64>,
    pub(super) free: Vec<f64>,
}

/// Where the steps ended.
#[derive(Clone, Debug)]
pub(super) struct Minimum {
    pub(super) numbers: Numbers,
    /// The loss with the penalties.
    #[cfg(test)]
    pub(super) objective: f64,
    pub(super) loss: f64,
    pub(super) steps: usize,
    pub(super) converged: bool,
}

/// Conjugate gradients end here, or where what is left is this share of what there was.
const MOST_ROUNDS: usize = 40;
const LEFT: f64 = 0.15;
/// A step is shortened at most this often.
const HALVINGS: usize = 12;

/// Where the steps are.
struct Here<P> {
    /// Intercepts, coefficients and free numbers, one after the other.
    values: Vec<f64>,
    place: Place,
    point: P,
    loss: f64,
    objective: f64,
}

/// What a step of Newton is made of.
struct Newton<'a, P> {
    here: &'a Here<P>,
    /// Derivatives with the penalty, and which values may move.
    slopes: &'a [f64],
    moving: &'a [bool],
    /// The sizes of the second derivatives.
    scales: &'a [f64],
    products: &'a Products<'a>,
}

/// Where a share of a direction led, and what it promised.
struct Arrived<P> {
    next: Here<P>,
    share: f64,
    fall: f64,
}

/// The length of a move, in units in which the second derivatives are about 1.
fn length(moves: &[f64], scales: &[f64]) -> f64 {
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
    /// Walks down to the nearest minimum from some numbers. The objective never rises.
    ///
    /// In each step the signs of coefficients are held: those that are not zero keep theirs, and those that are zero and
    /// whose gradient is beyond the penalty may move away from zero. With these signs the objective is smooth; Newton's
    /// equations for it are solved by conjugate gradients, with second derivatives times a vector taken exactly, which is
    /// two products of the matrix of features with a few vectors. A coefficient that would change its sign stops at zero.
    /// The step is shortened until the objective falls. Conjugate gradients end at a distance that grows after steps that
    /// did what they promised and shrinks after others (Steihaug 1983): where the loss is not convex, this is what ends them.
    ///
    /// Cost of a round of conjugate gradients: O(values of the features that may move, times rows).
    pub(super) fn minimise(&self, start: Numbers, limits: Limits, context: &Context) -> Result<Minimum> {
        let all: Vec<usize> = (0..self.features.len()).collect();
        let everything = self.features.products(&all);
        let mut here = self.here(start, &everything, context)?;
        let (mut steps, mut converged, mut radius) = (0, false, f64::INFINITY);
        while steps < limits.steps {
            let gradient = self.gradient(&here, &everything, context)?;
            let (slopes, moving) = self.pseudo_gradient(&here.values, &gradient);
            let some = self.moving_features(&moving);
            // A copy of the columns that may move is worth its while if they are clearly fewer.
            let fewer = 10 * some.len() < 7 * all.len();
            let few = fewer.then(|| self.features.products(&some));
            let products = few.as_ref().unwrap_or(&everything);
            let scales = self.scales(&here);
            let newton = Newton { here: &here, slopes: &slopes, moving: &moving, scales: &scales, products };
            let direction = self.direction(&newton, radius, context)?;
            let promised = -dot(&slopes, &direction);
            let enough = limits.tolerance * here.objective.abs().max(1.0);
            if promised <= enough {
                converged = true;
                break;
            }
            steps += 1;
            match self.along(&newton, &direction, context)? {
                Some(Arrived { next, share, fall }) => {
                    let distance = share * length(&direction, &scales);
                    // Newton's model says that half of the first fall is lost on the way.
                    let kept = (here.objective - next.objective) / fall;
                    radius = match share < 1.0 || kept < 0.2 {
                        true => {
                            if share < 1.0 {
                                distance
                            } else {
                                0.5 * distance
                            }
                        }
                        false => radius.max(3.0 * distance),
                    };
                    here = next;
                }
                None => match self.shrunk(&here, &gradient, &everything, context)? {
                    Some(next) => here = next,
                    // Rounding is all that is left.
                    None => {
                        converged = true;
                        break;
                    }
                },
            }
        }
        Ok(Minimum {
            #[cfg(test)]
            objective: here.objective,
            loss: here.loss,
            numbers: self.numbers(here.values),
            steps,
            converged,
        })
    }

    fn shape(&self) -> Shape {
        self.smooth.shape()
    }

    /// How many intercepts there are, and where the free numbers begin.
    fn parts(&self) -> (usize, usize) {
        let Shape { rows, intercepts, .. } = self.shape();
        (intercepts, intercepts + rows * self.features.len())
    }

    fn numbers(&self, mut values: Vec<f64>) -> Numbers {
        let (intercepts, free) = self.parts();
        let free = values.split_off(free);
        let coefficients = values.split_off(intercepts);
        Numbers { intercepts: values, coefficients, free }
    }

    fn here(&self, start: Numbers, products: &Products<'_>, context: &Context) -> Result<Here<S::Point>> {
        let mut values = start.intercepts;
        values.extend(start.coefficients);
        values.extend(start.free);
        let place = self.place_of(&values, products, context)?;
        Ok(self.look(values, place))
    }

    /// The sums that values give.
    fn place_of(&self, values: &[f64], products: &Products<'_>, context: &Context) -> Result<Place> {
        let (intercepts, free) = self.parts();
        let Shape { rows, units, .. } = self.shape();
        let mut sums = products.over_features(rows, &values[intercepts..free], context)?;
        for (row, intercept) in values[..intercepts].iter().enumerate() {
            sums[row * units..(row + 1) * units].iter_mut().for_each(|sum| *sum += intercept);
        }
        Ok(Place { sums, free: values[free..].to_vec() })
    }

    fn look(&self, values: Vec<f64>, place: Place) -> Here<S::Point> {
        let point = self.smooth.at(&place);
        let loss = self.smooth.loss(&point);
        let objective = loss + self.penalty(&values);
        Here { values, place, point, loss, objective }
    }

    fn penalty(&self, values: &[f64]) -> f64 {
        let (intercepts, _) = self.parts();
        let width = self.features.len();
        let of_row = |(row, (one, two)): (usize, &(f64, f64))| -> f64 {
            let from = intercepts + row * width;
            values[from..from + width].iter().map(|b| one * b.abs() + 0.5 * two * b * b).sum()
        };
        self.penalties.iter().enumerate().map(of_row).sum()
    }

    /// What a value's size costs: nothing of intercepts and free numbers.
    fn penalty_of(&self, at: usize) -> (f64, f64) {
        let (intercepts, free) = self.parts();
        match (intercepts..free).contains(&at) {
            true => self.penalties[(at - intercepts) / self.features.len()],
            false => (0.0, 0.0),
        }
    }

    /// Derivatives along all values, but for the part of the penalty that has none at zero.
    fn gradient(&self, here: &Here<S::Point>, products: &Products<'_>, context: &Context) -> Result<Vec<f64>> {
        let slopes = self.smooth.slopes(&here.point);
        self.back(&slopes, &here.values, products, context)
    }

    /// From numbers for sums to numbers for values; `of` are what the squares are penalised of.
    fn back(&self, place: &Place, of: &[f64], products: &Products<'_>, context: &Context) -> Result<Vec<f64>> {
        let (intercepts, free) = self.parts();
        let Shape { rows, units, .. } = self.shape();
        let mut values: Vec<f64> =
            (0..intercepts).map(|row| place.sums[row * units..(row + 1) * units].iter().sum()).collect();
        values.extend(products.over_units(rows, &place.sums, context)?);
        values.extend(&place.free);
        let width = self.features.len();
        for (row, (_, two)) in self.penalties.iter().enumerate().filter(|(_, (_, two))| *two != 0.0) {
            let from = intercepts + row * width;
            let cells = values[from..from + width].iter_mut().zip(&of[from..from + width]);
            cells.for_each(|(value, of)| *value += two * of);
        }
        debug_assert_eq!(values.len(), free + place.free.len());
        Ok(values)
    }

    /// The derivatives with the penalty, along the values that may move, and which these are.
    fn pseudo_gradient(&self, values: &[f64], gradient: &[f64]) -> (Vec<f64>, Vec<bool>) {
        let (_, free) = self.parts();
        let slope = |(at, (&value, &slope)): (usize, (&f64, &f64))| {
            let (penalty, _) = self.penalty_of(at);
            if at >= free && value.abs() >= self.farthest && value * slope < 0.0 {
                // At its bound, and on its way out.
                return (0.0, false);
            }
            if value != 0.0 || penalty == 0.0 {
                return (slope + if value == 0.0 { 0.0 } else { penalty * value.signum() }, true);
            }
            match slope.abs() > penalty {
                true => (slope - penalty * slope.signum(), true),
                false => (0.0, false),
            }
        };
        values.iter().zip(gradient).enumerate().map(slope).unzip()
    }

    /// The features of which some coefficient may move.
    fn moving_features(&self, moving: &[bool]) -> Vec<usize> {
        let ((intercepts, _), width) = (self.parts(), self.features.len());
        let moves = |j: usize| (0..self.penalties.len()).any(|row| moving[intercepts + row * width + j]);
        (0..width).filter(|&j| moves(j)).collect()
    }

    /// Second derivatives times a direction.
    fn curved(&self, newton: &Newton<'_, S::Point>, direction: &[f64], context: &Context) -> Result<Vec<f64>> {
        let moved = self.place_of(direction, newton.products, context)?;
        let curved = self.smooth.curvature(&newton.here.point, &moved);
        self.back(&curved, direction, newton.products, context)
    }

    /// Newton's direction, roughly: by conjugate gradients, preconditioned by the sizes of second derivatives.
    fn direction(&self, newton: &Newton<'_, S::Point>, radius: f64, context: &Context) -> Result<Vec<f64>> {
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
        let (intercepts, free) = self.parts();
        for at in intercepts..free {
            if here.values[at] == 0.0 && self.penalty_of(at).0 > 0.0 && direction[at] * slopes[at] > 0.0 {
                direction[at] = 0.0;
            }
        }
        Ok(direction)
    }

    /// The sizes of the second derivatives: features have variance 1.
    fn scales(&self, here: &Here<S::Point>) -> Vec<f64> {
        let ((rows, free), shape, width) = (self.smooth.weights(&here.point), self.shape(), self.features.len());
        let little = 1e-6 * shape.units as f64 + f64::MIN_POSITIVE;
        let mut scales: Vec<f64> = rows[..shape.intercepts].iter().map(|weight| weight + little).collect();
        for (weight, (_, two)) in rows.iter().zip(&self.penalties) {
            scales.resize(scales.len() + width, weight + two + little);
        }
        scales.extend(free.iter().map(|weight| weight + 1e-3));
        scales
    }

    /// The point along a direction, or half of it, or a quarter, until the objective falls as it should.
    fn along(
        &self,
        newton: &Newton<'_, S::Point>,
        direction: &[f64],
        context: &Context,
    ) -> Result<Option<Arrived<S::Point>>> {
        let Newton { here, slopes, products, .. } = *newton;
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            let values = self.with_signs(here, slopes, direction, share);
            let moves: Vec<f64> = values.iter().zip(&here.values).map(|(to, from)| to - from).collect();
            let fall = -dot(slopes, &moves);
            let next = self.look(values, self.moved(here, &moves, products, context)?);
            if fall > 0.0 && next.objective <= here.objective - 1e-4 * fall && next.objective < here.objective {
                return Ok(Some(Arrived { next, share, fall }));
            }
            share /= 2.0;
        }
        Ok(None)
    }

    /// Values a share of the direction on; where one would change its sign, it is zero.
    fn with_signs(&self, here: &Here<S::Point>, slopes: &[f64], direction: &[f64], share: f64) -> Vec<f64> {
        let (intercepts, free) = self.parts();
        let mut values: Vec<f64> = here.values.iter().zip(direction).map(|(value, by)| value + share * by).collect();
        for at in intercepts..free {
            let sign = if here.values[at] == 0.0 { -slopes[at] } else { here.values[at] };
            if self.penalty_of(at).0 > 0.0 && values[at] * sign < 0.0 {
                values[at] = 0.0;
            }
        }
        for (value, from) in values[free..].iter_mut().zip(&here.values[free..]) {
            *value = value.clamp((-self.farthest).min(*from), self.farthest.max(*from));
        }
        values
    }

    fn moved(&self, here: &Here<S::Point>, moves: &[f64], products: &Products<'_>, context: &Context) -> Result<Place> {
        let mut place = self.place_of(moves, products, context)?;
        place.sums.iter_mut().zip(&here.place.sums).for_each(|(to, from)| *to += from);
        place.free.iter_mut().zip(&here.place.free).for_each(|(to, from)| *to += from);
        Ok(place)
    }

    /// A proximal step along the gradient, short enough to lower the objective: where Newton's directions fail.
    fn shrunk(
        &self,
        here: &Here<S::Point>,
        gradient: &[f64],
        products: &Products<'_>,
        context: &Context,
    ) -> Result<Option<Here<S::Point>>> {
        let (scales, (_, free)) = (self.scales(here), self.parts());
        let mut stretch = 1.0;
        for _ in 0..HALVINGS {
            let mut values = here.values.clone();
            for (at, value) in values.iter_mut().enumerate() {
                let (scale, (penalty, _)) = (stretch * scales[at], self.penalty_of(at));
                *value = super::quadratic::soft(*value - gradient[at] / scale, penalty / scale);
                if at >= free {
                    *value = value.clamp(-self.farthest, self.farthest);
                }
            }
            let moves: Vec<f64> = values.iter().zip(&here.values).map(|(to, from)| to - from).collect();
            let next = self.look(values, self.moved(here, &moves, products, context)?);
            if next.objective < here.objective - 1e-15 * here.objective.abs() {
                return Ok(Some(next));
            }
            stretch *= 4.0;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
