//! Losses as functions of a few sums of features for each unit: of soft labels, and of experts' labels.

use super::labelled_units::Labelled;
use super::linear::softmax;
use super::multinomial::ClassRows;
use super::posterior::{Posteriors, Skills};

/// A loss that is a function of several sums of features for each unit, and of free numbers.
pub(super) trait Smooth {
    /// The loss at a point, with what its derivatives are made of.
    type Point;

    fn shape(&self) -> Shape;

    /// At sums, intercepts included, and free numbers.
    fn at(&self, place: &Place) -> Self::Point;

    fn loss(&self, point: &Self::Point) -> f64;

    /// The derivatives of the loss.
    fn slopes(&self, point: &Self::Point) -> Place;

    /// The second derivatives of the loss times a move.
    fn curvature(&self, point: &Self::Point, moved: &Place) -> Place;

    /// Of each row of sums, and of each free number, the sum over units of the second derivatives of the loss if the
    /// classes were known: above zero, and of the size of the second derivatives.
    fn weights(&self, point: &Self::Point) -> (Vec<f64>, Vec<f64>);
}

/// How many numbers a loss depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape {
    /// Sums for each unit.
    pub(super) rows: usize,
    /// The first of the rows have an intercept.
    pub(super) intercepts: usize,
    /// Free numbers.
    pub(super) free: usize,
    pub(super) units: usize,
}

/// Sums, row after row one for each unit, and free numbers; or moves of them, or derivatives along them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) sums: Vec<f64>,
    pub(super) free: Vec<f64>,
}

impl Place {
    pub(super) fn zero(shape: Shape) -> Place {
        Place { sums: vec![0.0; shape.rows * shape.units], free: vec![0.0; shape.free] }
    }
}

/// The cross entropy of soft labels.
pub(super) struct CrossEntropy<'a> {
    pub(super) rows: &'a ClassRows,
}

/// The probabilities of classes, unit by unit.
pub(super) struct Probabilities {
    loss: f64,
    of_classes: Vec<f64>,
}

impl CrossEntropy<'_> {
    /// The number of the class of a row, of one row or of several.
    fn first(&self) -> usize {
        usize::from(self.rows.classes == 2)
    }
}

impl Smooth for CrossEntropy<'_> {
    type Point = Probabilities;

    fn shape(&self) -> Shape {
        let rows = if self.rows.classes == 2 { 1 } else { self.rows.classes };
        Shape { rows, intercepts: rows, free: 0, units: self.rows.weight.len() }
    }

    fn at(&self, place: &Place) -> Probabilities {
        let (Shape { rows, units, .. }, classes) = (self.shape(), self.rows.classes);
        let (mut loss, mut of_classes, mut sums) = (0.0, vec![0.0; units * classes], vec![0.0; rows]);
        for (unit, cells) in of_classes.chunks_exact_mut(classes).enumerate() {
            (0..rows).for_each(|row| sums[row] = place.sums[row * units + unit]);
            let divisor = softmax(&sums, cells);
            let target = &self.rows.target[unit * classes..(unit + 1) * classes];
            let due: f64 = sums.iter().zip(&target[self.first()..]).map(|(sum, share)| sum * share).sum();
            loss += self.rows.weight[unit] * (divisor.log + divisor.factor.ln() - due);
        }
        Probabilities { loss, of_classes }
    }

    fn loss(&self, point: &Probabilities) -> f64 {
        point.loss
    }

    fn slopes(&self, point: &Probabilities) -> Place {
        let (shape, classes) = (self.shape(), self.rows.classes);
        let mut slopes = Place::zero(shape);
        for (unit, weight) in self.rows.weight.iter().enumerate() {
            for row in 0..shape.rows {
                let at = unit * classes + row + self.first();
                slopes.sums[row * shape.units + unit] = weight * (point.of_classes[at] - self.rows.target[at]);
            }
        }
        slopes
    }

    fn curvature(&self, point: &Probabilities, moved: &Place) -> Place {
        let (shape, classes) = (self.shape(), self.rows.classes);
        let mut curved = Place::zero(shape);
        for (unit, weight) in self.rows.weight.iter().enumerate() {
            let p = &point.of_classes[unit * classes + self.first()..(unit + 1) * classes];
            let by = |row: usize| moved.sums[row * shape.units + unit];
            let mean: f64 = p.iter().enumerate().map(|(row, p)| p * by(row)).sum();
            for (row, p) in p.iter().enumerate() {
                curved.sums[row * shape.units + unit] = weight * p * (by(row) - mean);
            }
        }
        curved
    }

    fn weights(&self, point: &Probabilities) -> (Vec<f64>, Vec<f64>) {
        let (shape, classes) = (self.shape(), self.rows.classes);
        let mut weights = vec![0.0; shape.rows];
        for (unit, weight) in self.rows.weight.iter().enumerate() {
            for (row, cell) in weights.iter_mut().enumerate() {
                let p = point.of_classes[unit * classes + row + self.first()];
                *cell += weight * p * (1.0 - p);
            }
        }
        (weights, Vec::new())
    }
}

