//! Workers of different skill who label tasks.

use crate::random::stream;
use crate::{Column, Context, Error, Labels, Result};
use rand::{Rng, RngExt};
use rand_distr::{Beta, Distribution, Gamma};

/// How workers err.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WorkerModel {
    /// One coin: right with the worker's accuracy, else any other class alike.
    #[default]
    OneCoin,
    /// A confusion matrix of the worker's own: right with the worker's accuracy on average, with favourite mistakes.
    Confusion,
}

/// Workers of different skill who label tasks.
///
/// Each task has a true class, drawn by `priors`. A worker's accuracy is drawn from a beta distribution with mean
/// `accuracy` and `spread` pseudo-counts; a share `spammers` of the workers answers without looking, half of them at
/// random, half always the same. How busy workers are is uneven: worker j takes a task in proportion to
/// 1/(j + 1)^`unevenness`.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `tasks`, `workers` | how many | 1000, 50 | 1 or more |
/// | `classes` | how many | 2 | 2 or more |
/// | `votes` | labels per task, from and to | 5 to 5 | 1 to `workers` |
/// | `priors` | shares of the classes; empty for equal ones | empty | none, or one per class |
/// | `model` | how workers err | one coin | |
/// | `accuracy` | mean accuracy | 0.7 | above 0, below 1 |
/// | `spread` | how alike workers are: large is alike | 10 | above 0 |
/// | `spammers` | share of workers who do not look | 0 | 0 to 1 |
/// | `unevenness` | 0: all equally busy | 0 | 0 or more |
#[derive(Clone, Debug)]
pub struct Crowd {
    /// How many tasks.
    pub tasks: usize,
    /// How many workers.
    pub workers: usize,
    /// How many classes.
    pub classes: usize,
    /// The least and the most labels of a task.
    pub votes: (usize, usize),
    /// The shares of the classes; empty for equal ones.
    pub priors: Vec<f64>,
    /// How workers err.
    pub model: WorkerModel,
    /// Their mean accuracy.
    pub accuracy: f64,
    /// How alike they are, as pseudo-counts.
    pub spread: f64,
    /// The share of them who do not look.
    pub spammers: f64,
    /// How unevenly work is shared.
    pub unevenness: f64,
}

impl Default for Crowd {
    fn default() -> Self {
        Crowd {
            tasks: 1000,
            workers: 50,
            classes: 2,
            votes: (5, 5),
            priors: Vec::new(),
            model: WorkerModel::OneCoin,
            accuracy: 0.7,
            spread: 10.0,
            spammers: 0.0,
            unevenness: 0.0,
        }
    }
}

/// Labels, with the truth behind them.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedLabels {
    /// The true class of each task.
    pub truth: Vec<usize>,
    /// Of each worker, the probability of each answer (column) to each true class (row).
    pub confusion: Vec<Vec<Vec<f64>>>,
    /// The labels: of each task, workers and their answers.
    pub labels: Vec<Vec<(usize, usize)>>,
}

impl SimulatedLabels {
    /// The probability that a worker is right, over the tasks there are; none if there is no such worker.
    pub fn accuracy(&self, worker: usize) -> Option<f64> {
        let confusion = self.confusion.get(worker)?;
        let right = self.truth.iter().map(|&class| confusion[class][class]);
        Some(right.sum::<f64>() / self.truth.len() as f64)
    }

