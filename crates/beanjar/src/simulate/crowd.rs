//! Workers of different skill who label tasks.

use super::crowd_workers::{self, WorkerKind, pick};
use super::simulated_labels::{SimulatedLabels, TaskKind};
use super::voters::Voters;
use crate::random::stream;
use crate::{Context, Error, Result};
use rand::{Rng, RngExt};
use std::ops::Range;

/// How workers err.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkerModel {
    /// One coin: right with the worker's accuracy, else any other class alike.
    #[default]
    OneCoin,
    /// A confusion matrix of the worker's own: right with the worker's accuracy on average, with favourite mistakes.
    Confusion,
    /// Classes come in pairs that look alike, the first and the second, the third and the fourth, and so on: right with the
    /// worker's accuracy, and four mistakes in five are the class that looks alike.
    Pairs,
}

/// Workers of different skill who label tasks.
///
/// Each task has a true class, drawn by `priors`. A worker's accuracy is drawn from a beta distribution with mean
/// `accuracy` and `spread` pseudo-counts. How busy workers are is uneven: worker j takes a task in proportion to
/// 1/(j + 1)^`unevenness`.
///
/// Tasks may be of kinds. On a hard task each worker guesses with probability `guessing`. A misleading task has a favourite
/// wrong answer, which each worker gives with probability `pull`.
///
/// Workers may be of kinds as well. The first ones form `families` of `family_size` workers each: all but the first of a
/// family repeat the answer of the first with probability `copying`. The last ones do not do their best: a share
/// `spammers` answers without looking, half of them at random, half always the same; before them come workers who answer at
/// random, who give one class with probability `constancy`, and who give the next class in place of the one they see.
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
/// | `hard` | share of tasks that are hard | 0 | 0 to 1, with `misleading` |
/// | `guessing` | probability that a worker guesses a hard task | 0.7 | 0 to 1 |
/// | `misleading` | share of tasks that mislead | 0 | 0 to 1, with `hard` |
/// | `pull` | probability that a worker gives a misleading task's favourite wrong answer | 0.6 | 0 to 1 |
/// | `families` | groups of workers who err together | 0 | all kinds of workers together at most `workers` |
/// | `family_size` | workers in each | 3 | 2 or more |
/// | `copying` | probability that a member repeats the answer of the first | 0.9 | 0 to 1 |
/// | `random` | workers who answer at random | 0 | |
/// | `constant` | workers who nearly always give the same class | 0 | |
/// | `constancy` | how nearly | 1 | 0 to 1 |
/// | `contrary` | workers who give the next class in place of the one they see | 0 | |
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
    /// The share of tasks that are hard.
    pub hard: f64,
    /// The probability that a worker guesses a hard task.
    pub guessing: f64,
    /// The share of tasks that have a favourite wrong answer.
    pub misleading: f64,
    /// The probability that a worker gives the favourite wrong answer.
    pub pull: f64,
    /// How many groups of workers err together.
    pub families: usize,
    /// How many workers each of these groups has.
    pub family_size: usize,
    /// The probability that a member of a group repeats the answer of its first.
    pub copying: f64,
    /// How many workers answer at random.
    pub random: usize,
    /// How many workers nearly always give the same class.
    pub constant: usize,
    /// The probability that one of those gives that class; else they answer as others do.
    pub constancy: f64,
    /// How many workers give the next class in place of the one they see.
    pub contrary: usize,
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
            hard: 0.0,
            guessing: 0.7,
            misleading: 0.0,
            pull: 0.6,
            families: 0,
            family_size: 3,
            copying: 0.9,
            random: 0,
            constant: 0,
            constancy: 1.0,
            contrary: 0,
        }
    }
}

/// The number of the stream of random numbers that workers are drawn from; tasks take theirs from 0 upwards.
const WORKERS: u64 = u64::MAX;

impl Crowd {
    /// Shares of the classes of which the last is rare: it has this share, and the others share the rest evenly.
    #[must_use]
    pub fn rare_class(classes: usize, share: f64) -> Vec<f64> {
        let other = (1.0 - share) / classes.saturating_sub(1).max(1) as f64;
        (0..classes).map(|class| if class + 1 == classes { share } else { other }).collect()
    }

    /// Draws workers, tasks and labels.
    pub fn draw(&self, context: &Context) -> Result<SimulatedLabels> {
        self.check_part(self.tasks)?;
        self.draw_tasks(0..self.tasks, context)
    }

