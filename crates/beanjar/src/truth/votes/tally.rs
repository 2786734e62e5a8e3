//! Sums over tasks of how often labels are right, how sure they are, and whether another panel agrees.

use super::super::Posterior;

/// Bins of confidence, equally wide, as in [`Calibration`](super::super::Calibration).
const BINS: usize = 10;

/// Sums over tasks.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) tasks: f64,
    right: f64,
    bins: [(f64, f64); BINS],
    compared: f64,
    agree: f64,
}

impl Tally {
    /// A label of this confidence, which is right with this probability.
    pub(super) fn add(&mut self, confidence: f64, right: f64) {
        let bin = ((confidence * BINS as f64) as usize).min(BINS - 1);
        self.bins[bin].0 += confidence;
        self.bins[bin].1 += right;
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
            *bin = (bin.0 + more.0, bin.1 + more.1);
        }
    }

    /// The share of labels that are right.
    pub(super) fn accuracy(&self) -> f64 {
        self.right / self.tasks.max(1.0)
    }

    /// The expected calibration error.
    pub(super) fn ece(&self) -> f64 {
        self.bins.iter().map(|(sure, right)| (sure - right).abs()).sum::<f64>() / self.tasks.max(1.0)
    }

    /// The share of labels that another panel gives as well, and how many were compared; none if none was.
    pub(super) fn agreement(&self) -> Option<(f64, f64)> {
        (self.compared > 0.0).then(|| (self.agree / self.compared, self.compared))
    }
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
}
