//! Workers who agree nearly always, whatever the reason.

use super::super::pairs::Pairs;
use super::copies::{ANY, at_most};
use crate::Context;

/// Tasks two workers must share.
const SHARED: usize = 20;
/// Agreement beyond chance that is nearly always: more than two workers have who are independent and right 97 times in a
/// hundred.
const NEARLY: f64 = 0.9;

/// For each worker one who stands for all who agree with them nearly always: the one with the most labels.
///
/// Copies take a fit over if each counts in it as a worker. Whether they copy is not asked here: workers who
/// agree because they are right are no loss, for one of them is left. Groups of half of all votes or more are not such.
pub(super) fn alike(pairs: &Pairs<'_>, context: &Context) -> Vec<usize> {
    let (workers, classes) = (pairs.ballots.workers(), pairs.ballots.classes());
    let found = context.map(pairs.pieces(), |range| {
        let (mut found, mut looked_at) = (Vec::new(), 0);
        let (mut own, mut others) = (vec![0.0; classes], vec![0.0; classes]);
        pairs.for_each(
            range,
            |meeting| meeting.task,
            |one, other, met| {
                looked_at += usize::from(met.len() >= SHARED);
                let n = met.len() as f64;
                let agree = met.iter().filter(|meeting| meeting.said == meeting.other_said).count() as f64 / n;
                // Agreement by chance only makes the condition stricter.
                if met.len() < SHARED || agree < NEARLY {
                    return;
                }
                own.fill(0.0);
                others.fill(0.0);
                for meeting in met {
                    own[usize::from(meeting.said)] += 1.0 / n;
                    others[usize::from(meeting.other_said)] += 1.0 / n;
                }
                let chance: f64 = own.iter().zip(&others).map(|(x, y)| x * y).sum();
                if agree - chance >= NEARLY * (1.0 - chance) && chance < 1.0 - 1e-9 {
                    found.push((one, other, at_most((n * (1.0 - agree)).round() as usize, n * (1.0 - chance))));
                }
            },
        );
        (found, looked_at)
    });
    let looked_at: usize = found.iter().map(|(_, looked_at)| looked_at).sum();
    // No more disagreements can be expected than chance brings, so others cannot be copies either.
    let improbable = |pair: &&(usize, usize, f64)| pair.2 <= ANY / looked_at as f64;
    let found = found.iter().flat_map(|(found, _)| found).filter(improbable).map(|&(one, other, _)| (one, other));
    let votes = pairs.ballots.per_worker();
    let mut group = groups(workers, found, &votes);
    let mut of_group = vec![0; workers];
    group.iter().zip(&votes).for_each(|(&first, votes)| of_group[first] += votes);
    for worker in 0..workers {
        if 2 * of_group[group[worker]] >= pairs.ballots.len() as u64 {
            group[worker] = worker;
        }
    }
    group
}

/// Joins pairs to groups. Of each worker, the one of their group with the most votes; of equals, the first.
pub(super) fn groups(workers: usize, pairs: impl Iterator<Item = (usize, usize)>, votes: &[u64]) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..workers).collect();
    fn root(parent: &mut [usize], mut worker: usize) -> usize {
        while parent[worker] != worker {
            parent[worker] = parent[parent[worker]];
            worker = parent[worker];
        }
        worker
    }
    for (one, other) in pairs {
        let (a, b) = (root(&mut parent, one), root(&mut parent, other));
        let a_first = (votes[a], std::cmp::Reverse(a)) > (votes[b], std::cmp::Reverse(b));
        let (first, second) = if a_first { (a, b) } else { (b, a) };
        parent[second] = first;
    }
    (0..workers).map(|worker| root(&mut parent, worker)).collect()
}
