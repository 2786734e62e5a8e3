use crate::judgments::Ballots;
use crate::random::stream;
use crate::{Context, Error, Result};
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
    pub(crate) fn equal(tasks: usize, classes: usize) -> Self {
        Posterior { classes, values: vec![1.0 / classes.max(1) as f64; tasks * classes] }
    }

    /// Of each task the probability of each class, task by task. They are not negative, and sum to one for each task.
    pub fn new(classes: usize, values: Vec<f64>) -> Result<Self> {
        let refuse = |value: String| {
            let range = "of one number for each class of each task, not negative and of sum one for each task";
            Err(Error::OutOfRange { name: "the table of probabilities", value, range })
        };
        if classes == 0 || !values.len().is_multiple_of(classes) {
            return refuse(format!("of {} numbers for {classes} classes", values.len()));
        }
        // Probabilities that were written down with a few digits still sum to one within this.
        const ROUNDING: f64 = 1e-6;
        let whole = |row: &[f64]| row.iter().all(|p| *p >= 0.0) && (row.iter().sum::<f64>() - 1.0).abs() < ROUNDING;
        match values.chunks_exact(classes).position(|row| !whole(row)) {
            None => Ok(Posterior { classes, values }),
            Some(task) => refuse(format!("{:?} for task {task}", &values[task * classes..(task + 1) * classes])),
        }
    }

    /// Each task's class is known for certain. An error if a class is not below `classes`.
    pub fn certain(class: &[usize], classes: usize) -> Result<Self> {
        if let Some(beyond) = class.iter().find(|class| **class >= classes) {
            let value = beyond.to_string();
            return Err(Error::OutOfRange { name: "a class", value, range: "below the number of classes" });
        }
        let mut values = vec![0.0; class.len() * classes];
        class.iter().enumerate().for_each(|(task, class)| values[task * classes + class] = 1.0);
        Ok(Posterior { classes, values })
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
    ///
    /// # Panics
    /// If there is no such task.
    pub fn of(&self, task: usize) -> &[f64] {
        &self.values[task * self.classes..(task + 1) * self.classes]
    }

    /// Fills one task's row.
    pub(super) fn set(&mut self, task: usize, fill: impl FnOnce(&mut [f64])) {
        fill(&mut self.values[task * self.classes..(task + 1) * self.classes]);
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
    ///
    /// # Panics
    /// If there is no such task.
    pub fn best(&self, task: usize) -> impl Iterator<Item = usize> + '_ {
        let row = self.of(task);
        let most = row.iter().fold(0.0, |most: f64, &p| most.max(p));
        (0..row.len()).filter(move |&class| row[class] >= most - SAME)
    }

    /// The label of a task; ties are broken by the seed.
    ///
    /// # Panics
    /// If there is no such task.
    pub fn answer(&self, task: usize, seed: u64) -> Answer {
        self.answer_by(task, seed, task as u64)
    }

    /// The same where the task has a key of its own, so that its number does not matter.
    pub(crate) fn answer_by(&self, task: usize, seed: u64, key: u64) -> Answer {
        let tied: Vec<usize> = self.best(task).collect();
        let class = match tied.len() {
            1 => tied[0],
            n => tied[stream(seed, key).random_range(0..n)],
        };
        Answer { class, confidence: self.of(task)[class], tied: tied.len() > 1 }
    }

    /// The share of tasks with a known class that are labelled wrongly, a tie among n classes one of which is right
    /// counting 1 - 1/n: the expected error. None if no class is known, or if `truth` is not of these tasks and classes.
    pub fn error(&self, truth: &[Option<u16>]) -> Option<f64> {
        let (mut wrong, mut known) = (0.0, 0.0);
        for (task, class) in self.known(truth)? {
            let tied: Vec<usize> = self.best(task).collect();
            wrong += if tied.contains(&class) { 1.0 - 1.0 / tied.len() as f64 } else { 1.0 };
            known += 1.0;
        }
        (known > 0.0).then(|| wrong / known)
    }

    /// The tasks whose class is known, and the class; none if `truth` is not of these tasks and classes.
    pub(super) fn known<'t>(&self, truth: &'t [Option<u16>]) -> Option<impl Iterator<Item = (usize, usize)> + 't> {
        let fits =
            truth.len() == self.tasks() && truth.iter().flatten().all(|class| usize::from(*class) < self.classes);
        let known = truth.iter().enumerate().filter_map(|(task, class)| Some((task, usize::from((*class)?))));
        fits.then_some(known)
    }

    /// An error unless it is of the tasks of these votes.
    pub(crate) fn check_tasks(&self, ballots: &Ballots) -> Result<()> {
        match self.tasks() == ballots.tasks() {
            true => Ok(()),
            false => Err(Error::OutOfRange {
                name: "the table of probabilities",
                value: format!("of {} tasks", self.tasks()),
                range: "of as many tasks as there are",
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_table_of_probabilities_is_refused() {
        assert_eq!(Posterior::new(2, vec![0.25, 0.75, 1.0, 0.0]).unwrap().of(1), [1.0, 0.0]);
        for (classes, values) in
            [(0, vec![]), (2, vec![1.0]), (2, vec![0.5, 0.6]), (2, vec![-0.5, 1.5]), (2, vec![f64::NAN, 1.0])]
        {
            assert!(Posterior::new(classes, values).is_err());
        }
        assert!(Posterior::certain(&[0, 2], 2).is_err());
        assert_eq!(Posterior::certain(&[0, 1], 2).unwrap().values, [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(Posterior::certain(&[], 0).unwrap().tasks(), 0);
    }

    #[test]
    fn a_truth_of_other_tasks_or_classes_says_nothing() {
        let posterior = Posterior::certain(&[0, 1], 2).unwrap();
        assert_eq!(posterior.error(&[Some(0), Some(0)]), Some(0.5));
        assert_eq!(posterior.error(&[Some(0)]), None);
        assert_eq!(posterior.error(&[Some(0), Some(2)]), None);
    }
}
