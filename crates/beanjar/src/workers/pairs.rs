//! Who met whom: the tasks that two workers both labelled.

use crate::judgments::{Ballots, one_vote_each};
use std::borrow::Cow;
use std::ops::Range;

/// The votes seen from the workers' side. Of labels that a worker gave the same task twice, the first counts.
pub(super) struct Pairs<'a> {
    pub(super) ballots: Cow<'a, Ballots>,
    offsets: Vec<usize>,
    /// Of each worker, which tasks, and what was said of them.
    votes: Vec<(u32, u16)>,
}

/// A task that both workers of a pair labelled, and what they said.
#[derive(Clone, Copy)]
pub(super) struct Meeting {
    pub(super) other: u32,
    pub(super) task: u32,
    pub(super) said: u16,
    pub(super) other_said: u16,
}

impl<'a> Pairs<'a> {
    pub(super) fn new(ballots: &'a Ballots) -> Self {
        Self::of_ballots(one_vote_each(ballots).map_or(Cow::Borrowed(ballots), Cow::Owned))
    }

    /// The same without workers who labelled fewer tasks than `shared`: no two of them have that many in common.
    pub(super) fn of_busy(ballots: &'a Ballots, shared: usize) -> Self {
        let ballots = one_vote_each(ballots).map_or(Cow::Borrowed(ballots), Cow::Owned);
        let votes = ballots.per_worker();
        let busy = |worker: usize| votes[worker] >= shared as u64;
        match (0..ballots.workers()).all(|worker| votes[worker] == 0 || busy(worker)) {
            true => Self::of_ballots(ballots),
            false => Self::of_ballots(Cow::Owned(ballots.filtered(|_, worker| busy(worker)))),
        }
    }

    fn of_ballots(ballots: Cow<'a, Ballots>) -> Self {
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
        Pairs { ballots, offsets, votes }
    }

    /// The tasks of one worker, and what they said.
    pub(super) fn of(&self, worker: usize) -> &[(u32, u16)] {
        &self.votes[self.offsets[worker]..self.offsets[worker + 1]]
    }

    /// Cuts the workers into pieces with about equally many votes.
    pub(super) fn pieces(&self) -> Vec<Range<usize>> {
        /// Enough to keep all cores busy to the end.
        const PIECES: usize = 64;
        let (workers, votes) = (self.offsets.len() - 1, self.votes.len());
        let cut = |piece: usize| self.offsets[..workers].partition_point(|&at| at < votes * piece / PIECES);
        let mut cuts: Vec<usize> = (0..=PIECES).map(cut).collect();
        cuts[0] = 0;
        cuts[PIECES] = workers;
        cuts.windows(2).map(|pair| pair[0]..pair[1]).collect()
    }

    /// Calls `visit` for each pair whose first worker is in the range and whose other one has a larger number: with both,
    /// and where they met, in the order of `key`.
    pub(super) fn for_each<K: Ord>(
        &self,
        range: Range<usize>,
        key: impl Fn(&Meeting) -> K,
        mut visit: impl FnMut(usize, usize, &[Meeting]),
    ) {
        // Meetings are dealt to the others, who are put in order, rather than sorted one by one.
        let (mut meetings, mut dealt): (Vec<Meeting>, Vec<Meeting>) = (Vec::new(), Vec::new());
        let mut others: Vec<u32> = Vec::new();
        // How often each other worker was met; then where their next meeting goes.
        let mut place = vec![0; self.offsets.len() - 1];
        for worker in range {
            meetings.clear();
            others.clear();
            for &(task, said) in self.of(worker) {
                for (other, label) in self.ballots.votes(task as usize).iter().filter(|(other, _)| *other > worker) {
                    if place[other] == 0 {
                        others.push(other as u32);
                    }
                    place[other] += 1;
                    meetings.push(Meeting { other: other as u32, task, said, other_said: label as u16 });
                }
            }
            others.sort_unstable();
            let mut next = 0;
            for &other in &others {
                next += std::mem::replace(&mut place[other as usize], next);
            }
            dealt.clone_from(&meetings);
            for meeting in &meetings {
                let place = &mut place[meeting.other as usize];
                dealt[*place] = *meeting;
                *place += 1;
            }
            let mut first = 0;
            for &other in &others {
                let last = std::mem::take(&mut place[other as usize]);
                let met = &mut dealt[first..last];
                met.sort_unstable_by_key(&key);
                visit(worker, other as usize, met);
                first = last;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use crate::simulate::Crowd;

    #[test]
    fn every_pair_is_met_once_with_all_its_tasks() {
        let crowd = Crowd { tasks: 60, workers: 9, classes: 3, votes: (1, 5), ..Crowd::default() };
        let ballots = Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(2)).unwrap().labels, 9, 3).unwrap();
        let pairs = Pairs::new(&ballots);
        let mut found = Vec::new();
        for range in pairs.pieces() {
            pairs.for_each(
                range,
                |m| m.task,
                |one, other, met| {
                    found.extend(met.iter().map(|m| (one, other, m.task as usize, m.said, m.other_said)));
                },
            );
        }
        let mut direct = Vec::new();
        for one in 0..9 {
            for other in one + 1..9 {
                for task in 0..60 {
                    let said = |worker| ballots.votes(task).iter().find(|vote| vote.0 == worker).map(|vote| vote.1);
                    if let (Some(x), Some(y)) = (said(one), said(other)) {
                        direct.push((one, other, task, x as u16, y as u16));
                    }
                }
            }
        }
        assert_eq!(found, direct);
    }
}
