//! Votes held out in folds: what a fit is judged by when no truth is known.

use super::ballots::Ballots;
use crate::random::key;

/// Votes dealt to folds. Each vote is held out in one fold and kept in all others.
///
/// Votes of one worker on one task go to the same fold: a label that was given twice must not predict itself. The votes of
/// a task are spread over the folds as evenly as can be. Which vote goes where depends on the seed and on the ids of
/// the task and of its workers alone (on their numbers where there are no ids), so neither the order of rows nor any other
/// task matters.
#[derive(Clone, Debug)]
pub(crate) struct Folds {
    folds: Vec<Fold>,
}

/// One fold: the votes that a fit may see, and those that it is judged by. Tasks and workers keep their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Fold {
    pub(crate) kept: Ballots,
    pub(crate) held_out: Ballots,
}

impl Folds {
    /// Deals the votes to `folds` folds, at most 256. Cost: O(folds times votes); the kept votes are built once.
    pub(crate) fn new(ballots: &Ballots, folds: usize, seed: u64) -> Self {
        let of = deal(ballots, folds, seed);
        let fold = |number: usize| Fold {
            kept: ballots.filtered(|vote, _| usize::from(of[vote]) != number),
            held_out: ballots.filtered(|vote, _| usize::from(of[vote]) == number),
        };
        Folds { folds: (0..folds).map(fold).collect() }
    }

    /// The folds by themselves.
    pub(crate) fn into_folds(self) -> Vec<Fold> {
        self.folds
    }

    /// The folds, in order.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Fold> {
        self.folds.iter()
    }
}

/// The fold of each vote.
fn deal(ballots: &Ballots, folds: usize, seed: u64) -> Vec<u8> {
    let (mut fold, folds) = (vec![0; ballots.len()], folds.max(1));
    for_each_opinion(ballots, seed, |of_task, place, vote| {
        // Where the dealing begins is random as well, or the first folds would be the larger ones.
        let first = (of_task % folds as u64) as usize;
        fold[vote] = ((first + place) % folds) as u8;
    });
    fold
}

/// Puts the opinions of each task into a random order. The votes of one worker on one task are one opinion.
///
/// Calls `visit` with the key of the task, the place of an opinion in that order, and each of its votes. Keys and order
/// depend on the seed and on the ids of task and workers alone.
pub(crate) fn for_each_opinion(ballots: &Ballots, seed: u64, mut visit: impl FnMut(u64, usize, usize)) {
    let mut order: Vec<(u64, u32, usize)> = Vec::new();
    for task in 0..ballots.tasks() {
        let (workers, first) = (ballots.votes(task).workers, ballots.first_vote(task));
        let of_task = key(seed, ballots.task_key(task));
        let of_worker = |worker: u32| key(of_task, ballots.worker_key(worker as usize));
        order.clear();
        order.extend(workers.iter().enumerate().map(|(i, &worker)| (of_worker(worker), worker, i)));
        order.sort_unstable();
        for (place, opinion) in order.chunk_by(|a, b| a.1 == b.1).enumerate() {
            opinion.iter().for_each(|&(_, _, i)| visit(of_task, place, first + i));
        }
    }
}

/// What tasks are drawn in the order of, given the key of the task.
pub(super) fn sample_key(seed: u64, task: u64) -> u64 {
    key(!seed, task)
}

