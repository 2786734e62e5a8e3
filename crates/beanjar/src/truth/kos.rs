use super::rule::{Confusion, Rule};
use super::{Evidence, Posterior, TruthFit};
use crate::judgments::Ballots;
use crate::logistic::logistic;
use crate::random::{key, stream};
use crate::{Context, Error, Result};
use rand::RngExt;
use rand_distr::StandardNormal;

/// Messages between tasks and workers, for two classes: the algorithm of Karger, Oh and Shah.
///
/// With votes A = +1 or -1, a task tells each of its workers what the others make of it, x_(t→w) = sum over w' ≠ w of
/// A_tw' y_(w'→t); a worker tells each of their tasks how reliable they are on the others, y_(w→t) = sum over t' ≠ t of
/// A_t'w x_(t'→w). It is a power iteration, so messages are scaled to a mean square of 1 after each round. A task's class is
/// the sign of the sum of A_tw y_(w→t). The method gives no probabilities; ours are logistic in that sum, with the scale at
/// which the workers' implied accuracies match, on average, the share of votes that agree with the labels. Of the two
/// solutions that differ by sign, the one that more votes agree with is taken. Messages begin as normal numbers around 1.
///
/// Cost: O(votes) a round; memory: O(votes).
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `iterations` | rounds | 100 | 1 to 100,000 |
///
/// ```
/// use beanjar::{Context, Labels, truth::{Evidence, Kos}};
///
/// let labels = Labels::from_rows([
///     ("1", "ann", "cat"), ("1", "bob", "cat"), ("1", "cy", "dog"),
///     ("2", "ann", "dog"), ("2", "bob", "dog"), ("2", "cy", "cat"),
/// ])?;
/// let fitted = Kos::default().fit(&Evidence::votes(labels.ballots())?, &Context::new())?;
/// assert!(fitted.posterior.of(0)[0] > 0.5);
/// # Ok::<(), beanjar::Error>(())
/// ```
///
/// D. R. Karger, S. Oh and D. Shah, Budget-optimal task allocation for reliable crowdsourcing systems, Operations
/// Research 62 (2014).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kos {
    /// How many rounds.
    pub iterations: usize,
}

/// All rounds that are asked for are made: after these nothing moves any more.
const MOST_ROUNDS: usize = 100_000;

impl Default for Kos {
    fn default() -> Self {
        Kos { iterations: 100 }
    }
}

impl Kos {
    /// Sends the messages. An error if there are more than two classes.
    pub fn fit(&self, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
        let ballots = evidence.ballots;
        let refuse = |name, value: String, range| Err(Error::OutOfRange { name, value, range });
        if !(1..=MOST_ROUNDS).contains(&self.iterations) {
            return refuse("the number of iterations", self.iterations.to_string(), "1 to 100000 for the method kos");
        }
        if ballots.classes() > 2 {
            return refuse("the number of classes", ballots.classes().to_string(), "2 for the method kos");
        }
        // By the ids of task and worker, and not by where the vote stands in a file.
        let mut messages = Vec::with_capacity(ballots.len());
        for task in 0..ballots.tasks() {
            let place = key(context.seed(), ballots.task_key(task));
            let first = |(worker, label): (usize, usize)| {
                let piece = key(ballots.worker_key(worker), label as u64);
                1.0 + stream(place, piece).sample::<f64, _>(StandardNormal)
            };
            messages.extend(ballots.votes(task).iter().map(first));
        }
        for round in 0..self.iterations {
            context.report("aggregating", round as f64 / self.iterations as f64)?;
            messages = self::round(ballots, &evidence.gold, &messages);
        }
        let (sums, mut reliability) = sums(ballots, &messages);
        let mut sums = sums;
        if agreeing(ballots, &sums) < 0.5 {
            sums.iter_mut().chain(&mut reliability).for_each(|x| *x = -*x);
        }
        let scale = scale(ballots, &reliability, agreeing(ballots, &sums));
        let first = |sum: &f64| logistic(2.0 * scale * sum);
        let values = match ballots.classes() {
            1 => vec![1.0; ballots.tasks()],
            _ => sums.iter().flat_map(|sum| [first(sum), 1.0 - first(sum)]).collect(),
        };
        let mut posterior = Posterior::new(ballots.classes(), values)?;
        posterior.settle(ballots, &evidence.gold);
        let accuracies: Vec<f64> = reliability.iter().chain([&0.0]).map(|y| logistic(2.0 * scale * y)).collect();
        let prior = vec![1.0 / ballots.classes() as f64; ballots.classes()];
        let rule = Rule::Confusion(Confusion::of_accuracies(prior, &accuracies)?);
        let iterations = self.iterations;
        Ok(TruthFit { rule, posterior, log_likelihood: None, iterations, converged: true, auto: None })
    }
}

