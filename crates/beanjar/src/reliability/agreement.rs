//! How far each worker agrees with the others on the same things.

use crate::judgments::{ANONYMOUS, ObjectJudgments, Sum, Votes};
use crate::normal::NINETY_FIVE;
use crate::{Judgments, Labels};
use std::collections::HashMap;

/// For each worker, the mean over their labels of the share of other workers' votes on the task that are the same.
pub(crate) struct LabelAgreement {
    pub(super) labels: Vec<u64>,
    /// Labels by a worker who had labelled the task before.
    pub(super) repeated: u64,
    compared: Vec<u64>,
    shares: Vec<f64>,
    /// Scratch of one task: votes for each class, and of each worker.
    votes_for: Vec<u32>,
    votes_of: Vec<u32>,
}

impl LabelAgreement {
    pub(crate) fn new(workers: usize, classes: usize) -> Self {
        LabelAgreement {
            labels: vec![0; workers],
            repeated: 0,
            compared: vec![0; workers],
            shares: vec![0.0; workers],
            votes_for: vec![0; classes],
            votes_of: vec![0; workers],
        }
    }

    /// How many numbers it comes to.
    pub(crate) fn numbers(workers: usize) -> usize {
        3 * workers + 1
    }

    /// What it came to, as numbers that add.
    pub(crate) fn into_numbers(self) -> Vec<f64> {
        let counts = self.labels.into_iter().chain(self.compared).map(|count| count as f64);
        counts.chain(self.shares).chain([self.repeated as f64]).collect()
    }

    /// From such numbers.
    pub(super) fn of_numbers(numbers: &[f64], workers: usize, classes: usize) -> Self {
        let mut found = LabelAgreement::new(workers, classes);
        let of_workers = found.labels.iter_mut().zip(&mut found.compared).zip(&mut found.shares).enumerate();
        for (worker, ((labels, compared), share)) in of_workers {
            let number = |kind: usize| numbers.get(kind * workers + worker).copied().unwrap_or(0.0);
            (*labels, *compared, *share) = (number(0) as u64, number(1) as u64, number(2));
        }
        found.repeated = numbers.get(3 * workers).map_or(0, |repeated| *repeated as u64);
        found
    }

    /// None for a worker who was alone on all tasks.
    pub(super) fn of(&self, worker: usize) -> Option<f64> {
        (self.compared[worker] > 0).then(|| self.shares[worker] / self.compared[worker] as f64)
    }
}

impl LabelAgreement {
    /// Where the agreement lies with 95 percent (Wilson), each label counting as one observation.
    pub(super) fn interval(&self, worker: usize) -> Option<(f64, f64)> {
        let (n, share) = (self.compared[worker] as f64, self.of(worker)?);
        const Z: f64 = NINETY_FIVE;
        let middle = (share + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
        let half = Z / (1.0 + Z * Z / n) * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        Some(((middle - half).max(0.0), (middle + half).min(1.0)))
    }
}

impl LabelAgreement {
    /// Counts the votes on one task.
    pub(crate) fn count(&mut self, votes: Votes<'_>) {
        for (&worker, &label) in votes.workers.iter().zip(votes.labels) {
            self.votes_for[usize::from(label)] += 1;
            let own = &mut self.votes_of[worker as usize];
            self.repeated += u64::from(*own > 0);
            *own += 1;
        }
        // Of workers who voted more than once, how often for what.
        let mut repeated: HashMap<(u32, u16), u32> = HashMap::new();
        for (&worker, &label) in votes.workers.iter().zip(votes.labels) {
            if self.votes_of[worker as usize] > 1 {
                *repeated.entry((worker, label)).or_default() += 1;
            }
        }
        for (&worker, &label) in votes.workers.iter().zip(votes.labels) {
            self.labels[worker as usize] += 1;
            let own = self.votes_of[worker as usize];
            let others = votes.labels.len() as u32 - own;
            if others == 0 {
                continue;
            }
            let own_alike = if own == 1 { 1 } else { repeated.get(&(worker, label)).copied().unwrap_or(1) };
            self.compared[worker as usize] += 1;
            self.shares[worker as usize] +=
                f64::from(self.votes_for[usize::from(label)] - own_alike) / f64::from(others);
        }
        for (&worker, &label) in votes.workers.iter().zip(votes.labels) {
            self.votes_for[usize::from(label)] = 0;
            self.votes_of[worker as usize] = 0;
        }
    }
}

impl Sum<Labels> for LabelAgreement {
    fn observe(&mut self, votes: Votes<'_>) {
        self.count(votes);
    }

