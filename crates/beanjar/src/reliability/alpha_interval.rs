//! The interval of an attribute's alpha over objects.

use super::icc::Interval;
use super::variance::first_values;
use crate::Judgments;
use crate::judgments::{ObjectJudgments, Sum};
use crate::normal::NINETY_FIVE;

/// Of each attribute, sums over objects with two judgments or more of (n, sum x, sum x^2, n times the variance), and of
/// their products.
#[derive(Clone)]
pub(super) struct AlphaSums {
    attributes: Vec<Sums>,
}

#[derive(Clone, Copy, Default)]
struct Sums {
    /// Subtracted from every value.
    shift: f64,
    objects: f64,
    sums: [f64; 4],
    products: [[f64; 4]; 4],
}

impl AlphaSums {
    pub(super) fn new(judgments: &Judgments) -> Self {
        let sums = |shift| Sums { shift, ..Sums::default() };
        AlphaSums { attributes: first_values(judgments).into_iter().map(sums).collect() }
    }

    /// Krippendorff's alpha on the interval scale and where it lies with 95 percent, objects being drawn at random.
    ///
    /// alpha = 1 - (N - 1) / N W / (Q - S^2 / N) is a function of four sums over objects; its variance is that of the
    /// sums along its gradient (delta method). None with fewer than three objects, or if nothing varies.
    pub(super) fn of(&self, attribute: usize) -> Option<Interval> {
        let Sums { objects, sums, products, .. } = &self.attributes[attribute];
        let [n, sum, squares, within] = *sums;
        let total = squares - sum * sum / n;
        // What rounding leaves of a constant is not a variance.
        if *objects < 3.0 || total <= 1e-14 * squares {
            return None;
        }
        let share = (n - 1.0) / n;
        let by_total = share * within / (total * total);
        let gradient = [
            -within / (n * n * total) + by_total * sum * sum / (n * n),
            -2.0 * by_total * sum / n,
            by_total,
            -share / total,
        ];
        let mean = gradient.iter().zip(sums).map(|(g, x)| g * x).sum::<f64>() / objects;
        let mut square = 0.0;
        for (i, row) in products.iter().enumerate() {
            square += row.iter().zip(&gradient).map(|(p, g)| gradient[i] * p * g).sum::<f64>();
        }
        let variance = (square - objects * mean * mean).max(0.0) * objects / (objects - 1.0);
        let estimate = 1.0 - share * within / total;
        let half = NINETY_FIVE * variance.sqrt();
        Some(Interval { estimate, low: estimate - half, high: (estimate + half).min(1.0) })
    }
}

impl Sum<Judgments> for AlphaSums {
    fn observe(&mut self, object: ObjectJudgments<'_>) {
        for (attribute, _, values) in object.by_attribute().filter(|run| run.2.len() >= 2) {
            let Sums { shift, objects, sums, products } = &mut self.attributes[attribute];
            let n = values.len() as f64;
            let sum: f64 = values.iter().map(|x| x - *shift).sum();
            let within: f64 = values.iter().map(|x| (x - *shift - sum / n).powi(2)).sum();
            let row = [n, sum, within + sum * sum / n, n * within / (n - 1.0)];
            *objects += 1.0;
            for i in 0..4 {
                sums[i] += row[i];
                (0..4).for_each(|j| products[i][j] += row[i] * row[j]);
            }
        }
    }

    fn merge(&mut self, later: Self) {
        for (sums, later) in self.attributes.iter_mut().zip(later.attributes) {
            sums.objects += later.objects;
            for i in 0..4 {
                sums.sums[i] += later.sums[i];
                (0..4).for_each(|j| sums.products[i][j] += later.products[i][j]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use crate::judgments::sum_over;
    use crate::random::stream;
    use rand::RngExt;

    /// Objects of 2 to 5 noisy judgments.
    fn objects(seed: u64, n: usize) -> Vec<Vec<f64>> {
        let mut random = stream(seed, 0);
        let object = |_| {
            let value = 100.0 + 3.0 * random.random::<f64>();
            (0..random.random_range(2..6)).map(|_| value + 2.0 * random.random::<f64>()).collect()
        };
        (0..n).map(object).collect()
    }

    fn interval(objects: &[Vec<f64>]) -> Interval {
        let names: Vec<String> = (0..objects.len()).map(|i| format!("o{i}")).collect();
        let rows = names.iter().zip(objects).flat_map(|(name, of)| of.iter().map(move |&x| (&name[..], "a", "", x)));
        let judgments = Judgments::from_rows(rows).unwrap();
        sum_over(&judgments, &Context::new(), || AlphaSums::new(&judgments)).of(0).unwrap()
    }

    #[test]
    fn the_interval_is_as_wide_as_a_bootstraps() {
        let sample = objects(1, 120);
        let found = interval(&sample);
        let mut random = stream(2, 0);
        let mut drawn: Vec<f64> = (0..400)
            .map(|_| {
                let copy: Vec<Vec<f64>> =
                    (0..sample.len()).map(|_| sample[random.random_range(0..sample.len())].clone()).collect();
                interval(&copy).estimate
            })
            .collect();
        drawn.sort_by(f64::total_cmp);
        // The ends of 400 copies are uncertain by about a tenth of the width.
        let width = found.high - found.low;
        assert!((found.low - drawn[10]).abs() < 0.2 * width, "{found:?} and {}", drawn[10]);
        assert!((found.high - drawn[389]).abs() < 0.2 * width, "{found:?} and {}", drawn[389]);
    }
}
