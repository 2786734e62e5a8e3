//! Noise and signal: how much judgments of one object differ, and how much objects do.

use super::icc::{Interval, icc1};
use crate::Judgments;
use crate::judgments::{Grouped, ObjectJudgments, Sum};

/// The reliability of the mean of `judgments` judgments when that of one is `icc` (Spearman and Brown):
/// k icc / (1 + (k - 1) icc).
///
/// ```
/// use beanjar::reliability::reliability_of_mean;
/// assert!((reliability_of_mean(0.5, 4.0) - 0.8).abs() < 1e-12);
/// ```
#[must_use]
pub fn reliability_of_mean(icc: f64, judgments: f64) -> f64 {
    judgments * icc / (1.0 + (judgments - 1.0) * icc)
}

/// The smallest number of judgments whose mean has the reliability `wanted`, in (0, 1); none if one judgment has no
/// reliability at all.
#[must_use]
pub fn judgments_needed(icc: f64, wanted: f64) -> Option<u64> {
    if icc <= 0.0 {
        return None;
    }
    let exact = wanted * (1.0 - icc) / (icc * (1.0 - wanted));
    // 1e-9 less, so that rounding does not ask for one judgment more where the exact answer is whole.
    Some(((exact - 1e-9).ceil() as u64).max(1))
}

/// Sums over objects, per attribute, from which noise, signal, ICC and alpha follow.
///
/// An object with n judgments x_1..x_n of an attribute has the variance estimate SS/(n - 1), SS being the sum of
/// squares about their mean, and the product of two different judgments averages to
/// ((sum x)^2 - sum x^2) / (n (n - 1)). Noise is the mean of the first over the objects with n >= 2, signal the mean
/// of the second there, less the square of the mean: with n = k everywhere these are Algorithm 1's v and sigma^2 of
/// Sabato and Kalai (2013), attributes centred.
#[derive(Clone)]
pub(super) struct Variances {
    attributes: Vec<AttributeSums>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AttributeSums {
    /// Subtracted from every value, so that squares of large numbers do not drown small differences.
    shift: f64,
    pub(crate) objects: f64,
    pub(crate) judgments: f64,
    judgments_squared: f64,
    sum: f64,
    sum_of_means: f64,
    /// Sums of squares about objects' means, and of (sum x)^2 / n.
    within: f64,
    between: f64,
    paired: PairedSums,
}

/// The same over objects with at least two judgments.
#[derive(Clone, Copy, Debug, Default)]
struct PairedSums {
    objects: f64,
    judgments: f64,
    sum: f64,
    squares: f64,
    sum_of_means: f64,
    variances: f64,
    products: f64,
    weighted_variances: f64,
}

impl Variances {
    pub(super) fn new(judgments: &Judgments) -> Self {
        Variances { attributes: first_values(judgments).into_iter().map(AttributeSums::new).collect() }
    }

    pub(super) fn of(&self, attribute: usize) -> &AttributeSums {
        &self.attributes[attribute]
    }
}

/// A judgment of each attribute, a number of its size, to subtract before squaring: the first of an object with two, for
/// a lone judgment may be far off and enters fewer sums; failing that the first of all.
pub(crate) fn first_values(judgments: &Judgments) -> Vec<f64> {
    let mut first = vec![None; judgments.attributes.len()];
    let mut paired = vec![false; first.len()];
    let mut missing = first.len();
    for object in 0..judgments.objects() {
        if missing == 0 {
            break;
        }
        for (attribute, _, values) in judgments.of(object).by_attribute() {
            if !paired[attribute] && (values.len() >= 2 || first[attribute].is_none()) {
                first[attribute] = Some(values[0]);
                paired[attribute] = values.len() >= 2;
                missing -= usize::from(paired[attribute]);
            }
        }
    }
    first.into_iter().map(Option::unwrap_or_default).collect()
}

impl Sum<Judgments> for Variances {
    fn observe(&mut self, object: ObjectJudgments<'_>) {
        for (attribute, _, values) in object.by_attribute() {
            self.attributes[attribute].observe(values);
        }
    }

