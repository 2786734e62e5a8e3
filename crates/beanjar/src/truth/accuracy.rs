use super::Posterior;
use crate::Result;
use crate::judgments::Ballots;
use crate::normal::NINETY_FIVE as Z;

/// How often a worker is right.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct WorkerAccuracy {
    /// How many labels they gave.
    pub labels: u64,
    /// The share of them that are right, by expectation.
    pub accuracy: f64,
    /// The interval that holds the worker's accuracy with 95 percent probability.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// Each worker's accuracy, none for a worker without labels.
///
/// The expected number of right labels is the sum of the posterior probabilities of the labels that the worker gave. The
/// interval is Wilson's: it is wider for fewer labels, and takes the probabilities of the classes as they are.
pub fn worker_accuracies(posterior: &Posterior, ballots: &Ballots) -> Result<Vec<Option<WorkerAccuracy>>> {
    posterior.check_fits(ballots)?;
    let mut right = vec![0.0; ballots.workers()];
    for task in 0..posterior.tasks() {
        let row = posterior.of(task);
        ballots.votes(task).weighted().for_each(|(worker, label, weight)| right[worker] += weight * row[label]);
    }
    Ok(right.iter().zip(ballots.per_worker()).map(|(&right, labels)| accuracy(right, labels)).collect())
}

pub(super) fn accuracy(right: f64, labels: u64) -> Option<WorkerAccuracy> {
    let n = labels as f64;
    if labels == 0 {
        return None;
    }
    let share = (right / n).clamp(0.0, 1.0);
    let middle = (share + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let half = Z / (1.0 + Z * Z / n) * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    Some(WorkerAccuracy { labels, accuracy: share, low: (middle - half).max(0.0), high: (middle + half).min(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_solves_its_equation_and_narrows() {
        for (right, labels) in [(0.0, 3), (2.5, 3), (40.0, 50), (500.0, 1000)] {
            let found = accuracy(right, labels).unwrap();
            let (share, n) = (right / labels as f64, labels as f64);
            for end in [found.low, found.high] {
                // Wilson: |share - p| = z sqrt(p (1 - p) / n) at both ends, but for those cut at 0 and 1.
                let off = (share - end).powi(2) - Z * Z * end * (1.0 - end) / n;
                assert!(off.abs() < 1e-12);
            }
            assert!(found.low <= share && share <= found.high);
        }
        let width = |labels: u64| {
            let found = accuracy(0.8 * labels as f64, labels).unwrap();
            found.high - found.low
        };
        assert!(width(1000) < width(100) && width(100) < width(10));
        assert_eq!(accuracy(0.0, 0), None);
    }
}
