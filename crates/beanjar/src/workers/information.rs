use crate::judgments::Ballots;
use crate::{Context, Result};
use std::collections::BTreeMap;
use std::ops::Range;

/// What becomes of tasks that one worker of a pair, or both, did not label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
/// twice, the first counts.
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
}

impl Information {
    /// Finds the information of all pairs.
    pub fn new(ballots: &Ballots, missing: Missing, context: &Context) -> Result<Self> {
        let once = first_votes(ballots);
        let ballots = once.as_ref().unwrap_or(ballots);
        let (workers, classes) = (ballots.workers(), ballots.classes());
        let by_worker = ByWorker::new(ballots);
        let counts = by_worker.counts(classes);
        let tasks = ballots.tasks() as f64;
        let pairs = Pairs { ballots, by_worker: &by_worker, counts: &counts, missing, tasks };
        let found = context.map(by_worker.even_pieces(64), |range| pairs.of_workers(range));
        let (offsets, partners) = mirrored(&found.into_iter().flatten().collect::<Vec<_>>());
        let labelled = (0..workers).map(|worker| by_worker.of(worker).len() as f64).collect();
        Ok(Information { missing, tasks, labelled, offsets, partners })
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.labelled.len()
    }

    /// How many tasks a worker labelled.
    pub fn labelled(&self, worker: usize) -> usize {
        self.labelled[worker] as usize
    }

    /// The workers who share a task with one, and the information shared.
    pub fn partners(&self, worker: usize) -> &[(u32, f64)] {
        &self.partners[self.offsets[worker]..self.offsets[worker + 1]]
    }

    /// The information of two workers.
    pub fn between(&self, one: usize, other: usize) -> f64 {
        let partners = self.partners(one);
        match partners.binary_search_by_key(&(other as u32), |partner| partner.0) {
            Ok(at) => partners[at].1,
            Err(_) => self.apart(self.labelled[one], self.labelled[other]),
        }
    }

    /// The information of two workers without a task in common, who labelled so many.
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
                let strangers: f64 = alike.iter().map(|(&n, count)| count * apart(n as f64)).sum();
                let known = self.partners(worker).iter();
                let known: f64 = known.map(|&(other, shared)| shared - apart(self.labelled[other as usize])).sum();
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
        // By now all who come before have told this worker of themselves.
        for &(other, shared) in later {
            push(worker, (other, shared));
            push(other as usize, (worker as u32, shared));
        }
    }
    (offsets, partners)
}

/// p ln(p / (q r)), nothing for p = 0.
fn term(p: f64, q: f64, r: f64) -> f64 {
    if p > 0.0 { p * (p / (q * r)).ln() } else { 0.0 }
}

/// The votes without those that a worker casts on a task a second time; none if there are no such.
pub(super) fn first_votes(ballots: &Ballots) -> Option<Ballots> {
    let mut last = vec![usize::MAX; ballots.workers()];
    let mut first = Vec::with_capacity(ballots.len());
    for task in 0..ballots.tasks() {
        for (worker, _) in ballots.votes(task).iter() {
            first.push(std::mem::replace(&mut last[worker], task) != task);
        }
    }
    first.contains(&false).then(|| ballots.filtered(|vote, _| first[vote]))
}

/// Votes turned around: of each worker, which tasks, and what was said of them.
pub(super) struct ByWorker {
    offsets: Vec<usize>,
    votes: Vec<(u32, u16)>,
}

impl ByWorker {
    pub(super) fn new(ballots: &Ballots) -> Self {
        let mut offsets = vec![0];
        let mut total = 0;
        for n in ballots.per_worker() {
            total += n as usize;
            offsets.push(total);
        }
        let mut next = offsets.clone();
        let mut votes = vec![(0, 0); ballots.len()];
        for task in 0..ballots.tasks() {
            for (worker, label) in ballots.votes(task).iter() {
                votes[next[worker]] = (task as u32, label as u16);
                next[worker] += 1;
            }
        }
        ByWorker { offsets, votes }
    }

    pub(super) fn of(&self, worker: usize) -> &[(u32, u16)] {
        &self.votes[self.offsets[worker]..self.offsets[worker + 1]]
    }

    /// Cuts the workers into pieces with about equally many votes.
    pub(super) fn even_pieces(&self, pieces: usize) -> Vec<Range<usize>> {
        let (workers, votes) = (self.offsets.len() - 1, self.votes.len());
        let cut = |piece: usize| self.offsets[..workers].partition_point(|&at| at < votes * piece / pieces);
        let mut cuts: Vec<usize> = (0..=pieces).map(cut).collect();
        cuts[0] = 0;
        cuts[pieces] = workers;
        cuts.windows(2).map(|pair| pair[0]..pair[1]).collect()
    }