    fn merge(&mut self, later: Self) {
        for (sums, later) in self.attributes.iter_mut().zip(&later.attributes) {
            sums.merge(later);
        }
    }
}

impl AttributeSums {
    pub(crate) fn new(shift: f64) -> Self {
        AttributeSums { shift, ..Default::default() }
    }

    /// What is taken off every judgment.
    pub(crate) fn shift(&self) -> f64 {
        self.shift
    }

    /// Adds one object's judgments, and returns their mean less the shift.
    pub(crate) fn observe(&mut self, values: &[f64]) -> f64 {
        let n = values.len() as f64;
        let sum: f64 = values.iter().map(|x| x - self.shift).sum();
        let mean = sum / n;
        let within: f64 = values.iter().map(|x| (x - self.shift - mean).powi(2)).sum();
        self.objects += 1.0;
        self.judgments += n;
        self.judgments_squared += n * n;
        self.sum += sum;
        self.sum_of_means += mean;
        self.within += within;
        self.between += sum * mean;
        if values.len() >= 2 {
            let variance = within / (n - 1.0);
            let paired = &mut self.paired;
            paired.objects += 1.0;
            paired.judgments += n;
            paired.sum += sum;
            paired.squares += within + sum * mean;
            paired.sum_of_means += mean;
            paired.variances += variance;
            // ((sum x)^2 - sum x^2) / (n (n - 1)), written so that nothing cancels.
            paired.products += mean * mean - variance / n;
            paired.weighted_variances += n * variance;
        }
        mean
    }

    pub(crate) fn merge(&mut self, later: &Self) {
        self.objects += later.objects;
        self.judgments += later.judgments;
        self.judgments_squared += later.judgments_squared;
        self.sum += later.sum;
        self.sum_of_means += later.sum_of_means;
        self.within += later.within;
        self.between += later.between;
        let (paired, later) = (&mut self.paired, &later.paired);
        paired.objects += later.objects;
        paired.judgments += later.judgments;
        paired.sum += later.sum;
        paired.squares += later.squares;
        paired.sum_of_means += later.sum_of_means;
        paired.variances += later.variances;
        paired.products += later.products;
        paired.weighted_variances += later.weighted_variances;
    }

    /// How many numbers there are in [`numbers`](Self::numbers).
    pub(crate) const NUMBERS: usize = 16;

    /// All that there is, on the way between processes.
    pub(crate) fn numbers(&self) -> [f64; Self::NUMBERS] {
        let AttributeSums { shift, objects, judgments, judgments_squared, sum, sum_of_means, within, between, paired } =
            *self;
        let PairedSums { objects: of, judgments: given, sum: total, squares, sum_of_means: means, .. } = paired;
        let PairedSums { variances, products, weighted_variances, .. } = paired;
        [
            shift,
            objects,
            judgments,
            judgments_squared,
            sum,
            sum_of_means,
            within,
            between,
            of,
            given,
            total,
            squares,
            means,
            variances,
            products,
            weighted_variances,
        ]
    }

    /// From [`numbers`](Self::numbers).
    pub(crate) fn of_numbers(numbers: &[f64; Self::NUMBERS]) -> Self {
        let &[shift, objects, judgments, judgments_squared, sum, sum_of_means, within, between, ref paired @ ..] =
            numbers;
        let &[of, given, total, squares, means, variances, products, weighted_variances] = paired;
        let paired = PairedSums {
            objects: of,
            judgments: given,
            sum: total,
            squares,
            sum_of_means: means,
            variances,
            products,
            weighted_variances,
        };
        AttributeSums { shift, objects, judgments, judgments_squared, sum, sum_of_means, within, between, paired }
    }

    /// The mean of all judgments.
    pub(super) fn mean(&self) -> f64 {
        self.shift + self.sum / self.judgments
    }

    /// The variance of all judgments about their mean.
    pub(super) fn total_variance(&self) -> f64 {
        ((self.within + self.between - self.sum * self.sum / self.judgments) / self.judgments).max(0.0)
    }

