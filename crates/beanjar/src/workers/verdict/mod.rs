//! What each worker is, in a word, with the evidence.

mod alike;
mod copies;
mod others;
mod population;
mod saying;
mod skill;

pub(super) use saying::Saying;

use super::pairs::Pairs;
use crate::judgments::{Ballots, sample_of_tasks};
use crate::normal::{NINETY_FIVE as Z, quantile};
use crate::{Context, Error, Result};
use copies::{BELONGS, COPIED, Copies};
use others::Others;
use population::Population;
use skill::Skill;

/// What a worker is, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Their labels go with the truth: the interval of the accuracy is above [`Verdict::TELLING`].
    Good,
    /// Their labels go with the truth, but not surely or not much.
    Weak,
    /// Their labels have nothing to do with the tasks.
    Random,
    /// The same, and nearly all of them are one class.
    Constant,
    /// They avoid the truth: their labels are useful if turned round.
    Contrary,
    /// They repeat the labels of this worker.
    Copies(usize),
    /// Their labels are too few to say, or too few others labelled their tasks.
    TooFew,
}

impl Verdict {
    /// A worker whose chance-corrected accuracy is surely above this is good. With two balanced classes it is that of
    /// someone who is right 65 times in a hundred.
    pub const TELLING: f64 = 0.3;

    /// The verdict in plain words; `copied` is the name of whoever is copied.
    #[must_use]
    pub fn in_words(self, copied: Option<&str>) -> String {
        match self {
            Verdict::Good => "good".to_owned(),
            Verdict::Weak => "weak".to_owned(),
            Verdict::Random => "random".to_owned(),
            Verdict::Constant => "always the same answer".to_owned(),
            Verdict::Contrary => "contrary".to_owned(),
            Verdict::Copies(_) => format!("copies {}", copied.unwrap_or("another worker")),
            Verdict::TooFew => "too few labels to say".to_owned(),
        }
    }

    /// Whether the worker's labels are better left out of a plain vote.
    #[must_use]
    pub fn is_bad(self) -> bool {
        matches!(self, Verdict::Random | Verdict::Constant | Verdict::Contrary | Verdict::Copies(_))
    }
}

/// One worker's evidence.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct JudgedWorker {
    /// How many tasks they labelled.
    pub labels: usize,
    /// Chance-corrected accuracy: 1 if always right, 0 if labels have nothing to do with the tasks, below 0 if they avoid
    /// the truth.
    pub accuracy: f64,
    /// The interval that holds the accuracy with 95 percent probability.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The share of the label that they give most.
    pub most_given: f64,
    /// What that makes of them.
    pub verdict: Verdict,
}

impl JudgedWorker {
    /// A worker with whom nobody has a task in common.
    fn unknown(votes: &[(u32, u16)], classes: usize) -> Self {
        let mut given = vec![0u32; classes];
        votes.iter().for_each(|&(_, label)| given[usize::from(label)] += 1);
        let most_given = f64::from(given.into_iter().max().unwrap_or(0)) / votes.len().max(1) as f64;
        let verdict = Verdict::TooFew;
        JudgedWorker { labels: votes.len(), accuracy: 0.0, low: -1.0, high: 1.0, most_given, verdict }
    }
}

/// All workers judged.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct JudgedWorkers {
    /// Each worker.
    pub workers: Vec<JudgedWorker>,
    /// Groups of workers who copy one another. The first of each has the most labels.
    pub families: Vec<Vec<usize>>,
}

/// Says of each worker what they are: good, weak, random, always the same, contrary, a copy, or too few labels to say.
///
/// A worker is judged by the posterior of each task by the others, q. The chance-corrected accuracy is
///
/// a = sum_t (q_t(l_t) - mean q(l_t)) / sum_t sum_k (q_t(k) - mean q(k))^2,
///
/// l_t the worker's label of task t and the means over the worker's tasks: the slope of the labels on the posteriors. It is
/// 1 for who is always right, and 0 for who is always the same or random, whatever the shares of the classes; with two
/// classes it is P(says A | is A) - P(says A | is B). A posterior that is not certain does not draw it towards 0.
///
/// The interval is a score interval: those a under which the sum above is within 1.96 standard deviations of its
/// expectation, where P(label) = the worker's share of it + a (q - mean q). The variance is that of the worker's draws and
/// of the unknown class together.
///
/// Others are all workers outside of the worker's group; there are eight groups, and one fit of
/// [`Skilled`](crate::truth::Skilled) without each. Workers who agree nearly always are in one group, and only one of
/// them is in the fits.
///
/// - Contrary: the interval, widened for the number of workers, is below 0.
/// - Random: at most 3.3 standard deviations above 0, and of the honest workers of this crowd less than 0.75 percent would
///   look as bad by chance. The accuracies of honest workers are estimated from all workers (a nonparametric mixture).
/// - Always the same: the same, and nine of ten labels are one class.
/// - Copies: of the disagreements with another worker that are to be expected if the two are independent given the class, at
///   least five in six are missing, which chance would do to no pair in 99 of 100 crowds (pairs with 20 tasks in common).
///
/// Cost: eight fits, then O(votes times classes) for workers and O(meetings of two workers times classes) for pairs.
pub fn judge_workers(ballots: &Ballots, context: &Context) -> Result<JudgedWorkers> {
    Ok(judge(ballots, false, context)?.0)
}

