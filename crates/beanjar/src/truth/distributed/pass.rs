//! What is summed over all tasks.

use super::super::class_prior::VoteShares;
use super::super::effective::{Excess, effective_votes};
use super::super::em::{Expected, Expecting, Start};
use super::super::rule::Confusion;
use super::reading::{Reading, read_tables, write_tables};
use super::recode::Recode;
use super::tree::{Tree, sum_bits};
use crate::Result;
use crate::bytes::{Reader, Writer, broken};
use crate::judgments::{TaskBlock, observe_all};
use crate::reliability::LabelAgreement;

/// A sum over all tasks. It comes as bytes from a [`DistributedFit`](super::DistributedFit).
#[derive(Clone, Debug)]
pub struct Pass {
    pub(super) workers: usize,
    pub(super) classes: usize,
    /// How many labels there are in all, by which the tree is laid out.
    pub(super) labels: u64,
    pub(super) recode: Recode,
    pub(super) sum: Summand,
}

/// What of each task is summed.
#[derive(Clone, Debug)]
pub(super) enum Summand {
    /// Votes of each worker, shares of the classes, and how many there are of what.
    Overview { small: u64 },
    /// Expected counts under tables; from the shares of the votes where there are none.
    Expect { tables: Option<Confusion>, components: usize },
    /// How far votes go together beyond what the tables say.
    Correlation(Confusion),
    /// Right labels of each worker by expectation, and effective votes.
    Right { reading: Box<Reading>, correlation: f64 },
    /// How far each worker agrees with the others.
    Agreement,
}

/// The votes at large.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::truth) struct Overview {
    /// How many votes each worker cast.
    pub(in crate::truth) per_worker: Vec<u64>,
    pub(in crate::truth) shares: VoteShares,
    /// How many votes there are, and how many of them on tasks that a sample may hold.
    pub(in crate::truth) votes: usize,
    pub(in crate::truth) small: u64,
    /// How many votes were repeats.
    pub(in crate::truth) repeated: u64,
}

impl Overview {
    /// Before anything is known.
    pub(super) fn none(workers: usize, classes: usize) -> Self {
        let shares = VoteShares { shares: vec![0.0; classes], tasks: 0.0 };
        Overview { per_worker: vec![0; workers], shares, votes: 0, small: 0, repeated: 0 }
    }
}

impl Pass {
    /// How far each worker agrees with the others.
    pub(crate) fn agreement(workers: usize, classes: usize, labels: u64) -> Self {
        Pass { workers, classes, labels, recode: Recode::default(), sum: Summand::Agreement }
    }

    /// How many numbers the sum has.
    #[must_use]
    pub fn numbers(&self) -> usize {
        match &self.sum {
            Summand::Overview { .. } => self.workers + self.classes + 4,
            Summand::Expect { components, .. } => {
                self.recode.workers(self.workers) * self.classes * components + components + 1
            }
            Summand::Correlation(_) => 3,
            Summand::Right { .. } => self.workers + 2,
            Summand::Agreement => LabelAgreement::numbers(self.workers),
        }
    }

    /// How many leaves the tree of this sum has, as a power of two.
    #[must_use]
    pub fn bits(&self) -> u32 {
        sum_bits(self.labels, self.numbers() as u64)
    }

    /// The sums of the parts that these blocks are of, each with its place among 2 to the power of `part_bits`. Blocks
    /// come with their leaves, of 2 to the power of `leaf_bits`, in rising order.
    pub fn sums(
        &self,
        blocks: impl IntoIterator<Item = Result<(u32, TaskBlock)>>,
        leaf_bits: u32,
        part_bits: u32,
    ) -> Result<Vec<(u32, Vec<f64>)>> {
        let bits = self.bits().min(leaf_bits);
        if part_bits > bits {
            return Err(broken());
        }
        let mut tree = Tree::new(bits - part_bits);
        let mut open: Option<(u32, Leaf<'_>)> = None;
        for block in blocks {
            let (leaf, block) = block?;
            let place = leaf >> (leaf_bits - bits);
            if open.as_ref().is_none_or(|(at, _)| *at != place) {
                if let Some((at, leaf)) = open.take() {
                    tree.push(at, leaf.finish())?;
                }
                open = Some((place, Leaf::new(self)));
            }
            if let Some((_, leaf)) = &mut open {
                leaf.observe(block)?;
            }
        }
        if let Some((at, leaf)) = open {
            tree.push(at, leaf.finish())?;
        }
        Ok(tree.finish())
    }

    /// As bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Writer::default();
        [self.workers as u64, self.classes as u64, self.labels].into_iter().for_each(|number| bytes.number(number));
        self.recode.write(&mut bytes);
        match &self.sum {
            Summand::Overview { small } => {
                bytes.number(0);
                bytes.number(*small);
            }
            Summand::Expect { tables: None, components } => {
                bytes.number(1);
                bytes.number(*components as u64);
            }
            Summand::Expect { tables: Some(tables), .. } => {
                bytes.number(2);
                write_tables(tables, &mut bytes);
            }
            Summand::Correlation(tables) => {
                bytes.number(3);
                write_tables(tables, &mut bytes);
            }
            Summand::Right { reading, correlation } => {
                bytes.number(4);
                bytes.float(*correlation);
                reading.write(&mut bytes);
            }
            Summand::Agreement => bytes.number(5),
        }
        bytes.finish()
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut bytes = Reader(bytes);
        let (workers, classes, labels) = (bytes.count()?, bytes.count()?, bytes.number()?);
        let recode = Recode::read(&mut bytes, workers)?;
        let with_tables = recode.workers(workers);
        let sum = match bytes.number()? {
            0 => Summand::Overview { small: bytes.number()? },
            1 => Summand::Expect { tables: None, components: bytes.count()? },
            2 => {
                let tables = read_tables(&mut bytes, with_tables, classes)?;
                Summand::Expect { components: tables.classes(), tables: Some(tables) }
            }
            3 => Summand::Correlation(read_tables(&mut bytes, with_tables, classes)?),
            4 => {
                let correlation = bytes.float()?;
                Summand::Right { reading: Box::new(Reading::read_from(&mut bytes)?), correlation }
            }
            5 => Summand::Agreement,
            _ => return Err(broken()),
        };
        Ok(Pass { workers, classes, labels, recode, sum })
    }
}

