//! Labels that a worker gave to the same task more than once.

use super::ballots::Ballots;
use super::label_table::Labels;
use crate::random::key;
use crate::{Context, Warning};
use std::borrow::Cow;
use std::collections::HashMap;

/// What becomes of labels that a worker gave to the same task more than once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repeats {
    /// They are one opinion: r labels count 1/r each, so that equal ones count as one.
    #[default]
    Average,
    /// The first counts.
    First,
    /// All count, as if by different workers.
    All,
}

impl Repeats {
    /// What happens to them, in words.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Repeats::Average => "they count as one opinion",
            Repeats::First => "the first counts",
            Repeats::All => "all are kept",
        }
    }

    /// The labels with repeated ones treated so.
    pub(crate) fn apply<'a>(self, labels: &'a Labels) -> Cow<'a, Labels> {
        let ballots = match self {
            Repeats::Average => averaged(labels.ballots()),
            Repeats::First => first_votes(labels.ballots()),
            Repeats::All => None,
        };
        ballots.map_or(Cow::Borrowed(labels), |ballots| Cow::Owned(labels.with_ballots(ballots)))
    }
}

/// The votes with those of one worker on one task counting as one together; none if there are no such. Equal ones become one
/// vote.
pub(crate) fn averaged(ballots: &Ballots) -> Option<Ballots> {
    let again = repeated(ballots);
    if !again.contains(&true) {
        return None;
    }
    let (mut tasks, mut weights, mut split) = (Vec::with_capacity(ballots.tasks()), Vec::new(), false);
    for task in 0..ballots.tasks() {
        let votes = ballots.votes(task);
        let first = ballots.first_vote(task);
        let mut kept: Vec<(usize, usize)> = Vec::with_capacity(votes.labels.len());
        if !again[first..first + votes.labels.len()].contains(&true) {
            kept.extend(votes.iter());
            weights.extend(votes.weighted().map(|vote| vote.2));
            tasks.push(kept);
            continue;
        }
        let given: Vec<(usize, usize, f64)> = votes.weighted().collect();
        for &(worker, label, _) in &given {
            if kept.contains(&(worker, label)) {
                continue;
            }
            let of_worker = given.iter().filter(|vote| vote.0 == worker);
            let all: f64 = of_worker.clone().map(|vote| vote.2).sum();
            let own: f64 = of_worker.filter(|vote| vote.1 == label).map(|vote| vote.2).sum();
            kept.push((worker, label));
            weights.push(own / all);
            split |= own < all;
        }
        tasks.push(kept);
    }
    if !split {
        weights.clear();
    }
    Some(ballots.with_votes(&tasks, weights))
}

/// The votes with each family of workers voting as one, under the number of its first: what they say of a task is averaged.
pub(crate) fn as_one(ballots: &Ballots, families: &[Vec<usize>]) -> Ballots {
    let mut first: Vec<usize> = (0..ballots.workers()).collect();
    for family in families {
        family.iter().for_each(|&worker| first[worker] = family[0]);
    }
    let together = ballots.by_representatives(&first);
    averaged(&together).unwrap_or(together)
}

/// The votes without those that a worker casts on a task a second time; none if there are no such.
fn first_votes(ballots: &Ballots) -> Option<Ballots> {
    let again = repeated(ballots);
    again.contains(&true).then(|| ballots.filtered(|vote, _| !again[vote]).unweighted())
}

/// The votes with one by each worker on each task, the label they gave most; none if there are no more. Which of several
/// labels that were given as often is decided by the ids.
pub(crate) fn one_vote_each(ballots: &Ballots) -> Option<Ballots> {
    let again = repeated(ballots);
    if !again.contains(&true) {
        return None;
    }
    let mut kept = vec![false; ballots.len()];
    let mut first = 0;
    for task in 0..ballots.tasks() {
        let votes = ballots.votes(task);
        let given: Vec<(usize, usize, f64)> = votes.weighted().collect();
        let place =
            |worker: usize, label: usize| key(key(ballots.task_key(task), ballots.worker_key(worker)), label as u64);
        let mut said: HashMap<(usize, usize), (f64, usize)> = HashMap::new();
        for (vote, &(worker, label, weight)) in given.iter().enumerate() {
            said.entry((worker, label)).or_insert((0.0, vote)).0 += weight;
        }
        let mut best: HashMap<usize, (f64, u64, usize)> = HashMap::new();
        for (&(worker, label), &(weight, vote)) in &said {
            let found = (weight, place(worker, label), vote);
            let of_worker = best.entry(worker).or_insert(found);
            if (found.0, found.1) > (of_worker.0, of_worker.1) {
                *of_worker = found;
            }
        }
        best.values().for_each(|&(_, _, vote)| kept[first + vote] = true);
        first += given.len();
    }
    Some(ballots.filtered(|vote, _| kept[vote]).unweighted())
}