    /// The labels, row by row: task (`t1`, ...), worker (`w1`, ...) and label (`c1`, ...).
    pub fn rows(&self) -> impl Iterator<Item = (String, String, String)> + '_ {
        let row = |task: usize, worker: usize, label: usize| (id('t', task), id('w', worker), id('c', label));
        self.labels
            .iter()
            .enumerate()
            .flat_map(move |(task, votes)| votes.iter().map(move |&(worker, label)| row(task, worker, label)))
    }

    /// The labels as a table.
    pub fn to_labels(&self) -> Result<Labels> {
        let rows: Vec<_> = self.rows().collect();
        Labels::from_rows(rows.iter().map(|(task, worker, label)| (&task[..], &worker[..], &label[..])))
    }

    /// The true class of each task.
    pub fn truth(&self) -> Result<Column> {
        let tasks = (0..self.truth.len()).map(|task| id('t', task)).collect();
        Column::new("label", tasks, self.truth.iter().map(|&class| id('c', class)).collect())
    }

    /// Each worker, and the probability that they are right.
    pub fn workers(&self) -> impl Iterator<Item = (String, f64)> + '_ {
        (0..self.confusion.len()).filter_map(|worker| Some((id('w', worker), self.accuracy(worker)?)))
    }
}

/// The name of the thing of this number: `t1` is task 0.
pub(super) fn id(letter: char, number: usize) -> String {
    format!("{letter}{}", number + 1)
}

/// The number of the stream of random numbers that workers are drawn from; tasks take theirs from 0 upwards.
const WORKERS: u64 = u64::MAX;

impl Crowd {
    /// Draws workers, tasks and labels.
    pub fn draw(&self, context: &Context) -> Result<SimulatedLabels> {
        self.check()?;
        let seed = context.seed();
        let equal = vec![1.0; self.classes];
        let priors = if self.priors.is_empty() { &equal } else { &self.priors };
        let mut random = stream(seed, WORKERS);
        let confusion: Vec<Vec<Vec<f64>>> = (0..self.workers).map(|worker| self.worker(worker, &mut random)).collect();
        let busy: Vec<f64> = (0..self.workers).map(|worker| (worker as f64 + 1.0).powf(-self.unevenness)).collect();
        let (mut truth, mut labels) = (Vec::new(), Vec::new());
        let steps = context.steps("simulating", self.tasks);
        for task in 0..self.tasks {
            let mut random = stream(seed, task as u64);
            let class = pick(priors, &mut random);
            let votes = random.random_range(self.votes.0..=self.votes.1);
            let voters = draw_without_replacement(&busy, votes, &mut random);
            truth.push(class);
            labels.push(voters.into_iter().map(|who| (who, pick(&confusion[who][class], &mut random))).collect());
            steps.tick()?;
        }
        Ok(SimulatedLabels { truth, confusion, labels })
    }

    fn check(&self) -> Result<()> {
        let refuse = |name, value: String, range| Err(Error::OutOfRange { name, value, range });
        if self.tasks == 0 || self.workers == 0 {
            return refuse("the number of tasks or workers", "0".into(), "1 or more");
        }
        if self.classes < 2 || self.classes > usize::from(u16::MAX) {
            return refuse("the number of classes", self.classes.to_string(), "2 to 65535");
        }
        /// Numbers in all confusion matrices together: 800 MB of them.
        const MOST_NUMBERS: usize = 100_000_000;
        if self.classes.pow(2).saturating_mul(self.workers) > MOST_NUMBERS {
            let value = format!("{} with {} workers", self.classes, self.workers);
            return refuse(
                "the number of classes",
                value,
                "such that workers times classes squared is at most 100 million",
            );
        }
        let (least, most) = self.votes;
        if least == 0 || least > most || most > self.workers {
            return refuse("the number of labels per task", format!("{least}-{most}"), "1 to the number of workers");
        }
        let positive = |share: &f64| share.is_finite() && *share >= 0.0;
        let bad = !self.priors.iter().all(positive) || self.priors.iter().sum::<f64>() <= 0.0;
        if !self.priors.is_empty() && (self.priors.len() != self.classes || bad) {
            return refuse("priors", format!("{:?}", self.priors), "one share per class, none negative, not all zero");
        }
        if !(self.accuracy > 0.0 && self.accuracy < 1.0) {
            return refuse("accuracy", self.accuracy.to_string(), "above 0 and below 1");
        }
        if !(self.spread > 0.0 && self.spread.is_finite()) {
            return refuse("spread", self.spread.to_string(), "above 0");
        }
        if !(0.0..=1.0).contains(&self.spammers) {
            return refuse("spammers", self.spammers.to_string(), "0 to 1");
        }
        if !positive(&self.unevenness) {
            return refuse("unevenness", self.unevenness.to_string(), "0 or more");
        }
        Ok(())
    }

