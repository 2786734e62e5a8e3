//! Means, covariances and noise, in one pass.

use super::other_judges::LabelJudges;
use super::{LabelledJudgments, TargetRows};
use crate::bytes::{Reader, Writer, broken};
use crate::judgments::{ObjectJudgments, Sum, sum_over_large};
use crate::linalg::{Square, Symmetric};
use crate::reliability::{AttributeSums, first_values};
use crate::{Context, Judgments, Result};

/// Sums over labelled objects from which all moments follow. Sums of disjoint sets of objects merge into that of all.
///
/// Of an object, each attribute's judgments enter through their mean; the diagonal of the covariance, where the noise
/// of a mean would enter too, comes from products of different judgments instead.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    attributes: Vec<AttributeSums>,
    /// Labelled objects.
    labelled: f64,
    /// Of each target, less its mean over all labels: the sum; and the sum of the squares of all.
    label_sums: Vec<f64>,
    label_squares: f64,
    /// Of each attribute, over labelled objects that have it: sum of label, and of label times mean, by different workers
    /// where the label is a mean of judgments itself.
    label: TargetRows,
    label_by_mean: TargetRows,
    /// Products of the means of two attributes, over objects that have both.
    products: Square,
    /// How many objects came in batches in which every object has every attribute, and their sums of means.
    complete: f64,
    complete_means: Vec<f64>,
    /// What the other objects add, pair by pair.
    gaps: Option<Box<Gaps>>,
    /// Objects waiting to be multiplied into the products, one after the other: means, and which there are.
    means: Vec<f64>,
    present: Vec<f64>,
    waiting: usize,
    waiting_gaps: bool,
}

#[derive(Clone, Debug)]
struct Gaps {
    /// Objects that have both a and b.
    both: Square,
    /// The sum of a's mean over objects that have both a and b.
    mean_of_first: Square,
}

/// Rows multiplied at once: enough to keep the multiplication busy, few enough to stay in the cache.
const BATCH: usize = 128;

impl Sums {
    pub(super) fn new(shifts: &[f64], targets: usize) -> Self {
        let d = shifts.len();
        Sums {
            attributes: shifts.iter().map(|&shift| AttributeSums::new(shift)).collect(),
            labelled: 0.0,
            label_sums: vec![0.0; targets],
            label_squares: 0.0,
            label: TargetRows::zeros(d, targets),
            label_by_mean: TargetRows::zeros(d, targets),
            products: Square::zeros(d),
            complete: 0.0,
            complete_means: vec![0.0; d],
            gaps: None,
            means: vec![0.0; d * BATCH],
            present: vec![0.0; d * BATCH],
            waiting: 0,
            waiting_gaps: false,
        }
    }

    pub(super) fn observe(&mut self, object: ObjectJudgments<'_>, label: &[f64], judges: Option<&LabelJudges>) {
        self.labelled += 1.0;
        self.label_sums.iter_mut().zip(label).for_each(|(sum, label)| *sum += label);
        self.label_squares += label.iter().map(|label| label * label).sum::<f64>();
        let row = self.waiting * self.attributes.len();
        let mut judged = 0;
        for (attribute, workers, values) in object.by_attribute() {
            let mean = self.attributes[attribute].observe(values);
            self.label[attribute].iter_mut().zip(label).for_each(|(sum, label)| *sum += label);
            let others = judges.and_then(|judges| judges.product(workers, values, self.attributes[attribute].shift()));
            match others {
                Some(product) => self.label_by_mean[attribute][0] += product,
                None => {
                    self.label_by_mean[attribute].iter_mut().zip(label).for_each(|(sum, label)| *sum += label * mean);
                }
            }
            self.means[row + attribute] = mean;
            self.present[row + attribute] = 1.0;
            judged += 1;
        }
        self.waiting_gaps |= judged < self.attributes.len();
        self.waiting += 1;
        if self.waiting == BATCH {
            self.flush();
        }
    }

    /// Multiplies the waiting objects into the products.
    pub(super) fn flush(&mut self) {
        if self.waiting == 0 {
            return;
        }
        let d = self.attributes.len();
        let means = (&self.means[..self.waiting * d], d);
        self.products.add_product(means, means);
        if self.waiting_gaps {
            let present = (&self.present[..self.waiting * d], d);
            let none = || Box::new(Gaps { both: Square::zeros(d), mean_of_first: Square::zeros(d) });
            let gaps = self.gaps.get_or_insert_with(none);
            gaps.both.add_product(present, present);
            gaps.mean_of_first.add_product(means, present);
        } else {
            self.complete += self.waiting as f64;
            for row in self.means.chunks_exact(d.max(1)).take(self.waiting) {
                self.complete_means.iter_mut().zip(row).for_each(|(sum, mean)| *sum += mean);
            }
        }
        self.means.fill(0.0);
        self.present.fill(0.0);
        self.waiting = 0;
        self.waiting_gaps = false;
    }

