use super::auto::Chosen;
use super::rule::Rule;
use crate::Context;
use crate::judgments::Ballots;
use crate::random::stream;
use rand::RngExt;

/// The probability of each class of each task.
#[derive(Clone, Debug, PartialEq)]
pub struct Posterior {
    classes: usize,
    pub(super) values: Vec<f64>,
}

/// The label that a task is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The most probable class.
    pub class: usize,
    /// Its probability.
    pub confidence: f64,
    /// Whether another class is as probable; then one of them was drawn.
    pub tied: bool,
}

/// Probabilities closer than this are the same but for rounding.
const SAME: f64 = 1e-9;

impl Posterior {
    /// All classes alike.
    pub(super) fn equal(tasks: usize, classes: usize) -> Self {
        Posterior { classes, values: vec![1.0 / classes.max(1) as f64; tasks * classes] }
    }

    /// Each task's class is known for certain.
    pub fn certain(tasks: usize, classes: usize, class: impl Fn(usize) -> usize) -> Self {
        let mut values = vec![0.0; tasks * classes];
        (0..tasks).for_each(|task| values[task * classes + class(task)] = 1.0);
        Posterior { classes, values }
    }

    /// How many tasks there are.
    pub fn tasks(&self) -> usize {
        self.values.len() / self.classes.max(1)
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The probabilities of one task's classes.
    pub fn of(&self, task: usize) -> &[f64] {
        &self.values[task * self.classes..(task + 1) * self.classes]
    }

    /// Fills each task's row, pieces of the tasks side by side.
    pub(super) fn fill(&mut self, context: &Context, fill: impl Fn(usize, &mut [f64]) + Sync + Send) {
        let classes = self.classes.max(1);
        // Pieces of a size that keeps all cores busy to the end and costs nothing to hand out.
        let piece = self.tasks().div_ceil(256).max(1);
        let pieces: Vec<(usize, &mut [f64])> = self.values.chunks_mut(piece * classes).enumerate().collect();
        context.map(pieces, |(i, values)| {
            values.chunks_exact_mut(classes).enumerate().for_each(|(task, row)| fill(i * piece + task, row));
        });
    }

    /// Gives tasks without votes the mean probabilities of those with.
    pub(crate) fn fill_unseen(&mut self, ballots: &Ballots) {
        let classes = self.classes.max(1);
        let (mut mean, mut seen) = (vec![0.0; classes], 0.0);
        for (task, row) in self.values.chunks_exact(classes).enumerate() {
            if !ballots.votes(task).labels.is_empty() {
                mean.iter_mut().zip(row).for_each(|(sum, p)| *sum += p);
                seen += 1.0;
            }
        }
        mean.iter_mut().for_each(|sum| *sum /= f64::max(seen, 1.0));
        for (task, row) in self.values.chunks_exact_mut(classes).enumerate() {
            if ballots.votes(task).labels.is_empty() && seen > 0.0 {
                row.copy_from_slice(&mean);
            }
        }
    }

    /// Makes known classes certain, and tasks without votes open.
    pub(super) fn settle(&mut self, ballots: &Ballots, gold: &[Option<u16>]) {
        let share = 1.0 / self.classes.max(1) as f64;
        for (task, row) in self.values.chunks_exact_mut(self.classes.max(1)).enumerate() {
            if ballots.votes(task).labels.is_empty() {
                row.fill(share);
            }
        }
        self.set_known(gold);
    }

    /// Makes known classes certain.
    pub(super) fn set_known(&mut self, gold: &[Option<u16>]) {
        for (row, known) in self.values.chunks_exact_mut(self.classes.max(1)).zip(gold) {
            if let Some(class) = known {
                row.fill(0.0);
                row[usize::from(*class)] = 1.0;
            }
        }
    }

    /// The classes that are as probable as any.
    pub fn best(&self, task: usize) -> impl Iterator<Item = usize> + '_ {
        let row = self.of(task);
        let most = row.iter().fold(0.0, |most: f64, &p| most.max(p));
        (0..row.len()).filter(move |&class| row[class] >= most - SAME)
    }

    /// The label of a task; ties are broken by the seed.
    pub fn answer(&self, task: usize, seed: u64) -> Answer {
        let tied: Vec<usize> = self.best(task).collect();
        let class = match tied.len() {
            1 => tied[0],
            n => tied[stream(seed, task as u64).random_range(0..n)],
        };
        Answer { class, confidence: self.of(task)[class], tied: tied.len() > 1 }
    }

    /// The share of tasks with a known class that are labelled wrongly, a tie among n classes one of which is right
    /// counting 1 - 1/n: the expected error. None if no class is known.
    pub fn error(&self, truth: &[Option<u16>]) -> Option<f64> {
        let (mut wrong, mut known) = (0.0, 0.0);
        for (task, class) in truth.iter().enumerate().filter_map(|(task, class)| Some((task, usize::from((*class)?)))) {
            let tied: Vec<usize> = self.best(task).collect();
            wrong += if tied.contains(&class) { 1.0 - 1.0 / tied.len() as f64 } else { 1.0 };
            known += 1.0;
        }
        (known > 0.0).then(|| wrong / known)
    }

    /// Of each worker, how many labels are right: the expected number.
    pub fn right(&self, ballots: &Ballots) -> Vec<f64> {
        let mut right = vec![0.0; ballots.workers()];
        for task in 0..self.tasks() {
            let row = self.of(task);
            ballots.votes(task).iter().for_each(|(worker, label)| right[worker] += row[label]);
        }
        right
    }
}

/// A fit: the rule it found, and what that says of the tasks it was found on.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// How votes are read.
    pub rule: Rule,
    /// The probabilities of all tasks' classes; a known class is certain.
    pub posterior: Posterior,
    /// The log-likelihood of the votes, where the method has one.
    pub log_likelihood: Option<f64>,
    /// How many steps of EM were taken.
    pub iterations: usize,
    /// Whether the last step no longer changed anything.
    pub converged: bool,
    /// What was chosen, where the method chooses.
    pub chosen: Option<Chosen>,
}