    /// Whether judgments differ by less than can be squared.
    pub(super) fn is_below_squares(&self) -> bool {
        /// A double loses digits below 2e-308. Of this, divided by the number of judgments, it keeps them all.
        const SMALLEST: f64 = 1e-290;
        let squares = self.within + self.between;
        squares < SMALLEST && (squares > 0.0 || self.sum != 0.0)
    }

    /// Whether all judgments are the same.
    pub(super) fn is_constant(&self) -> bool {
        self.within == 0.0 && self.between == 0.0
    }

    /// The mean over objects of their means, less the shift: the attribute's expected value, each object counting
    /// once, however often it was judged.
    pub(crate) fn shifted_centre(&self) -> f64 {
        if self.objects > 0.0 { self.sum_of_means / self.objects } else { 0.0 }
    }

    /// The same, with the shift.
    pub(crate) fn centre(&self) -> f64 {
        self.shift + self.shifted_centre()
    }

    /// The internal variance v. None if no object has two judgments.
    pub(crate) fn noise(&self) -> Option<f64> {
        (self.paired.objects > 0.0).then(|| self.paired.variances / self.paired.objects)
    }

    /// The degrees of freedom of the internal variance.
    pub(crate) fn freedom(&self) -> f64 {
        self.paired.judgments - self.paired.objects
    }

    /// The external variance sigma^2, rounded up to 0 as the paper does. None if no object has two judgments.
    pub(super) fn signal(&self) -> Option<f64> {
        self.signal_about(self.shifted_centre()).map(|signal| signal.max(0.0))
    }

    /// The mean product of two different judgments of an object about a centre, which is less the shift. An unbiased
    /// estimate of the external variance, so it may be negative.
    pub(crate) fn signal_about(&self, centre: f64) -> Option<f64> {
        let PairedSums { objects, products, sum_of_means, .. } = self.paired;
        let centred = products - 2.0 * centre * sum_of_means + objects * centre * centre;
        (objects > 0.0).then(|| centred / objects)
    }

    /// ICC(1), of one judgment, from the one-way analysis of variance: (MSB - MSW) / (MSB + (n0 - 1) MSW), with
    /// n0 = (N - sum n^2 / N) / (m - 1) judgments an object. None if objects are fewer than two, none was judged
    /// twice, or nothing varies.
    pub(super) fn icc(&self) -> Option<f64> {
        let (between, within, per_object) = self.mean_squares()?;
        let icc = (between - within) / (between + (per_object - 1.0) * within);
        icc.is_finite().then_some(icc)
    }

    /// The same with its 95 percent interval, by the F distribution of the ratio of mean squares.
    pub(super) fn icc_interval(&self) -> Option<Interval> {
        let (between, within, per_object) = self.mean_squares()?;
        icc1(between, within, self.objects, per_object, self.judgments - self.objects)
    }

    /// The mean squares between and within objects, and the judgments of an object.
    fn mean_squares(&self) -> Option<(f64, f64, f64)> {
        let (objects, judgments) = (self.objects, self.judgments);
        if objects < 2.0 || judgments <= objects || self.is_constant() {
            return None;
        }
        let between = (self.between - self.sum * self.sum / judgments).max(0.0) / (objects - 1.0);
        let within = self.within / (judgments - objects);
        Some((between, within, (judgments - self.judgments_squared / judgments) / (objects - 1.0)))
    }

    /// Krippendorff's alpha on the interval scale. None if no object was judged twice, or nothing varies.
    pub(super) fn alpha(&self) -> Option<f64> {
        let PairedSums { judgments, sum, squares, weighted_variances, .. } = self.paired;
        let total = squares - sum * sum / judgments;
        // What rounding leaves of a constant is not a variance.
        (total > 1e-14 * squares).then(|| 1.0 - (judgments - 1.0) / judgments * weighted_variances / total)
    }
}

#[cfg(test)]
mod tests;
