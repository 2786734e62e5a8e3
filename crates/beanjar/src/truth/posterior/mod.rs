mod possible_rows;
mod probabilities;

pub use probabilities::Probabilities;

use crate::judgments::Ballots;
use crate::random::stream;
use crate::{Context, Error, Result};
use possible_rows::PossibleRows;
use rand::RngExt;
use std::borrow::Cow;

/// From this number of classes on, a task's possible classes are few beside all: rows of votes hold those alone, and
/// probabilities of zero are not written.
pub(crate) const MANY_CLASSES: usize = 50;

/// The probability of each class of each task.
#[derive(Clone, Debug)]
pub struct Posterior {
    classes: usize,
    rows: Rows,
}

#[derive(Clone, Debug)]
enum Rows {
    /// A probability for each class of each task.
    All(Vec<f64>),
    /// For the possible classes alone.
    Possible(PossibleRows),
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
        Self::of_all(classes, vec![1.0 / classes.max(1) as f64; tasks * classes])
    }

    fn of_all(classes: usize, values: Vec<f64>) -> Self {
        Posterior { classes, rows: Rows::All(values) }
    }

    /// Of each task the possible classes, in rising order, and their probabilities, as `fill` finds them; and the sum of
    /// what it returns. A task whose row stays empty has equal ones.
    pub(super) fn of_possible(
        tasks: usize,
        classes: usize,
        context: &Context,
        fill: impl Fn(usize, &mut Vec<(u16, f64)>) -> f64 + Sync + Send,
    ) -> (Self, f64) {
        let (rows, sum) = PossibleRows::fill(tasks, classes, context, fill);
        (Posterior { classes, rows: Rows::Possible(rows) }, sum)
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
            None => Ok(Self::of_all(classes, values)),
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
        Ok(Self::of_all(classes, values))
    }

    /// How many tasks there are.
    #[must_use]
    pub fn tasks(&self) -> usize {
        match &self.rows {
            Rows::All(values) => values.len() / self.classes.max(1),
            Rows::Possible(rows) => rows.tasks(),
        }
    }

    /// How many classes there are.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The probabilities of one task's classes.
    ///
    /// # Panics
    /// If there is no such task.
    #[inline]
    #[must_use]
    pub fn of(&self, task: usize) -> Probabilities<'_> {
        match &self.rows {
            Rows::All(values) => Probabilities::all(&values[task * self.classes..(task + 1) * self.classes]),
            Rows::Possible(rows) => rows.of(task, self.classes),
        }
    }

    /// The same, a number for each class.
    #[inline]
    pub(crate) fn row(&self, task: usize) -> Cow<'_, [f64]> {
        match &self.rows {
            Rows::All(values) => Cow::Borrowed(&values[task * self.classes..(task + 1) * self.classes]),
            Rows::Possible(_) => Cow::Owned(self.of(task).to_vec()),
        }
    }

    /// The probabilities of each class, task by task.
    pub(super) fn into_values(self) -> Vec<f64> {
        match self.rows {
            Rows::All(values) => values,
            Rows::Possible(_) => (0..self.tasks()).flat_map(|task| self.of(task).to_vec()).collect(),
        }
    }

    /// The same in place, so that any class may be given a probability.
    fn values_mut(&mut self) -> &mut Vec<f64> {
        if let Rows::Possible(_) = self.rows {
            self.rows = Rows::All(self.clone().into_values());
        }
        let Rows::All(values) = &mut self.rows else { unreachable!("they were just written out") };
        values
    }

    /// Fills one task's row.
    pub(super) fn set(&mut self, task: usize, fill: impl FnOnce(&mut [f64])) {
        let classes = self.classes;
        fill(&mut self.values_mut()[task * classes..(task + 1) * classes]);
    }

    /// Fills each task's row, pieces of the tasks side by side.
    pub(super) fn fill(&mut self, context: &Context, fill: impl Fn(usize, &mut [f64]) + Sync + Send) {
        let classes = self.classes.max(1);
        // Pieces of a size that keeps all cores busy to the end and costs nothing to hand out.
        let piece = self.tasks().div_ceil(256).max(1);
        let pieces: Vec<(usize, &mut [f64])> = self.values_mut().chunks_mut(piece * classes).enumerate().collect();
        context.map(pieces, |(i, values)| {
            values.chunks_exact_mut(classes).enumerate().for_each(|(task, row)| fill(i * piece + task, row));
        });
    }

    /// Gives tasks without votes the mean probabilities of those with.
    pub(crate) fn fill_unseen(&mut self, ballots: &Ballots) {
        let (mut mean, mut seen) = (vec![0.0; self.classes], 0.0);
        for task in (0..self.tasks()).filter(|&task| !ballots.votes(task).labels.is_empty()) {
            self.of(task).possible().for_each(|(class, p)| mean[class] += p);
            seen += 1.0;
        }
        mean.iter_mut().for_each(|sum| *sum /= f64::max(seen, 1.0));
        if seen > 0.0 {
            self.share_unseen(ballots, &mean);
        }
    }

    /// Gives tasks without votes this row.
    fn share_unseen(&mut self, ballots: &Ballots, row: &[f64]) {
        let unseen: Vec<usize> = (0..self.tasks()).filter(|&task| ballots.votes(task).labels.is_empty()).collect();
        match &mut self.rows {
            Rows::All(values) => {
                unseen.iter().for_each(|task| values[task * row.len()..(task + 1) * row.len()].copy_from_slice(row));
            }
            Rows::Possible(rows) => rows.share(&unseen, row),
        }
    }

    /// Makes known classes certain, and tasks without votes open.
    pub(super) fn settle(&mut self, ballots: &Ballots, gold: &[Option<u16>]) {
        self.share_unseen(ballots, &vec![1.0 / self.classes.max(1) as f64; self.classes]);
        self.set_known(gold);
    }

    /// Makes known classes certain.
    pub(super) fn set_known(&mut self, gold: &[Option<u16>]) {
        let classes = self.classes;
        for (task, class) in gold.iter().enumerate().filter_map(|(task, class)| Some((task, (*class)?))) {
            match &mut self.rows {
                Rows::All(values) => {
                    let row = &mut values[task * classes..(task + 1) * classes];
                    row.fill(0.0);
                    row[usize::from(class)] = 1.0;
                }
                Rows::Possible(rows) => rows.set_certain(task, class),
            }
        }
    }

    /// The classes that are as probable as any.
    ///
    /// # Panics
    /// If there is no such task.
    pub fn best(&self, task: usize) -> impl Iterator<Item = usize> + '_ {
        // A class without probability is never among them: some class has at least one in as many as there are.
        let row = self.of(task);
        let most = row.possible().fold(0.0, |most: f64, (_, p)| most.max(p));
        row.possible().filter(move |(_, p)| *p >= most - SAME).map(|(class, _)| class)
    }

    /// The label of a task; ties are broken by the seed.
    ///
    /// # Panics
    /// If there is no such task.
    #[must_use]
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
    #[must_use]
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

    /// An error unless it is of the tasks and classes of these votes.
    pub(crate) fn check_fits(&self, ballots: &Ballots) -> Result<()> {
        self.check_tasks(ballots)?;
        match self.classes() == ballots.classes() {
            true => Ok(()),
            false => Err(Error::OutOfRange {
                name: "the table of probabilities",
                value: format!("of {} classes", self.classes()),
                range: "of as many classes as there are",
            }),
        }
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

/// Rows may be kept in either way, and are the same.
impl PartialEq for Posterior {
    fn eq(&self, other: &Self) -> bool {
        let sizes = (self.classes, self.tasks()) == (other.classes, other.tasks());
        sizes && (0..self.tasks()).all(|task| self.of(task) == other.of(task))
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
        assert_eq!(Posterior::certain(&[0, 1], 2).unwrap().into_values(), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(Posterior::certain(&[], 0).unwrap().tasks(), 0);
    }

    #[test]
    fn a_truth_of_other_tasks_or_classes_says_nothing() {
        let posterior = Posterior::certain(&[0, 1], 2).unwrap();
        assert_eq!(posterior.error(&[Some(0), Some(0)]), Some(0.5));
        assert_eq!(posterior.error(&[Some(0)]), None);
        assert_eq!(posterior.error(&[Some(0), Some(2)]), None);
    }

    #[test]
    fn possible_rows_are_rows_of_all_classes_without_zeros() {
        let context = Context::new();
        let tasks = [vec![(0, 1), (1, 1), (2, 3)], vec![], vec![(0, 2)], vec![(2, 0)]];
        let ballots = Ballots::from_tasks(&tasks, 3, 4).unwrap();
        let votes: [&[(u16, f64)]; 4] = [&[(1, 0.75), (3, 0.25)], &[], &[(2, 1.0)], &[(0, 0.5), (2, 0.5)]];
        let (mut few, sum) = Posterior::of_possible(4, 4, &context, |task, row| {
            row.extend(votes[task]);
            task as f64
        });
        assert_eq!(sum, 6.0);
        let mut all = Posterior::equal(4, 4);
        for (task, votes) in votes.iter().enumerate().filter(|(_, votes)| !votes.is_empty()) {
            all.set(task, |row| {
                row.fill(0.0);
                votes.iter().for_each(|&(class, p)| row[usize::from(class)] = p);
            });
        }
        let same = |few: &Posterior, all: &Posterior| {
            assert_eq!(few, all);
            assert_eq!(few.clone().into_values(), all.clone().into_values());
            for task in 0..4 {
                assert_eq!(few.answer(task, 7), all.answer(task, 7));
                assert_eq!(few.row(task), all.row(task));
                assert!((0..4).all(|class| few.of(task)[class] == all.of(task)[class]));
            }
        };
        assert_eq!(few.of(0).possible().collect::<Vec<_>>(), [(1, 0.75), (3, 0.25)]);
        same(&few, &all);
        let truth = [Some(1), Some(2), Some(3), Some(2)];
        assert_eq!(few.error(&truth), all.error(&truth));
        for posterior in [&mut few, &mut all] {
            posterior.fill_unseen(&ballots);
        }
        same(&few, &all);
        assert_eq!(few.of(1), [0.5 / 3.0, 0.25, 0.5, 0.25 / 3.0]);
        for posterior in [&mut few, &mut all] {
            posterior.settle(&ballots, &[None, None, Some(3), None]);
        }
        same(&few, &all);
        assert_eq!((few.of(1)[3], few.of(2)[3]), (0.25, 1.0));
        for posterior in [&mut few, &mut all] {
            posterior.fill(&context, |_, row| row.iter_mut().for_each(|p| *p = (*p + 0.25) / 2.0));
        }
        same(&few, &all);
    }
}