/// The sum over the tasks of one leaf.
struct Leaf<'a> {
    pass: &'a Pass,
    sum: LeafSum<'a>,
}

enum LeafSum<'a> {
    Overview { per_worker: Vec<f64>, shares: VoteShares, counts: [f64; 3] },
    Expect(Expecting<'a>),
    Correlation(Excess<'a>),
    Right { right: Vec<f64>, votes: [f64; 2] },
    Agreement(LabelAgreement),
}

impl<'a> Leaf<'a> {
    fn new(pass: &'a Pass) -> Self {
        let (workers, classes) = (pass.workers, pass.classes);
        let sum = match &pass.sum {
            Summand::Overview { .. } => LeafSum::Overview {
                per_worker: vec![0.0; workers],
                shares: VoteShares { shares: vec![0.0; classes], tasks: 0.0 },
                counts: [0.0; 3],
            },
            Summand::Expect { tables, components } => {
                let from = tables.as_ref().map_or(Start::Votes, Start::Tables);
                LeafSum::Expect(Expecting::new(from, &[], pass.recode.workers(workers), classes, *components))
            }
            Summand::Correlation(tables) => LeafSum::Correlation(Excess::new(tables)),
            Summand::Right { .. } => LeafSum::Right { right: vec![0.0; workers], votes: [0.0; 2] },
            Summand::Agreement => LeafSum::Agreement(LabelAgreement::new(workers, classes)),
        };
        Leaf { pass, sum }
    }

    fn observe(&mut self, block: TaskBlock) -> Result<()> {
        let repeated = block.repeated() as f64;
        let ballots = block.into_ballots(self.pass.workers, self.pass.classes)?;
        let recode = &self.pass.recode;
        let together = recode.together(&ballots);
        match (&mut self.sum, &self.pass.sum) {
            (LeafSum::Overview { per_worker, shares, counts }, Summand::Overview { small }) => {
                for votes in (0..together.tasks()).map(|task| together.votes(task)) {
                    shares.observe(votes);
                    votes.weighted().for_each(|(worker, _, weight)| per_worker[worker] += weight);
                    let given = votes.labels.len() as f64;
                    counts[0] += given;
                    counts[1] += if votes.labels.len() as u64 <= *small { given } else { 0.0 };
                }
                counts[2] += repeated;
            }
            (LeafSum::Expect(sum), _) => observe_all(sum, &*recode.by_table(together), 0..ballots.tasks()),
            (LeafSum::Correlation(sum), _) => observe_all(sum, &*recode.by_table(together), 0..ballots.tasks()),
            (LeafSum::Agreement(sum), _) => (0..ballots.tasks()).for_each(|task| sum.count(ballots.votes(task))),
            (LeafSum::Right { right, votes: [effective, tasks] }, Summand::Right { reading, correlation }) => {
                let posterior = reading.posterior(&ballots)?;
                for task in 0..ballots.tasks() {
                    let row = posterior.of(task);
                    for (worker, label, weight) in ballots.votes(task).weighted() {
                        right[worker] += weight * row[label];
                    }
                    *effective += effective_votes(together.votes(task).opinions(), *correlation);
                    *tasks += 1.0;
                }
            }
            _ => return Err(broken()),
        }
        Ok(())
    }

    fn finish(self) -> Vec<f64> {
        match self.sum {
            LeafSum::Overview { per_worker, shares, counts } => {
                per_worker.into_iter().chain(shares.shares).chain([shares.tasks]).chain(counts).collect()
            }
            LeafSum::Expect(sum) => {
                let Expected { mut votes, tasks, log_likelihood, .. } = sum.finish();
                votes.extend(tasks);
                votes.push(log_likelihood);
                votes
            }
            LeafSum::Correlation(sum) => sum.into_numbers().to_vec(),
            LeafSum::Agreement(sum) => sum.into_numbers(),
            LeafSum::Right { mut right, votes } => {
                right.extend(votes);
                right
            }
        }
    }
}

/// What a sum of expected counts says.
pub(super) fn expected(mut numbers: Vec<f64>, labels: usize, components: usize) -> Result<Expected> {
    let log_likelihood = numbers.pop().ok_or_else(broken)?;
    let tasks = numbers.split_off(numbers.len().checked_sub(components).ok_or_else(broken)?);
    Ok(Expected { labels, classes: components, votes: numbers, tasks, log_likelihood })
}

/// What an overview says.
pub(super) fn overview(numbers: &[f64], workers: usize, classes: usize) -> Result<Overview> {
    let [tasks, votes, small, repeated] = numbers.get(workers + classes..).ok_or_else(broken)? else {
        return Err(broken());
    };
    Ok(Overview {
        per_worker: numbers[..workers].iter().map(|votes| votes.round() as u64).collect(),
        shares: VoteShares { shares: numbers[workers..workers + classes].to_vec(), tasks: *tasks },
        votes: *votes as usize,
        small: *small as u64,
        repeated: *repeated as u64,
    })
}
