//! Workers who agree nearly always, whatever the reason.

use super::super::pairs::Pairs;
use super::copies::{ANY, at_most};
use crate::Context;
use crate::judgments::Ballots;

/// Tasks two workers must share to be compared.
pub(super) const SHARED: usize = 20;
/// Agreement beyond chance that is nearly always: more than two workers have who are independent and right 97 times in a
/// hundred.
const NEARLY: f64 = 0.9;

/// For each worker one who stands for all who agree with them nearly always: the one with the most labels.
///
/// Copies take a fit over if each counts in it as a worker. Whether they copy is not asked here: workers who
/// agree because they are right are no loss, for one of them is left. Groups of half of all `votes` or more are not such,
/// for a crowd on easy tasks agrees as well; unless they never disagree, and others do disagree with them.
pub(super) fn alike(pairs: &Pairs<'_>, votes: usize, context: &Context) -> Vec<usize> {
    let classes = pairs.ballots.classes();
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
                    let disagree = (n * (1.0 - agree)).round() as usize;
                    found.push((one, other, at_most(disagree, n * (1.0 - chance)), disagree));
                }
            },
        );
        (found, looked_at)
    });
    let looked_at: usize = found.iter().map(|(_, looked_at)| looked_at).sum();
    // No more disagreements can be expected than chance brings, so others cannot be copies either.
    let improbable = |pair: &&(usize, usize, f64, usize)| pair.2 <= ANY / looked_at as f64;
    let found: Vec<_> = found.iter().flat_map(|(found, _)| found).filter(improbable).collect();
    if found.is_empty() {
        return (0..pairs.ballots.workers()).collect();
    }
    let (given, keys) = (pairs.ballots.per_worker(), keys(&pairs.ballots));
    let mut group = groups(found.iter().map(|pair| (pair.0, pair.1)), &given, &keys);
    let same = groups(found.iter().filter(|pair| pair.3 == 0).map(|pair| (pair.0, pair.1)), &given, &keys);
    let of_group = |group: &[usize]| {
        let mut sums = vec![0; group.len()];
        group.iter().zip(&given).for_each(|(&first, votes)| sums[first] += votes);
        sums
    };
    let (large, of_same) = (of_group(&group), of_group(&same));
    let most = |sum: u64| 2 * sum >= votes as u64;
    // Those of half the votes or more who never disagree, and nobody disagrees with them. There are two such groups at most.
    let crowd: Vec<usize> = (0..same.len())
        .filter(|&first| same[first] == first && most(of_same[first]) && !others_disagree(pairs, &same, first))
        .collect();
    for worker in 0..group.len() {
        if most(large[group[worker]]) {
            group[worker] = if crowd.contains(&same[worker]) { worker } else { same[worker] };
        }
    }
    group
}

/// Whether workers outside of a group, three at least, agree with its first on at most nine in ten of their tasks.
fn others_disagree(pairs: &Pairs<'_>, group: &[usize], first: usize) -> bool {
    let (mut agree, mut met) = (0.0, 0.0);
    let mut outside = vec![false; group.len()];
    for &(task, said) in pairs.of(first) {
        for (worker, label) in pairs.ballots.votes(task as usize).iter() {
            if group[worker] != first {
                outside[worker] = true;
                met += 1.0;
                agree += f64::from(u8::from(label == usize::from(said)));
            }
        }
    }
    outside.iter().filter(|outside| **outside).count() >= 3 && agree <= NEARLY * met
}

/// What decides between workers with as many votes.
pub(super) fn keys(ballots: &Ballots) -> Vec<u64> {
    (0..ballots.workers()).map(|worker| ballots.worker_key(worker)).collect()
}

/// Joins pairs to groups. Of each worker, the one of their group with the most votes; of equals, the one with the smallest
/// key.
pub(super) fn groups(pairs: impl Iterator<Item = (usize, usize)>, votes: &[u64], keys: &[u64]) -> Vec<usize> {
    let workers = votes.len();
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
        let a_first = (votes[a], std::cmp::Reverse(keys[a])) > (votes[b], std::cmp::Reverse(keys[b]));
        let (first, second) = if a_first { (a, b) } else { (b, a) };
        parent[second] = first;
    }
    (0..workers).map(|worker| root(&mut parent, worker)).collect()
}