    /// The same in parts of equally many tasks, for more than memory holds: what is drawn of a task depends on no other.
    pub fn draw_parts<'a>(
        &'a self,
        parts: usize,
        context: &'a Context,
    ) -> Result<impl Iterator<Item = Result<SimulatedLabels>> + 'a> {
        self.check_part(self.tasks.div_ceil(parts.max(1)))?;
        let first = move |part: usize| (self.tasks as u128 * part as u128 / parts as u128) as usize;
        let share = move |part: usize| part as f64 / parts as f64;
        let drawn =
            move |part| self.draw_tasks(first(part)..first(part + 1), &context.part(share(part), share(part + 1)));
        Ok((0..parts).map(drawn))
    }

    /// Whether all parameters are in their ranges, and these tasks may be held at once.
    fn check_part(&self, tasks: usize) -> Result<()> {
        /// Labels, with the tasks they are of: some gigabytes.
        const MOST_LABELS: usize = 200_000_000;
        self.check()?;
        let most = self.votes.1;
        if tasks.saturating_mul(most.saturating_add(1)) > MOST_LABELS {
            let value = format!("{tasks} of up to {most} labels");
            let range = "at most 200 million tasks and labels that are held at once";
            return Err(Error::OutOfRange { name: "the number of tasks", value, range });
        }
        Ok(())
    }

    fn draw_tasks(&self, tasks: Range<usize>, context: &Context) -> Result<SimulatedLabels> {
        let seed = context.seed();
        let mut random = stream(seed, WORKERS);
        let (mut kinds, mut confusion) = (Vec::new(), Vec::new());
        for worker in 0..self.workers {
            let (kind, matrix) = crowd_workers::worker(self, worker, &mut random);
            kinds.push(kind);
            confusion.push(matrix);
        }
        let mut drawn = SimulatedLabels {
            first: tasks.start,
            truth: Vec::new(),
            confusion,
            labels: Vec::new(),
            workers: kinds,
            tasks: Vec::new(),
            guessing: self.guessing,
            pull: self.pull,
            copying: self.copying,
        };
        let busy = (0..self.workers).map(|worker| (worker as f64 + 1.0).powf(-self.unevenness));
        let voters = Voters::new(busy.collect());
        let equal = vec![1.0; self.classes];
        let priors = if self.priors.is_empty() { &equal } else { &self.priors };
        let steps = context.steps("simulating", tasks.len());
        for task in tasks {
            let mut random = stream(seed, task as u64);
            let class = pick(priors, &mut random);
            let votes = random.random_range(self.votes.0..=self.votes.1);
            let asked = voters.draw(votes, &mut random);
            let kind = self.task_kind(class, &mut random);
            drawn.truth.push(class);
            drawn.tasks.push(kind);
            let labels = drawn.answers(&asked, class, kind, &mut random);
            drawn.labels.push(labels);
            steps.tick()?;
        }
        Ok(drawn)
    }

    /// Whether a task of this class is easy, hard or misleading.
    fn task_kind(&self, class: usize, random: &mut impl Rng) -> TaskKind {
        if self.hard + self.misleading <= 0.0 {
            return TaskKind::Easy;
        }
        let at: f64 = random.random();
        if at < self.hard {
            TaskKind::Hard
        } else if at < self.hard + self.misleading {
            let step = random.random_range(1..self.classes);
            TaskKind::Misleading { favourite: (class + step) % self.classes }
        } else {
            TaskKind::Easy
        }
    }

    /// The workers of kinds that come last: those who answer at random, the same, contrary; and the spammers.
    pub(super) fn last_ones(&self) -> [usize; 4] {
        [self.random, self.constant, self.contrary, (self.spammers * self.workers as f64).round() as usize]
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
        let sum = self.priors.iter().sum::<f64>();
        let bad = !self.priors.iter().all(positive) || sum <= 0.0 || sum.is_infinite();
        if !self.priors.is_empty() && (self.priors.len() != self.classes || bad) {
            return refuse("priors", format!("{:?}", self.priors), "one share per class, none negative, not all zero");
        }
        if !(self.accuracy > 0.0 && self.accuracy < 1.0) {
            return refuse("accuracy", self.accuracy.to_string(), "above 0 and below 1");
        }
        if !(self.spread > 0.0 && self.spread.is_finite()) {
            return refuse("spread", self.spread.to_string(), "above 0");
        }
        if !positive(&self.unevenness) {
            return refuse("unevenness", self.unevenness.to_string(), "0 or more");
        }
        let shares = [
            ("spammers", self.spammers),
            ("the share of hard tasks", self.hard),
            ("the share of misleading tasks", self.misleading),
            ("the share of hard and misleading tasks", self.hard + self.misleading),
            ("the probability of guessing", self.guessing),
            ("the pull of misleading tasks", self.pull),
            ("the probability of copying", self.copying),
            ("constancy", self.constancy),
        ];
        if let Some((name, value)) = shares.into_iter().find(|(_, share)| !(0.0..=1.0).contains(share)) {
            return refuse(name, value.to_string(), "0 to 1");
        }
        if self.families > 0 && self.family_size < 2 {
            return refuse("the size of a family", self.family_size.to_string(), "2 or more");
        }
        let in_families = self.families.saturating_mul(self.family_size);
        let special = self.last_ones().iter().fold(in_families, |sum, n| sum.saturating_add(*n));
        if special > self.workers {
            let range = "at most the number of workers";
            return refuse("the number of workers of all kinds together", special.to_string(), range);
        }
        Ok(())
    }
}

impl SimulatedLabels {
    /// What these workers answer to a task of this class and kind.
    fn answers(&self, voters: &[usize], class: usize, kind: TaskKind, random: &mut impl Rng) -> Vec<(usize, usize)> {
        // What the first of a family answers, whether asked or not; drawn when first needed.
        let mut first: Vec<(usize, usize)> = Vec::new();
        let mut labels = Vec::with_capacity(voters.len());
        for &who in voters {
            let source = match self.workers[who] {
                WorkerKind::Copies(source) if random.random_bool(self.copying) => source,
                _ => who,
            };
            let known = first.iter().find(|(worker, _)| *worker == source).map(|(_, label)| *label);
            let label = known.unwrap_or_else(|| self.answer(source, class, kind, random));
            if known.is_none() && self.workers.get(source + 1) == Some(&WorkerKind::Copies(source)) {
                first.push((source, label));
            }
            labels.push((who, label));
        }
        labels
    }

    /// What one worker answers who asks nobody else.
    fn answer(&self, worker: usize, class: usize, kind: TaskKind, random: &mut impl Rng) -> usize {
        let looks = self.workers[worker].looks();
        match kind {
            TaskKind::Hard if looks && random.random_bool(self.guessing) => {
                random.random_range(0..self.confusion[worker].len())
            }
            TaskKind::Misleading { favourite } if looks && random.random_bool(self.pull) => favourite,
            _ => pick(&self.confusion[worker][class], random),
        }
    }
}

#[cfg(test)]
mod tests;
