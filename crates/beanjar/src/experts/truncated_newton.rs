//! Newton's steps with conjugate gradients, for many features: no matrix of second derivatives is ever made.

mod direction;
mod line_search;

use super::products::Products;
use super::smooth::{Place, Shape, Smooth};
use super::standardised::Standardised;
use crate::linalg::dot;
use crate::{Context, Result};
use direction::length;
use line_search::Arrived;
use std::ops::Range;

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

/// In one step, no more coefficients of a row leave zero than have left it, or this share of the units, or these. A row has at
/// most as many as there are units, and reaches a few hundred in a few doublings. Half and double of the share took 1.1 and 1.02
/// times as many products.
const NEWCOMERS: usize = 4;
const FEWEST: usize = 10;

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
    /// Where no penalty is on absolute sizes and features are many more than units, steps are in the space that the units span.
    ///
    /// Cost of a round of conjugate gradients: O(values of the features that may move, times rows).
    pub(super) fn minimise(&self, start: Numbers, limits: Limits, context: &Context) -> Result<Minimum> {
        let features = self.features;
        let space = match self.penalties.iter().all(|(one, _)| *one == 0.0) {
            true => features.row_space(context)?,
            false => None,
        };
        let Some(space) = space else { return self.descend(start, limits, context) };
        let rows = self.shape().rows;
        let coefficients = space.inward(features, rows, &start.coefficients, context)?;
        let inside = Problem {
            features: &space.coordinates,
            smooth: self.smooth,
            penalties: self.penalties.clone(),
            farthest: self.farthest,
        };
        let end = inside.descend(Numbers { coefficients, ..start }, limits, context)?;
        let coefficients = space.outward(features, rows, &end.numbers.coefficients, context)?;
        Ok(Minimum { numbers: Numbers { coefficients, ..end.numbers }, ..end })
    }

    /// [`minimise`](Self::minimise) with the features as they are.
    fn descend(&self, start: Numbers, limits: Limits, context: &Context) -> Result<Minimum> {
        let all: Vec<usize> = (0..self.features.len()).collect();
        let everything = self.features.products(&all);
        let mut here = self.here(start, &everything, context)?;
        let (mut steps, mut converged, mut radius) = (0, false, f64::INFINITY);
        while steps < limits.steps {
            let gradient = self.gradient(&here, &everything, context)?;
            let (mut slopes, mut moving) = self.pseudo_gradient(&here.values, &gradient);
            let held_back = self.hold_back(&here.values, &mut slopes, &mut moving);
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
            if promised <= enough && !held_back {
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

    /// The places of the rows of coefficients whose absolute sizes are penalised, and how much.
    fn penalised(&self) -> impl Iterator<Item = (Range<usize>, f64)> + '_ {
        let ((intercepts, _), width) = (self.parts(), self.features.len());
        let place = move |row: usize| intercepts + row * width..intercepts + (row + 1) * width;
        let rows = self.penalties.iter().enumerate().filter(|(_, (one, _))| *one > 0.0);
        rows.map(move |(row, (one, _))| (place(row), *one))
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
        let mut slopes = gradient.to_vec();
        let mut moving = vec![true; values.len()];
        for (places, penalty) in self.penalised() {
            for at in places {
                let (value, slope) = (values[at], gradient[at]);
                (slopes[at], moving[at]) = match value != 0.0 {
                    true => (slope + penalty * value.signum(), true),
                    false if slope.abs() > penalty => (slope - penalty * slope.signum(), true),
                    false => (0.0, false),
                };
            }
        }
        for at in free..values.len() {
            if values[at].abs() >= self.farthest && values[at] * gradient[at] < 0.0 {
                // At its bound, and on its way out.
                (slopes[at], moving[at]) = (0.0, false);
            }
        }
        (slopes, moving)
    }

    /// Lets only the steepest of the coefficients that are zero move, where there are many; whether some were held back.
    ///
    /// Of many that are steep at zero, most are not any more once a few have moved: a step of all of them would be shortened
    /// until it is of no use. An L1 fit has at the most as many coefficients in a row as there are units.
    fn hold_back(&self, values: &[f64], slopes: &mut [f64], moving: &mut [bool]) -> bool {
        let mut held = false;
        for (places, _) in self.penalised() {
            let entered = values[places.clone()].iter().filter(|value| **value != 0.0).count();
            let most = entered.max(self.shape().units / NEWCOMERS).max(FEWEST);
            let mut entering: Vec<usize> = places.filter(|&at| moving[at] && values[at] == 0.0).collect();
            if entering.len() > most {
                let steeper = |a: &usize, b: &usize| slopes[*b].abs().total_cmp(&slopes[*a].abs()).then(a.cmp(b));
                entering.select_nth_unstable_by(most, steeper);
                for &at in &entering[most..] {
                    (slopes[at], moving[at]) = (0.0, false);
                }
                held = true;
            }
        }
        held
    }

    /// The features of which some coefficient may move.
    fn moving_features(&self, moving: &[bool]) -> Vec<usize> {
        let ((intercepts, _), width) = (self.parts(), self.features.len());
        let moves = |j: usize| (0..self.penalties.len()).any(|row| moving[intercepts + row * width + j]);
        (0..width).filter(|&j| moves(j)).collect()
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
}

#[cfg(test)]
mod tests;
