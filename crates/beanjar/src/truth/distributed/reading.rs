//! How each task's votes are read once a fit is done.

use super::super::Posterior;
use super::super::rule::{Confusion, Pool, Weights, keep_to_voted};
use super::super::skilled::{LeaveOneOut, Names};
use super::recode::Recode;
use crate::bytes::{Reader, Writer, broken};
use crate::judgments::{Ballots, TaskBlock, TaskIds};
use crate::{Context, Result};
use std::borrow::Cow;

/// What gives the tasks their labels. It comes as bytes from a [`DistributedFit`](super::DistributedFit).
#[derive(Clone, Debug)]
pub struct Reading {
    pub(super) workers: usize,
    pub(super) classes: usize,
    pub(super) way: Way,
}

#[derive(Clone, Debug)]
pub(super) enum Way {
    /// Shares of the votes.
    Majority,
    /// Bayes' rule with a table for each worker.
    Tables(Confusion),
    /// Several candidates.
    Mixed(MixedReading),
}

/// The candidates of [`Auto`](super::super::Auto), each read in two ways, and the plain vote.
#[derive(Clone, Debug)]
pub(in crate::truth) struct MixedReading {
    pub(in crate::truth) recode: Recode,
    pub(in crate::truth) candidates: Vec<CandidateReading>,
    pub(in crate::truth) pools: Vec<Pool>,
    /// Of each candidate by Bayes' rule, then of each by its pool, then of the plain vote.
    pub(in crate::truth) weights: Vec<f64>,
    pub(in crate::truth) voted_only: bool,
}

/// One candidate.
#[derive(Clone, Debug)]
pub(in crate::truth) struct CandidateReading {
    pub(in crate::truth) names: Names,
    pub(in crate::truth) by: ReadBy,
}

#[derive(Clone, Debug)]
pub(in crate::truth) enum ReadBy {
    LeaveOneOut(LeaveOneOut<'static>),
    Tables(Confusion),
}

/// The answers of some tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskAnswers {
    /// The most probable class of each task.
    pub classes: Vec<u32>,
    /// Its probability.
    pub confidence: Vec<f64>,
    /// Whether another class is as probable; then one of them was drawn by the seed and the task's id.
    pub tied: Vec<bool>,
    /// The probability of each class, task by task.
    pub probabilities: Vec<f64>,
}

impl Reading {
    /// The answers of a block of tasks.
    pub fn answers(&self, block: TaskBlock, ids: &TaskIds, seed: u64) -> Result<TaskAnswers> {
        if ids.len() != block.tasks() {
            return Err(broken());
        }
        let ballots = block.into_ballots(self.workers, self.classes)?;
        let posterior = self.posterior(&ballots)?;
        let answers = ids.keys().into_iter().enumerate().map(|(task, key)| posterior.answer_by(task, seed, key));
        let mut found = TaskAnswers { classes: vec![], confidence: vec![], tied: vec![], probabilities: Vec::new() };
        for answer in answers {
            found.classes.push(answer.class as u32);
            found.confidence.push(answer.confidence);
            found.tied.push(answer.tied);
        }
        found.probabilities = posterior.into_values();
        Ok(found)
    }

    pub(super) fn posterior(&self, ballots: &Ballots) -> Result<Posterior> {
        // One partition is the work of one core.
        let context = Context::new().alone();
        let mut posterior = Posterior::equal(ballots.tasks(), self.classes);
        match &self.way {
            Way::Majority => {
                let plain = Weights::equal(0, self.classes);
                posterior.fill(&context, |task, row| plain.read(ballots.votes(task), row));
            }
            Way::Tables(tables) => posterior.fill(&context, |task, row| {
                tables.components(ballots.votes(task), row);
            }),
            Way::Mixed(mixed) => mixed.fill(&mut posterior, ballots, &context),
        }
        Ok(posterior)
    }

    /// As bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Writer::default();
        self.write(&mut bytes);
        bytes.finish()
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::read_from(&mut Reader(bytes))
    }

    pub(super) fn write(&self, bytes: &mut Writer) {
        [self.workers, self.classes].into_iter().for_each(|number| bytes.number(number as u64));
        match &self.way {
            Way::Majority => bytes.number(0),
            Way::Tables(tables) => {
                bytes.number(1);
                write_tables(tables, bytes);
            }
            Way::Mixed(mixed) => {
                bytes.number(2);
                mixed.write(bytes);
            }
        }
    }

    pub(super) fn read_from(bytes: &mut Reader<'_>) -> Result<Self> {
        let (workers, classes) = (bytes.count()?, bytes.count()?);
        let way = match bytes.number()? {
            0 => Way::Majority,
            1 => Way::Tables(read_tables(bytes, workers, classes)?),
            2 => Way::Mixed(MixedReading::read(bytes, workers, classes)?),
            _ => return Err(broken()),
        };
        Ok(Reading { workers, classes, way })
    }
}

