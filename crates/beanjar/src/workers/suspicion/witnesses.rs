//! The classes as workers of other groups see them.

use super::super::pairs::{Meeting, Pairs};
use super::super::verdict::Saying;
use crate::truth::{Confusion, Evidence, Posterior, Skilled, Wawa, tables_against, too_many_for_tables};
use crate::{Context, Result};

/// For each two groups of workers, a fit of the other groups, and what all workers say by that fit.
pub(super) struct Witnesses {
    group: Vec<usize>,
    fits: Vec<Option<(Posterior, Tables)>>,
}

/// P(label | class) of all workers.
enum Tables {
    Each(Confusion),
    /// The same where classes are too many for tables.
    Knowing(Vec<Saying>),
}

impl Tables {
    fn probability(&self, worker: usize, class: usize, label: usize) -> f64 {
        match self {
            Tables::Each(tables) => tables.probability(worker, class, label),
            Tables::Knowing(workers) => workers[worker].probability(class, label),
        }
    }
}

/// Into how many groups the workers are cut. The witnesses of a pair are three groups in five, and there are ten fits; of four
/// groups they would be half, and of eight there would be 28 fits.
const GROUPS: usize = 5;

impl Witnesses {
    pub(super) fn new(pairs: &Pairs<'_>, context: &Context) -> Result<Self> {
        let ballots = &*pairs.ballots;
        let mut group = vec![0; ballots.workers()];
        let order = ballots.shuffled_workers(context.seed());
        order.iter().enumerate().for_each(|(at, &worker)| group[worker] = at % GROUPS);
        let groups: Vec<(usize, usize)> = (0..GROUPS).flat_map(|a| (0..GROUPS).map(move |b| (a, b))).collect();
        let steps = context.steps("comparing workers", groups.len());
        let without_tables = too_many_for_tables(ballots.classes(), ballots.len());
        let fit = |(a, b): (usize, usize)| -> Result<Option<(Posterior, Tables)>> {
            steps.tick()?;
            let others = ballots.filtered(|_, worker| group[worker] != a && group[worker] != b);
            if a >= b || others.is_empty() {
                return Ok(None);
            }
            let (alone, evidence) = (context.alone(), Evidence::votes(&others)?);
            let mut posterior = match without_tables {
                true => Wawa.fit(&evidence, &alone)?.posterior,
                false => Skilled::default().fit(&evidence, &alone)?.posterior,
            };
            posterior.fill_unseen(&others);
            let knowing = |worker: usize| Saying::knowing(pairs.of(worker), &posterior);
            let tables = match without_tables {
                true => Tables::Knowing((0..ballots.workers()).map(knowing).collect()),
                false => Tables::Each(tables_against(ballots, &posterior, &alone)?),
            };
            Ok(Some((posterior, tables)))
        };
        let fits = context.map(groups, fit).into_iter().collect::<Result<_>>()?;
        Ok(Witnesses { group, fits })
    }

    /// The probabilities of the classes of the tasks on which a pair met: the posterior by the others, updated by the two votes.
    pub(super) fn rows(&self, one: usize, other: usize, meetings: &[Meeting]) -> Vec<Vec<f64>> {
        let (a, mut b) = (self.group[one], self.group[other]);
        if a == b {
            b = (a + 1) % GROUPS;
        }
        let fit = &self.fits[a.min(b) * GROUPS + a.max(b)];
        let row = |meeting: &Meeting| {
            let Some((posterior, tables)) = fit else { return vec![1.0] };
            let likelihood = |class: usize| {
                tables.probability(one, class, usize::from(meeting.said))
                    * tables.probability(other, class, usize::from(meeting.other_said))
            };
            let row = posterior.of(meeting.task as usize).iter().enumerate();
            let mut row: Vec<f64> = row.map(|(class, p)| p.max(1e-12) * likelihood(class)).collect();
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p /= sum);
            row
        };
        meetings.iter().map(row).collect()
    }
}
