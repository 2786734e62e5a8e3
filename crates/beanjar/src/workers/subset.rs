use super::{Information, Ranking};
use crate::{Error, Result};

/// The workers who together share the most information.
#[derive(Clone, Debug, PartialEq)]
pub struct Subset {
    /// Who they are, in rising order.
    pub workers: Vec<usize>,
    /// The sum of the information of all pairs among them.
    pub total: f64,
    /// Whether no other subset of the size has more; else only no exchange of one worker for another gains.
    pub exact: bool,
}

/// The most workers among whom all subsets are searched.
const MOST_EXACT: usize = 30;

/// The `size` workers with the largest sum of pairwise information (heuristic a of the paper).
///
/// Greedy from the best pair and from the best by score, each followed by exchanges of one worker for another while
/// that gains; up to 30 workers the best is proven by branch and bound. Cost: O(workers times size) an exchange.
pub fn best_subset(information: &Information, size: usize) -> Result<Subset> {
    let workers = information.workers();
    if size == 0 || size > workers {
        return Err(Error::OutOfRange {
            name: "the number of workers to keep",
            value: size.to_string(),
            range: "1 to the number of workers",
        });
    }
    let search = Search { information, workers, size };
    let ranked = Ranking::new(information);
    let starts = [search.greedy(), ranked.order[..size].to_vec()];
    let climbed = starts.into_iter().map(|start| search.exchanged(start));
    let mut best = climbed.fold(None::<Subset>, |best, subset| match best {
        Some(best) if best.total >= subset.total => Some(best),
        _ => Some(subset),
    });
    if workers <= MOST_EXACT
        && let Some(found) = &mut best
    {
        search.prove(found);
    }
    best.ok_or(Error::Empty("worker"))
}

struct Search<'a> {
    information: &'a Information,
    workers: usize,
    size: usize,
}

impl Search<'_> {
    fn shared(&self, i: usize, j: usize) -> f64 {
        self.information.between(i, j)
    }

    /// Adds to each worker's gain what they share with one more.
    fn add(&self, gains: &mut [f64], worker: usize, sign: f64) {
        for (other, gain) in gains.iter_mut().enumerate().filter(|(other, _)| *other != worker) {
            *gain += sign * self.shared(worker, other);
        }
    }

    /// From the best pair, the worker who adds most, one at a time.
    fn greedy(&self) -> Vec<usize> {
        let partner = |i: usize| {
            let pairs = (0..self.workers).filter(|&j| j != i).map(|j| (self.shared(i, j), j));
            pairs.fold((f64::NEG_INFINITY, i), |best, pair| if pair.0 > best.0 { pair } else { best })
        };
        let first = (0..self.workers).map(|i| (partner(i).0, i));
        let first = first.fold((f64::NEG_INFINITY, 0), |best, next| if next.0 > best.0 { next } else { best }).1;
        let mut chosen = vec![first];
        let mut gains = vec![0.0; self.workers];
        self.add(&mut gains, first, 1.0);
        while chosen.len() < self.size {
            let free = (0..self.workers).filter(|worker| !chosen.contains(worker));
            let next = free.fold(None, |best: Option<usize>, worker| match best {
                Some(best) if gains[best] >= gains[worker] => Some(best),
                _ => Some(worker),
            });
            let Some(next) = next else { break };
            chosen.push(next);
            self.add(&mut gains, next, 1.0);
        }
        chosen
    }

    /// Exchanges one worker for another while that gains.
    fn exchanged(&self, mut chosen: Vec<usize>) -> Subset {
        let mut gains = vec![0.0; self.workers];
        chosen.iter().for_each(|&worker| self.add(&mut gains, worker, 1.0));
        let mut inside = vec![false; self.workers];
        chosen.iter().for_each(|&worker| inside[worker] = true);
        let largest = chosen.iter().flat_map(|&worker| self.information.partners(worker));
        let rounding = 1e-12 * self.workers as f64 * largest.fold(0.0, |most: f64, partner| most.max(partner.1.abs()));
        loop {
            let mut best = (0.0, 0, 0);
            for (at, &out) in chosen.iter().enumerate() {
                for into in (0..self.workers).filter(|&worker| !inside[worker]) {
                    let gain = gains[into] - self.shared(into, out) - gains[out];
                    if gain > best.0 {
                        best = (gain, at, into);
                    }
                }
            }
            let total = chosen.iter().map(|&worker| gains[worker]).sum::<f64>() / 2.0;
            // A gain of the size of rounding could go back and forth for ever.
            if best.0 <= rounding {
                chosen.sort_unstable();
                return Subset { workers: chosen, total, exact: false };
            }
            let out = std::mem::replace(&mut chosen[best.1], best.2);
            (inside[out], inside[best.2]) = (false, true);
            self.add(&mut gains, out, -1.0);
            self.add(&mut gains, best.2, 1.0);
        }
    }

    /// Searches for a better subset until there can be none.
    fn prove(&self, best: &mut Subset) {
        let table: Vec<Vec<f64>> = (0..self.workers)
            .map(|i| (0..self.workers).map(|j| if i == j { 0.0 } else { self.shared(i, j) }).collect())
            .collect();
        // Workers who share most come first, so that good subsets are met early.
        let mut order: Vec<usize> = (0..self.workers).collect();
        order.sort_by(|&i, &j| table[j].iter().sum::<f64>().total_cmp(&table[i].iter().sum::<f64>()).then(i.cmp(&j)));
        let halves = fair_shares(&table, self.size);
        let mut branch =
            Branch { table: &table, halves: &halves, order: &order, size: self.size, chosen: Vec::new(), best };
        branch.extend(0, 0.0, &vec![0.0; self.workers]);
        best.workers.sort_unstable();
        best.exact = true;
    }
}

