//! The moments of labels by groups of workers, and the confusion matrices that they determine.

use super::tensor::Tensor;
use crate::judgments::{Ballots, Sum, Votes};
use crate::linalg::{Square, Symmetric};

/// A group's mean confusion matrix (a column per class, to sum one) and the shares of the classes.
pub(super) struct GroupEstimate {
    pub(super) columns: Square,
    pub(super) shares: Vec<f64>,
}

/// Sums over tasks of the products of the groups' mean labels.
pub(super) struct Moments<'a> {
    group: &'a [usize],
    /// One over the number of workers in each group.
    scale: [f64; 3],
    classes: usize,
    /// Z_g Z_h' for groups (0, 1), (1, 2), (2, 0).
    pairs: [Vec<f64>; 3],
    triples: Vec<f64>,
    /// z_w Z' of each worker with the group after their own.
    workers: Vec<f64>,
    means: [Vec<f64>; 3],
}

impl<'a> Moments<'a> {
    pub(super) fn new(group: &'a [usize], workers: usize, classes: usize) -> Self {
        let zeros = |power: u32| vec![0.0; classes.pow(power)];
        let size = |g: usize| 1.0 / group.iter().filter(|other| **other == g).count().max(1) as f64;
        Moments {
            group,
            scale: [size(0), size(1), size(2)],
            classes,
            pairs: [zeros(2), zeros(2), zeros(2)],
            triples: zeros(3),
            workers: vec![0.0; workers * classes * classes],
            means: [zeros(1), zeros(1), zeros(1)],
        }
    }

    /// E Z_a Z_b' for two different groups.
    fn pair(&self, a: usize, b: usize, tasks: f64) -> Square {
        let stored = |first: usize| Square { size: self.classes, values: self.pairs[first].clone() };
        let matrix = if b == (a + 1) % 3 { stored(a) } else { stored(b).transposed() };
        Square { values: matrix.values.iter().map(|sum| sum / tasks).collect(), ..matrix }
    }

    /// E z_w Z_a' of a worker with the group after their own.
    pub(super) fn with_next(&self, worker: usize, tasks: f64) -> Square {
        let cells = self.classes * self.classes;
        let sums = &self.workers[worker * cells..][..cells];
        Square { size: self.classes, values: sums.iter().map(|sum| sum / tasks).collect() }
    }

    /// The columns and shares that the moments of group c determine.
    pub(super) fn group(&self, c: usize, tasks: f64, random: &mut impl rand::Rng) -> Option<GroupEstimate> {
        let k = self.classes;
        let (a, b) = ((c + 1) % 3, (c + 2) % 3);
        // Groups a and b as c would see the class: Z_c Z_b' (Z_a Z_b')^-1 Z_a, and alike for b.
        let see_a = self.pair(c, b, tasks).times(&self.pair(a, b, tasks).inverse()?);
        let see_b = self.pair(c, a, tasks).times(&self.pair(b, a, tasks).inverse()?);
        let second = see_a.times(&self.pair(a, b, tasks)).times(&see_b.transposed());
        let (vectors, values) = Symmetric::from_fn(k, |i, j| (second.at(i, j) + second.at(j, i)) / 2.0).eigen()?;
        let most = values.iter().fold(0.0, |most: f64, &value| most.max(value));
        if most <= 0.0 {
            return None;
        }
        // Noise may take the smallest eigenvalues to zero or below.
        let spread: Vec<f64> = values.iter().map(|value| value.max(1e-9 * most).sqrt()).collect();
        let whitened = self.third(c, tasks).seen_through([
            &|i, x| (0..k).map(|j| see_a.at(j, i) * vectors[(j, x)]).sum::<f64>() / spread[x],
            &|i, x| (0..k).map(|j| see_b.at(j, i) * vectors[(j, x)]).sum::<f64>() / spread[x],
            &|i, x| vectors[(i, x)] / spread[x],
        ]);
        let found = whitened.components(random);
        // Back from the whitened space: mu = (Q')^-1 (weight v), whose share is weight^-2.
        let column = |component: &super::tensor::Component| -> Vec<f64> {
            let back = |i: usize| {
                (0..k).map(|x| vectors[(i, x)] * spread[x] * component.direction[x]).sum::<f64>() * component.weight
            };
            (0..k).map(back).collect()
        };
        let columns: Vec<Vec<f64>> = found.iter().map(column).collect();
        let order = matched(&columns)?;
        let shares = order.iter().map(|&h| found[h].weight.powi(-2).clamp(1e-3, 1e3)).collect();
        let columns = Square::from_fn(k, |l, class| columns[order[class]][l]);
        (columns.values.iter().all(|value| value.is_finite())).then_some(GroupEstimate { columns, shares })
    }