    /// Adds the sums of other objects.
    pub(super) fn merge(&mut self, mut later: Sums) {
        self.flush();
        later.flush();
        for (sums, later) in self.attributes.iter_mut().zip(&later.attributes) {
            sums.merge(later);
        }
        let add = |sums: &mut [f64], more: &[f64]| sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        self.labelled += later.labelled;
        self.label_squares += later.label_squares;
        add(&mut self.label_sums, &later.label_sums);
        add(self.label.values_mut(), later.label.values());
        add(self.label_by_mean.values_mut(), later.label_by_mean.values());
        add(&mut self.complete_means, &later.complete_means);
        self.products.add(&later.products);
        self.complete += later.complete;
        match (&mut self.gaps, later.gaps) {
            (Some(gaps), Some(more)) => {
                gaps.both.add(&more.both);
                gaps.mean_of_first.add(&more.mean_of_first);
            }
            (none @ None, more) => *none = more,
            (Some(_), None) => {}
        }
    }

    /// As bytes, on the way between processes. The sums must have been merged or flushed.
    pub(super) fn write(&self, bytes: &mut Writer) {
        let attributes: Vec<f64> = self.attributes.iter().flat_map(AttributeSums::numbers).collect();
        bytes.floats(&attributes);
        bytes.floats(&[self.labelled, self.label_squares, self.complete]);
        bytes.floats(&self.label_sums);
        [&self.label, &self.label_by_mean].into_iter().for_each(|rows| bytes.floats(rows.values()));
        bytes.floats(&self.products.values);
        bytes.floats(&self.complete_means);
        bytes.number(u64::from(self.gaps.is_some()));
        if let Some(gaps) = &self.gaps {
            bytes.floats(&gaps.both.values);
            bytes.floats(&gaps.mean_of_first.values);
        }
    }

    /// From [`write`](Self::write), of as many attributes and targets.
    pub(super) fn read(bytes: &mut Reader<'_>, d: usize, targets: usize) -> Result<Self> {
        let mut floats = |numbers: usize| {
            bytes.floats().and_then(|read| match read.len() == numbers {
                true => Ok(read),
                false => Err(broken()),
            })
        };
        let attributes = floats(d * AttributeSums::NUMBERS)?;
        let attributes = attributes.as_chunks().0.iter().map(AttributeSums::of_numbers).collect();
        let counts = floats(3)?;
        let mut sums = Sums { attributes, ..Sums::new(&[], targets) };
        (sums.labelled, sums.label_squares, sums.complete) = (counts[0], counts[1], counts[2]);
        sums.label_sums = floats(targets)?;
        sums.label = TargetRows::of(targets, floats(d * targets)?);
        sums.label_by_mean = TargetRows::of(targets, floats(d * targets)?);
        sums.products = Square { size: d, values: floats(d * d)? };
        sums.complete_means = floats(d)?;
        if bytes.number()? > 0 {
            let mut square = || bytes.floats().map(|values| Square { size: d, values });
            let gaps = Gaps { both: square()?, mean_of_first: square()? };
            if gaps.both.values.len() != d * d || gaps.mean_of_first.values.len() != d * d {
                return Err(broken());
            }
            sums.gaps = Some(Box::new(gaps));
        }
        Ok(sums)
    }

    /// How many labelled objects were seen.
    pub(super) fn objects(&self) -> f64 {
        self.labelled
    }

    /// The mean of each target.
    pub(super) fn label_means(&self) -> Vec<f64> {
        self.label_sums.iter().map(|sum| if self.labelled > 0.0 { sum / self.labelled } else { 0.0 }).collect()
    }

    /// The mean square of labels about these, summed over targets.
    pub(super) fn label_variance_about(&self, centre: &[f64]) -> f64 {
        let off = self.label_sums.iter().zip(centre).map(|(sum, c)| c * (self.labelled * c - 2.0 * sum));
        let sum = self.label_squares + off.sum::<f64>();
        if self.labelled > 0.0 { (sum / self.labelled).max(0.0) } else { 0.0 }
    }

    /// The centres of these objects' attributes and labels.
    pub(super) fn centre(&self) -> Centre {
        Centre {
            label: self.label_means(),
            attributes: self.attributes.iter().map(AttributeSums::shifted_centre).collect(),
        }
    }

