//! What the fitted models expect of fresh votes on tasks like those at hand.

use super::super::rule::{Confusion, Rule};
use super::models::{Models, drawn};
use super::tally::{Tally, over_tied, same};
use crate::judgments::{Ballots, Votes};
use crate::random::stream;
use crate::truth::Posterior;
use crate::{Context, Result};
use rand::{Rng, RngExt};

/// Draws of a task and two panels: the standard error of a share is then at most 0.012.
const DRAWS: usize = 1800;
/// Draws that go to a thread together.
const PIECE: usize = 50;

/// What is expected of each of several numbers of votes.
pub(super) struct PanelCurve {
    votes: Vec<usize>,
    pub(super) tallies: Vec<Tally>,
}

impl PanelCurve {
    /// Draws tasks, and for each its component by its votes and two panels of voters by the models; the panels' votes are
    /// read by the rule. Voters are drawn as often as they voted. `votes` rises.
    ///
    /// Cost: O(draws times the votes of the largest panel squared, times rules and classes).
    pub(super) fn new(
        rule: &Rule,
        models: &Models<'_>,
        ballots: &Ballots,
        votes: &[usize],
        context: &Context,
    ) -> Result<Self> {
        // In an order that does not depend on that of the rows.
        let mut tasks: Vec<usize> =
            (0..ballots.tasks()).filter(|&task| !ballots.votes(task).labels.is_empty()).collect();
        tasks.sort_by_key(|&task| ballots.task_key(task));
        let voters: Vec<u32> = (tasks.iter())
            .flat_map(|&task| {
                let mut voters = ballots.votes(task).workers.to_vec();
                voters.sort_by_key(|&worker| ballots.worker_key(worker as usize));
                voters
            })
            .collect();
        let pieces: Vec<usize> = (0..DRAWS.div_ceil(PIECE)).collect();
        let steps = context.steps("simulating votes", pieces.len());
        let found = context.map(pieces, |piece| -> Result<Vec<Tally>> {
            let mut random = stream(context.seed() ^ 0x5e7, piece as u64);
            let mut tallies = vec![Tally::default(); votes.len()];
            for _ in 0..PIECE {
                let task = tasks[random.random_range(0..tasks.len())];
                let (tables, component, class) = models.draw(ballots.votes(task), &mut random);
                let most = votes.last().copied().unwrap_or(0);
                let one = Panel::draw(tables, component, &voters, most, &mut random);
                let other = Panel::draw(tables, component, &voters, most, &mut random);
                for (tally, &votes) in tallies.iter_mut().zip(votes) {
                    let (one, other) = (one.read(rule, votes), other.read(rule, votes));
                    tally.add(
                        over_tied(&one, 0, |class| one.of(0)[class]),
                        over_tied(&one, 0, |label| f64::from(u8::from(label == class))),
                    );
                    tally.compare(same(&one, &other, 0));
                }
            }
            steps.tick().map(|()| tallies)
        });
        let mut tallies = vec![Tally::default(); votes.len()];
        for piece in found {
            tallies.iter_mut().zip(&piece?).for_each(|(sum, more)| sum.merge(more));
        }
        Ok(PanelCurve { votes: votes.to_vec(), tallies })
    }

    /// A figure of the tallies at any number of votes, on a straight line between those simulated.
    pub(super) fn at(&self, votes: usize, figure: impl Fn(&Tally) -> f64) -> f64 {
        let above = self.votes.partition_point(|&number| number < votes).min(self.votes.len() - 1);
        let (high, value) = (self.votes[above], figure(&self.tallies[above]));
        if high <= votes || above == 0 {
            return value;
        }
        let (low, before) = (self.votes[above - 1], figure(&self.tallies[above - 1]));
        before + (value - before) * (votes - low) as f64 / (high - low) as f64
    }
}

/// Who votes for what.
struct Panel {
    workers: Vec<u32>,
    labels: Vec<u16>,
}

impl Panel {
    fn draw(tables: &Confusion, component: usize, voters: &[u32], most: usize, random: &mut impl Rng) -> Self {
        let mut panel = Panel { workers: Vec::with_capacity(most), labels: Vec::with_capacity(most) };
        for _ in 0..most {
            let worker = voters[random.random_range(0..voters.len())];
            let says = |label: usize| tables.probability(worker as usize, component, label);
            let label = drawn((0..tables.labels()).map(says), random);
            panel.workers.push(worker);
            panel.labels.push(label as u16);
        }
        panel
    }

    /// What the rule makes of the first votes.
    fn read(&self, rule: &Rule, votes: usize) -> Posterior {
        let mut posterior = Posterior::equal(1, rule.classes());
        let votes = Votes { task: 0, workers: &self.workers[..votes], labels: &self.labels[..votes], weights: &[] };
        posterior.set(0, |row| rule.read(votes, row));
        posterior
    }
}
