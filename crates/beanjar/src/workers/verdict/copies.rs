//! Workers who repeat one another's labels.

use super::super::pairs::{Meeting, Pairs};
use super::alike::{SHARED, groups, keys};
use super::others::Others;
use super::saying::Saying;
use crate::gamma::ln_gamma;
use crate::{Context, Result};
use std::sync::OnceLock;

/// Who copies whom.
pub(super) struct Copies {
    /// Groups of two or more, the one with the most labels first.
    pub(super) families: Vec<Vec<usize>>,
}

/// How probable it is at most that any pair of independent workers of the whole crowd is taken for copies.
pub(super) const ANY: f64 = 0.01;
/// The share of expected disagreements that are missing of one who copies, at least. Honest workers miss some too, for they err together on
/// hard tasks: up to 0.8 of them on the public set `fact`, up to 0.7 on most others.
pub(super) const COPIED: f64 = 5.0 / 6.0;
/// The same of one who belongs to a family that was found by others. A member who is left out votes beside the family, and
/// confirms it in whatever it says: that is worse than an honest worker who shares a vote.
pub(super) const BELONGS: f64 = 2.0 / 3.0;

impl Copies {
    /// Pairs of whose expected disagreements at least the share [`COPIED`] is missing, joined to families; and those who miss the
    /// share `belongs` with a member of one, joined to it.
    pub(super) fn new(pairs: &Pairs<'_>, others: &Others, belongs: f64, context: &Context) -> Result<Self> {
        let workers = pairs.ballots.workers();
        let by_task = |meeting: &Meeting| meeting.task;
        let looked_at: usize = context
            .map(pairs.pieces(), |range| {
                let mut count = 0;
                pairs.for_each(range, by_task, |_, _, met| count += usize::from(met.len() >= SHARED));
                count
            })
            .into_iter()
            .sum();
        if looked_at == 0 {
            return Ok(Copies { families: Vec::new() });
        }
        let improbable = ANY / looked_at as f64;
        let tables: Vec<OnceLock<Saying>> = (0..workers).map(|_| OnceLock::new()).collect();
        let table = |worker: usize| tables[worker].get_or_init(|| Saying::of(pairs.of(worker), others, worker));
        let most = 1.0 - belongs.min(COPIED);
        let pieces = pairs.pieces();
        let steps = context.steps("judging workers", pieces.len());
        let found = context.map(pieces, |range| -> Result<Vec<Likeness>> {
            let mut found = Vec::new();
            pairs.for_each(range, by_task, |one, other, met| {
                if met.len() < SHARED {
                    return;
                }
                let disagree = met.iter().filter(|meeting| meeting.said != meeting.other_said).count();
                // No more disagreements can be expected than there are meetings.
                if disagree as f64 > most * met.len() as f64 {
                    return;
                }
                let expected = expected_disagreements((one, table(one)), (other, table(other)), met, others);
                let missing = 1.0 - disagree as f64 / expected.max(f64::MIN_POSITIVE);
                if missing >= belongs.min(COPIED) && at_most(disagree, expected) <= improbable {
                    found.push(Likeness { one, other, missing });
                }
            });
            steps.tick().map(|()| found)
        });
        let found: Vec<Vec<Likeness>> = found.into_iter().collect::<Result<_>>()?;
        let found: Vec<Likeness> = found.concat();
        let (votes, keys) = (pairs.ballots.per_worker(), keys(&pairs.ballots));
        let copies = found.iter().filter(|pair| pair.missing >= COPIED);
        let mut first = groups(copies.map(|pair| (pair.one, pair.other)), &votes, &keys);
        join(&mut first, &found, &keys);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); workers];
        (0..workers).for_each(|worker| members[first[worker]].push(worker));
        let in_order = |(first, mut family): (usize, Vec<usize>)| {
            family.retain(|worker| *worker != first);
            family.insert(0, first);
            family
        };
        let families = members.into_iter().enumerate().filter(|(_, family)| family.len() > 1).map(in_order).collect();
        Ok(Copies { families })
    }

    /// For each worker whom they copy, if anybody.
    pub(super) fn sources(&self, workers: usize) -> Vec<Option<usize>> {
        let mut sources = vec![None; workers];
        for family in &self.families {
            family[1..].iter().for_each(|&worker| sources[worker] = Some(family[0]));
        }
        sources
    }
}