    /// A worker's confusion matrix. The last workers are the spammers.
    fn worker(&self, worker: usize, random: &mut impl Rng) -> Vec<Vec<f64>> {
        let classes = self.classes;
        let spammers = (self.spammers * self.workers as f64).round() as usize;
        if worker + spammers >= self.workers {
            let row = if random.random_bool(0.5) {
                vec![1.0 / classes as f64; classes]
            } else {
                one_at(random.random_range(0..classes), classes)
            };
            return vec![row; classes];
        }
        let accuracy = draw_accuracy(self.accuracy, self.spread, random);
        (0..classes)
            .map(|class| {
                let right = match self.model {
                    WorkerModel::OneCoin => accuracy,
                    WorkerModel::Confusion => draw_accuracy(accuracy, self.spread, random),
                };
                let mut mistakes: Vec<f64> = match self.model {
                    WorkerModel::OneCoin => vec![1.0; classes],
                    WorkerModel::Confusion => (0..classes).map(|_| favourite(random)).collect(),
                };
                mistakes[class] = 0.0;
                let sum: f64 = mistakes.iter().sum();
                let wrong = |weight: &f64| (1.0 - right) * weight / sum;
                let mut row: Vec<f64> = mistakes.iter().map(wrong).collect();
                row[class] = right;
                row
            })
            .collect()
    }
}

fn draw_accuracy(mean: f64, spread: f64, random: &mut impl Rng) -> f64 {
    // Both shapes are positive where the parameters were checked; a mean at the very edge stays there.
    Beta::new(mean * spread, (1.0 - mean) * spread).map_or(mean, |beta| beta.sample(random))
}

/// A weight such that a few mistakes are much likelier than the others. Never zero.
fn favourite(random: &mut impl Rng) -> f64 {
    Gamma::new(0.5, 1.0).map_or(1.0, |gamma| gamma.sample(random)) + 1e-3
}

fn one_at(place: usize, length: usize) -> Vec<f64> {
    (0..length).map(|i| f64::from(u8::from(i == place))).collect()
}

/// A number drawn in proportion to its weight.
fn pick(weights: &[f64], random: &mut impl Rng) -> usize {
    let mut left = random.random::<f64>() * weights.iter().sum::<f64>();
    let last = weights.iter().rposition(|&weight| weight > 0.0).unwrap_or(0);
    for (i, weight) in weights[..last].iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return i;
        }
    }
    last
}