/// The negative log-likelihood of experts' labels: rows are those of the class and last ease, skills are free.
pub(super) struct LabelLoss<'a> {
    pub(super) data: &'a Labelled<'a>,
    pub(super) asymmetric: bool,
}

impl LabelLoss<'_> {
    fn classes(&self) -> usize {
        self.data.ballots.classes()
    }

    fn each(&self) -> usize {
        if self.asymmetric { 2 } else { 1 }
    }

    /// Calls `visit` with the unit and the number of its first vote, for each that has votes.
    fn units(&self, mut visit: impl FnMut(usize, usize)) {
        self.data.with_labels().for_each(|unit| visit(unit, self.data.ballots.first_vote(unit)));
    }
}

impl Smooth for LabelLoss<'_> {
    type Point = Posteriors;

    fn shape(&self) -> Shape {
        let classes = self.classes();
        let intercepts = if classes == 2 { 1 } else { classes };
        let free = self.each() * self.data.ballots.workers();
        Shape { rows: intercepts + 1, intercepts, free, units: self.data.units() }
    }

    fn at(&self, place: &Place) -> Posteriors {
        let Shape { intercepts: rows, units, .. } = self.shape();
        let mut sums = vec![0.0; units * rows];
        for row in 0..rows {
            let of_row = &place.sums[row * units..(row + 1) * units];
            sums.iter_mut().skip(row).step_by(rows).zip(of_row).for_each(|(cell, sum)| *cell = *sum);
        }
        let skills = Skills { classes: self.classes(), skills: &place.free, asymmetric: self.asymmetric };
        Posteriors::of(skills, &sums, &place.sums[rows * units..], self.data.ballots)
    }

    fn loss(&self, point: &Posteriors) -> f64 {
        -point.log_likelihood
    }

    fn slopes(&self, point: &Posteriors) -> Place {
        let (shape, classes, each) = (self.shape(), self.classes(), self.each());
        let (rows, units, experts) = (shape.intercepts, shape.units, self.data.ballots.workers());
        let first = usize::from(classes == 2);
        let mut slopes = Place::zero(shape);
        self.units(|unit, first_vote| {
            let posterior = &point.posterior[unit * classes..(unit + 1) * classes];
            let prior = &point.prior[unit * classes..(unit + 1) * classes];
            for row in 0..rows {
                slopes.sums[row * units + unit] = prior[row + first] - posterior[row + first];
            }
            let mut rights = point.right[first_vote * each..].chunks_exact(each);
            for ((worker, label, weight), right) in self.data.ballots.votes(unit).weighted().zip(&mut rights) {
                for (class, right) in right.iter().enumerate() {
                    let slope = weight
                        * match self.asymmetric {
                            false => right - posterior[label],
                            true => posterior[class] * (right - f64::from(u8::from(label == class))),
                        };
                    slopes.sums[rows * units + unit] += slope;
                    slopes.free[class * experts + worker] += slope;
                }
            }
        });
        slopes
    }

    fn curvature(&self, point: &Posteriors, moved: &Place) -> Place {
        let (shape, classes, each) = (self.shape(), self.classes(), self.each());
        let (rows, units, experts) = (shape.intercepts, shape.units, self.data.ballots.workers());
        let first = usize::from(classes == 2);
        let mut curved = Place::zero(shape);
        // The moves of the logarithms of P(class and labels), and of P(class).
        let (mut joint, mut alone) = (vec![0.0; classes], vec![0.0; classes]);
        self.units(|unit, first_vote| {
            let posterior = &point.posterior[unit * classes..(unit + 1) * classes];
            let prior = &point.prior[unit * classes..(unit + 1) * classes];
            alone[0] = 0.0;
            (0..rows).for_each(|row| alone[row + first] = moved.sums[row * units + unit]);
            joint.copy_from_slice(&alone);
            let ease = moved.sums[rows * units + unit];
            let votes = self.data.ballots.votes(unit);
            let rights = &point.right[first_vote * each..][..votes.labels.len() * each];
            for ((worker, label, weight), right) in votes.weighted().zip(rights.chunks_exact(each)) {
                match self.asymmetric {
                    false => joint[label] += weight * (moved.free[worker] + ease),
                    true => {
                        for (class, right) in right.iter().enumerate() {
                            let by = moved.free[class * experts + worker] + ease;
                            joint[class] += weight * by * (f64::from(u8::from(label == class)) - right);
                        }
                    }
                }
            }
            // The move of a probability is itself times how its logarithm moves beyond the mean.
            let mean = |p: &[f64], by: &[f64]| -> f64 { p.iter().zip(by).map(|(p, by)| p * by).sum() };
            let (mean_joint, mean_alone) = (mean(posterior, &joint), mean(prior, &alone));
            for row in 0..rows {
                let class = row + first;
                curved.sums[row * units + unit] =
                    prior[class] * (alone[class] - mean_alone) - posterior[class] * (joint[class] - mean_joint);
            }
            for ((worker, label, weight), right) in votes.weighted().zip(rights.chunks_exact(each)) {
                for (class, right) in right.iter().enumerate() {
                    let by = right * (1.0 - right) * (moved.free[class * experts + worker] + ease);
                    let moved_posterior = |class: usize| posterior[class] * (joint[class] - mean_joint);
                    let curvature = weight
                        * match self.asymmetric {
                            false => by - moved_posterior(label),
                            true => {
                                let wrong = right - f64::from(u8::from(label == class));
                                moved_posterior(class) * wrong + posterior[class] * by
                            }
                        };
                    curved.sums[rows * units + unit] += curvature;
                    curved.free[class * experts + worker] += curvature;
                }
            }
        });
        curved
    }

    fn weights(&self, point: &Posteriors) -> (Vec<f64>, Vec<f64>) {
        let (shape, classes, each) = (self.shape(), self.classes(), self.each());
        let (rows, experts) = (shape.intercepts, self.data.ballots.workers());
        let first = usize::from(classes == 2);
        let (mut weights, mut free) = (vec![0.0; rows + 1], vec![0.0; shape.free]);
        self.units(|unit, first_vote| {
            let prior = &point.prior[unit * classes..(unit + 1) * classes];
            let posterior = &point.posterior[unit * classes..(unit + 1) * classes];
            (0..rows).for_each(|row| weights[row] += prior[row + first] * (1.0 - prior[row + first]));
            let rights = point.right[first_vote * each..].chunks_exact(each);
            for ((worker, _, counts), right) in self.data.ballots.votes(unit).weighted().zip(rights) {
                for (class, right) in right.iter().enumerate() {
                    let share = if self.asymmetric { posterior[class] } else { 1.0 };
                    let weight = counts * share * right * (1.0 - right);
                    weights[rows] += weight;
                    free[class * experts + worker] += weight;
                }
            }
        });
        (weights, free)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::experts::Features;
    use crate::judgments::Ballots;

    /// Slopes are differences of the loss, and curvatures differences of slopes.
    pub(in crate::experts) fn check<S: Smooth>(smooth: &S) {
        const STEP: f64 = 1e-5;
        let shape = smooth.shape();
        let number = |i: usize| ((i * 7 + 3) % 11) as f64 / 5.0 - 0.9;
        let place = Place {
            sums: (0..shape.rows * shape.units).map(number).collect(),
            free: (0..shape.free).map(|i| number(i + 5)).collect(),
        };
        let by = Place {
            sums: (0..shape.rows * shape.units).map(|i| number(3 * i + 1)).collect(),
            free: (0..shape.free).map(|i| number(2 * i)).collect(),
        };
        let at = |share: f64| {
            let walk = |from: &[f64], by: &[f64]| from.iter().zip(by).map(|(a, b)| a + share * b).collect();
            smooth.at(&Place { sums: walk(&place.sums, &by.sums), free: walk(&place.free, &by.free) })
        };
        let (before, here, after) = (at(-STEP), at(0.0), at(STEP));
        let dot = |a: &Place, b: &Place| -> f64 {
            a.sums.iter().zip(&b.sums).chain(a.free.iter().zip(&b.free)).map(|(a, b)| a * b).sum()
        };
        let slope = (smooth.loss(&after) - smooth.loss(&before)) / (2.0 * STEP);
        assert!((slope - dot(&smooth.slopes(&here), &by)).abs() < 1e-7, "{slope}");
        let (left, right, found) = (smooth.slopes(&before), smooth.slopes(&after), smooth.curvature(&here, &by));
        let pairs = left.sums.iter().chain(&left.free).zip(right.sums.iter().chain(&right.free));
        for ((left, right), found) in pairs.zip(found.sums.iter().chain(&found.free)) {
            assert!(((right - left) / (2.0 * STEP) - found).abs() < 1e-7, "{left} {right} {found}");
        }
        let (weights, free) = smooth.weights(&here);
        assert!(weights.iter().chain(&free).all(|weight| *weight > 0.0));
        assert_eq!((weights.len(), free.len()), (shape.rows, shape.free));
    }

    #[test]
    fn derivatives_are_those_of_the_loss() {
        for classes in [2, 4] {
            let target = (0..5 * classes).map(|i| if i % (classes + 1) == 0 { 1.0 } else { 0.0 }).collect();
            let weight = vec![1.0, 2.0, 0.0, 1.0, 0.5];
            let mut rows = ClassRows { classes, weight, target };
            for cells in rows.target.chunks_exact_mut(classes) {
                let sum = cells.iter().sum::<f64>() + 0.1 * classes as f64;
                cells.iter_mut().for_each(|cell| *cell = (*cell + 0.1) / sum);
            }
            check(&CrossEntropy { rows: &rows });
            let votes =
                [vec![(0, 0), (1, 1), (2, classes - 1)], vec![], vec![(1, 1)], vec![(0, 1), (2, 0)], vec![(2, 1)]];
            let ballots = Ballots::from_tasks(&votes, 3, classes).unwrap();
            let weighted = ballots.with_votes(&votes, vec![1.0, 0.5, 2.0, 0.3, 1.0, 0.7, 1.5]);
            let features = Features::from_columns(5, &[]).unwrap();
            for ballots in [&ballots, &weighted] {
                let data = Labelled::new(&features, ballots).unwrap();
                check(&LabelLoss { data: &data, asymmetric: false });
                if classes == 2 {
                    check(&LabelLoss { data: &data, asymmetric: true });
                }
            }
        }
    }
}