/// Whole tasks drawn by the seed that have at most `most` votes together, in rising order; none if all have no more.
pub(crate) fn sample_of_tasks(ballots: &Ballots, most: usize, seed: u64) -> Option<Vec<usize>> {
    if ballots.len() <= most {
        return None;
    }
    let votes_of = |task: usize| ballots.votes(task).labels.len();
    let key = |task: usize| (sample_key(seed, ballots.task_key(task)), task);
    let mut left: Vec<(u64, usize)> = (0..ballots.tasks()).map(key).collect();
    // Of many tasks a few are drawn, and only those that may be among them are put in order.
    let at_once = left.len() * most / ballots.len() + 64;
    let (mut tasks, mut votes) = (Vec::new(), 0);
    while !left.is_empty() {
        let later = match at_once < left.len() {
            true => {
                left.select_nth_unstable(at_once);
                left.split_off(at_once)
            }
            false => Vec::new(),
        };
        left.sort_unstable();
        for (_, task) in left {
            if votes + votes_of(task) <= most {
                votes += votes_of(task);
                tasks.push(task);
            }
        }
        left = later;
        left.retain(|&(_, task)| votes + votes_of(task) <= most);
    }
    tasks.sort_unstable();
    Some(tasks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use crate::simulate::Crowd;

    fn votes(ballots: &Ballots, task: usize) -> Vec<(usize, usize)> {
        let mut votes: Vec<(usize, usize)> = ballots.votes(task).iter().collect();
        votes.sort_unstable();
        votes
    }

    #[test]
    fn each_vote_is_held_out_once_and_tasks_are_spread_evenly() {
        let crowd = Crowd { tasks: 300, workers: 20, classes: 3, votes: (1, 12), ..Crowd::default() };
        let ballots = Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(1)).unwrap().labels, 20, 3).unwrap();
        let folds = Folds::new(&ballots, 5, 7);
        for task in 0..300 {
            let all = votes(&ballots, task);
            let mut held_out: Vec<(usize, usize)> = Vec::new();
            for fold in folds.iter() {
                let (kept, out) = (votes(&fold.kept, task), votes(&fold.held_out, task));
                assert_eq!(kept.len() + out.len(), all.len());
                assert!((all.len() / 5..=all.len().div_ceil(5)).contains(&out.len()));
                held_out.extend(out);
            }
            held_out.sort_unstable();
            assert_eq!(held_out, all);
        }
        let sizes: Vec<usize> = folds.iter().map(|fold| fold.held_out.len()).collect();
        assert!(sizes.iter().all(|&n| n.abs_diff(ballots.len() / 5) < ballots.len() / 25), "{sizes:?}");
    }

    #[test]
    fn a_repeated_label_is_held_out_with_the_first() {
        let task: Vec<(usize, usize)> = (0..12).map(|i| (i % 4, i % 3)).collect();
        let ballots = Ballots::from_tasks(&vec![task; 50], 4, 3).unwrap();
        let mut held_out = 0;
        for fold in Folds::new(&ballots, 3, 0).iter() {
            for task in 0..50 {
                let (kept, out) = (fold.kept.votes(task), fold.held_out.votes(task));
                assert!(out.workers.iter().all(|worker| !kept.workers.contains(worker)));
                held_out += out.workers.len();
            }
        }
        assert_eq!(held_out, ballots.len());
    }

    #[test]
    fn the_order_of_votes_and_other_tasks_do_not_matter() {
        let crowd = Crowd { tasks: 40, workers: 9, classes: 2, votes: (2, 6), ..Crowd::default() };
        let tasks = crowd.draw(&Context::new().with_seed(3)).unwrap().labels;
        let turned: Vec<Vec<(usize, usize)>> = tasks[..20].iter().map(|t| t.iter().rev().copied().collect()).collect();
        let (all, some) = (Ballots::from_tasks(&tasks, 9, 2).unwrap(), Ballots::from_tasks(&turned, 9, 2).unwrap());
        for seed in [0, 1] {
            let (all, some) = (Folds::new(&all, 4, seed), Folds::new(&some, 4, seed));
            for (one, other) in all.iter().zip(some.iter()) {
                assert!((0..20).all(|task| votes(&one.held_out, task) == votes(&other.held_out, task)));
            }
        }
        let of = |seed| deal(&all, 4, seed);
        assert_ne!(of(0), of(1));
    }

    #[test]
    fn a_sample_has_whole_tasks_and_nearly_all_the_votes_it_may() {
        let crowd = Crowd { tasks: 500, workers: 9, classes: 2, votes: (1, 5), ..Crowd::default() };
        let ballots = Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(3)).unwrap().labels, 9, 2).unwrap();
        assert_eq!(sample_of_tasks(&ballots, ballots.len(), 0), None);
        let tasks = sample_of_tasks(&ballots, 600, 0).unwrap();
        let votes = ballots.of_tasks(&tasks).unwrap().len();
        assert!((596..=600).contains(&votes), "{votes}");
        assert!(tasks.is_sorted() && tasks.iter().any(|&task| task > 250) && tasks.iter().any(|&task| task < 250));
        assert_ne!(Some(tasks), sample_of_tasks(&ballots, 600, 1));
    }
}
