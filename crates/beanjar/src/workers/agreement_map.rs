use super::pairs::Pairs;
use crate::judgments::Labels;
use crate::{Context, Result};

/// How often each two workers give the same label, in an order that puts those who agree beside one another.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AgreementMap {
    /// The workers, in that order: those with the most labels, if there are many.
    pub workers: Vec<String>,
    /// How many workers are left out.
    pub left_out: usize,
    /// Of each worker, for each of those after them in the order, how many tasks both labelled.
    pub shared: Vec<Vec<usize>>,
    /// The share of those tasks on which they agree; none without such tasks.
    pub agreement: Vec<Vec<Option<f64>>>,
}

/// More workers cannot be distinguished in a picture.
const MOST: usize = 60;

impl AgreementMap {
    /// Compares the workers with the most labels. Of labels that a worker gave the same task twice, the first counts.
    ///
    /// The order is that of average linkage: the two groups whose members agree most, on average, are joined, time and
    /// again. Cost: O(labels votes) for the pairs, O(n^3) for the order of n workers, who are at most 60.
    pub fn new(labels: &Labels, context: &Context) -> Result<Self> {
        let per_worker = labels.ballots().per_worker();
        let mut by_labels: Vec<usize> = (0..per_worker.len()).filter(|&worker| per_worker[worker] > 0).collect();
        by_labels.sort_by_key(|&worker| (std::cmp::Reverse(per_worker[worker]), worker));
        let left_out = by_labels.len().saturating_sub(MOST);
        by_labels.truncate(MOST);
        let mut place = vec![None; per_worker.len()];
        by_labels.iter().enumerate().for_each(|(at, &worker)| place[worker] = Some(at));
        let kept: Vec<bool> = place.iter().map(Option::is_some).collect();
        let ballots = labels.ballots().of_workers(&kept)?;
        let pairs = Pairs::new(&ballots);
        let found = context.map(pairs.pieces(), |range| {
            let mut found = Vec::new();
            pairs.for_each(
                range,
                |meeting| meeting.task,
                |one, other, met| {
                    let agree = met.iter().filter(|meeting| meeting.said == meeting.other_said).count();
                    found.push((one, other, met.len(), agree));
                },
            );
            found
        });
        let n = by_labels.len();
        let mut counts = vec![(0, 0); n * n];
        for (one, other, shared, agree) in found.into_iter().flatten() {
            if let (Some(i), Some(j)) = (place[one], place[other]) {
                counts[i * n + j] = (shared, agree);
                counts[j * n + i] = (shared, agree);
            }
        }
        let share = |(shared, agree): (usize, usize)| (shared > 0).then(|| agree as f64 / shared as f64);
        let order = order(n, |i, j| share(counts[i * n + j]));
        let after = |at: usize| order[at + 1..].iter().map(move |&other| (at, other));
        let of_pairs = |at: usize| after(at).map(|(at, other)| counts[order[at] * n + other]);
        Ok(AgreementMap {
            workers: order.iter().map(|&at| labels.workers.get(by_labels[at]).to_owned()).collect(),
            left_out,
            shared: (0..n).map(|at| of_pairs(at).map(|(shared, _)| shared).collect()).collect(),
            agreement: (0..n).map(|at| of_pairs(at).map(share).collect()).collect(),
        })
    }
}

/// The order of average linkage; of equals, the first are joined first. Pairs without a value count as the pair that
/// agrees least, so that strangers come last.
fn order(n: usize, value: impl Fn(usize, usize) -> Option<f64>) -> Vec<usize> {
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    let least = pairs.filter_map(|(i, j)| value(i, j)).fold(1.0, f64::min);
    let mut groups: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).collect();
    // The sum over all pairs of members of two groups.
    let mut sums: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| if i == j { 0.0 } else { value(i, j).unwrap_or(least) }).collect()).collect();
    while groups.len() > 1 {
        let linkage = |i: usize, j: usize| sums[i][j] / (groups[i].len() * groups[j].len()) as f64;
        let mut best = (0, 1);
        for i in 0..groups.len() {
            for j in i + 1..groups.len() {
                // Sums in another order differ in their last digits.
                if linkage(i, j) > linkage(best.0, best.1) + 1e-12 {
                    best = (i, j);
                }
            }
        }
        let (one, other) = best;
        let joined = groups.remove(other);
        groups[one].extend(joined);
        let row = sums.remove(other);
        for (i, sum) in sums.iter_mut().enumerate() {
            let added = sum.remove(other);
            if i != one {
                sum[one] += added;
            }
        }
        let row: Vec<f64> = row.into_iter().enumerate().filter(|(i, _)| *i != other).map(|(_, sum)| sum).collect();
        sums[one]
            .iter_mut()
            .zip(row)
            .enumerate()
            .filter(|(i, _)| *i != one)
            .for_each(|(_, (sum, added))| *sum += added);
    }
    groups.pop().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_is_counted_by_hand_and_blocks_stand_together() {
        // ann and cy agree always, bob and dan always, the two pairs half of the time; eve is alone.
        let mut rows = Vec::new();
        for task in 0..8 {
            let id = task.to_string();
            let (one, other) = (["x", "y"][task % 2], ["x", "y"][task / 2 % 2]);
            rows.extend([("ann", one), ("bob", other), ("cy", one), ("dan", other)].map(|(w, l)| (id.clone(), w, l)));
        }
        rows.push(("alone".into(), "eve", "x"));
        let labels = Labels::from_rows(rows.iter().map(|(t, w, l)| (t.as_str(), *w, *l))).unwrap();
        let map = AgreementMap::new(&labels, &Context::new()).unwrap();
        assert_eq!(map.workers, ["ann", "cy", "bob", "dan", "eve"]);
        assert_eq!(map.agreement[0], [Some(1.0), Some(0.5), Some(0.5), None]);
        assert_eq!(map.agreement[2], [Some(1.0), None]);
        assert_eq!((map.shared[0].clone(), map.left_out), (vec![8, 8, 8, 0], 0));
        assert_eq!(map.agreement[4], []);
    }

    #[test]
    fn average_linkage_is_that_of_the_direct_mean() {
        // Values by a fixed mix of bits; the direct way takes the mean over all pairs of members each time.
        let n = 12;
        let value = |i: usize, j: usize| Some(((i.min(j) * 31 + i.max(j) * 17) % 23) as f64 / 23.0);
        let mut groups: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).collect();
        while groups.len() > 1 {
            let mean = |a: &[usize], b: &[usize]| {
                let all: Vec<f64> = a.iter().flat_map(|&i| b.iter().map(move |&j| value(i, j).unwrap())).collect();
                all.iter().sum::<f64>() / all.len() as f64
            };
            let mut best = (0, 1);
            for i in 0..groups.len() {
                for j in i + 1..groups.len() {
                    if mean(&groups[i], &groups[j]) > mean(&groups[best.0], &groups[best.1]) + 1e-12 {
                        best = (i, j);
                    }
                }
            }
            let joined = groups.remove(best.1);
            groups[best.0].extend(joined);
        }
        assert_eq!(order(n, value), groups[0]);
        assert_eq!(order(0, value), Vec::<usize>::new());
    }
}