    /// The third moment with the sides in the order a, b, c.
    fn third(&self, c: usize, tasks: f64) -> Tensor {
        let k = self.classes;
        let mut values = vec![0.0; k * k * k];
        for at in 0..k * k * k {
            let index = [at / (k * k), at / k % k, at % k];
            let turned = [index[(c + 1) % 3], index[(c + 2) % 3], index[c]];
            values[(turned[0] * k + turned[1]) * k + turned[2]] = self.triples[at] / tasks;
        }
        Tensor { size: k, values }
    }
}

/// Which column is which class: the largest entries first, each class and column once.
fn matched(columns: &[Vec<f64>]) -> Option<Vec<usize>> {
    let k = columns.len();
    let mut cells: Vec<(f64, usize, usize)> = Vec::with_capacity(k * k);
    for (h, column) in columns.iter().enumerate() {
        let sum: f64 = column.iter().map(|x| x.abs()).sum();
        if !(sum > 0.0 && sum.is_finite()) {
            return None;
        }
        cells.extend(column.iter().enumerate().map(|(l, x)| (x / sum, h, l)));
    }
    cells.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut order = vec![usize::MAX; k];
    let mut used = vec![false; k];
    for (_, h, l) in cells {
        if order[l] == usize::MAX && !used[h] {
            order[l] = h;
            used[h] = true;
        }
    }
    Some(order)
}

impl Sum<Ballots> for Moments<'_> {
    fn observe(&mut self, votes: Votes<'_>) {
        let k = self.classes;
        self.means.iter_mut().for_each(|mean| mean.fill(0.0));
        for (worker, label, weight) in votes.weighted() {
            let group = self.group[worker];
            self.means[group][label] += weight * self.scale[group];
        }
        for (first, pair) in self.pairs.iter_mut().enumerate() {
            let (one, other) = (&self.means[first], &self.means[(first + 1) % 3]);
            for i in (0..k).filter(|&i| one[i] != 0.0) {
                pair[i * k..(i + 1) * k].iter_mut().zip(other).for_each(|(sum, z)| *sum += one[i] * z);
            }
        }
        let [x, y, z] = &self.means;
        for i in (0..k).filter(|&i| x[i] != 0.0) {
            for j in (0..k).filter(|&j| y[j] != 0.0) {
                let run = &mut self.triples[(i * k + j) * k..][..k];
                run.iter_mut().zip(z).for_each(|(sum, z)| *sum += x[i] * y[j] * z);
            }
        }
        for (worker, label, weight) in votes.weighted() {
            let next = &self.means[(self.group[worker] + 1) % 3];
            let run = &mut self.workers[(worker * k + label) * k..][..k];
            run.iter_mut().zip(next).for_each(|(sum, z)| *sum += weight * z);
        }
    }

    fn merge(&mut self, later: Self) {
        let add = |sums: &mut [f64], more: &[f64]| sums.iter_mut().zip(more).for_each(|(sum, x)| *sum += x);
        self.pairs.iter_mut().zip(&later.pairs).for_each(|(sums, more)| add(sums, more));
        add(&mut self.triples, &later.triples);
        add(&mut self.workers, &later.workers);
    }
}