/// Each pair's information cut in two, one part for either worker, so that the bound at the root is low.
///
/// Any cut gives a bound: a subset's total is the sum of its members' parts, and no member has more than the sum of its
/// largest parts. Equal halves let workers with large shares count on partners that are not there; subgradient steps move
/// the cut to where the members of the bound agree on who is in.
fn fair_shares(table: &[Vec<f64>], size: usize) -> Vec<Vec<f64>> {
    const STEPS: usize = 400;
    let n = table.len();
    let mut parts: Vec<Vec<f64>> = table.iter().map(|row| row.iter().map(|shared| shared / 2.0).collect()).collect();
    let scale = table.iter().flatten().fold(0.0, |most: f64, shared| most.max(shared.abs()));
    let (mut best, mut lowest) = (parts.clone(), f64::INFINITY);
    for step in 0..STEPS {
        // Who is in the bound, and on whose parts each of them counts.
        let mut counted = vec![vec![false; n]; n];
        let mut sums: Vec<(f64, usize)> = (0..n)
            .map(|i| {
                let mut others: Vec<usize> = (0..n).filter(|&j| j != i).collect();
                others.sort_by(|&a, &b| parts[i][b].total_cmp(&parts[i][a]).then(a.cmp(&b)));
                others.truncate(size - 1);
                others.iter().for_each(|&j| counted[i][j] = true);
                (others.iter().map(|&j| parts[i][j]).sum(), i)
            })
            .collect();
        sums.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let bound: f64 = sums[..size].iter().map(|sum| sum.0).sum();
        if bound < lowest {
            (lowest, best) = (bound, parts.clone());
        }
        sums[size..].iter().for_each(|&(_, i)| counted[i].fill(false));
        let move_by = 0.2 * scale / (1.0 + step as f64).sqrt();
        for i in 0..n {
            for j in 0..i {
                if counted[i][j] != counted[j][i] {
                    let by = if counted[i][j] { move_by } else { -move_by };
                    parts[i][j] -= by;
                    parts[j][i] += by;
                }
            }
        }
    }
    best
}

struct Branch<'a> {
    table: &'a [Vec<f64>],
    halves: &'a [Vec<f64>],
    order: &'a [usize],
    size: usize,
    chosen: Vec<usize>,
    best: &'a mut Subset,
}

