//! Expectation maximisation, shared by all models that give each worker a table P(label | class).
//!
//! One pass over the votes does both halves: a task's posterior under the current tables goes straight into the
//! expected counts that the next tables are made of, so nothing per task is kept between iterations.

mod climb;

pub(super) use climb::{Climb, Em, LARGE, Model, Passes, Step, first_part};

use super::rule::Confusion;
use super::{Evidence, Posterior};
use crate::judgments::{Ballots, Sum, Votes, sum_over_large};
use crate::log_product::LogProduct;
use crate::{Context, Error, Result};

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stopping {
    /// After this many steps at most.
    pub iterations: usize,
    /// When a step gains less than this per label in log-likelihood. 0 runs all the steps.
    pub tolerance: f64,
}

impl Default for Stopping {
    fn default() -> Self {
        Stopping { iterations: 500, tolerance: 1e-8 }
    }
}

impl Stopping {
    pub(super) fn check(&self) -> Result<()> {
        let refuse = |name, value: String, range| Err(Error::OutOfRange { name, value, range });
        if self.iterations == 0 {
            return refuse("the number of iterations", "0".into(), "1 or more");
        }
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            return refuse("the tolerance", self.tolerance.to_string(), "0 or more");
        }
        Ok(())
    }
}

/// Where EM begins.
#[derive(Clone, Copy)]
pub(super) enum Start<'a> {
    /// From the shares of the votes.
    Votes,
    /// From these probabilities.
    Posterior(&'a Posterior),
    /// From these tables.
    Tables(&'a Confusion),
}

/// What the tasks would count if their classes were known, by expectation.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    pub(super) labels: usize,
    pub(super) classes: usize,
    /// Expected votes at `(worker * labels + label) * classes + class`.
    pub(super) votes: Vec<f64>,
    /// Expected tasks of each class, of those with votes.
    pub(super) tasks: Vec<f64>,
    /// The log-likelihood of the votes, where the posteriors are those of tables.
    pub(super) log_likelihood: f64,
}

/// The sum that becomes [`Expected`], over the tasks seen so far.
pub(super) struct Expecting<'a> {
    from: Start<'a>,
    gold: &'a [Option<u16>],
    labels: usize,
    classes: usize,
    votes: Vec<f64>,
    tasks: Vec<f64>,
    likelihood: LogProduct,
    scratch: Vec<f64>,
    /// The classes of a task that are not out of the question, and their probabilities.
    likely: Vec<(usize, f64)>,
}

/// Of more classes than this, most are out of the question once a task has some votes.
const MANY: usize = 10;
/// Sums of fewer numbers stay in the cache of a core, with the tables.
const CACHED: usize = 1 << 16;
/// A probability that leaves no trace in any sum, not even in one of the smallest counts that matter.
const OUT_OF_THE_QUESTION: f64 = f64::EPSILON * f64::EPSILON;

impl Expected {
    /// Of counts that were made elsewhere, laid out as `votes` is.
    pub(super) fn of_counts(labels: usize, votes: Vec<f64>, tasks: Vec<f64>) -> Self {
        Expected { labels, classes: tasks.len(), votes, tasks, log_likelihood: 0.0 }
    }

    /// The expected votes of one worker for one label, by class.
    pub(super) fn of(&self, worker: usize, label: usize) -> &[f64] {
        let at = (worker * self.labels + label) * self.classes;
        &self.votes[at..at + self.classes]
    }

    /// The expected votes of all workers, at `label * classes + class`.
    pub(super) fn population(&self) -> Vec<f64> {
        let mut total = vec![0.0; self.labels * self.classes];
        for worker in self.votes.chunks_exact(total.len()) {
            for (sum, votes) in total.iter_mut().zip(worker) {
                *sum += votes;
            }
        }
        total
    }
}

impl<'a> Expecting<'a> {
    /// Of votes, with the numbers of workers and labels. `gold` has an entry for each task, or none at all.
    pub(super) fn new(from: Start<'a>, gold: &'a [Option<u16>], workers: usize, labels: usize, classes: usize) -> Self {
        Expecting {
            from,
            gold,
            labels,
            classes,
            votes: vec![0.0; workers * labels * classes],
            tasks: vec![0.0; classes],
            likelihood: LogProduct::new(),
            scratch: vec![0.0; classes],
            likely: Vec::new(),
        }
    }

    /// What it came to.
    pub(super) fn finish(self) -> Expected {
        let Expecting { labels, classes, votes, tasks, likelihood, .. } = self;
        Expected { labels, classes, votes, tasks, log_likelihood: likelihood.log() }
    }

