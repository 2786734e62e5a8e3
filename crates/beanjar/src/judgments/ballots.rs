//! The votes of all tasks, with numbers for names: what remains of labels once ids no longer matter.

use super::sum::Grouped;
use crate::random::key;
use crate::{Error, Result};
use std::sync::Arc;

/// Votes grouped by task. Tasks, workers and classes are numbers; a method works on these, and on parts of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Ballots {
    offsets: Vec<usize>,
    worker: Vec<u32>,
    label: Vec<u16>,
    /// What each vote counts; empty where each counts as one.
    weight: Vec<f64>,
    workers: usize,
    classes: usize,
    /// What random choices about a task or a worker are keyed by: their ids, so that the order of rows does not matter. None
    /// where there are only numbers.
    task_keys: Option<Arc<[u64]>>,
    worker_keys: Option<Arc<[u64]>>,
}

/// The numbers that the columns can hold.
const MOST_WORKERS: usize = u32::MAX as usize;
const MOST_CLASSES: usize = u16::MAX as usize + 1;

/// The votes on one task.
#[derive(Clone, Copy, Debug)]
pub struct Votes<'a> {
    /// Which task.
    pub task: usize,
    /// Who voted.
    pub workers: &'a [u32],
    /// What for, in the same order.
    pub labels: &'a [u16],
    /// What each vote counts; empty where each counts as one. The votes of one worker on a task count as one together.
    pub weights: &'a [f64],
}

impl Votes<'_> {
    /// Who voted for what.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (usize, usize)> + '_ {
        self.workers.iter().zip(self.labels).map(|(&worker, &label)| (worker as usize, usize::from(label)))
    }

    /// Who voted for what, and what the vote counts.
    #[must_use]
    pub fn weighted(&self) -> impl ExactSizeIterator<Item = (usize, usize, f64)> + '_ {
        self.iter().enumerate().map(|(vote, (worker, label))| (worker, label, self.weight(vote)))
    }

    /// What a vote counts.
    #[inline(always)]
    pub(crate) fn weight(&self, vote: usize) -> f64 {
        self.weights.get(vote).copied().unwrap_or(1.0)
    }

    /// How many opinions the votes are: what they count together.
    #[must_use]
    pub fn opinions(&self) -> f64 {
        if self.weights.is_empty() { self.labels.len() as f64 } else { self.weights.iter().sum() }
    }

    /// What the votes of this worker count together.
    pub(crate) fn opinions_of(&self, worker: usize) -> f64 {
        self.weighted().filter(|vote| vote.0 == worker).map(|vote| vote.2).sum()
    }
}

impl Ballots {
    /// Votes that lie task by task; `offsets` has one entry more than there are tasks.
    pub(super) fn new(offsets: Vec<usize>, worker: Vec<u32>, label: Vec<u16>, workers: usize, classes: usize) -> Self {
        Ballots { offsets, worker, label, weight: Vec::new(), workers, classes, task_keys: None, worker_keys: None }
    }

    /// The same with keys of the tasks and of the workers, one for each.
    pub(super) fn with_keys(self, tasks: Arc<[u64]>, workers: Arc<[u64]>) -> Self {
        Ballots { task_keys: Some(tasks), worker_keys: Some(workers), ..self }
    }

    /// The same with a weight for each vote, or none.
    pub(super) fn with_weights(self, weight: Vec<f64>) -> Self {
        Ballots { weight, ..self }
    }

    /// What random choices about a task are keyed by, beside the seed: its id, or its number where it has none.
    pub(crate) fn task_key(&self, task: usize) -> u64 {
        self.task_keys.as_ref().map_or(task as u64, |keys| keys[task])
    }

    /// The same of a worker.
    pub(crate) fn worker_key(&self, worker: usize) -> u64 {
        self.worker_keys.as_ref().and_then(|keys| keys.get(worker).copied()).unwrap_or(worker as u64)
    }

