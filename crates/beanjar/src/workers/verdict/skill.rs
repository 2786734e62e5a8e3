//! How far a worker's labels go with the truth.

use crate::normal::{crossing, cumulative};
use crate::truth::Posterior;

/// Sums over the tasks of one worker; d is the posterior by the others less its mean over these tasks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Skill {
    pub(super) labels: usize,
    /// The share of the label given most.
    pub(super) most_given: f64,
    /// sum_t d_t(label).
    excess: f64,
    /// sum_t sum_k d_t(k)^2: the excess of somebody who is always right, by expectation.
    room: f64,
    /// The variance of the excess if the accuracy is a: v[0] + v[1] a + v[2] a^2.
    variance: [f64; 3],
}

/// Sums over classes: of d and d^2 by the worker's shares, of d^2 and d^3.
#[derive(Clone, Copy, Default)]
struct Moments([f64; 4]);

impl Moments {
    fn with(self, share: f64, d: f64) -> Self {
        self.and(&Moments([share * d, share * d * d, d * d, d * d * d]))
    }

    fn and(self, more: &Self) -> Self {
        Moments(std::array::from_fn(|at| self.0[at] + more.0[at]))
    }

    fn times(self, factor: f64) -> Self {
        Moments(self.0.map(|sum| factor * sum))
    }
}

impl Skill {
    /// From the worker's tasks and labels, and the posterior of all tasks.
    pub(super) fn of(votes: &[(u32, u16)], posterior: &Posterior, classes: usize) -> Self {
        let n = votes.len() as f64;
        let (mut mean, mut shares) = (vec![0.0; classes], vec![0.0; classes]);
        for &(task, label) in votes {
            posterior.of(task as usize).possible().for_each(|(class, p)| mean[class] += p / n);
            shares[usize::from(label)] += 1.0 / n;
        }
        let most_given = shares.iter().copied().fold(0.0, f64::max);
        // One label more, spread as the classes are: no label is impossible.
        shares.iter_mut().zip(&mean).for_each(|(share, mean)| *share = (*share * n + mean) / (n + 1.0));
        let mut skill = Skill { labels: votes.len(), most_given, excess: 0.0, room: 0.0, variance: [0.0; 3] };
        let absent = mean.iter().zip(&shares).fold(Moments::default(), |sum, (mean, share)| sum.with(*share, -mean));
        for &(task, label) in votes {
            let row = posterior.of(task as usize);
            // Under accuracy a, P(label) is shares + a d; these are the means of d and d^2 under shares, and their
            // slopes in a.
            let (mut of, mut replaced) = (Moments::default(), Moments::default());
            for (class, p) in row.possible() {
                of = of.with(shares[class], p - mean[class]);
                replaced = replaced.with(shares[class], -mean[class]);
            }
            // Where the posterior is zero, d is minus the mean.
            let Moments([first, second, slope, second_slope]) = of.and(&absent.and(&replaced.times(-1.0)));
            skill.excess += row[usize::from(label)] - mean[usize::from(label)];
            skill.room += slope;
            skill.variance[0] += second - first * first;
            skill.variance[1] += second_slope - 2.0 * first * slope;
            skill.variance[2] -= slope * slope;
        }
        skill
    }

    /// Whether the tasks differ enough for anything to be seen.
    fn is_blind(&self) -> bool {
        self.room < 1e-6
    }

    /// Chance-corrected accuracy.
    pub(super) fn accuracy(&self) -> f64 {
        if self.is_blind() { 0.0 } else { self.excess / self.room }
    }

    /// The standard deviation of the estimate, if the accuracy is this.
    pub(super) fn deviation(&self, accuracy: f64) -> f64 {
        if self.is_blind() {
            return f64::INFINITY;
        }
        let [constant, slope, curvature] = self.variance;
        let variance = constant + accuracy * (slope + accuracy * curvature);
        // Who knows a task with probability a, and else always gives the same label, has at least about this variance.
        let least = (accuracy.abs() * (1.0 - accuracy.abs())).max(0.0) * self.room;
        variance.max(least).max(1e-12).sqrt() / self.room
    }

    /// The accuracies from which the estimate is not more than z deviations off, within -1 and 1.
    pub(super) fn interval(&self, z: f64) -> (f64, f64) {
        if self.is_blind() {
            return (-1.0, 1.0);
        }
        let found = self.accuracy();
        let off = |accuracy: f64| (found - accuracy).abs() - z * self.deviation(accuracy);
        // The estimate itself is inside. Ends beyond what is possible are cut.
        let middle = found.clamp(-1.0, 1.0);
        let high = if off(1.0) <= 0.0 { 1.0 } else { crossing(middle, 1.0, off) };
        let low = if off(-1.0) <= 0.0 { -1.0 } else { -crossing(-middle, 1.0, |x| off(-x)) };
        (low.min(middle), high.max(middle))
    }

    /// The probability that somebody of this accuracy looks as bad as this worker, or worse.
    pub(super) fn as_bad(&self, accuracy: f64) -> f64 {
        if self.is_blind() { 1.0 } else { cumulative((self.accuracy() - accuracy) / self.deviation(accuracy)) }
    }

    /// The logarithm of the likelihood of this accuracy, but for a constant.
    pub(super) fn log_likelihood(&self, accuracy: f64) -> f64 {
        if self.is_blind() {
            return 0.0;
        }
        let deviation = self.deviation(accuracy);
        -0.5 * ((self.accuracy() - accuracy) / deviation).powi(2) - deviation.ln()
    }
}