/// A vote for the first class is 1, one for the second -1.
fn sign(label: usize) -> f64 {
    if label == 0 { 1.0 } else { -1.0 }
}

/// Messages from workers to tasks after one more round. A task whose class is known sends its class.
fn round(ballots: &Ballots, gold: &[Option<u16>], messages: &[f64]) -> Vec<f64> {
    let mut next = vec![0.0; messages.len()];
    let mut of_worker = vec![0.0; ballots.workers()];
    for task in 0..ballots.tasks() {
        let votes = ballots.votes(task);
        let first = ballots.first_vote(task);
        let sum: f64 =
            votes.weighted().enumerate().map(|(i, (_, label, w))| w * sign(label) * messages[first + i]).sum();
        for (i, (worker, label, weight)) in votes.weighted().enumerate() {
            let others = match gold.get(task).copied().flatten() {
                Some(class) => sign(usize::from(class)),
                None => sum - weight * sign(label) * messages[first + i],
            };
            next[first + i] = weight * sign(label) * others;
            of_worker[worker] += next[first + i];
        }
    }
    for task in 0..ballots.tasks() {
        let first = ballots.first_vote(task);
        for (i, (worker, _)) in ballots.votes(task).iter().enumerate() {
            next[first + i] = of_worker[worker] - next[first + i];
        }
    }
    let size = (next.iter().map(|x| x * x).sum::<f64>() / next.len().max(1) as f64).sqrt();
    match size > 0.0 {
        true => next.iter().map(|x| x / size).collect(),
        // Nobody has another task, so that nobody's reliability is known: all are alike.
        false => vec![1.0; next.len()],
    }
}

/// Of each task the weighted sum of its votes, and of each worker the mean of their messages.
fn sums(ballots: &Ballots, messages: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut tasks = vec![0.0; ballots.tasks()];
    let (mut workers, mut votes_of) = (vec![0.0; ballots.workers()], vec![0.0; ballots.workers()]);
    for (task, sum) in tasks.iter_mut().enumerate() {
        let first = ballots.first_vote(task);
        for (i, (worker, label, weight)) in ballots.votes(task).weighted().enumerate() {
            *sum += weight * sign(label) * messages[first + i];
            workers[worker] += messages[first + i];
            votes_of[worker] += 1.0;
        }
    }
    workers.iter_mut().zip(votes_of).for_each(|(sum, n)| *sum /= f64::max(n, 1.0));
    (tasks, workers)
}

/// The share of votes that agree with the signs of the tasks' sums; half of those on tasks without a sign.
fn agreeing(ballots: &Ballots, sums: &[f64]) -> f64 {
    let (mut agree, mut all) = (0.0, 0.0);
    for (task, sum) in sums.iter().enumerate() {
        for (_, label, weight) in ballots.votes(task).weighted() {
            let product = sign(label) * sum;
            agree += weight
                * if product > 0.0 {
                    1.0
                } else if product == 0.0 {
                    0.5
                } else {
                    0.0
                };
            all += weight;
        }
    }
    if all > 0.0 { agree / all } else { 0.5 }
}

