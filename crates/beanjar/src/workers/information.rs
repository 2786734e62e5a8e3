use super::pairs::{Meeting, Pairs};
use crate::judgments::Ballots;
use crate::mutual_information::{self, term};
use crate::{Context, Error, Result};
use std::collections::BTreeMap;
use std::ops::Range;

/// What becomes of tasks that one worker of a pair, or both, did not label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// As the paper has it: probabilities are over all tasks, and 'no label' is a label whose cells are left out of
    /// the sum.
    #[default]
    Paper,
    /// 'No label' is a label like any other.
    Full,
    /// Only the tasks that both labelled count.
    Pair,
}

/// The mutual information between the labels of each two workers.
///
/// I(i, j) = sum over labels x, y of P(x, y) ln (P(x, y) / (P(x) P(y))), P(x, y) the share of tasks that i labels x and
/// j labels y. Only pairs with a task in common are kept; under [`Missing::Full`] the others have a value too, which
/// depends on their numbers of labels alone and is found when asked for. Of labels that a worker gave the same task
/// several times, the label they gave most counts.
///
/// Cost: O(m log m) for m meetings of two workers on a task; memory O(pairs, plus the meetings of one worker for each
/// thread).
#[derive(Clone, Debug, PartialEq)]
pub struct Information {
    missing: Missing,
    tasks: f64,
    /// Of each worker, how many tasks they labelled.
    labelled: Vec<f64>,
    /// Where each worker's partners begin.
    offsets: Vec<usize>,
    /// The partners of each worker, in rising order, and the information shared with them.
    partners: Vec<(u32, f64)>,
    /// What decides between equals.
    keys: Vec<u64>,
}

impl Information {
    /// Finds the information of all pairs.
    pub fn new(ballots: &Ballots, missing: Missing, context: &Context) -> Result<Self> {
        Self::check(ballots)?;
        let pairs = Pairs::new(ballots);
        let tables = Tables::new(&pairs, missing);
        let pieces = pairs.pieces();
        let steps = context.steps("ranking workers", pieces.len());
        let found = context.map(pieces, |range| {
            let found = tables.of_workers(range);
            steps.tick().map(|()| found)
        });
        let found: Vec<Vec<Vec<(u32, f64)>>> = found.into_iter().collect::<Result<_>>()?;
        let (offsets, partners) = mirrored(&found.into_iter().flatten().collect::<Vec<_>>());
        let labelled = (0..ballots.workers()).map(|worker| pairs.of(worker).len() as f64).collect();
        let tasks = tables.tasks;
        let keys = (0..ballots.workers()).map(|worker| ballots.worker_key(worker)).collect();
        Ok(Information { missing, tasks, labelled, offsets, partners, keys })
    }

    /// An error if the pairs of workers who have a task in common do not fit into memory.
    pub(super) fn check(ballots: &Ballots) -> Result<()> {
        // One and a half gigabytes.
        const MOST: usize = 50_000_000;
        let pairs = |n: usize| n.saturating_mul(n.saturating_sub(1)) / 2;
        let meetings = (0..ballots.tasks()).map(|task| pairs(ballots.votes(task).labels.len()));
        let meetings = meetings.fold(0, usize::saturating_add);
        match meetings.min(pairs(ballots.workers())) > MOST {
            true => Err(Error::TooMany { what: "pairs of workers who labelled the same task", limit: MOST as u64 }),
            false => Ok(()),
        }
    }

    /// How many workers there are.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.labelled.len()
    }

    /// How many tasks a worker labelled.
    ///
    /// # Panics
    /// If there is no such worker.
    #[must_use]
    pub fn labelled(&self, worker: usize) -> usize {
        self.labelled[worker] as usize
    }

    /// A number that depends on the worker's id alone: of equals, the one with the smaller comes first.
    pub(super) fn key(&self, worker: usize) -> u64 {
        self.keys[worker]
    }

    /// The workers who share a task with one, and the information shared.
    ///
    /// # Panics
    /// If there is no such worker.
    #[must_use]
    pub fn partners(&self, worker: usize) -> &[(u32, f64)] {
        &self.partners[self.offsets[worker]..self.offsets[worker + 1]]
    }

    /// The information of two workers.
    ///
    /// # Panics
    /// If there is no such worker.
    #[must_use]
    pub fn between(&self, one: usize, other: usize) -> f64 {
        let partners = self.partners(one);
        match partners.binary_search_by_key(&(other as u32), |partner| partner.0) {
            Ok(at) => partners[at].1,
            Err(_) => self.apart(self.labelled[one], self.labelled[other]),
        }
    }

    /// The information of two workers without a task in common, given how many each labelled.
    fn apart(&self, one: f64, other: f64) -> f64 {
        // Two who labelled more than all tasks together have one in common, and their value is known.
        if self.missing != Missing::Full || one + other > self.tasks {
            return 0.0;
        }
        let (p, q) = (one / self.tasks, other / self.tasks);
        let neither = 1.0 - p - q;
        term(p, p, 1.0 - q) + term(q, q, 1.0 - p) + term(neither, 1.0 - p, 1.0 - q)
    }

    /// Each worker's score: the information shared with all others together (equation 1).
    #[must_use]
    pub fn scores(&self) -> Vec<f64> {
        // Workers with equally many labels share as much with a stranger, so strangers are counted by that.
        let mut alike: BTreeMap<u64, f64> = BTreeMap::new();
        if self.missing == Missing::Full {
            self.labelled.iter().for_each(|&n| *alike.entry(n as u64).or_default() += 1.0);
        }
        (0..self.workers())
            .map(|worker| {
                let own = self.labelled[worker];
                let apart = |n: f64| self.apart(own, n);
                let strangers = alike.iter().fold(0.0, |sum, (&n, count)| sum + count * apart(n as f64));
                let known = self.partners(worker).iter();
                let shared = |&(other, shared): &(u32, f64)| shared - apart(self.labelled[other as usize]);
                // A sum of nothing is -0, which reads badly.
                let known = known.map(shared).fold(0.0, |sum, shared| sum + shared);
                strangers - if alike.is_empty() { 0.0 } else { apart(own) } + known
            })
            .collect()
    }
}