    /// Workers in an order drawn by the seed and their keys.
    pub(crate) fn shuffled_workers(&self, seed: u64) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.workers).collect();
        order.sort_by_cached_key(|&worker| (key(seed, self.worker_key(worker)), worker));
        order
    }

    /// The votes of each task as pairs of worker and label. Workers are numbered from 0 to `workers` - 1, labels from
    /// 0 to `classes` - 1.
    pub fn from_tasks(tasks: &[Vec<(usize, usize)>], workers: usize, classes: usize) -> Result<Self> {
        if workers > MOST_WORKERS {
            return Err(Error::TooMany { what: "workers", limit: MOST_WORKERS as u64 });
        }
        if classes > MOST_CLASSES {
            return Err(Error::TooMany { what: "classes", limit: MOST_CLASSES as u64 });
        }
        let mut ballots = Ballots::new(vec![0], Vec::new(), Vec::new(), workers, classes);
        for (task, votes) in tasks.iter().enumerate() {
            for &(worker, label) in votes {
                if worker >= workers || label >= classes {
                    return Err(out_of_range(
                        "a vote",
                        format!("label {label} by worker {worker} on task {task}"),
                        "a worker and a class below their numbers",
                    ));
                }
                ballots.worker.push(worker as u32);
                ballots.label.push(label as u16);
            }
            ballots.offsets.push(ballots.worker.len());
        }
        Ok(ballots)
    }

    /// How many tasks there are, those without a vote too.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many workers there are, those without a vote too.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// How many classes there are.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// How many votes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.label.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.label.is_empty()
    }

    /// How many votes there are of the tasks before this one.
    pub(crate) fn first_vote(&self, task: usize) -> usize {
        self.offsets[task]
    }

    /// How many workers voted on each task.
    pub(crate) fn opinions(&self) -> Vec<usize> {
        let mut last = vec![usize::MAX; self.workers];
        let new = |task: usize, last: &mut Vec<usize>| {
            let voted = self.votes(task).workers.iter();
            voted.filter(|&&worker| std::mem::replace(&mut last[worker as usize], task) != task).count()
        };
        (0..self.tasks()).map(|task| new(task, &mut last)).collect()
    }

    /// Whether two workers voted on any one task.
    pub(crate) fn any_shared(&self) -> bool {
        (0..self.tasks()).any(|task| self.votes(task).workers.windows(2).any(|pair| pair[0] != pair[1]))
    }

    /// The votes on one task.
    ///
    /// # Panics
    /// If there is no such task.
    #[must_use]
    #[inline]
    pub fn votes(&self, task: usize) -> Votes<'_> {
        let rows = self.offsets[task]..self.offsets[task + 1];
        if self.weight.is_empty() {
            return Votes { task, workers: &self.worker[rows.clone()], labels: &self.label[rows], weights: &[] };
        }
        let weights = &self.weight[rows.clone()];
        // A repeated label somewhere gives all votes weights, which hardly any task needs.
        let weights = if weights.iter().all(|weight| *weight == 1.0) { &[] } else { weights };
        Votes { task, workers: &self.worker[rows.clone()], labels: &self.label[rows], weights }
    }

    /// The votes of some workers alone: those for whom `kept`, one entry per worker, is true. Tasks and workers keep
    /// their numbers.
    pub fn of_workers(&self, kept: &[bool]) -> Result<Ballots> {
        if kept.len() != self.workers {
            let value = format!("of {} entries for {} workers", kept.len(), self.workers);
            return Err(out_of_range("the list of kept workers", value, "one entry per worker"));
        }
        Ok(self.filtered(|_, worker| kept[worker]))
    }

    /// The votes on these tasks alone, which get new numbers in their order here.
    pub fn of_tasks(&self, tasks: &[usize]) -> Result<Ballots> {
        if let Some(task) = tasks.iter().find(|&&task| task >= self.tasks()) {
            return Err(out_of_range("a task", task.to_string(), "below the number of tasks"));
        }
        let (mut offsets, mut worker, mut label, mut weight) = (vec![0], Vec::new(), Vec::new(), Vec::new());
        for &task in tasks {
            let votes = self.votes(task);
            worker.extend_from_slice(votes.workers);
            label.extend_from_slice(votes.labels);
            weight.extend_from_slice(self.weight.get(self.offsets[task]..self.offsets[task + 1]).unwrap_or_default());
            offsets.push(worker.len());
        }
        let task_keys = self.task_keys.as_ref().map(|keys| tasks.iter().map(|&task| keys[task]).collect());
        Ok(Ballots { task_keys, ..self.with_columns(offsets, worker, label, weight) })
    }

    /// The votes for which `keep`, given the number of the vote and the worker, says yes.
    pub(crate) fn filtered(&self, keep: impl Fn(usize, usize) -> bool) -> Ballots {
        let mut offsets = Vec::with_capacity(self.offsets.len());
        offsets.push(0);
        let (mut worker, mut label, mut weight) = (Vec::new(), Vec::new(), Vec::new());
        for task in 0..self.tasks() {
            for vote in self.offsets[task]..self.offsets[task + 1] {
                if keep(vote, self.worker[vote] as usize) {
                    worker.push(self.worker[vote]);
                    label.push(self.label[vote]);
                    weight.extend(self.weight.get(vote));
                }
            }
            offsets.push(worker.len());
        }
        self.with_columns(offsets, worker, label, weight)
    }

    /// Other votes, with all else as it is.
    fn with_columns(&self, offsets: Vec<usize>, worker: Vec<u32>, label: Vec<u16>, weight: Vec<f64>) -> Ballots {
        let (task_keys, worker_keys) = (self.task_keys.clone(), self.worker_keys.clone());
        Ballots { offsets, worker, label, weight, workers: self.workers, classes: self.classes, task_keys, worker_keys }
    }

    /// The votes with other numbers for classes; those of classes without one are left out.
    pub(crate) fn relabelled(&self, class: &[Option<u16>], classes: usize) -> Ballots {
        let known = self.filtered(|vote, _| class[usize::from(self.label[vote])].is_some());
        let label = known.label.iter().map(|&label| class[usize::from(label)].unwrap_or_default()).collect();
        Ballots { label, classes, ..known }
    }

    /// The votes with the numbers of other workers.
    pub(crate) fn by_workers(&self, number: impl Fn(usize) -> usize, workers: usize) -> Ballots {
        let worker = self.worker.iter().map(|&worker| number(worker as usize) as u32).collect();
        Ballots { worker, workers, worker_keys: None, ..self.clone() }
    }

    /// The votes with some workers' given to others of the same.
    pub(super) fn by_representatives(&self, first: &[usize]) -> Ballots {
        let worker = self.worker.iter().map(|&worker| first[worker as usize] as u32).collect();
        Ballots { worker, ..self.clone() }
    }

    /// The votes with workers numbered by their places here, and those of a task in the order of these numbers.
    pub(crate) fn in_order_of_workers(&self, workers: &[usize]) -> Ballots {
        let mut number = vec![0u32; self.workers];
        workers.iter().enumerate().for_each(|(at, &worker)| number[worker] = at as u32);
        let worker_keys = workers.iter().map(|&worker| self.worker_key(worker)).collect();
        let mut ballots = Ballots { worker_keys: Some(worker_keys), ..self.clone() };
        for task in 0..self.tasks() {
            let rows = self.offsets[task]..self.offsets[task + 1];
            let mut order: Vec<usize> = rows.clone().collect();
            order.sort_by_key(|&vote| (number[self.worker[vote] as usize], self.label[vote]));
            for (to, from) in rows.zip(order) {
                ballots.worker[to] = number[self.worker[from] as usize];
                ballots.label[to] = self.label[from];
                if let Some(weight) = self.weight.get(from) {
                    ballots.weight[to] = *weight;
                }
            }
        }
        ballots
    }

    /// Other votes on the same tasks by the same workers, each with its weight; no weights where each counts as one.
    pub(crate) fn with_votes(&self, tasks: &[Vec<(usize, usize)>], weight: Vec<f64>) -> Ballots {
        let mut offsets = vec![0];
        offsets.extend(tasks.iter().scan(0, |sum, votes| {
            *sum += votes.len();
            Some(*sum)
        }));
        let votes = || tasks.iter().flatten();
        let (worker, label) =
            (votes().map(|vote| vote.0 as u32).collect(), votes().map(|vote| vote.1 as u16).collect());
        self.with_columns(offsets, worker, label, weight)
    }

    /// Whether some votes count for more or less than one.
    pub(crate) fn has_weights(&self) -> bool {
        !self.weight.is_empty()
    }

    /// The same with every vote counting as one.
    pub(crate) fn unweighted(self) -> Ballots {
        Ballots { weight: Vec::new(), ..self }
    }

    /// How many votes each worker cast; votes of one worker on one task that share a weight are one.
    #[must_use]
    pub fn per_worker(&self) -> Vec<u64> {
        if self.weight.is_empty() {
            let mut counts = vec![0; self.workers];
            self.worker.iter().for_each(|&worker| counts[worker as usize] += 1);
            return counts;
        }
        let mut sums = vec![0.0; self.workers];
        self.worker.iter().zip(&self.weight).for_each(|(&worker, weight)| sums[worker as usize] += weight);
        sums.iter().map(|sum: &f64| sum.round() as u64).collect()
    }
}