/// The scale at which the workers' accuracies have this mean over votes, or the largest that makes sense.
fn scale(ballots: &Ballots, reliability: &[f64], wanted: f64) -> f64 {
    let votes = ballots.per_worker();
    let all = votes.iter().sum::<u64>().max(1) as f64;
    let mean = |scale: f64| {
        let of = |(y, &n): (&f64, &u64)| n as f64 * logistic(2.0 * scale * y);
        reliability.iter().zip(&votes).map(of).sum::<f64>() / all
    };
    // An accuracy of more than 0.999 at the mean reliability is not to be had from votes.
    let (mut low, mut high) = (0.0, 3.5);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if mean(middle) < wanted { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Votes of each task, and the true classes.
    type Drawn = (Vec<Vec<(usize, usize)>>, Vec<Option<u16>>);

    /// Six workers who know and fourteen who throw a coin; ten of them vote on each task.
    fn drawn() -> Drawn {
        let mut random = stream(2, 0);
        let mut task = |task: usize| {
            let class = task % 2;
            let vote = |at: usize| {
                let worker = (7 * task + 3 * at) % 20;
                let accuracy = if worker < 6 { 0.95 } else { 0.5 };
                (worker, if random.random::<f64>() < accuracy { class } else { 1 - class })
            };
            (0..10).map(vote).collect()
        };
        ((0..400).map(&mut task).collect(), (0..400).map(|task| Some(task as u16 % 2)).collect())
    }

    #[test]
    fn a_round_is_the_papers_formula_written_out() {
        let tasks = [vec![(0, 0), (1, 1), (2, 0)], vec![(0, 1), (2, 1)], vec![(1, 0), (2, 0)]];
        let ballots = Ballots::from_tasks(&tasks, 3, 2).unwrap();
        let edges: Vec<(usize, usize, f64)> = tasks
            .iter()
            .enumerate()
            .flat_map(|(task, votes)| votes.iter().map(move |&(worker, label)| (task, worker, sign(label))))
            .collect();
        let y: Vec<f64> = (0..7).map(|i| 0.5 + 0.3 * i as f64).collect();
        let x = |task: usize, worker: usize| -> f64 {
            edges.iter().zip(&y).filter(|(e, _)| e.0 == task && e.1 != worker).map(|(e, y)| e.2 * y).sum()
        };
        let next: Vec<f64> = edges
            .iter()
            .map(|&(task, worker, _)| {
                edges.iter().filter(|e| e.1 == worker && e.0 != task).map(|e| e.2 * x(e.0, worker)).sum()
            })
            .collect();
        let size = (next.iter().map(|y: &f64| y * y).sum::<f64>() / 7.0).sqrt();
        let found = round(&ballots, &[], &y);
        assert_eq!(found.len(), 7);
        assert!(found.iter().zip(&next).all(|(a, b)| (a - b / size).abs() < 1e-12));
    }

    #[test]
    fn spammers_count_less_than_by_the_plain_vote_and_the_seed_hardly_matters() {
        let (tasks, truth) = drawn();
        let ballots = Ballots::from_tasks(&tasks, 20, 2).unwrap();
        let evidence = Evidence::votes(&ballots).unwrap();
        let error =
            |seed| Kos::default().fit(&evidence, &Context::new().with_seed(seed)).unwrap().posterior.error(&truth);
        let majority = super::super::Majority::default().fit(&evidence, &Context::new()).unwrap();
        let votes = majority.posterior.error(&truth).unwrap();
        assert!(error(0).unwrap() < 0.5 * votes, "{:?} {votes}", error(0));
        assert_eq!(error(0), error(1));
    }

    #[test]
    fn three_classes_are_refused_and_small_data_are_no_trouble() {
        let three = Ballots::from_tasks(&[vec![(0, 2)]], 1, 3).unwrap();
        assert!(Kos::default().fit(&Evidence::votes(&three).unwrap(), &Context::new()).is_err());
        for tasks in [vec![vec![(0, 0)]], vec![vec![(0, 1)], vec![]], vec![vec![(0, 0), (1, 1)]]] {
            let ballots = Ballots::from_tasks(&tasks, 2, 2).unwrap();
            let fit = Kos::default().fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap();
            assert!((fit.posterior.of(0).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        let one = Ballots::from_tasks(&[vec![(0, 0)]], 1, 1).unwrap();
        let fit = Kos::default().fit(&Evidence::votes(&one).unwrap(), &Context::new()).unwrap();
        assert_eq!(fit.posterior.of(0), [1.0]);
    }
}