    fn merge(&mut self, later: Self) {
        self.repeated += later.repeated;
        add(&mut self.labels, &later.labels);
        add(&mut self.compared, &later.compared);
        add(&mut self.shares, &later.shares);
    }
}

/// For each worker, the correlation of their judgments with the mean of the others' judgments of the same attribute
/// of the same object, each attribute brought to mean 0 and variance 1 first.
pub(super) struct JudgmentAgreement<'a> {
    scales: &'a [Standard],
    pub(super) judgments: Vec<u64>,
    moments: Vec<Moments>,
    /// Scratch of one run: number and sum of each worker's judgments.
    own: Vec<(u32, f64)>,
}

/// What brings an attribute to mean 0 and variance 1.
#[derive(Clone, Copy)]
pub(super) struct Standard {
    pub(super) mean: f64,
    pub(super) deviation: f64,
}

#[derive(Clone, Copy, Default)]
struct Moments {
    n: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
    yy: f64,
}

impl<'a> JudgmentAgreement<'a> {
    pub(super) fn new(judgments: &Judgments, scales: &'a [Standard]) -> Self {
        let workers = judgments.workers.len();
        JudgmentAgreement {
            scales,
            judgments: vec![0; workers],
            moments: vec![Moments::default(); workers],
            own: vec![(0, 0.0); workers],
        }
    }

    /// None for a worker with fewer than three judgments to compare, or with judgments that do not vary.
    pub(super) fn of(&self, worker: usize) -> Option<f64> {
        let Moments { n, x, y, xx, xy, yy } = self.moments[worker];
        let (vx, vy) = (xx - x * x / n, yy - y * y / n);
        // What rounding leaves of a constant is not a variance.
        (n >= 3.0 && vx > 1e-12 * xx && vy > 1e-12 * yy).then(|| (xy - x * y / n) / (vx * vy).sqrt())
    }
}

impl JudgmentAgreement<'_> {
    /// Where the correlation lies with 95 percent (Fisher's z); none with fewer than four to compare.
    pub(super) fn interval(&self, worker: usize) -> Option<(f64, f64)> {
        let (n, agreement) = (self.moments[worker].n, self.of(worker)?.clamp(-1.0 + 1e-12, 1.0 - 1e-12));
        let half = NINETY_FIVE / (n - 3.0).max(0.0).sqrt();
        half.is_finite().then(|| ((agreement.atanh() - half).tanh(), (agreement.atanh() + half).tanh()))
    }
}

impl Sum<Judgments> for JudgmentAgreement<'_> {
    fn observe(&mut self, object: ObjectJudgments<'_>) {
        for (attribute, workers, values) in object.by_attribute() {
            let Standard { mean, deviation } = self.scales[attribute];
            let standard = |value: f64| if deviation > 0.0 { (value - mean) / deviation } else { 0.0 };
            let known = || workers.iter().zip(values).filter(|(worker, _)| **worker != ANONYMOUS);
            let sum: f64 = values.iter().map(|&value| standard(value)).sum();
            for (&worker, &value) in known() {
                let own = &mut self.own[worker as usize];
                *own = (own.0 + 1, own.1 + standard(value));
                self.judgments[worker as usize] += 1;
            }
            for (&worker, &value) in known() {
                let (own, own_sum) = self.own[worker as usize];
                let others = values.len() as u32 - own;
                if others > 0 && deviation > 0.0 {
                    self.moments[worker as usize].observe(standard(value), (sum - own_sum) / f64::from(others));
                }
            }
            for (&worker, _) in known() {
                self.own[worker as usize] = (0, 0.0);
            }
        }
    }

    fn merge(&mut self, later: Self) {
        add(&mut self.judgments, &later.judgments);
        for (moments, later) in self.moments.iter_mut().zip(&later.moments) {
            moments.n += later.n;
            moments.x += later.x;
            moments.y += later.y;
            moments.xx += later.xx;
            moments.xy += later.xy;
            moments.yy += later.yy;
        }
    }
}

impl Moments {
    fn observe(&mut self, x: f64, y: f64) {
        self.n += 1.0;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.xy += x * y;
        self.yy += y * y;
    }
}

fn add<T: Copy + std::ops::AddAssign>(sums: &mut [T], more: &[T]) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += *more;
    }
}
