//! Means, covariances and noise, in one pass.

use crate::judgments::{ObjectJudgments, Sum, sum_over};
use crate::linalg::Symmetric;
use crate::reliability::{AttributeSums, first_values};
use crate::{Context, Judgments};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};

/// Sums over labelled objects from which all moments follow. Sums of disjoint sets of objects merge into that of all.
///
/// Of an object, each attribute's judgments enter through their mean; the diagonal of the covariance, where the noise
/// of a mean would enter too, comes from products of different judgments instead.
#[derive(Clone)]
pub(super) struct Sums {
    attributes: Vec<AttributeSums>,
    /// Label less the mean of all labels: number, sum and sum of squares.
    labels: [f64; 3],
    /// Of each attribute, over labelled objects that have it: sum of label, and of label times mean.
    label: Vec<f64>,
    label_by_mean: Vec<f64>,
    /// Products of the means of two attributes, over objects that have both.
    products: Mat<f64>,
    /// How many objects came in batches in which every object has every attribute, and their sums of means.
    complete: f64,
    complete_means: Vec<f64>,
    /// What the other objects add, pair by pair.
    gaps: Option<Box<Gaps>>,
    /// Objects waiting to be multiplied into the products: means, and which there are.
    means: Mat<f64>,
    present: Mat<f64>,
    waiting: usize,
    waiting_gaps: bool,
}

#[derive(Clone)]
struct Gaps {
    /// Objects that have both a and b.
    both: Mat<f64>,
    /// The sum of a's mean over objects that have both a and b.
    mean_of_first: Mat<f64>,
}

/// Rows multiplied at once: enough to keep the multiplication busy, few enough to stay in the cache.
const BATCH: usize = 128;

impl Sums {
    fn new(shifts: &[f64]) -> Self {
        let d = shifts.len();
        Sums {
            attributes: shifts.iter().map(|&shift| AttributeSums::new(shift)).collect(),
            labels: [0.0; 3],
            label: vec![0.0; d],
            label_by_mean: vec![0.0; d],
            products: Mat::zeros(d, d),
            complete: 0.0,
            complete_means: vec![0.0; d],
            gaps: None,
            means: Mat::zeros(d, BATCH),
            present: Mat::zeros(d, BATCH),
            waiting: 0,
            waiting_gaps: false,
        }
    }

    fn observe(&mut self, object: ObjectJudgments<'_>, label: f64) {
        self.labels[0] += 1.0;
        self.labels[1] += label;
        self.labels[2] += label * label;
        let mut judged = 0;
        for (attribute, _, values) in object.by_attribute() {
            let mean = self.attributes[attribute].observe(values);
            self.label[attribute] += label;
            self.label_by_mean[attribute] += label * mean;
            self.means[(attribute, self.waiting)] = mean;
            self.present[(attribute, self.waiting)] = 1.0;
            judged += 1;
        }
        self.waiting_gaps |= judged < self.attributes.len();
        self.waiting += 1;
        if self.waiting == BATCH {
            self.flush();
        }
    }