fn out_of_range(name: &'static str, value: String, range: &'static str) -> Error {
    Error::OutOfRange { name, value, range }
}

impl Grouped for Ballots {
    type Object<'a> = Votes<'a>;

    fn objects(&self) -> usize {
        self.tasks()
    }

    fn rows(&self) -> usize {
        self.len()
    }

    fn object(&self, task: usize) -> Votes<'_> {
        self.votes(task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filtering_keeps_numbers_and_order() {
        let tasks = vec![vec![(0, 1), (2, 0)], vec![], vec![(2, 1), (1, 1), (2, 0)]];
        let ballots = Ballots::from_tasks(&tasks, 3, 2).unwrap();
        let some = ballots.of_workers(&[false, true, true]).unwrap();
        let kept: Vec<Vec<(usize, usize)>> = (0..3).map(|task| some.votes(task).iter().collect()).collect();
        assert_eq!(kept, [vec![(2, 0)], vec![], vec![(2, 1), (1, 1), (2, 0)]]);
        assert_eq!((some.tasks(), some.workers(), some.classes(), some.len()), (3, 3, 2, 4));
        assert_eq!(some.per_worker(), [0, 1, 3]);
        assert!(ballots.of_workers(&[false; 3]).unwrap().is_empty());
    }

    #[test]
    fn what_is_not_there_is_refused() {
        assert!(Ballots::from_tasks(&[vec![(2, 0)]], 2, 2).is_err());
        assert!(Ballots::from_tasks(&[vec![(0, 2)]], 2, 2).is_err());
        assert!(Ballots::from_tasks(&[], 2, 1 << 17).is_err());
        let ballots = Ballots::from_tasks(&[vec![(1, 1)], vec![]], 2, 2).unwrap();
        assert!(ballots.of_workers(&[true]).is_err());
        assert!(ballots.of_tasks(&[0, 2]).is_err());
        assert_eq!(ballots.of_tasks(&[1, 0, 0]).unwrap().len(), 2);
    }
}
