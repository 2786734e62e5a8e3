//! The workers of a simulated crowd, each with a confusion matrix.

use super::crowd::{Crowd, WorkerModel};
use rand::{Rng, RngExt};
use rand_distr::{Beta, Distribution, Gamma};

/// How a simulated worker goes about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkerKind {
    /// Looks at the tasks and does their best.
    Honest,
    /// Answers at random.
    Random,
    /// Nearly always gives the same class.
    Constant,
    /// Gives the next class in place of the one they see.
    Contrary,
    /// Often repeats the answers of this worker.
    Copies(usize),
}

impl WorkerKind {
    /// Whether what a task looks like matters to them.
    pub(super) fn looks(self) -> bool {
        !matches!(self, WorkerKind::Random | WorkerKind::Constant)
    }

    /// The name of the kind.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            WorkerKind::Honest => "honest",
            WorkerKind::Random => "random",
            WorkerKind::Constant => "constant",
            WorkerKind::Contrary => "contrary",
            WorkerKind::Copies(_) => "copies",
        }
    }
}

/// The kind of worker number `worker`, and their confusion matrix.
pub(super) fn worker(crowd: &Crowd, worker: usize, random: &mut impl Rng) -> (WorkerKind, Vec<Vec<f64>>) {
    let classes = crowd.classes;
    let [guessing, constant, contrary, spammers] = crowd.last_ones();
    // How many workers come after this one, this one included.
    let left = crowd.workers - worker;
    let at_random = vec![1.0 / classes as f64; classes];
    if left <= spammers {
        return match random.random_bool(0.5) {
            true => (WorkerKind::Random, vec![at_random; classes]),
            false => (WorkerKind::Constant, vec![one_at(random.random_range(0..classes), classes); classes]),
        };
    }
    if left <= spammers + contrary {
        let mut matrix = honest(crowd, random);
        matrix.iter_mut().for_each(|row| row.rotate_right(1));
        return (WorkerKind::Contrary, matrix);
    }
    if left <= spammers + contrary + constant {
        let always = one_at(random.random_range(0..classes), classes);
        let mut matrix = honest(crowd, random);
        for row in &mut matrix {
            let mixed = |(p, one): (&mut f64, &f64)| *p = crowd.constancy * one + (1.0 - crowd.constancy) * *p;
            row.iter_mut().zip(&always).for_each(mixed);
        }
        return (WorkerKind::Constant, matrix);
    }
    if left <= spammers + contrary + constant + guessing {
        return (WorkerKind::Random, vec![at_random; classes]);
    }
    let first = worker / crowd.family_size.max(1) * crowd.family_size;
    let kind = match worker < crowd.families * crowd.family_size && worker != first {
        true => WorkerKind::Copies(first),
        false => WorkerKind::Honest,
    };
    (kind, honest(crowd, random))
}

/// The confusion matrix of a worker who does their best.
fn honest(crowd: &Crowd, random: &mut impl Rng) -> Vec<Vec<f64>> {
    let classes = crowd.classes;
    let accuracy = draw_accuracy(crowd.accuracy, crowd.spread, random);
    (0..classes)
        .map(|class| {
            let right = match crowd.model {
                WorkerModel::OneCoin | WorkerModel::Pairs => accuracy,
                WorkerModel::Confusion => draw_accuracy(accuracy, crowd.spread, random),
            };
            let mut mistakes: Vec<f64> = match crowd.model {
                WorkerModel::OneCoin => vec![1.0; classes],
                WorkerModel::Pairs => (0..classes).map(|other| alike(class, other, classes)).collect(),
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

fn draw_accuracy(mean: f64, spread: f64, random: &mut impl Rng) -> f64 {
    // Both shapes are positive where the parameters were checked; a mean at the very edge stays there.
    Beta::new(mean * spread, (1.0 - mean) * spread).map_or(mean, |beta| beta.sample(random))
}

/// A weight such that a few mistakes are much likelier than the others. Never zero.
fn favourite(random: &mut impl Rng) -> f64 {
    Gamma::new(0.5, 1.0).map_or(1.0, |gamma| gamma.sample(random)) + 1e-3
}

/// How likely one class is taken for another where pairs look alike.
fn alike(class: usize, other: usize, classes: usize) -> f64 {
    if other == class ^ 1 { 4.0 } else { 1.0 / (classes - 2).max(1) as f64 }
}

fn one_at(place: usize, length: usize) -> Vec<f64> {
    (0..length).map(|i| f64::from(u8::from(i == place))).collect()
}

/// A number drawn in proportion to its weight.
pub(super) fn pick(weights: &[f64], random: &mut impl Rng) -> usize {
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
