//! The classes as workers of other groups see them.

use super::super::pairs::Meeting;
use crate::judgments::Ballots;
use crate::truth::{Confusion, Evidence, Posterior, Skilled, tables_against};
use crate::{Context, Result};

/// For each two groups of workers, a fit of the other groups, and tables of all workers by that fit.
pub(super) struct Witnesses {
    group: Vec<usize>,
    fits: Vec<Option<(Posterior, Confusion)>>,
}

/// Into how many groups the workers are cut.
const GROUPS: usize = 5;

impl Witnesses {
    pub(super) fn new(ballots: &Ballots, context: &Context) -> Result<Self> {
        let mut group = vec![0; ballots.workers()];
        let order = ballots.shuffled_workers(context.seed());
        order.iter().enumerate().for_each(|(at, &worker)| group[worker] = at % GROUPS);
        let pairs: Vec<(usize, usize)> = (0..GROUPS).flat_map(|a| (0..GROUPS).map(move |b| (a, b))).collect();
        let steps = context.steps("comparing workers", pairs.len());
        let fit = |(a, b): (usize, usize)| -> Result<Option<(Posterior, Confusion)>> {
            steps.tick()?;
            let others = ballots.filtered(|_, worker| group[worker] != a && group[worker] != b);
            if a >= b || others.is_empty() {
                return Ok(None);
            }
            let alone = context.alone();
            let mut posterior = Skilled::default().fit(&Evidence::votes(&others)?, &alone)?.posterior;
            posterior.fill_unseen(&others);
            let tables = tables_against(ballots, &posterior, &alone)?;
            Ok(Some((posterior, tables)))
        };
        let fits = context.map(pairs, fit).into_iter().collect::<Result<_>>()?;
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
