//! How far to go along a direction.

use super::{Here, Newton, Problem};
use crate::experts::products::Products;
use crate::experts::quadratic::soft;
use crate::experts::smooth::{Place, Smooth};
use crate::linalg::dot;
use crate::{Context, Result};

/// A step is shortened at most this often: to a four-thousandth, where what a step gains is lost in rounding.
const HALVINGS: usize = 12;

/// Where a share of a direction led, and what it promised.
pub(super) struct Arrived<P> {
    pub(super) next: Here<P>,
    pub(super) share: f64,
    pub(super) fall: f64,
}

impl<S: Smooth> Problem<'_, S> {
    /// The point along a direction, or half of it, or a quarter, until the objective falls as it should.
    pub(super) fn along(
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
        let (_, free) = self.parts();
        let mut values: Vec<f64> = here.values.iter().zip(direction).map(|(value, by)| value + share * by).collect();
        for at in self.penalised().flat_map(|(places, _)| places) {
            let sign = if here.values[at] == 0.0 { -slopes[at] } else { here.values[at] };
            if values[at] * sign < 0.0 {
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
    pub(super) fn shrunk(
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
                *value = soft(*value - gradient[at] / scale, penalty / scale);
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