    /// How often each worker gave each label, at `worker * classes + label`.
    fn counts(&self, classes: usize) -> Vec<f64> {
        let mut counts = vec![0.0; (self.offsets.len() - 1) * classes];
        for worker in 0..self.offsets.len() - 1 {
            self.of(worker).iter().for_each(|&(_, label)| counts[worker * classes + usize::from(label)] += 1.0);
        }
        counts
    }
}

struct Pairs<'a> {
    ballots: &'a Ballots,
    by_worker: &'a ByWorker,
    counts: &'a [f64],
    missing: Missing,
    tasks: f64,
}

/// How often one worker said x where the other said y.
struct Cell {
    x: usize,
    y: usize,
    count: f64,
}

impl Pairs<'_> {
    /// Of each worker of a range, the partners who come after.
    fn of_workers(&self, range: Range<usize>) -> Vec<Vec<(u32, f64)>> {
        let mut meetings: Vec<(u32, u16, u16)> = Vec::new();
        let mut cells: Vec<Cell> = Vec::new();
        let mut of_worker = |worker: usize| {
            meetings.clear();
            for &(task, label) in self.by_worker.of(worker) {
                let others = self.ballots.votes(task as usize);
                let later = others.iter().filter(|(other, _)| *other > worker);
                meetings.extend(later.map(|(other, said)| (other as u32, label, said as u16)));
            }
            // Equal triples side by side are the cells of a table that has as many as there are different ones.
            meetings.sort_unstable();
            let shared = |met: &[(u32, u16, u16)]| {
                cells.clear();
                cells.extend(met.chunk_by(|a, b| a == b).map(|same| Cell {
                    x: usize::from(same[0].1),
                    y: usize::from(same[0].2),
                    count: same.len() as f64,
                }));
                (met[0].0, self.shared(&cells, worker, met[0].0 as usize))
            };
            meetings.chunk_by(|a, b| a.0 == b.0).map(shared).collect()
        };
        range.map(&mut of_worker).collect()
    }

    /// The information in a table.
    fn shared(&self, cells: &[Cell], one: usize, other: usize) -> f64 {
        let classes = self.ballots.classes();
        let of = |worker: usize| &self.counts[worker * classes..][..classes];
        let sum = |n: f64, p: &[f64], q: &[f64]| -> f64 {
            cells.iter().map(|cell| term(cell.count / n, p[cell.x] / n, q[cell.y] / n)).sum()
        };
        let n = self.tasks;
        if self.missing == Missing::Paper {
            return sum(n, of(one), of(other));
        }
        let (mut rows, mut columns) = (vec![0.0; classes], vec![0.0; classes]);
        for cell in cells {
            rows[cell.x] += cell.count;
            columns[cell.y] += cell.count;
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
mod tests {
    use super::*;
    use crate::simulate::Crowd;

    fn crowd() -> Ballots {
        let crowd = Crowd { tasks: 60, workers: 9, classes: 3, votes: (1, 5), unevenness: 1.0, ..Crowd::default() };
        Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(2)).unwrap().labels, 9, 3).unwrap()
    }

    /// The formula over a dense table of items and workers, cell by cell.
    fn directly(ballots: &Ballots, missing: Missing, i: usize, j: usize) -> f64 {
        let said = |task: usize, worker: usize| {
            ballots.votes(task).iter().find(|vote| vote.0 == worker).map_or(3, |vote| vote.1)
        };
        let rows: Vec<(usize, usize)> = (0..ballots.tasks())
            .map(|task| (said(task, i), said(task, j)))
            .filter(|pair| missing != Missing::Pair || (pair.0 != 3 && pair.1 != 3))
            .collect();
        let share = |test: &dyn Fn(&(usize, usize)) -> bool| {
            rows.iter().filter(|row| test(row)).count() as f64 / rows.len() as f64
        };
        let mut sum = 0.0;
        for x in 0..4 {
            for y in 0..4 {
                let joint = share(&|row| *row == (x, y));
                let counted = missing == Missing::Full || (x != 3 && y != 3);
                if joint > 0.0 && counted {
                    sum += joint * (joint / (share(&|row| row.0 == x) * share(&|row| row.1 == y))).ln();
                }
            }
        }
        sum
    }

    #[test]
    fn agrees_with_the_direct_sum() {
        let ballots = crowd();
        for missing in [Missing::Paper, Missing::Full, Missing::Pair] {
            let information = Information::new(&ballots, missing, &Context::new()).unwrap();
            let scores = information.scores();
            for i in 0..9 {
                let mut score = 0.0;
                for j in (0..9).filter(|&j| j != i) {
                    let direct = directly(&ballots, missing, i, j);
                    assert!((information.between(i, j) - direct).abs() < 1e-12, "{missing:?} {i} {j}");
                    score += direct;
                }
                assert!((scores[i] - score).abs() < 1e-10, "{missing:?} {i}");
            }
        }
    }

    #[test]
    fn the_rules_agree_where_nothing_is_missing() {
        let crowd = Crowd { tasks: 50, workers: 6, classes: 2, votes: (6, 6), ..Crowd::default() };
        let ballots = Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(1)).unwrap().labels, 6, 2).unwrap();
        let scores = |missing| Information::new(&ballots, missing, &Context::new()).unwrap().scores();
        for (one, other) in [(Missing::Paper, Missing::Full), (Missing::Full, Missing::Pair)] {
            assert!(scores(one).iter().zip(scores(other)).all(|(a, b)| (a - b).abs() < 1e-12));
        }
    }

    #[test]
    fn better_coins_share_more() {
        // Section 3.1: with equal classes and p_i > p_j > 1/K, I(i, k) > I(j, k) for every k better than chance.
        let (tasks, classes) = (200_000, 3);
        let coins = [0.9, 0.8, 0.7, 0.6, 0.5, 0.42];
        use crate::random::stream;
        use rand::RngExt;
        let mut random = stream(5, 0);
        let votes: Vec<Vec<(usize, usize)>> = (0..tasks)
            .map(|task| {
                let vote = |(worker, right): (usize, &f64)| {
                    let off = if random.random_bool(*right) { 0 } else { random.random_range(1..classes) };
                    (worker, (task + off) % classes)
                };
                coins.iter().enumerate().map(vote).collect()
            })
            .collect();
        let ballots = Ballots::from_tasks(&votes, coins.len(), classes).unwrap();
        let information = Information::new(&ballots, Missing::Paper, &Context::new()).unwrap();
        for k in 0..coins.len() {
            let shared: Vec<f64> = (0..coins.len()).filter(|&i| i != k).map(|i| information.between(i, k)).collect();
            assert!(shared.windows(2).all(|pair| pair[0] > pair[1]), "with {k}: {shared:?}");
        }
        // Equation 3 with alpha of p_i and p_j.
        let (p, q, k) = (0.9, 0.6, 3.0f64);
        let alpha = p * q / k + (1.0 - p) * (1.0 - q) / (k * (k - 1.0));
        let exact: f64 =
            k * alpha * alpha.ln() + (1.0 - k * alpha) * ((1.0 - k * alpha) / (k * (k - 1.0))).ln() + (k * k).ln();
        assert!((information.between(0, 3) - exact).abs() < 0.005);
    }

    #[test]
    fn names_of_labels_do_not_matter() {
        let ballots = crowd();
        let turned: Vec<Vec<(usize, usize)>> = (0..ballots.tasks())
            .map(|task| ballots.votes(task).iter().map(|(worker, label)| (worker, (label + 1 + worker) % 3)).collect())
            .collect();
        let turned = Ballots::from_tasks(&turned, 9, 3).unwrap();
        for missing in [Missing::Paper, Missing::Full, Missing::Pair] {
            let scores = |ballots| Information::new(ballots, missing, &Context::new()).unwrap().scores();
            assert!(scores(&ballots).iter().zip(scores(&turned)).all(|(a, b)| (a - b).abs() < 1e-12));
        }
    }

    #[test]
    fn a_repeated_label_counts_once_and_threads_change_nothing() {
        let ballots = crowd();
        let again: Vec<Vec<(usize, usize)>> = (0..ballots.tasks())
            .map(|task| {
                let votes: Vec<(usize, usize)> = ballots.votes(task).iter().collect();
                let second = votes.iter().map(|&(worker, label)| (worker, 2 - label));
                votes.iter().copied().chain(second).collect()
            })
            .collect();
        let again = Ballots::from_tasks(&again, 9, 3).unwrap();
        let context = Context::new().with_threads(std::num::NonZeroUsize::new(3).unwrap()).unwrap();
        for missing in [Missing::Paper, Missing::Full, Missing::Pair] {
            let once = Information::new(&ballots, missing, &Context::new()).unwrap();
            assert_eq!(once, Information::new(&again, missing, &context).unwrap());
        }
    }
}
