//! Who rates high, who uses the ends of the scale, and what objects' means would be without.

use super::icc::{Interval, of_means};
use super::two_way::{Rated, TwoWay};
use crate::judgments::{ANONYMOUS, Grouped};
use crate::{Context, Judgments};

/// The mean of an object's judgments of an attribute, as it is and without what its raters add.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AdjustedMean {
    /// The object.
    pub object: String,
    /// The attribute.
    pub attribute: String,
    /// How many judgments by known raters it has.
    pub judgments: usize,
    /// Their mean.
    pub mean: f64,
    /// Their mean, less what each rater adds on average.
    pub adjusted: f64,
}

/// What was found of the raters.
pub(super) struct RaterBias {
    /// Of each attribute: k, ICC(2,k) and ICC(3,k), where objects and raters can be separated.
    pub(super) of_means: Vec<Option<(f64, Interval, Interval)>>,
    /// Of each worker: what they add to a judgment, in standard deviations of the attribute; none without a judgment that
    /// can be compared.
    pub(super) bias: Vec<Option<f64>>,
    /// Of each worker: the share of their judgments at the lowest or highest value of an attribute, and that of all
    /// judgments of the same attributes.
    pub(super) ends: Vec<Option<(f64, f64)>>,
    /// The objects' means, if they were asked for.
    pub(super) adjusted: Vec<AdjustedMean>,
}

/// What one attribute adds to the sums.
struct Found {
    of_means: Option<(f64, Interval, Interval)>,
    effects: Vec<f64>,
    objects: Vec<f64>,
    deviation: f64,
    /// The lowest and the highest value; none if all are one.
    ends: Option<(f64, f64)>,
}

impl RaterBias {
    /// `deviations` are the standard deviations of the attributes. Memory: 16 bytes a judgment.
    pub(super) fn new(judgments: &Judgments, deviations: &[f64], adjusted: bool, context: &Context) -> Self {
        let (objects, workers) = (judgments.objects.len(), judgments.workers.len());
        let mut rated: Vec<Vec<Rated>> = vec![Vec::new(); deviations.len()];
        for object in 0..judgments.objects() {
            for (attribute, by, values) in judgments.of(object).by_attribute() {
                for (&rater, &value) in by.iter().zip(values).filter(|(rater, _)| **rater != ANONYMOUS) {
                    rated[attribute].push(Rated { object: object as u32, rater, value });
                }
            }
        }
        let jobs: Vec<(&Vec<Rated>, f64)> = rated.iter().zip(deviations.iter().copied()).collect();
        let found = context.map(jobs, |(rated, deviation)| Found::new(rated, objects, workers, deviation));
        let mut bias = RaterBias {
            of_means: found.iter().map(|of| of.of_means).collect(),
            bias: vec![None; workers],
            ends: vec![None; workers],
            adjusted: Vec::new(),
        };
        bias.add_up(&rated, &found, workers);
        if adjusted {
            bias.adjust(judgments, &rated, &found);
        }
        bias
    }

    /// The means over attributes of each worker's figures.
    fn add_up(&mut self, rated: &[Vec<Rated>], found: &[Found], workers: usize) {
        let mut sums = vec![[0.0; 5]; workers];
        for (rated, found) in rated.iter().zip(found) {
            let at_end = |value: f64| found.ends.is_some_and(|(low, high)| value == low || value == high);
            let usual = rated.iter().filter(|row| at_end(row.value)).count() as f64 / rated.len().max(1) as f64;
            for row in rated {
                let sum = &mut sums[row.rater as usize];
                if found.deviation > 0.0 {
                    sum[0] += found.effects[row.rater as usize] / found.deviation;
                    sum[1] += 1.0;
                }
                if found.ends.is_some() {
                    sum[2] += f64::from(u8::from(at_end(row.value)));
                    sum[3] += usual;
                    sum[4] += 1.0;
                }
            }
        }
        for (worker, sum) in sums.iter().enumerate() {
            self.bias[worker] = (sum[1] > 0.0).then(|| sum[0] / sum[1]);
            self.ends[worker] = (sum[4] > 0.0).then(|| (sum[2] / sum[4], sum[3] / sum[4]));
        }
    }

    fn adjust(&mut self, judgments: &Judgments, rated: &[Vec<Rated>], found: &[Found]) {
        for (attribute, (rated, found)) in rated.iter().zip(found).enumerate() {
            // The rows of an object lie together.
            for of_object in rated.chunk_by(|a, b| a.object == b.object) {
                let object = of_object[0].object as usize;
                self.adjusted.push(AdjustedMean {
                    object: judgments.objects.get(object).to_owned(),
                    attribute: judgments.attributes.get(attribute).to_owned(),
                    judgments: of_object.len(),
                    mean: of_object.iter().map(|row| row.value).sum::<f64>() / of_object.len() as f64,
                    adjusted: found.objects[object],
                });
            }
        }
    }
}

impl Found {
    fn new(rated: &[Rated], objects: usize, workers: usize, deviation: f64) -> Self {
        let table = TwoWay::new(rated, objects, workers);
        let components = table.components();
        // What a rater adds is drawn to zero, by as many judgments as it takes to know it better than by guessing; where
        // that cannot be found out, by one.
        let ridge = components.map_or(1.0, |found| match found.raters > 0.0 {
            true => (found.error.max(0.0) / found.raters).min(1e6),
            false => 1e6,
        });
        let (effects, objects) = table.effects(ridge);
        let ends = rated
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), row| (low.min(row.value), high.max(row.value)));
        Found { of_means: of_means(&table), effects, objects, deviation, ends: (ends.0 < ends.1).then_some(ends) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_rates_high_is_found_and_taken_out() {
        // Four raters of 40 objects; the last adds 2 and uses the ends half of the time.
        let mut rows = Vec::new();
        for object in 0..40usize {
            for rater in 0..4usize {
                // Each object misses one rater, so that plain means are biased.
                if object % 4 == rater {
                    continue;
                }
                let value = 1.0 + (object * 7 % 5) as f64 + ((object * 5 + rater * 3) % 3) as f64 * 0.1;
                rows.push((format!("o{object}"), format!("r{rater}"), value + if rater == 3 { 2.0 } else { 0.0 }));
            }
        }
        let judgments =
            Judgments::from_rows(rows.iter().map(|(object, rater, value)| (&object[..], "a", &rater[..], *value)));
        let judgments = judgments.unwrap();
        let found = RaterBias::new(&judgments, &[1.5], true, &Context::new());
        let last = judgments.workers.lookup().code("r3").unwrap();
        let high = found.bias[last].unwrap();
        // 2 above the other three, a quarter of which is the mean: 1.5 above, or one standard deviation.
        assert!((high - 1.0).abs() < 0.1, "{high}");
        assert!((0..4).filter(|&rater| rater != last).all(|rater| found.bias[rater].unwrap() < 0.0));
        let mut worst: (f64, f64) = (0.0, 0.0);
        for of in &found.adjusted {
            let object: usize = of.object[1..].parse().unwrap();
            let value = 1.0 + (object * 7 % 5) as f64 + 0.1 + 0.5;
            worst = (worst.0.max((of.mean - value).abs()), worst.1.max((of.adjusted - value).abs()));
        }
        assert!(worst.1 < 0.2 && worst.0 > 0.4, "{worst:?}");
        assert!(found.of_means[0].unwrap().2.estimate > 0.95);
    }
}
