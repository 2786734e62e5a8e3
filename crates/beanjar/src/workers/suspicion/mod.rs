//! Pairs of workers whose labels depend on one another beyond what the tasks' classes explain.

mod permutation;
mod witnesses;

use super::pairs::{Meeting, Pairs};
use crate::judgments::Ballots;
use crate::random::{key, stream};
use crate::{Context, Error, Result};
use permutation::Permutation;
use witnesses::Witnesses;

/// Two workers, and how far their labels depend on one another beyond what the tasks' classes explain.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct WorkerPair {
    /// One of them.
    pub one: usize,
    /// The other, who has the larger number.
    pub other: usize,
    /// How many tasks both labelled.
    pub shared: usize,
    /// The mutual information of their labels that is left once the class is known, over those tasks.
    pub information: f64,
    /// The share of those tasks on which they agree.
    pub agreement: f64,
    /// The share on which they would agree if only the class brought them together.
    pub expected: f64,
    /// How often chance alone would leave as much information.
    pub p_value: f64,
    /// The same, counting how many pairs were looked at (Benjamini and Hochberg).
    pub adjusted: f64,
}

/// Looks for pairs of workers who copy one another or share a misunderstanding.
///
/// If the [`Skilled`](crate::truth::Skilled) model is right, then given the classes the label of one worker tells nothing of that of another. The
/// classes are not known, but can be drawn from their probabilities; given a draw, the labels of one worker of a pair
/// are shuffled among the tasks of a class that both labelled. The p-value is the share of draws whose shuffled labels
/// go together as much as the real ones do. A pair is looked at until ten shuffles have, or `most` were made.
///
/// Two who copy can take a fit over: what they agree on becomes the class, and explains itself. So the workers are cut
/// into five groups, a pair is held against a fit of the groups that neither is in, and only their own two votes are
/// added to that fit's probabilities. Where classes are too many for tables of them, a worker knows the class with a
/// probability of their own, and else gives labels by their shares. Cost: ten fits, then O(tasks shared) a shuffle.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `shared` | tasks a pair must share to be looked at | 10 | 2 or more |
/// | `most` | shuffles of a pair | 40 for each pair looked at, within 1,000 and 1,000,000 | 100 or more |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suspicion {
    /// Tasks a pair must share to be looked at.
    pub shared: usize,
    /// The most shuffles of a pair; by default enough for one pair to stand out among up to 50,000.
    pub most: Option<usize>,
}

impl Default for Suspicion {
    fn default() -> Self {
        Suspicion { shared: 10, most: None }
    }
}

impl Suspicion {
    /// All pairs looked at, the most suspicious first.
    pub fn pairs(&self, ballots: &Ballots, context: &Context) -> Result<Vec<WorkerPair>> {
        self.check()?;
        if ballots.is_empty() {
            return Err(Error::Empty("label"));
        }
        let pairs = Pairs::new(ballots);
        let witnesses = Witnesses::new(&pairs, &context.part(0.0, 0.5))?;
        let mut found = self.test_all(&pairs, &witnesses, &context.part(0.5, 1.0))?;
        found.sort_by(|a, b| {
            let p = a.p_value.total_cmp(&b.p_value);
            p.then(b.information.total_cmp(&a.information)).then((a.one, a.other).cmp(&(b.one, b.other)))
        });
        adjust(&mut found);
        Ok(found)
    }

    fn check(&self) -> Result<()> {
        let refuse = |name, value: usize, range| Err(Error::OutOfRange { name, value: value.to_string(), range });
        match (self.shared, self.most) {
            (0..2, _) => refuse("the number of tasks that a pair must share", self.shared, "2 or more"),
            (_, Some(most @ 0..100)) => refuse("the number of shuffles", most, "100 or more"),
            _ => Ok(()),
        }
    }

    /// Tests each pair with enough tasks in common.
    fn test_all(&self, pairs: &Pairs<'_>, witnesses: &Witnesses, context: &Context) -> Result<Vec<WorkerPair>> {
        let by_task = |meeting: &Meeting| meeting.task;
        let counts = context.map(pairs.pieces(), |range| {
            let mut count = 0;
            pairs.for_each(range, by_task, |_, _, met| count += usize::from(met.len() >= self.shared));
            count
        });
        let looked_at: usize = counts.iter().sum();
        let most = self.most.unwrap_or((40 * looked_at).clamp(1_000, 1_000_000));
        let test = PairTest { ballots: &pairs.ballots, witnesses, most, seed: context.seed() };
        let steps = context.steps("comparing workers", looked_at);
        let found = context.map(pairs.pieces(), |range| {
            let (mut found, mut stopped) = (Vec::new(), Ok(()));
            pairs.for_each(range, by_task, |one, other, meetings| {
                if meetings.len() < self.shared || stopped.is_err() {
                    return;
                }
                found.push(test.of(one, other, meetings));
                stopped = steps.tick();
            });
            stopped.map(|()| found)
        });
        Ok(found.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }
}

/// What pairs are tested by.
struct PairTest<'a> {
    ballots: &'a Ballots,
    witnesses: &'a Witnesses,
    most: usize,
    seed: u64,
}

impl PairTest<'_> {
    /// The test of one pair. Whose labels are shuffled, and in what order, is decided by ids, not by the order of rows.
    fn of(&self, one: usize, other: usize, meetings: &[Meeting]) -> WorkerPair {
        let (a, b) = (self.ballots.worker_key(one), self.ballots.worker_key(other));
        let turned = a > b;
        let mut meetings = meetings.to_vec();
        meetings.sort_by_key(|meeting| self.ballots.task_key(meeting.task as usize));
        if turned {
            meetings.iter_mut().for_each(|met| std::mem::swap(&mut met.said, &mut met.other_said));
        }
        let (first, second) = if turned { (other, one) } else { (one, other) };
        let rows = self.witnesses.rows(first, second, &meetings);
        let mut random = stream(key(self.seed, a.min(b)), a.max(b));
        let pair = Permutation { one, other, meetings: &meetings, rows: &rows, most: self.most };
        pair.test(&mut random)
    }
}

/// Benjamini and Hochberg's adjustment of p-values that are in rising order.
fn adjust(pairs: &mut [WorkerPair]) {
    let n = pairs.len() as f64;
    let mut least: f64 = 1.0;
    for (i, pair) in pairs.iter_mut().enumerate().rev() {
        least = least.min(pair.p_value * n / (i as f64 + 1.0));
        pair.adjusted = least;
    }
}

#[cfg(test)]
mod tests;
