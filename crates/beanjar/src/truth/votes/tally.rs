//! Sums over tasks of how often labels are right, how sure they are, and whether another panel agrees.

use super::super::Posterior;
use crate::normal::{cumulative, density};

/// Bins of confidence, equally wide, as in [`Calibration`](super::super::Calibration).
const BINS: usize = 10;

/// Sums over tasks of about the same confidence.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    tasks: f64,
    sure: f64,
    right: f64,
}

/// Sums over tasks.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) tasks: f64,
    right: f64,
    bins: [Bin; BINS],
    compared: f64,
    agree: f64,
}

impl Tally {
    /// A label of this confidence, which is right with this probability.
    pub(super) fn add(&mut self, confidence: f64, right: f64) {
        let bin = ((confidence * BINS as f64) as usize).min(BINS - 1);
        self.bins[bin].tasks += 1.0;
        self.bins[bin].sure += confidence;
        self.bins[bin].right += right;
        self.tasks += 1.0;
        self.right += right;
    }

    /// A label that another panel gives as well, with this probability.
    pub(super) fn compare(&mut self, agree: f64) {
        self.compared += 1.0;
        self.agree += agree;
    }

    pub(super) fn merge(&mut self, other: &Tally) {
        self.tasks += other.tasks;
        self.right += other.right;
        self.compared += other.compared;
        self.agree += other.agree;
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            bin.tasks += more.tasks;
            bin.sure += more.sure;
            bin.right += more.right;
        }
    }

    /// The share of labels that are right.
    pub(super) fn accuracy(&self) -> f64 {
        self.right / self.tasks.max(1.0)
    }

    /// The expected calibration error, as it seems.
    pub(super) fn ece(&self) -> f64 {
        self.bins.iter().map(|bin| (bin.sure - bin.right).abs()).sum::<f64>() / self.tasks.max(1.0)
    }

    /// The calibration error of this many tasks if the share that is right is larger than it seems by `more`, at every
    /// confidence.
    pub(super) fn ece_if(&self, more: f64, tasks: f64) -> Spread {
        self.ece_by(tasks, |_, right| right + more)
    }

    /// The smallest that may be, if at each confidence the share that is right is larger than it seems by something between
    /// `low` and `high`.
    pub(super) fn least_ece(&self, low: f64, high: f64, tasks: f64) -> Spread {
        self.ece_by(tasks, |sure, right| sure.clamp(right + low.min(high), right + high))
    }

    /// By the share that is right, given the mean confidence of a bin and the share that seems right. Chance alone leaves a
    /// share of few tasks off.
    fn ece_by(&self, tasks: f64, share_right: impl Fn(f64, f64) -> f64) -> Spread {
        let (mut mean, mut variance) = (0.0, 0.0);
        for bin in self.bins.iter().filter(|bin| bin.tasks > 0.0) {
            let (share, sure) = (bin.tasks / self.tasks, bin.sure / bin.tasks);
            let right = share_right(sure, bin.right / bin.tasks).clamp(0.0, 1.0);
            let (off, deviation) = (sure - right, (right * (1.0 - right) / (share * tasks)).sqrt());
            let size = mean_size(off, deviation);
            mean += share * size;
            variance += share * share * (off * off + deviation * deviation - size * size).max(0.0);
        }
        Spread { mean, deviation: variance.sqrt() }
    }

    /// The share of labels that another panel gives as well, and how many were compared; none if none was.
    pub(super) fn agreement(&self) -> Option<(f64, f64)> {
        (self.compared > 0.0).then(|| (self.agree / self.compared, self.compared))
    }
}

/// What to expect, and by how much chance moves it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    pub(super) mean: f64,
    pub(super) deviation: f64,
}

/// The mean absolute value of a normal variable.
fn mean_size(mean: f64, deviation: f64) -> f64 {
    if deviation <= 0.0 {
        return mean.abs();
    }
    let at = mean / deviation;
    2.0 * deviation * density(at) + mean * (2.0 * cumulative(at) - 1.0)
}

/// The mean of `of` over the classes that are as probable as any, one of which is drawn for a label.
pub(super) fn over_tied(posterior: &Posterior, task: usize, of: impl Fn(usize) -> f64) -> f64 {
    let (sum, tied) = posterior.best(task).fold((0.0, 0.0), |(sum, tied), class| (sum + of(class), tied + 1.0));
    sum / f64::max(tied, 1.0)
}

/// How probable it is that the labels of two posteriors are the same.
pub(super) fn same(one: &Posterior, other: &Posterior, task: usize) -> f64 {
    let tied: Vec<usize> = other.best(task).collect();
    over_tied(one, task, |class| if tied.contains(&class) { 1.0 / tied.len() as f64 } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_count_by_halves() {
        let one = Posterior::new(2, vec![0.5, 0.5, 0.2, 0.8]).unwrap();
        let other = Posterior::new(2, vec![0.5, 0.5, 0.9, 0.1]).unwrap();
        assert_eq!(same(&one, &other, 0), 0.5);
        assert_eq!(same(&one, &other, 1), 0.0);
        assert_eq!(same(&one, &one, 1), 1.0);
        assert_eq!(over_tied(&one, 0, |class| class as f64), 0.5);
    }

    #[test]
    fn sums_by_hand() {
        let mut tally = Tally::default();
        tally.add(0.95, 1.0);
        tally.add(0.95, 0.5);
        tally.compare(1.0);
        let mut other = Tally::default();
        other.add(0.55, 0.6);
        other.compare(0.0);
        tally.merge(&other);
        assert!((tally.accuracy() - 0.7).abs() < 1e-12);
        assert!((tally.ece() - (0.4 + 0.05) / 3.0).abs() < 1e-12);
        assert_eq!(tally.agreement(), Some((0.5, 2.0)));
        assert_eq!(Tally::default().agreement(), None);
    }

    #[test]
    fn the_calibration_error_that_chance_leaves_is_that_of_draws() {
        use crate::random::stream;
        use rand::RngExt;
        let mut random = stream(5, 5);
        let levels = [0.65, 0.85, 0.95];
        let mut seems = Tally::default();
        levels.iter().for_each(|&p| (0..40).for_each(|_| seems.add(p, p)));
        let mut drawn = |off: f64| {
            let mut tally = Tally::default();
            for p in levels {
                (0..40).for_each(|_| tally.add(p, f64::from(u8::from(random.random_bool(p + off)))));
            }
            tally.ece()
        };
        for off in [0.0, -0.2] {
            let draws: Vec<f64> = (0..2000).map(|_| drawn(off)).collect();
            let mean = draws.iter().sum::<f64>() / 2000.0;
            let deviation = (draws.iter().map(|ece| (ece - mean).powi(2)).sum::<f64>() / 2000.0).sqrt();
            // The normal distribution stands for one of 40 draws: good to about a twentieth.
            let found = seems.ece_if(off, 120.0);
            assert!((found.mean / mean - 1.0).abs() < 0.06, "{off}: {mean} {found:?}");
            assert!((found.deviation / deviation - 1.0).abs() < 0.1, "{off}: {deviation} {found:?}");
            // Where confidence may be right at every level, only chance is left.
            let (least, right) = (seems.least_ece(off - 0.3, off + 0.3, 120.0).mean, seems.ece_if(0.0, 120.0).mean);
            assert!((least - right).abs() < 1e-12);
        }
        let many = f64::INFINITY;
        assert!((seems.ece_if(0.0, many).mean - seems.ece()).abs() < 1e-12);
        assert!((seems.least_ece(-0.3, -0.1, many).mean - 0.1).abs() < 1e-12);
    }
}
