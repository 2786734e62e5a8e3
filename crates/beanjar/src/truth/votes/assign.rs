//! Who is asked which question.

use super::next::{Candidate, NextVotes, PoolWorker};
use super::open_tasks::OpenTasks;
use super::prospects::Prospects;
use crate::judgments::{Labels, Votes};
use crate::random::{key, key_of_text};
use crate::{Error, Result};
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap, HashSet};

/// A question that is asked.
pub(super) struct Asked {
    pub(super) task: usize,
    /// By number in the list of workers.
    pub(super) worker: Option<usize>,
    pub(super) gain: f64,
    pub(super) cost: f64,
}

/// Questions looked at for each that is wanted.
const LOOKED_AT: usize = 4;
/// Workers looked at for each task: the most informative ones for their price.
const WORKERS_PER_TASK: usize = 200;

/// The workers who may be asked, in the numbers of their list.
pub(super) struct Assignment<'a> {
    wanted: &'a NextVotes,
    prospects: &'a Prospects<'a>,
    /// Their numbers among the workers with labels.
    codes: Vec<Option<u32>>,
    limits: Vec<usize>,
    costs: Vec<f64>,
    says: Vec<Vec<f64>>,
    /// What random choices about each worker are keyed by.
    keys: Vec<u64>,
    /// Whom to look at, the most informative first.
    order: Vec<usize>,
    /// Whom each task may be given to, where that is limited.
    allowed: Option<HashMap<&'a str, Vec<usize>>>,
}

impl<'a> Assignment<'a> {
    pub(super) fn new(
        wanted: &'a NextVotes,
        pool: &'a [PoolWorker],
        labels: &Labels,
        prospects: &'a Prospects<'a>,
    ) -> Result<Self> {
        if pool.is_empty() {
            return Err(Error::Empty("worker to ask"));
        }
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        for (number, worker) in pool.iter().enumerate() {
            if numbers.insert(&worker.worker, number).is_some() {
                return Err(Error::RepeatedId(worker.worker.clone()));
            }
        }
        let allowed = wanted.allowed.as_ref().map(|pairs| {
            let mut allowed: HashMap<&str, Vec<usize>> = HashMap::new();
            for (task, worker) in pairs {
                allowed.entry(task.as_str()).or_default().extend(numbers.get(worker.as_str()));
            }
            allowed
        });
        let lookup = labels.workers.lookup();
        let codes: Vec<Option<u32>> =
            pool.iter().map(|worker| lookup.code(&worker.worker).map(|code| code as u32)).collect();
        let says: Vec<Vec<f64>> =
            codes.iter().map(|code| prospects.says(code.map_or(usize::MAX, |code| code as usize))).collect();
        let costs: Vec<f64> = pool.iter().map(|worker| worker.cost.unwrap_or(wanted.cost)).collect();
        let limit = |worker: &PoolWorker| worker.limit.or(wanted.per_worker).unwrap_or(usize::MAX);
        let before = prospects.components(Votes { task: 0, workers: &[], labels: &[], weights: &[] });
        let mut order: Vec<(f64, usize)> =
            (0..pool.len()).map(|at| (prospects.information(&before, &says[at]) / costs[at], at)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        // With limits the first ones are soon used up.
        let used_up = wanted.votes.div_ceil(wanted.per_worker.unwrap_or(usize::MAX));
        let order = order.into_iter().map(|of| of.1).take(WORKERS_PER_TASK.saturating_add(used_up)).collect();
        let limits = pool.iter().map(limit).collect();
        let keys = pool.iter().map(|worker| key_of_text(0, &worker.worker)).collect();
        Ok(Assignment { wanted, prospects, codes, limits, costs, says, keys, order, allowed })
    }

    /// Gives each question to one of the workers who may be asked, within everybody's limit; nobody is asked about a task
    /// they have voted on. The questions that gain most for their price come first.
    ///
    /// A worker is drawn with a probability in proportion to what they tell of the task for their price. To take always the
    /// one who seems best would be worse: who that is may be a mistake, which only the others' votes can show.
    pub(super) fn assign(&self, candidates: &[Candidate], tasks: &OpenTasks<'_>, seed: u64) -> Vec<Asked> {
        let mut free = Free { left: self.limits.clone(), taken: HashSet::new() };
        let mut mixtures: HashMap<usize, Vec<f64>> = HashMap::new();
        let mut offer = |candidate: &Candidate, number: usize, free: &Free| {
            let task = candidate.task;
            let voted = tasks.votes(task).workers;
            let whom = match &self.allowed {
                Some(allowed) => allowed.get(tasks.name(task)).map_or(&[][..], Vec::as_slice),
                None => &self.order,
            };
            let open = |&&at: &&usize| free.is(task, at) && self.codes[at].is_none_or(|code| !voted.contains(&code));
            let mut whom = whom.iter().filter(open).peekable();
            whom.peek()?;
            let components = mixtures.entry(task).or_insert_with(|| self.prospects.components(tasks.votes(task)));
            let anyone = self.prospects.information_of_newcomer(components).max(f64::MIN_POSITIVE);
            let of_task = key_of_text(seed, tasks.name(task));
            // The shortest of exponential waiting times, each as long as its worker tells little.
            let waiting = |&at: &usize| {
                let says = self.prospects.information(components, &self.says[at]);
                let uniform = ((key(of_task, self.keys[at]) >> 11) as f64 + 1.0) / (1u64 << 53) as f64;
                (-uniform.ln() * self.costs[at] / says.max(1e-12), at, says)
            };
            let (_, worker, says) = whom.map(waiting).min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))?;
            let gain = candidate.gain * says / anyone;
            Some(Offer { value: candidate.gain / self.costs[worker], number: Reverse(number), worker, gain })
        };
        let most = self.wanted.votes.saturating_mul(LOOKED_AT).saturating_add(100);
        let offers = candidates.iter().enumerate().filter_map(|(number, of)| offer(of, number, &free)).take(most);
        let mut heap: BinaryHeap<Offer> = offers.collect();
        let mut asked = Vec::new();
        while asked.len() < self.wanted.votes
            && let Some(best) = heap.pop()
        {
            let (Reverse(number), worker) = (best.number, best.worker);
            let task = candidates[number].task;
            if !free.is(task, worker) {
                heap.extend(offer(&candidates[number], number, &free));
                continue;
            }
            free.left[worker] -= 1;
            free.taken.insert((task, worker));
            asked.push(Asked { task, worker: Some(worker), gain: best.gain, cost: self.costs[worker] });
        }
        asked
    }
}

/// Who can still be asked what.
struct Free {
    left: Vec<usize>,
    taken: HashSet<(usize, usize)>,
}

impl Free {
    fn is(&self, task: usize, worker: usize) -> bool {
        self.left[worker] > 0 && !self.taken.contains(&(task, worker))
    }
}

/// One of the questions with its worker, by gain for the price; among equals the earlier one.
#[derive(PartialEq)]
struct Offer {
    value: f64,
    number: Reverse<usize>,
    worker: usize,
    gain: f64,
}

impl Eq for Offer {}

impl PartialOrd for Offer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Offer {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.total_cmp(&other.value).then(self.number.cmp(&other.number))
    }
}