    /// Multiplies the waiting objects into the products.
    fn flush(&mut self) {
        if self.waiting == 0 {
            return;
        }
        let d = self.attributes.len();
        let means = self.means.subcols(0, self.waiting);
        matmul(&mut self.products, Accum::Add, means, means.transpose(), 1.0, Par::Seq);
        if self.waiting_gaps {
            let present = self.present.subcols(0, self.waiting);
            let none = || Box::new(Gaps { both: Mat::zeros(d, d), mean_of_first: Mat::zeros(d, d) });
            let gaps = self.gaps.get_or_insert_with(none);
            matmul(&mut gaps.both, Accum::Add, present, present.transpose(), 1.0, Par::Seq);
            matmul(&mut gaps.mean_of_first, Accum::Add, means, present.transpose(), 1.0, Par::Seq);
        } else {
            self.complete += self.waiting as f64;
            for object in 0..self.waiting {
                for attribute in 0..d {
                    self.complete_means[attribute] += self.means[(attribute, object)];
                }
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
        add(&mut self.labels, &later.labels);
        add(&mut self.label, &later.label);
        add(&mut self.label_by_mean, &later.label_by_mean);
        add(&mut self.complete_means, &later.complete_means);
        self.products += &later.products;
        self.complete += later.complete;
        match (&mut self.gaps, later.gaps) {
            (Some(gaps), Some(more)) => {
                gaps.both += &more.both;
                gaps.mean_of_first += &more.mean_of_first;
            }
            (none @ None, more) => *none = more,
            (Some(_), None) => {}
        }
    }

    /// How many labelled objects were seen.
    pub(super) fn objects(&self) -> f64 {
        self.labels[0]
    }

    /// The centres of these objects' attributes and labels.
    pub(super) fn centre(&self) -> Centre {
        Centre {
            label: if self.labels[0] > 0.0 { self.labels[1] / self.labels[0] } else { 0.0 },
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
        let covariance = |a: usize| {
            let n = self.attributes[a].objects;
            let by_label = self.label_by_mean[a] - c[a] * self.label[a];
            let means = n * (self.attributes[a].shifted_centre() - c[a]);
            share(by_label - centre.label * means, n)
        };
        let [n, sum, squares] = self.labels;
        let label_variance = share(squares - 2.0 * centre.label * sum + n * centre.label * centre.label, n);
        Moments {
            covariance: (0..d).map(|a| if usable[a] { covariance(a) } else { 0.0 }).collect(),
            noise: self.attributes.iter().map(|sums| sums.noise().unwrap_or(0.0)).collect(),
            of_means: (0..d).map(|a| of_means(a, a)).collect(),
            seen_together: Symmetric::from_fn(d, both),
            centres: self.attributes.iter().map(AttributeSums::centre).collect(),
            external,
            usable,
            label_variance: label_variance.max(0.0),
        }
    }
}

/// Where moments are taken about; attributes less their shifts, labels less the mean of all.
pub(super) struct Centre {
    label: f64,
    attributes: Vec<f64>,
}

/// Moments as they are estimated, before anything is done to make them fit to use.
pub(super) struct Moments {
    /// b: with the label.
    pub(super) covariance: Vec<f64>,
    /// v.
    pub(super) noise: Vec<f64>,
    /// Sigma, unbiased: it need not be positive semidefinite.
    pub(super) external: Symmetric,
    /// The variance of the mean of the judgments at hand.
    pub(super) of_means: Vec<f64>,
    /// How many objects have both of two attributes.
    pub(super) seen_together: Symmetric,
    /// The attributes' own centres, in the user's units.
    pub(super) centres: Vec<f64>,
    /// Whether an attribute's noise is known; those whose is not have zeros everywhere.
    pub(super) usable: Vec<bool>,
    pub(super) label_variance: f64,
}

/// The sums over labelled objects, each taken as often as `times` says. A label that is not finite is none.
pub(super) fn sums(
    judgments: &Judgments,
    labels: &[f64],
    times: &(impl Fn(usize) -> u32 + Sync),
    context: &Context,
) -> Sums {
    let shifts = first_values(judgments);
    let pass = sum_over(judgments, context, || Pass { sums: Sums::new(&shifts), labels, times });
    let mut sums = pass.sums;
    sums.flush();
    sums
}

struct Pass<'a, T> {
    sums: Sums,
    labels: &'a [f64],
    times: &'a T,
}

impl<T: Fn(usize) -> u32 + Sync> Sum<Judgments> for Pass<'_, T> {
    fn observe(&mut self, object: ObjectJudgments<'_>) {
        let label = self.labels[object.object];
        if label.is_finite() {
            for _ in 0..(self.times)(object.object) {
                self.sums.observe(object, label);
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
        Centre { label: 0.0, attributes: first_values(judgments).iter().map(|shift| -shift).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgments::Grouped;
    use std::num::NonZeroUsize;

    /// Judgments of `objects` by `d` attributes, `k(object, attribute)` of each, and labels.
    pub(crate) fn some_data(objects: usize, d: usize, k: impl Fn(usize, usize) -> usize) -> (Judgments, Vec<f64>) {
        let rows: Vec<(String, String, f64)> = (0..objects)
            .flat_map(|o| (0..d).flat_map(move |a| (0..64).map(move |j| (o, a, j))))
            .filter(|&(o, a, j)| j < k(o, a))
            .map(|(o, a, j)| {
                let value =
                    ((o * (a + 3) * 31 + o * o) % 17) as f64 + ((o * 13 + a * 7 + j * 29 + o * j) % 9) as f64 / 2.0;
                (format!("o{o}"), format!("a{a}"), value + 50.0 * a as f64)
            })
            .collect();
        let judgments = Judgments::from_rows(rows.iter().map(|(o, a, v)| (&o[..], &a[..], "", *v))).unwrap();
        let labels =
            judgments.objects.iter().map(|id| ((id[1..].parse::<usize>().unwrap() * 37) % 23) as f64).collect();
        (judgments, labels)
    }

    fn moments(judgments: &Judgments, labels: &[f64]) -> Moments {
        let sums = sums(judgments, labels, &|_| 1, &Context::new());
        sums.about(&sums.centre())
    }

    type MeanAndValues = Option<(f64, Vec<f64>)>;

    /// The means of each object's judgments of each attribute, where there are any.
    fn means(judgments: &Judgments) -> Vec<Vec<MeanAndValues>> {
        (0..judgments.objects())
            .map(|object| {
                let mut row = vec![None; judgments.attributes.len()];
                for (a, _, values) in judgments.of(object).by_attribute() {
                    row[a] = Some((values.iter().sum::<f64>() / values.len() as f64, values.to_vec()));
                }
                row
            })
            .collect()
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{found}, expected {expected}");
    }

    #[test]
    fn with_equal_counts_the_moments_are_those_of_algorithm_1() {
        for (objects, d, k) in [(2, 1, 2), (37, 4, 2), (300, 6, 3)] {
            let (judgments, labels) = some_data(objects, d, |_, _| k);
            let found = moments(&judgments, &labels);
            let x = means(&judgments);
            let m = objects as f64;
            let mean = |a: usize| x.iter().map(|row| row[a].as_ref().unwrap().0).sum::<f64>() / m;
            let mean_y = labels.iter().sum::<f64>() / m;
            let bar = |o: usize, a: usize| x[o][a].as_ref().unwrap().0 - mean(a);
            for a in 0..d {
                let noise = x
                    .iter()
                    .map(|row| {
                        let (mean, values) = row[a].as_ref().unwrap();
                        values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (k as f64 - 1.0)
                    })
                    .sum::<f64>()
                    / m;
                close(found.noise[a], noise);
                close(found.covariance[a], (0..objects).map(|o| bar(o, a) * (labels[o] - mean_y)).sum::<f64>() / m);
                for b in 0..d {
                    let of_means = (0..objects).map(|o| bar(o, a) * bar(o, b)).sum::<f64>() / m;
                    close(found.external[(a, b)], of_means - if a == b { noise / k as f64 } else { 0.0 });
                }
                close(found.of_means[a], found.external[(a, a)] + noise / k as f64);
            }
            close(found.label_variance, labels.iter().map(|y| (y - mean_y).powi(2)).sum::<f64>() / m);
        }
    }

    #[test]
    fn with_unequal_counts_each_entry_uses_the_objects_that_have_it() {
        let (judgments, mut labels) = some_data(301, 5, |o, a| (o * 3 + a * 5 + o / 7) % 4);
        labels[7] = f64::NAN;
        let found = moments(&judgments, &labels);
        let x = means(&judgments);
        let known: Vec<usize> = (0..x.len()).filter(|&o| labels[o].is_finite()).collect();
        let mean_y = known.iter().map(|&o| labels[o]).sum::<f64>() / known.len() as f64;
        let average = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        let centre =
            |a: usize| average(known.iter().filter_map(|&o| x[o][a].as_ref().map(|(mean, _)| *mean)).collect());
        for a in 0..5 {
            let of_label = |&o: &usize| x[o][a].as_ref().map(|(mean, _)| (mean - centre(a)) * (labels[o] - mean_y));
            close(found.covariance[a], average(known.iter().filter_map(of_label).collect()));
            for b in 0..a {
                let of_both = |&o: &usize| Some((x[o][a].as_ref()?.0 - centre(a)) * (x[o][b].as_ref()?.0 - centre(b)));
                close(found.external[(a, b)], average(known.iter().filter_map(of_both).collect()));
            }
            let of_pairs = |&o: &usize| {
                let values = &x[o][a].as_ref()?.1;
                let n = values.len() as f64;
                let (sum, squares) =
                    values.iter().map(|v| v - centre(a)).fold((0.0, 0.0), |(s, q), v| (s + v, q + v * v));
                (n >= 2.0).then(|| (sum * sum - squares) / (n * (n - 1.0)))
            };
            close(found.external[(a, a)], average(known.iter().filter_map(of_pairs).collect()));
        }
    }

    #[test]
    fn merged_sums_and_any_number_of_threads_give_the_same() {
        let (judgments, labels) = some_data(2000, 7, |o, a| 1 + (o + a) % 3);
        let whole = sums(&judgments, &labels, &|_| 1, &Context::new());
        let mut halves = sums(&judgments, &labels, &|o| u32::from(o % 2 == 0), &Context::new());
        halves.merge(sums(&judgments, &labels, &|o| u32::from(o % 2 == 1), &Context::new()));
        let (whole_moments, merged) = (whole.about(&whole.centre()), halves.about(&halves.centre()));
        for a in 0..7 {
            close(merged.covariance[a], whole_moments.covariance[a]);
            for b in 0..7 {
                close(merged.external[(a, b)], whole_moments.external[(a, b)]);
            }
        }
        let threads =
            sums(&judgments, &labels, &|_| 1, &Context::new().with_threads(NonZeroUsize::new(3).unwrap()).unwrap());
        let threads = threads.about(&threads.centre());
        assert_eq!(threads.external, whole_moments.external);
        assert_eq!(threads.covariance, whole_moments.covariance);
    }

    #[test]
    fn an_attribute_never_judged_twice_is_not_usable() {
        let (judgments, labels) = some_data(20, 2, |_, a| 2 - a);
        let found = moments(&judgments, &labels);
        assert_eq!(found.usable, [true, false]);
        assert_eq!((found.covariance[1], found.external[(0, 1)]), (0.0, 0.0));
    }
}