/// Whether each vote is by a worker who voted on the same task before.
fn repeated(ballots: &Ballots) -> Vec<bool> {
    let mut last = vec![usize::MAX; ballots.workers()];
    let mut again = Vec::with_capacity(ballots.len());
    for task in 0..ballots.tasks() {
        let workers = ballots.votes(task).workers;
        again.extend(workers.iter().map(|&worker| std::mem::replace(&mut last[worker as usize], task) == task));
    }
    again
}

impl Labels {
    /// The labels with repeated ones treated as asked, and a warning if there are any.
    pub(crate) fn with_repeats(
        &self,
        repeats: Repeats,
        context: &Context,
        warnings: &mut Vec<Warning>,
    ) -> Cow<'_, Labels> {
        let count = self.repeated(context);
        if count == 0 {
            return Cow::Borrowed(self);
        }
        let what = if count == 1 { "label" } else { "labels" };
        warnings.push(Warning::Repeated { count, what, rule: repeats.in_words() });
        repeats.apply(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ballots(tasks: &[Vec<(usize, usize)>]) -> Ballots {
        Ballots::from_tasks(tasks, 4, 3).unwrap()
    }

    #[test]
    fn of_several_labels_the_one_given_most_is_kept_in_whatever_order_they_came() {
        let rows = [(0, 1), (1, 2), (0, 0), (0, 0), (3, 1)];
        let turned: Vec<(usize, usize)> = rows.iter().rev().copied().collect();
        for votes in [rows.to_vec(), turned] {
            let mut found: Vec<(usize, usize)> = one_vote_each(&ballots(&[votes])).unwrap().votes(0).iter().collect();
            found.sort_unstable();
            assert_eq!(found, [(0, 0), (1, 2), (3, 1)]);
        }
        // As often: either, and the same of both orders; not always the same of two.
        let kept: Vec<usize> = (0..40)
            .map(|task| {
                let of = |two: [(usize, usize); 2]| {
                    let tasks: Vec<_> = (0..=task).map(|_| two.to_vec()).collect();
                    one_vote_each(&ballots(&tasks)).unwrap().votes(task).iter().next().unwrap().1
                };
                assert_eq!(of([(0, 1), (0, 2)]), of([(0, 2), (0, 1)]));
                of([(0, 1), (0, 2)])
            })
            .collect();
        assert!(kept.contains(&1) && kept.contains(&2));
    }

    fn votes(ballots: &Ballots, task: usize) -> Vec<(usize, usize, f64)> {
        ballots.votes(task).weighted().collect()
    }

    #[test]
    fn equal_labels_are_one_and_different_ones_share() {
        let repeated =
            ballots(&[vec![(0, 1), (1, 2), (0, 1)], vec![(2, 0)], vec![(3, 0), (1, 1), (3, 2), (3, 0)], vec![]]);
        let found = averaged(&repeated).unwrap();
        assert_eq!(votes(&found, 0), [(0, 1, 1.0), (1, 2, 1.0)]);
        assert_eq!(votes(&found, 1), [(2, 0, 1.0)]);
        assert_eq!(votes(&found, 2), [(3, 0, 2.0 / 3.0), (1, 1, 1.0), (3, 2, 1.0 / 3.0)]);
        assert!((found.votes(2).opinions() - 2.0).abs() < 1e-12);
        assert_eq!(found.per_worker(), [1, 2, 1, 1]);
        // Parts keep the weights.
        let kept = found.of_workers(&[true, false, true, true]).unwrap();
        assert_eq!(votes(&kept, 2), [(3, 0, 2.0 / 3.0), (3, 2, 1.0 / 3.0)]);
        assert_eq!(votes(&found.of_tasks(&[2, 0]).unwrap(), 0), votes(&found, 2));
    }

    #[test]
    fn a_family_votes_as_one() {
        let votes_of_three = ballots(&[vec![(0, 1), (1, 1), (2, 0), (3, 1)], vec![(2, 2), (3, 1)]]);
        let found = as_one(&votes_of_three, &[vec![2, 0, 1]]);
        assert_eq!(votes(&found, 0), [(2, 1, 2.0 / 3.0), (2, 0, 1.0 / 3.0), (3, 1, 1.0)]);
        assert_eq!(votes(&found, 1), [(2, 2, 1.0), (3, 1, 1.0)]);
    }

    #[test]
    fn without_different_repeats_no_vote_has_a_weight() {
        let once = ballots(&[vec![(0, 1), (1, 2)], vec![(2, 0)]]);
        assert!(averaged(&once).is_none() && first_votes(&once).is_none() && one_vote_each(&once).is_none());
        let twice = ballots(&[vec![(0, 1), (1, 2), (0, 1), (1, 2)], vec![(2, 0), (2, 0), (2, 0)]]);
        assert_eq!(averaged(&twice), Some(once.clone()));
        assert_eq!(first_votes(&twice), Some(once));
    }
}
