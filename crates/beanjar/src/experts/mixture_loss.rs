//! The likelihood of labels where P(labels | class) is given.

use super::linear::{rows_of, softmax};
use super::smooth::{Place, Shape, Smooth};

/// The sum over units of -ln sum over classes of P(class) P(labels | class): rows are those of the class.
pub(super) struct MixtureLoss<'a> {
    pub(super) classes: usize,
    /// P(labels | class) of each unit, unit by unit, but for a factor.
    pub(super) likelihoods: &'a [f64],
}

/// The probabilities of classes before and after labels were seen, unit by unit.
pub(super) struct BeforeAndAfter {
    loss: f64,
    before: Vec<f64>,
    pub(super) after: Vec<f64>,
}

impl MixtureLoss<'_> {
    /// The number of the class of the first row.
    fn first(&self) -> usize {
        usize::from(self.classes == 2)
    }
}

impl Smooth for MixtureLoss<'_> {
    type Point = BeforeAndAfter;

    fn shape(&self) -> Shape {
        let rows = rows_of(self.classes);
        Shape { rows, intercepts: rows, free: 0, units: self.likelihoods.len() / self.classes }
    }

    fn at(&self, place: &Place) -> BeforeAndAfter {
        let (Shape { rows, units, .. }, classes) = (self.shape(), self.classes);
        let (mut loss, mut sums) = (0.0, vec![0.0; rows]);
        let (mut before, mut after) = (vec![0.0; units * classes], vec![0.0; units * classes]);
        for (unit, (before, after)) in before.chunks_exact_mut(classes).zip(after.chunks_exact_mut(classes)).enumerate()
        {
            (0..rows).for_each(|row| sums[row] = place.sums[row * units + unit]);
            softmax(&sums, before);
            let likelihoods = &self.likelihoods[unit * classes..(unit + 1) * classes];
            let mut all = 0.0;
            for ((after, p), likelihood) in after.iter_mut().zip(&*before).zip(likelihoods) {
                *after = p.max(f64::MIN_POSITIVE) * likelihood;
                all += *after;
            }
            let all = f64::max(all, f64::MIN_POSITIVE);
            after.iter_mut().for_each(|p| *p /= all);
            loss -= all.ln();
        }
        BeforeAndAfter { loss, before, after }
    }

    fn loss(&self, point: &BeforeAndAfter) -> f64 {
        point.loss
    }

    fn slopes(&self, point: &BeforeAndAfter) -> Place {
        let (shape, classes) = (self.shape(), self.classes);
        let mut slopes = Place::zero(shape);
        for unit in 0..shape.units {
            for row in 0..shape.rows {
                let at = unit * classes + row + self.first();
                slopes.sums[row * shape.units + unit] = point.before[at] - point.after[at];
            }
        }
        slopes
    }

    fn curvature(&self, point: &BeforeAndAfter, moved: &Place) -> Place {
        let (shape, classes) = (self.shape(), self.classes);
        let mut curved = Place::zero(shape);
        for unit in 0..shape.units {
            let of = unit * classes + self.first()..(unit + 1) * classes;
            let (before, after) = (&point.before[of.clone()], &point.after[of]);
            let by = |row: usize| moved.sums[row * shape.units + unit];
            let mean = |p: &[f64]| -> f64 { p.iter().enumerate().map(|(row, p)| p * by(row)).sum() };
            let (mean_before, mean_after) = (mean(before), mean(after));
            for row in 0..shape.rows {
                curved.sums[row * shape.units + unit] =
                    before[row] * (by(row) - mean_before) - after[row] * (by(row) - mean_after);
            }
        }
        curved
    }

    fn weights(&self, point: &BeforeAndAfter) -> (Vec<f64>, Vec<f64>) {
        let (shape, classes) = (self.shape(), self.classes);
        let mut weights = vec![0.0; shape.rows];
        for before in point.before.chunks_exact(classes) {
            weights.iter_mut().zip(&before[self.first()..]).for_each(|(sum, p)| *sum += p * (1.0 - p));
        }
        (weights, Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experts::smooth::tests::check;

    #[test]
    fn derivatives_are_those_of_the_loss() {
        for classes in [2, 4] {
            let likelihoods: Vec<f64> = (0..5 * classes).map(|i| ((i * 7 + 2) % 5) as f64 / 5.0 + 0.1).collect();
            check(&MixtureLoss { classes, likelihoods: &likelihoods });
        }
    }
}