/// Numbers drawn one after the other in proportion to their weights, none twice: those whose waiting times, exponential
/// with the weight as rate, are shortest.
fn draw_without_replacement(weights: &[f64], count: usize, random: &mut impl Rng) -> Vec<usize> {
    let mut waits: Vec<(f64, usize)> =
        weights.iter().enumerate().map(|(i, weight)| (-(1.0 - random.random::<f64>()).ln() / weight, i)).collect();
    if count < waits.len() {
        waits.select_nth_unstable_by(count, |a, b| a.0.total_cmp(&b.0));
        waits.truncate(count);
    }
    waits.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    waits.into_iter().map(|(_, i)| i).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_follow_the_confusion_matrices() {
        for model in [WorkerModel::OneCoin, WorkerModel::Confusion] {
            let crowd = Crowd { tasks: 30_000, workers: 3, classes: 4, votes: (3, 3), model, ..Default::default() };
            let drawn = crowd.draw(&Context::new().with_seed(3)).unwrap();
            for worker in 0..3 {
                let mut counts = vec![vec![0.0; 4]; 4];
                for (&class, votes) in drawn.truth.iter().zip(&drawn.labels) {
                    votes.iter().filter(|(who, _)| *who == worker).for_each(|&(_, label)| counts[class][label] += 1.0);
                }
                for class in 0..4 {
                    let row: f64 = counts[class].iter().sum();
                    for label in 0..4 {
                        let p = drawn.confusion[worker][class][label];
                        // Four and a half standard errors: 96 such comparisons fail by chance once in 1500 runs.
                        let error = 4.5 * (p * (1.0 - p) / row).sqrt() + 1e-9;
                        assert!((counts[class][label] / row - p).abs() < error, "{model:?} {worker} {class} {label}");
                    }
                }
            }
        }
    }

    #[test]
    fn rows_are_probabilities_and_votes_are_by_different_workers() {
        let crowd = Crowd {
            classes: 5,
            votes: (2, 9),
            spammers: 0.4,
            unevenness: 1.0,
            model: WorkerModel::Confusion,
            priors: vec![5.0, 1.0, 1.0, 1.0, 0.0],
            ..Default::default()
        };
        let drawn = crowd.draw(&Context::new().with_seed(11)).unwrap();
        for row in drawn.confusion.iter().flatten() {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12 && row.iter().all(|p| *p >= 0.0));
        }
        for votes in &drawn.labels {
            let mut workers: Vec<usize> = votes.iter().map(|(worker, _)| *worker).collect();
            workers.sort_unstable();
            assert!((2..=9).contains(&workers.len()) && workers.windows(2).all(|pair| pair[0] != pair[1]));
        }
        assert!(drawn.truth.iter().all(|&class| class != 4), "a class of share 0 does not occur");
        let spammers = drawn.confusion.iter().filter(|matrix| matrix.windows(2).all(|rows| rows[0] == rows[1])).count();
        assert_eq!(spammers, 20);
        let labels_of = |who: usize| drawn.labels.iter().flatten().filter(|(worker, _)| *worker == who).count();
        assert!(labels_of(0) > 3 * labels_of(40), "work is uneven");
    }

    #[test]
    fn nonsense_is_refused() {
        let refused = [
            Crowd { tasks: 0, ..Default::default() },
            Crowd { classes: 1, ..Default::default() },
            Crowd { votes: (6, 5), ..Default::default() },
            Crowd { votes: (1, 51), ..Default::default() },
            Crowd { priors: vec![1.0], ..Default::default() },
            Crowd { accuracy: 1.0, ..Default::default() },
            Crowd { spammers: 1.1, ..Default::default() },
        ];
        for crowd in refused {
            assert!(crowd.draw(&Context::new().with_seed(0)).is_err(), "{crowd:?}");
        }
    }

    #[test]
    fn tables_have_the_names_of_what_was_drawn() {
        let drawn = Crowd { tasks: 40, workers: 6, ..Default::default() }.draw(&Context::new()).unwrap();
        let (labels, truth) = (drawn.to_labels().unwrap(), drawn.truth().unwrap());
        assert_eq!((labels.tasks.len(), labels.len()), (40, 200));
        for task in 0..40 {
            assert_eq!((labels.tasks.get(task), truth.ids().get(task)), (&id('t', task)[..], &id('t', task)[..]));
            assert_eq!(truth.values()[task], id('c', drawn.truth[task]));
            let votes: Vec<(String, String)> =
                drawn.labels[task].iter().map(|v| (id('w', v.0), id('c', v.1))).collect();
            let found = labels.votes(task);
            let named = found
                .iter()
                .map(|(worker, label)| (labels.workers.get(worker).to_owned(), labels.classes.get(label).to_owned()));
            assert_eq!(named.collect::<Vec<_>>(), votes);
        }
        assert_eq!(drawn.workers().map(|(worker, _)| worker).collect::<Vec<_>>(), ["w1", "w2", "w3", "w4", "w5", "w6"]);
        assert_eq!(drawn.accuracy(6), None);
    }
}