/// From the partners of each worker who come after them to all partners of each: where each worker's begin, and who
/// they are, in rising order.
fn mirrored(later: &[Vec<(u32, f64)>]) -> (Vec<usize>, Vec<(u32, f64)>) {
    let mut counts: Vec<usize> = later.iter().map(Vec::len).collect();
    later.iter().flatten().for_each(|&(other, _)| counts[other as usize] += 1);
    let mut offsets = vec![0];
    let mut total = 0;
    for count in counts {
        total += count;
        offsets.push(total);
    }
    let mut next = offsets.clone();
    let mut partners = vec![(0, 0.0); total];
    let mut push = |worker: usize, partner: (u32, f64)| {
        partners[next[worker]] = partner;
        next[worker] += 1;
    };
    for (worker, later) in later.iter().enumerate() {
        // By now all who come before have been added to this worker's partners.
        for &(other, shared) in later {
            push(worker, (other, shared));
            push(other as usize, (worker as u32, shared));
        }
    }
    (offsets, partners)
}

/// Finds the information of a pair from where they met.
struct Tables<'a> {
    pairs: &'a Pairs<'a>,
    /// How often each worker gave each label, at `worker * classes + label`.
    counts: Vec<f64>,
    missing: Missing,
    tasks: f64,
}

/// How often one worker said x where the other said y.
type Cell = (usize, usize, f64);

impl<'a> Tables<'a> {
    fn new(pairs: &'a Pairs<'a>, missing: Missing) -> Self {
        let (workers, classes) = (pairs.ballots.workers(), pairs.ballots.classes());
        let mut counts = vec![0.0; workers * classes];
        for worker in 0..workers {
            pairs.of(worker).iter().for_each(|&(_, label)| counts[worker * classes + usize::from(label)] += 1.0);
        }
        Tables { pairs, counts, missing, tasks: pairs.ballots.tasks() as f64 }
    }

    /// Of each worker of a range, the partners who come after, and the information shared with them.
    fn of_workers(&self, range: Range<usize>) -> Vec<Vec<(u32, f64)>> {
        let mut found = vec![Vec::new(); range.len()];
        let mut cells: Vec<Cell> = Vec::new();
        let (first, labels) = (range.start, |met: &Meeting| (met.said, met.other_said));
        self.pairs.for_each(range, labels, |one, other, met| {
            // Equal labels side by side are the cells of a table that has as many as there are different ones.
            cells.clear();
            cells.extend(
                met.chunk_by(|a, b| labels(a) == labels(b))
                    .map(|same| (usize::from(same[0].said), usize::from(same[0].other_said), same.len() as f64)),
            );
            found[one - first].push((other as u32, self.shared(&cells, one, other)));
        });
        found
    }

    /// The information in a table.
    fn shared(&self, cells: &[Cell], one: usize, other: usize) -> f64 {
        let classes = self.pairs.ballots.classes();
        let of = |worker: usize| &self.counts[worker * classes..][..classes];
        let sum = |n: f64, p: &[f64], q: &[f64]| mutual_information::of_cells(cells.iter().copied(), p, q, n);
        let n = self.tasks;
        if self.missing == Missing::Paper {
            return sum(n, of(one), of(other));
        }
        let (mut rows, mut columns) = (vec![0.0; classes], vec![0.0; classes]);
        for &(x, y, count) in cells {
            rows[x] += count;
            columns[y] += count;
        }
        let both: f64 = rows.iter().sum();
        if self.missing == Missing::Pair {
            return sum(both, &rows, &columns);
        }
        let missing = |worker| n - of(worker).iter().sum::<f64>();
        let (no_one, no_other) = (missing(one), missing(other));
        let alone = |worker: usize, with: &[f64], no: f64| -> f64 {
            let cell = |x: usize| term((of(worker)[x] - with[x]) / n, of(worker)[x] / n, no / n);
            (0..classes).map(cell).sum()
        };
        let neither = no_one - (of(other).iter().sum::<f64>() - both);
        sum(n, of(one), of(other))
            + alone(one, &rows, no_other)
            + alone(other, &columns, no_one)
            + term(neither / n, no_one / n, no_other / n)
    }
}

#[cfg(test)]
mod tests;