/// Two workers, and the share of their expected disagreements that is missing.
#[derive(Clone, Copy)]
struct Likeness {
    one: usize,
    other: usize,
    missing: f64,
}

/// Joins workers without a family to that of the member whom they are most like.
fn join(first: &mut [usize], found: &[Likeness], keys: &[u64]) {
    let mut in_family = vec![false; first.len()];
    for (worker, &of) in first.iter().enumerate().filter(|(worker, of)| worker != *of) {
        (in_family[worker], in_family[of]) = (true, true);
    }
    let mut best: Vec<Option<(f64, u64, usize)>> = vec![None; first.len()];
    for &Likeness { one, other, missing } in found {
        for (worker, member) in [(one, other), (other, one)] {
            let likeness = (missing, keys[member], first[member]);
            if in_family[member] && !in_family[worker] && best[worker].is_none_or(|best| best < likeness) {
                best[worker] = Some(likeness);
            }
        }
    }
    for (worker, (_, _, family)) in best.into_iter().enumerate().filter_map(|(worker, best)| Some((worker, best?))) {
        first[worker] = family;
    }
}

/// On how many of the tasks where they met two workers would disagree if they were independent given the class.
fn expected_disagreements(
    (one, own): (usize, &Saying),
    (other, theirs): (usize, &Saying),
    met: &[Meeting],
    others: &Others,
) -> f64 {
    let posterior = others.of(one);
    let together = others.group[one] == others.group[other];
    let by_chance = own.by_chance(theirs);
    let agree = |meeting: &Meeting| -> f64 {
        let row = posterior.of(meeting.task as usize).possible();
        match together {
            // The posterior has seen neither.
            true => row.map(|(class, p)| p * own.both(theirs, class, by_chance)).sum(),
            // The posterior has seen the other's label.
            false => row.map(|(class, p)| p * own.probability(class, usize::from(meeting.other_said))).sum(),
        }
    };
    met.iter().map(|meeting| (1.0 - agree(meeting)).max(0.0)).sum()
}

/// The probability of at most this number of events where `expected` are expected, by Poisson's distribution. Disagreements vary
/// less than that, so it is an upper bound.
pub(super) fn at_most(events: usize, expected: f64) -> f64 {
    if expected <= 0.0 {
        return 1.0;
    }
    let term = |n: usize| (n as f64 * expected.ln() - expected - ln_gamma(n as f64 + 1.0)).exp();
    (0..=events).map(term).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_events_are_as_improbable_as_the_distribution_says() {
        assert!((at_most(0, 3.0) - (-3.0f64).exp()).abs() < 1e-12);
        assert!((at_most(2, 3.0) - (-3.0f64).exp() * (1.0 + 3.0 + 4.5)).abs() < 1e-12);
        assert!((at_most(60, 10.0) - 1.0).abs() < 1e-9);
        assert_eq!(at_most(0, 0.0), 1.0);
    }

    #[test]
    fn pairs_join_to_groups_named_by_the_busiest() {
        let found = groups([(0, 1), (4, 5), (1, 4)].into_iter(), &[1, 2, 9, 3, 5, 5], &[0, 1, 2, 3, 4, 5]);
        assert_eq!(found, [4, 4, 2, 3, 4, 4]);
    }

    #[test]
    fn who_is_like_a_member_joins_the_family_and_nobody_follows_from_there() {
        let mut first = vec![0, 0, 2, 3, 4, 5, 5];
        let like = |one: usize, other: usize, missing: f64| Likeness { one, other, missing };
        // 2 is like a member of both families, and more like one; 3 is like 2 alone; 4 is like nobody.
        let found =
            [like(0, 1, 0.9), like(1, 2, 0.7), like(2, 6, 0.75), like(2, 3, 0.8), like(5, 6, 0.95), like(0, 5, 0.7)];
        join(&mut first, &found, &[0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(first, [0, 0, 5, 3, 4, 5, 5]);
    }
}