    /// In `scores` the posterior of a task that has votes; the likelihood of the votes, as a factor and the logarithm of
    /// another, where there are tables.
    #[inline(always)]
    fn posterior(&self, votes: Votes<'_>, scores: &mut [f64]) -> (f64, f64) {
        let known = self.gold.get(votes.task).copied().flatten();
        let mut likelihood = (1.0, 0.0);
        match (self.from, known) {
            (Start::Votes, _) => {
                scores.fill(0.0);
                let share = 1.0 / votes.opinions();
                votes.weighted().for_each(|(_, label, weight)| scores[label] += weight * share);
            }
            (Start::Posterior(posterior), _) => posterior.of(votes.task).write(scores),
            (Start::Tables(tables), None) => likelihood = tables.components(votes, scores),
            (Start::Tables(tables), Some(class)) => {
                likelihood.1 = self.components_of_class(tables, votes, usize::from(class), scores);
            }
        }
        if let (Some(class), Start::Votes | Start::Posterior(_)) = (known, self.from) {
            self.keep_class(usize::from(class), scores);
        }
        likelihood
    }

    /// Of a task whose class is known, the posterior of that class's components; ln P(votes, class).
    #[cold]
    fn components_of_class(&self, tables: &Confusion, votes: Votes<'_>, class: usize, scores: &mut [f64]) -> f64 {
        scores.fill(f64::NEG_INFINITY);
        for component in (class..scores.len()).step_by(self.labels) {
            scores[component] = tables.joint(votes, component);
        }
        let most = scores.iter().fold(f64::NEG_INFINITY, |most: f64, &score| most.max(score));
        scores.iter_mut().for_each(|score| *score = (*score - most).exp());
        let sum: f64 = scores.iter().sum();
        scores.iter_mut().for_each(|score| *score /= sum);
        most + sum.ln()
    }

    /// Leaves the components of one class only.
    #[cold]
    fn keep_class(&self, class: usize, scores: &mut [f64]) {
        let of_class = |component: usize| component % self.labels == class;
        let sum: f64 = (class..scores.len()).step_by(self.labels).map(|component| scores[component]).sum();
        let components = scores.len() / self.labels;
        for (component, score) in scores.iter_mut().enumerate() {
            *score = match (of_class(component), sum > 0.0) {
                (true, true) => *score / sum,
                (true, false) => 1.0 / components as f64,
                (false, _) => 0.0,
            };
        }
    }

    #[inline(always)]
    fn count(&mut self, votes: Votes<'_>, scores: &mut [f64]) {
        let classes = scores.len();
        let (factor, log) = self.posterior(votes, scores);
        self.likelihood.add(log);
        // Several votes that workers never give make a factor that is too small to wait for its logarithm.
        match factor < 1e-100 {
            true => self.likelihood.add(factor.ln()),
            false => self.likelihood.multiply(factor),
        }
        for (sum, score) in self.tasks.iter_mut().zip(&*scores) {
            *sum += score;
        }
        if classes > MANY && self.count_likely(votes, scores) {
            return;
        }
        if !votes.weights.is_empty() {
            return self.count_weighted(votes, scores);
        }
        for (worker, label) in votes.iter() {
            let at = (worker * self.labels + label) * classes;
            for (sum, score) in self.votes[at..at + classes].iter_mut().zip(&*scores) {
                *sum += score;
            }
        }
    }

    /// Counts the votes of the classes that are not out of the question, if these are few.
    fn count_likely(&mut self, votes: Votes<'_>, scores: &[f64]) -> bool {
        let likely = scores.iter().copied().enumerate().filter(|(_, score)| *score > OUT_OF_THE_QUESTION);
        self.likely.clear();
        self.likely.extend(likely);
        // To add numbers that do not lie side by side takes four times as long.
        if 4 * self.likely.len() > scores.len() {
            return false;
        }
        for (worker, label, weight) in votes.weighted() {
            let at = (worker * self.labels + label) * scores.len();
            let sums = &mut self.votes[at..at + scores.len()];
            self.likely.iter().for_each(|&(class, score)| sums[class] += weight * score);
        }
        true
    }

    /// Counts votes that do not all count as one.
    #[cold]
    fn count_weighted(&mut self, votes: Votes<'_>, scores: &[f64]) {
        for (worker, label, weight) in votes.weighted() {
            let at = (worker * self.labels + label) * scores.len();
            for (sum, score) in self.votes[at..at + scores.len()].iter_mut().zip(scores) {
                *sum += weight * score;
            }
        }
    }
}