impl Branch<'_> {
    /// Goes through all ways to complete the chosen with workers from `at` on; `gains` is what each shares with them.
    fn extend(&mut self, at: usize, total: f64, gains: &[f64]) {
        let left = self.size - self.chosen.len();
        if left == 0 {
            if total > self.best.total + 1e-12 * self.best.total.abs() {
                self.best.total = total;
                self.best.workers = self.chosen.clone();
            }
            return;
        }
        if self.order.len() - at < left || total + self.bound(at, left, gains) <= self.best.total {
            return;
        }
        let worker = self.order[at];
        let more: Vec<f64> = gains.iter().zip(&self.table[worker]).map(|(gain, shared)| gain + shared).collect();
        self.chosen.push(worker);
        self.extend(at + 1, total + gains[worker], &more);
        self.chosen.pop();
        self.extend(at + 1, total, gains);
    }

    /// No `left` of the workers from `at` on add more: each adds what it shares with the chosen, and at most its
    /// largest parts with the others who may come.
    fn bound(&self, at: usize, left: usize, gains: &[f64]) -> f64 {
        let free = &self.order[at..];
        let mut most: Vec<f64> = free
            .iter()
            .map(|&worker| {
                let mut shares: Vec<f64> =
                    free.iter().filter(|&&other| other != worker).map(|&other| self.halves[worker][other]).collect();
                gains[worker] + largest(&mut shares, left - 1)
            })
            .collect();
        largest(&mut most, left)
    }
}

/// The sum of the `count` largest.
fn largest(values: &mut [f64], count: usize) -> f64 {
    if count == 0 {
        return 0.0;
    }
    if count < values.len() {
        values.select_nth_unstable_by(count - 1, |a, b| b.total_cmp(a));
    }
    values.iter().take(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use crate::judgments::Ballots;
    use crate::simulate::Crowd;
    use crate::workers::Missing;

    fn information(workers: usize, seed: u64, missing: Missing) -> Information {
        let crowd = Crowd { tasks: 40, workers, classes: 3, votes: (2, 5), spread: 2.0, ..Crowd::default() };
        let ballots =
            Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(seed)).unwrap().labels, workers, 3).unwrap();
        Information::new(&ballots, missing, &Context::new()).unwrap()
    }

    fn total(information: &Information, chosen: &[usize]) -> f64 {
        let pairs = chosen.iter().flat_map(|&i| chosen.iter().map(move |&j| (i, j))).filter(|(i, j)| i < j);
        pairs.map(|(i, j)| information.between(i, j)).sum()
    }

    #[test]
    fn agrees_with_trying_all_subsets() {
        for (seed, missing) in [(1, Missing::Paper), (2, Missing::Full), (3, Missing::Pair), (4, Missing::Paper)] {
            let information = information(10, seed, missing);
            for size in 1..=10 {
                let found = best_subset(&information, size).unwrap();
                let all = (0u32..1 << 10).filter(|set| set.count_ones() as usize == size).map(|set| {
                    let chosen: Vec<usize> = (0..10).filter(|i| set >> i & 1 == 1).collect();
                    total(&information, &chosen)
                });
                let most = all.fold(f64::NEG_INFINITY, f64::max);
                assert!(found.exact && found.workers.len() == size);
                assert!(
                    (found.total - most).abs() < 1e-12 && (total(&information, &found.workers) - most).abs() < 1e-12
                );
            }
        }
    }

    #[test]
    fn of_many_workers_no_exchange_gains() {
        let information = information(40, 9, Missing::Paper);
        let found = best_subset(&information, 12).unwrap();
        assert!(!found.exact);
        for out in 0..12 {
            for into in (0..40).filter(|worker| !found.workers.contains(worker)) {
                let mut other = found.workers.clone();
                other[out] = into;
                assert!(total(&information, &other) <= found.total + 1e-9);
            }
        }
        assert!(best_subset(&information, 0).is_err() && best_subset(&information, 41).is_err());
    }

    #[test]
    fn thirty_workers_are_searched_in_full() {
        let information = information(30, 3, Missing::Paper);
        assert!(best_subset(&information, 15).unwrap().exact);
    }
}