/// Cells of the confusion matrices of all workers together, at most: more would be read by nobody.
const MOST_CELLS: usize = 4_000_000;

/// P(label | class) of each worker, class by class.
pub(super) type Matrices = Vec<Vec<Vec<f64>>>;

/// The same. If `confusion` is asked for, also the matrix of each worker: by EM, the posterior of each task by the others being
/// its prior. None where there are too many classes or workers for that, or nobody else to ask.
pub(super) fn judge(
    ballots: &Ballots,
    confusion: bool,
    context: &Context,
) -> Result<(JudgedWorkers, Option<Matrices>)> {
    if ballots.is_empty() {
        return Err(Error::Empty("label"));
    }
    let pairs = Pairs::new(ballots);
    if !ballots.any_shared() {
        let unknown = |worker: usize| JudgedWorker::unknown(pairs.of(worker), ballots.classes());
        let workers = context.map((0..ballots.workers()).collect(), unknown);
        return Ok((JudgedWorkers { workers, families: Vec::new() }, None));
    }
    let busy = Pairs::of_busy(ballots, alike::SHARED);
    let alike = alike::alike(&busy, ballots.len(), &context.part(0.0, 0.1));
    let others = Others::new(&pairs.ballots, &alike, &context.part(0.1, 0.8))?;
    let skills = context.map((0..ballots.workers()).collect(), |worker| {
        Skill::of(pairs.of(worker), others.of(worker), ballots.classes())
    });
    let copies = Copies::new(&busy, &others, COPIED, &context.part(0.8, 1.0))?;
    let population = Population::of(&skills);
    let copied = copies.sources(ballots.workers());
    // Two cannot tell who of them is right.
    let enough = skills.iter().filter(|skill| skill.labels > 0).count() > 2;
    let strict = quantile(1.0 - CONTRARY / ballots.workers() as f64);
    let judged = |(worker, skill): (usize, &Skill)| {
        let (low, high) = skill.interval(Z);
        let verdict = match copied[worker] {
            _ if !enough => Verdict::TooFew,
            Some(source) => Verdict::Copies(source),
            None => verdict(skill, (low, high), strict, &population),
        };
        let accuracy = skill.accuracy().clamp(-1.0, 1.0);
        JudgedWorker { labels: skill.labels, accuracy, low, high, most_given: skill.most_given, verdict }
    };
    let workers = skills.iter().enumerate().map(judged).collect();
    let classes = ballots.classes();
    let confusion = confusion && others.tables && ballots.workers() * classes * classes <= MOST_CELLS;
    let confusion = confusion.then(|| {
        context.map((0..ballots.workers()).collect(), |worker| {
            let saying = Saying::of(pairs.of(worker), &others, worker);
            let row = |class: usize| (0..classes).map(|label| saying.probability(class, label)).collect();
            (0..classes).map(row).collect()
        })
    });
    Ok((JudgedWorkers { workers, families: if enough { copies.families } else { Vec::new() } }, confusion))
}

/// Groups of workers who copy one another, with those who belong to a group if less surely. Only in a crowd in which some agree
/// nearly always are there fits to make. Cost: O(meetings of two workers) on at most 200,000 votes.
pub(crate) fn families_of_copies(ballots: &Ballots, context: &Context) -> Result<Vec<Vec<usize>>> {
    const MOST: usize = 200_000;
    let sample = sample_of_tasks(ballots, MOST, context.seed());
    let sample = sample.map(|tasks| ballots.of_tasks(&tasks)).transpose()?;
    let ballots = sample.as_ref().unwrap_or(ballots);
    let pairs = Pairs::of_busy(ballots, alike::SHARED);
    let alike = alike::alike(&pairs, ballots.len(), context);
    if alike.iter().enumerate().all(|(worker, first)| worker == *first) {
        return Ok(Vec::new());
    }
    let others = Others::new(ballots, &alike, context)?;
    Ok(Copies::new(&pairs, &others, BELONGS, context)?.families)
}

/// One in two thousand lies above this.
const NEAR_NOTHING: f64 = 3.290_526_731_491_896;
/// How probable it is at most that any honest worker of the whole crowd is called contrary.
const CONTRARY: f64 = 0.01;
/// The share of honest workers that may look as bad as someone who is called random: three quarters of the one percent that
/// may be called anything bad.
const LOOK_BAD: f64 = 0.0075;
/// The share of one label in those of a worker who is called constant.
const SAME: f64 = 0.9;
/// Who nearly always gives the same label may look at a task in ten, and tell this much at most.
const NEARLY_CONSTANT: f64 = 0.15;

/// What a worker is who copies nobody.
fn verdict(skill: &Skill, (low, high): (f64, f64), strict: f64, population: &Population) -> Verdict {
    if skill.interval(strict).1 < 0.0 {
        return Verdict::Contrary;
    }
    if low >= Verdict::TELLING {
        return Verdict::Good;
    }
    let constant = skill.most_given >= SAME && skill.accuracy() <= NEARLY_CONSTANT;
    let near_nothing = skill.accuracy() <= NEAR_NOTHING * skill.deviation(0.0);
    if (constant || near_nothing) && population.as_bad(skill) <= LOOK_BAD {
        return if skill.most_given >= SAME { Verdict::Constant } else { Verdict::Random };
    }
    if low > 0.0 || high < Verdict::TELLING { Verdict::Weak } else { Verdict::TooFew }
}

#[cfg(test)]
mod tests;
