//! Fewer units than features: the directions in which units differ.

use super::standardised::Standardised;
use crate::linalg::{Symmetric, dot};
use crate::{Context, Result};

/// Orthonormal directions Q of the space of coefficients that the units' features X span, and X Q.
///
/// Without a penalty, or with one on squares alone, what is minimised depends on coefficients b by X b and |b| only. So the
/// b that minimises it lies in that space: b = Q c, |b| = |c|, X b = (X Q) c. There are no more directions than units.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RowSpace {
    /// X Q, a feature for each direction.
    pub(super) coordinates: Standardised,
    /// The units whose features the directions are made of: X X' of these is L L', and Q is their X' times the inverse of L'.
    units: Vec<usize>,
    /// L, row after row.
    factor: Vec<Vec<f64>>,
}

/// Directions in which units differ by less than this share, squared, of their length are rounding.
const ROUNDING: f64 = 1e-12;

/// Products of all pairs of units are taken over this many features at a time.
const BLOCK: usize = 256;

impl RowSpace {
    /// By a Cholesky decomposition of X X', the unit with most left first. Cost: O(units^2 (features + units)).
    pub(super) fn of(features: &Standardised, context: &Context) -> Result<RowSpace> {
        let units = features.units();
        let mut products = Symmetric::zeros(units);
        let mut block = vec![0.0; BLOCK * units];
        for from in (0..features.len()).step_by(BLOCK) {
            let to = (from + BLOCK).min(features.len());
            let cells = &mut block[..(to - from) * units];
            cells.fill(0.0);
            for (j, cells) in (from..to).zip(cells.chunks_exact_mut(units.max(1))) {
                if features.column(j).varies() {
                    features.column(j).write(0, units, cells, 1);
                }
            }
            products.add_product((0, 0), (cells, units), (cells, units));
            context.worked(units * units * (to - from))?;
        }
        let mut left: Vec<f64> = (0..units).map(|unit| products[(unit, unit)]).collect();
        let little = ROUNDING * left.iter().fold(0.0, |most: f64, left| most.max(*left));
        let (mut chosen, mut directions): (Vec<usize>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        while let Some(next) = (0..units).reduce(|best, unit| if left[unit] > left[best] { unit } else { best })
            && left[next] > little
        {
            let mut direction = products.row(next).to_vec();
            for other in &directions {
                let share = other[next];
                direction.iter_mut().zip(other).for_each(|(cell, other)| *cell -= share * other);
            }
            let length = left[next].sqrt();
            direction.iter_mut().for_each(|cell| *cell /= length);
            chosen.iter().for_each(|&unit| direction[unit] = 0.0);
            direction[next] = length;
            left.iter_mut().zip(&direction).for_each(|(left, cell)| *left -= cell * cell);
            left[next] = f64::NEG_INFINITY;
            chosen.push(next);
            context.worked(units * chosen.len())?;
            directions.push(direction);
        }
        let factor = chosen.iter().enumerate();
        let factor = factor.map(|(at, &unit)| directions[..=at].iter().map(|direction| direction[unit]).collect());
        let factor = factor.collect();
        Ok(RowSpace { coordinates: Standardised::of_directions(units, &directions), units: chosen, factor })
    }

    /// Q' b of each of several rows of coefficients.
    pub(super) fn inward(
        &self,
        features: &Standardised,
        rows: usize,
        b: &[f64],
        context: &Context,
    ) -> Result<Vec<f64>> {
        if b.iter().all(|b| *b == 0.0) {
            return Ok(vec![0.0; rows * self.units.len()]);
        }
        let sums = features.products_of_all().over_features(rows, b, context)?;
        let mut found = Vec::with_capacity(rows * self.units.len());
        for sums in sums.chunks_exact(features.units().max(1)) {
            let from = found.len();
            for (&unit, row) in self.units.iter().zip(&self.factor) {
                let (before, own) = row.split_at(row.len() - 1);
                let value = (sums[unit] - dot(before, &found[from..])) / own[0];
                found.push(value);
            }
        }
        Ok(found)
    }

    /// Q c of each of several rows.
    pub(super) fn outward(
        &self,
        features: &Standardised,
        rows: usize,
        c: &[f64],
        context: &Context,
    ) -> Result<Vec<f64>> {
        let (units, rank) = (features.units(), self.units.len());
        let mut of_units = vec![0.0; rows * units];
        for (cells, c) in of_units.chunks_exact_mut(units.max(1)).zip(c.chunks_exact(rank.max(1))) {
            let mut left = c.to_vec();
            for (at, row) in self.factor.iter().enumerate().rev() {
                let value = left[at] / row[at];
                left.iter_mut().zip(row).for_each(|(left, l)| *left -= value * l);
                cells[self.units[at]] = value;
            }
        }
        features.products_of_all().over_units(rows, &of_units, context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experts::Features;
    use crate::random::stream;
    use rand_distr::{Distribution, StandardNormal};

    #[test]
    fn directions_are_orthonormal_and_span_what_units_are() {
        // With a constant feature, a sparse one, and two units alike.
        for (units, width) in [(1, 3), (2, 5), (9, 40)] {
            let mut random = stream(5, units as u64);
            let mut columns: Vec<Vec<f64>> =
                (0..width).map(|_| (0..units).map(|_| StandardNormal.sample(&mut random)).collect()).collect();
            columns[0].fill(2.0);
            columns[1].iter_mut().enumerate().filter(|(unit, _)| unit % 4 != 1).for_each(|(_, cell)| *cell = 0.0);
            if units > 5 {
                columns.iter_mut().for_each(|column| column[5] = column[2]);
            }
            let features = Standardised::of(&Features::from_columns(units, &columns).unwrap());
            let space = RowSpace::of(&features, &Context::new()).unwrap();
            let rank = space.coordinates.len();
            // Features have mean 0: one direction less than units that differ.
            assert_eq!(rank, if units > 5 { units - 2 } else { units - 1 });
            let context = Context::new();
            let unit_rows: Vec<f64> = (0..rank * rank).map(|i| f64::from(u8::from(i / rank == i % rank))).collect();
            let basis = space.outward(&features, rank, &unit_rows, &context).unwrap();
            for (i, one) in basis.chunks_exact(width).enumerate() {
                for (j, other) in basis.chunks_exact(width).enumerate() {
                    assert!((dot(one, other) - f64::from(u8::from(i == j))).abs() < 1e-9);
                }
                // X q is the coordinate of each unit.
                let sums = features.sums(one);
                let same = space.coordinates.column(i).dense().unwrap();
                assert!(sums.iter().zip(same).all(|(a, b)| (a - b).abs() < 1e-9));
            }
            let b: Vec<f64> = (0..2 * width).map(|i| ((i * 5) % 7) as f64 - 3.0).collect();
            let c = space.inward(&features, 2, &b, &context).unwrap();
            for (b, c) in b.chunks_exact(width).zip(c.chunks_exact(rank.max(1))) {
                let (sums, same) = (features.sums(b), space.coordinates.sums(c));
                assert!(sums.iter().zip(&same).all(|(a, b)| (a - b).abs() < 1e-8), "{sums:?} {same:?}");
            }
        }
    }
}