impl CandidateReading {
    pub(in crate::truth) fn tables(&self) -> &Confusion {
        match &self.by {
            ReadBy::LeaveOneOut(reader) => &reader.tables,
            ReadBy::Tables(tables) => tables,
        }
    }
}

impl MixedReading {
    pub(in crate::truth) fn new(
        recode: Recode,
        candidates: Vec<CandidateReading>,
        weights: Vec<f64>,
        voted_only: bool,
    ) -> Self {
        let pool = |candidate: &CandidateReading| Pool::of_tables(candidate.tables(), &candidate.names.shares);
        let pools = candidates.iter().map(pool).collect();
        MixedReading { recode, candidates, pools, weights, voted_only }
    }

    fn fill(&self, posterior: &mut Posterior, ballots: &Ballots, context: &Context) {
        let together = self.recode.together(ballots);
        let by_table = self.recode.by_table(Cow::Borrowed(&*together));
        let n = self.candidates.len();
        let plain = Weights::equal(0, posterior.classes());
        posterior.fill(context, |task, row| {
            let votes = by_table.votes(task);
            let mut part = vec![0.0; row.len()];
            row.fill(0.0);
            let mut add = |weight: f64, part: &[f64]| row.iter_mut().zip(part).for_each(|(sum, p)| *sum += weight * p);
            for (number, candidate) in self.candidates.iter().enumerate() {
                let mut components = vec![0.0; candidate.tables().classes()];
                match &candidate.by {
                    ReadBy::LeaveOneOut(reader) => reader.read(votes, &mut components),
                    ReadBy::Tables(tables) => {
                        tables.components(votes, &mut components);
                    }
                }
                candidate.names.read(&components, &mut part);
                add(self.weights[number], &part);
                self.pools[number].read(votes, &mut part);
                add(self.weights[n + number], &part);
            }
            plain.read(together.votes(task), &mut part);
            add(self.weights[2 * n], &part);
            if self.voted_only {
                keep_to_voted(together.votes(task), row);
            }
        });
    }

    fn write(&self, bytes: &mut Writer) {
        self.recode.write(bytes);
        bytes.number(u64::from(self.voted_only));
        bytes.floats(&self.weights);
        for candidate in &self.candidates {
            write_tables(candidate.tables(), bytes);
            bytes.floats(&candidate.names.shares);
            match &candidate.by {
                ReadBy::Tables(_) => bytes.number(0),
                ReadBy::LeaveOneOut(reader) => {
                    bytes.number(1);
                    bytes.floats(&reader.means);
                    bytes.float(reader.strength);
                    bytes.floats(&reader.counts);
                }
            }
        }
    }

    fn read(bytes: &mut Reader<'_>, workers: usize, classes: usize) -> Result<Self> {
        let recode = Recode::read(bytes, workers)?;
        let (voted_only, weights) = (bytes.number()? != 0, bytes.floats()?);
        let with_tables = recode.workers(workers);
        let candidate = |bytes: &mut Reader<'_>| -> Result<CandidateReading> {
            let tables = read_tables(bytes, with_tables, classes)?;
            let names = Names { classes, shares: bytes.floats()? };
            if names.shares.len() != classes * tables.classes() {
                return Err(broken());
            }
            let by = match bytes.number()? {
                0 => ReadBy::Tables(tables),
                _ => {
                    let (means, strength, counts) = (bytes.floats()?, bytes.float()?, bytes.floats()?);
                    if means.len() != tables.votes.len() || counts.len() != with_tables * classes * tables.classes() {
                        return Err(broken());
                    }
                    let (means, counts) = (Cow::Owned(means), Cow::Owned(counts));
                    ReadBy::LeaveOneOut(LeaveOneOut::new(Cow::Owned(tables), means, strength, counts))
                }
            };
            Ok(CandidateReading { names, by })
        };
        let candidates = (0..weights.len() / 2).map(|_| candidate(bytes)).collect::<Result<Vec<_>>>()?;
        if weights.len() != 2 * candidates.len() + 1 {
            return Err(broken());
        }
        Ok(MixedReading::new(recode, candidates, weights, voted_only))
    }
}

pub(super) fn write_tables(tables: &Confusion, bytes: &mut Writer) {
    bytes.floats(&tables.prior);
    bytes.floats(&tables.votes);
}

pub(super) fn read_tables(bytes: &mut Reader<'_>, workers: usize, labels: usize) -> Result<Confusion> {
    let (prior, votes) = (bytes.floats()?, bytes.floats()?);
    match !prior.is_empty() && votes.len() == (workers + 1) * labels * prior.len() {
        true => Ok(Confusion::of_tables(labels, prior, votes)),
        false => Err(broken()),
    }
}