impl Sum<Ballots> for Expecting<'_> {
    fn observe(&mut self, votes: Votes<'_>) {
        if votes.labels.is_empty() {
            return;
        }
        // The numbers of classes that are usual get loops of a length that the compiler knows.
        match self.classes {
            2 => self.count(votes, &mut [0.0; 2]),
            3 => self.count(votes, &mut [0.0; 3]),
            4 => self.count(votes, &mut [0.0; 4]),
            5 => self.count(votes, &mut [0.0; 5]),
            6 => self.count(votes, &mut [0.0; 6]),
            8 => self.count(votes, &mut [0.0; 8]),
            10 => self.count(votes, &mut [0.0; 10]),
            _ => {
                let mut scratch = std::mem::take(&mut self.scratch);
                self.count(votes, &mut scratch);
                self.scratch = scratch;
            }
        }
    }

    fn merge(&mut self, later: Self) {
        let add = |sums: &mut [f64], more: &[f64]| sums.iter_mut().zip(more).for_each(|(sum, x)| *sum += x);
        add(&mut self.votes, &later.votes);
        add(&mut self.tasks, &later.tasks);
        self.likelihood.add(later.likelihood.log());
    }

    fn fetch(&self, votes: Votes<'_>) {
        if self.votes.len() < CACHED {
            return;
        }
        // As few instructions as can be: the fewer, the more of these reads the processor has under way.
        let tables = match self.from {
            Start::Tables(tables) if tables.table_of.is_empty() => &tables.votes[..],
            _ => &[],
        };
        let (sums, last, mut read) = (&self.votes[..], self.classes - 1, 0);
        for (worker, label) in votes.iter() {
            let at = (worker * self.labels + label) * self.classes;
            read |= bits(tables, at) | bits(sums, at) | bits(tables, at + last) | bits(sums, at + last);
        }
        // Or nothing would be read.
        std::hint::black_box(read);
    }
}

/// Reads a number, as bits, for numbers take longer to add. The first and the last of a row lie in all the lines of memory
/// that up to eight numbers have.
#[inline(always)]
fn bits(numbers: &[f64], at: usize) -> u64 {
    numbers.get(at).map_or(0, |number| number.to_bits())
}

/// One pass over the votes of this process.
pub(super) fn expect(from: Start<'_>, evidence: &Evidence<'_>, classes: usize, context: &Context) -> Expected {
    let (workers, labels) = (evidence.ballots.workers(), evidence.ballots.classes());
    let cells = workers * labels * classes;
    let empty = || Expecting::new(from, &evidence.gold, workers, labels, classes);
    sum_over_large(evidence.ballots, context, cells, empty).finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgments::Grouped;
    use proptest::prelude::*;
    use proptest::test_runner::{Config, RngSeed};

    proptest! {
        #![proptest_config(Config { cases: 64, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::default() })]

        #[test]
        fn sums_may_be_cut_anywhere(
            tasks in prop::collection::vec(prop::collection::vec((0..4usize, 0..3usize), 0..9), 1..20),
            cuts in prop::collection::vec(0..20usize, 0..4),
            known in prop::collection::vec(prop::option::weighted(0.2, 0..3u16), 20),
            by_tables in any::<bool>(),
        ) {
            let ballots = Ballots::from_tasks(&tasks, 4, 3).unwrap();
            let evidence = Evidence::part(&ballots, &known[..tasks.len()]);
            let row = |worker: usize, class: usize| (0..3).map(move |l| {
                let weight = |l: usize| 1.0 + ((worker * 7 + class * 3 + l * 5) % 11) as f64;
                weight(l) / (0..3).map(weight).sum::<f64>()
            }).collect();
            let matrices = (0..5).map(|worker| (0..3).map(|class| row(worker, class)).collect()).collect();
            let tables = Confusion::new(vec![0.2, 0.5, 0.3], matrices).unwrap();
            let start = if by_tables { Start::Tables(&tables) } else { Start::Votes };
            let over = |range: std::ops::Range<usize>| {
                let mut sum = Expecting::new(start, &evidence.gold, 4, 3, 3);
                range.for_each(|task| sum.observe(ballots.object(task)));
                sum
            };
            let whole = over(0..tasks.len());
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(tasks.len())).collect();
            cuts.extend([0, tasks.len()]);
            cuts.sort_unstable();
            let mut parts = cuts.windows(2).map(|pair| over(pair[0]..pair[1]));
            let mut merged = parts.next().unwrap();
            parts.for_each(|part| merged.merge(part));
            let (whole, merged) = (whole.finish(), merged.finish());
            let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-9);
            prop_assert!(same(&whole.votes, &merged.votes) && same(&whole.tasks, &merged.tasks));
            prop_assert!((whole.log_likelihood - merged.log_likelihood).abs() < 1e-9);
        }
    }
}