    /// The moments about a centre, which may be that of other objects. The sums must have been merged or flushed.
    pub(super) fn about(&self, centre: &Centre) -> Moments {
        let d = self.attributes.len();
        let c = &centre.attributes;
        let share = |sum: f64, n: f64| if n > 0.0 { sum / n } else { 0.0 };
        let both = |a: usize, b: usize| self.complete + self.gaps.as_ref().map_or(0.0, |gaps| gaps.both[(a, b)]);
        let first = |a: usize, b: usize| {
            self.complete_means[a] + self.gaps.as_ref().map_or(0.0, |gaps| gaps.mean_of_first[(a, b)])
        };
        let of_means = |a: usize, b: usize| {
            let n = both(a, b);
            let sum = self.products[(a, b)] - c[b] * first(a, b) - c[a] * first(b, a) + n * c[a] * c[b];
            share(sum, n)
        };
        let usable: Vec<bool> = self.attributes.iter().map(|sums| sums.noise().is_some()).collect();
        let external = Symmetric::from_fn(d, |a, b| match (usable[a] && usable[b], a == b) {
            (false, _) => 0.0,
            (true, true) => self.attributes[a].signal_about(c[a]).unwrap_or(0.0),
            (true, false) => of_means(a, b),
        });
        let mut covariance = TargetRows::zeros(d, centre.label.len());
        for a in (0..d).filter(|&a| usable[a]) {
            let n = self.attributes[a].objects;
            let means = n * (self.attributes[a].shifted_centre() - c[a]);
            for (target, middle) in centre.label.iter().enumerate() {
                let by_label = self.label_by_mean[a][target] - c[a] * self.label[a][target];
                covariance[a][target] = share(by_label - middle * means, n);
            }
        }
        Moments {
            covariance,
            noise: self.attributes.iter().map(|sums| sums.noise().unwrap_or(0.0)).collect(),
            of_means: (0..d).map(|a| of_means(a, a)).collect(),
            complete: self.complete,
            both: self.gaps.as_ref().map(|_| Symmetric::from_fn(d, both)),
            centres: self.attributes.iter().map(AttributeSums::centre).collect(),
            external,
            usable,
            label_variance: self.label_variance_about(&centre.label),
        }
    }
}

/// Where moments are taken about; attributes less their shifts, labels less the mean of all.
pub(super) struct Centre {
    label: Vec<f64>,
    attributes: Vec<f64>,
}

/// Moments as they are estimated, not yet made positive semidefinite.
pub(super) struct Moments {
    /// b: with the label.
    pub(super) covariance: TargetRows,
    /// v.
    pub(super) noise: Vec<f64>,
    /// Sigma, unbiased: it need not be positive semidefinite.
    pub(super) external: Symmetric,
    /// The variance of the mean of the judgments at hand.
    pub(super) of_means: Vec<f64>,
    /// How many objects have all attributes.
    complete: f64,
    /// How many have both of two attributes; none if all have all.
    both: Option<Symmetric>,
    /// The attributes' own centres, in the user's units.
    pub(super) centres: Vec<f64>,
    /// Whether an attribute's noise is known; those whose is not have zeros everywhere.
    pub(super) usable: Vec<bool>,
    /// Summed over targets.
    pub(super) label_variance: f64,
}

impl Moments {
    /// How many objects have both of two attributes.
    pub(super) fn seen_together(&self, a: usize, b: usize) -> f64 {
        self.both.as_ref().map_or(self.complete, |both| both[(a, b)])
    }
}

/// The sums over labelled objects, each counted `times(unit)` times, where its unit is the object itself, or its group where
/// judgments are elsewhere. Labels are less their mean.
pub(super) fn sums(data: LabelledJudgments<'_>, times: &(impl Fn(usize) -> u32 + Sync), context: &Context) -> Sums {
    if let Some(elsewhere) = data.elsewhere {
        return elsewhere.merged(times);
    }
    let shifts = first_values(data.judgments);
    // Few objects with thousands of attributes are not worth a matrix of products for each part of them.
    let products = shifts.len().pow(2);
    let empty = || Pass { sums: Sums::new(&shifts, data.targets), data, times };
    let pass = sum_over_large(data.judgments, context, products, empty);
    let mut sums = pass.sums;
    sums.flush();
    sums
}

struct Pass<'a, T> {
    sums: Sums,
    data: LabelledJudgments<'a>,
    times: &'a T,
}

impl<T: Fn(usize) -> u32 + Sync> Sum<Judgments> for Pass<'_, T> {
    fn observe(&mut self, object: ObjectJudgments<'_>) {
        if self.data.is_labelled(object.object) {
            let label = self.data.label(object.object);
            let judges = |of: usize| LabelJudges::of(object, of, label[0]);
            let times = (self.times)(object.object);
            let judges = self.data.label_of.filter(|_| times > 0).and_then(judges);
            for _ in 0..times {
                self.sums.observe(object, label, judges.as_ref());
            }
        }
    }

    fn merge(&mut self, later: Self) {
        self.sums.merge(later.sums);
    }
}

#[cfg(test)]
impl Sums {
    /// A centre at zero in the user's units.
    pub(super) fn centre_at_zero(&self, judgments: &Judgments) -> Centre {
        Centre { label: vec![0.0], attributes: first_values(judgments).iter().map(|shift| -shift).collect() }
    }
}

#[cfg(test)]
mod tests;
