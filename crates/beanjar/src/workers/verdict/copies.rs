//! Workers who repeat one another's labels.

use super::super::pairs::{Meeting, Pairs};
use super::alike::{SHARED, groups, keys};
use super::others::Others;
use super::saying::Saying;
use crate::gamma::ln_gamma;
use crate::{Context, Result};

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

impl Copies {
    /// Pairs of whose expected disagreements at least the share `copied` is missing, joined to families.
    pub(super) fn new(pairs: &Pairs<'_>, others: &Others, copied: f64, context: &Context) -> Result<Self> {
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
        let tables = context.map((0..workers).collect(), |worker| Saying::of(pairs.of(worker), others, worker));
        let pieces = pairs.pieces();
        let steps = context.steps("judging workers", pieces.len());
        let found = context.map(pieces, |range| -> Result<Vec<(usize, usize)>> {
            let mut found = Vec::new();
            pairs.for_each(range, by_task, |one, other, met| {
                if met.len() < SHARED {
                    return;
                }
                let disagree = met.iter().filter(|meeting| meeting.said != meeting.other_said).count();
                let expected = expected_disagreements(one, other, met, &tables, others);
                if disagree as f64 <= (1.0 - copied) * expected && at_most(disagree, expected) <= improbable {
                    found.push((one, other));
                }
            });
            steps.tick().map(|()| found)
        });
        let found: Vec<Vec<(usize, usize)>> = found.into_iter().collect::<Result<_>>()?;
        let (votes, keys) = (pairs.ballots.per_worker(), keys(&pairs.ballots));
        let first = groups(found.into_iter().flatten(), &votes, &keys);
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

/// On how many of the tasks where they met two workers would disagree if they were independent given the class.
fn expected_disagreements(one: usize, other: usize, met: &[Meeting], tables: &[Saying], others: &Others) -> f64 {
    let posterior = others.of(one);
    let together = others.group[one] == others.group[other];
    let (own, others) = (&tables[one], &tables[other]);
    let by_chance = own.by_chance(others);
    let agree = |meeting: &Meeting| -> f64 {
        let row = posterior.of(meeting.task as usize).possible();
        match together {
            // The posterior has seen neither.
            true => row.map(|(class, p)| p * own.both(others, class, by_chance)).sum(),
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
}
