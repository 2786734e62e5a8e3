//! The classes of the tasks as the other workers see them.

use crate::judgments::Ballots;
use crate::truth::{Evidence, Posterior, Skilled, Wawa, too_many_for_tables};
use crate::{Context, Result};

/// For each group of workers, the posterior of all tasks by the others.
pub(super) struct Others {
    pub(super) group: Vec<usize>,
    /// Whether the classes are few enough for tables of them.
    pub(super) tables: bool,
    posteriors: Vec<Posterior>,
}

/// Into how many groups the workers are divided. Four lose a quarter of the votes on a task in place of an eighth; sixteen
/// take twice the time.
const GROUPS: usize = 8;

impl Others {
    /// `alike` names for each worker the one who stands for them: those of the same are in one group, and only that one is
    /// in the fits of the others.
    pub(super) fn new(ballots: &Ballots, alike: &[usize], context: &Context) -> Result<Self> {
        let mut first = ballots.shuffled_workers(context.seed());
        first.retain(|&worker| alike[worker] == worker);
        let groups = first.len().clamp(1, GROUPS);
        let mut group = vec![0; ballots.workers()];
        first.iter().enumerate().for_each(|(i, &worker)| group[worker] = i % groups);
        (0..ballots.workers()).for_each(|worker| group[worker] = group[alike[worker]]);
        let tables = !too_many_for_tables(ballots.classes(), ballots.len());
        let steps = context.steps("judging workers", groups);
        let alone = context.alone();
        let posteriors = context.map((0..groups).collect(), |left_out| -> Result<Posterior> {
            let others = ballots.filtered(|_, worker| group[worker] != left_out && alike[worker] == worker);
            steps.tick()?;
            if others.is_empty() {
                return Ok(Posterior::equal(ballots.tasks(), ballots.classes()));
            }
            let evidence = Evidence::votes(&others)?;
            let mut posterior = match tables {
                true => Skilled::default().posterior(&evidence, &alone)?,
                false => Wawa.fit(&evidence, &alone)?.posterior,
            };
            posterior.fill_unseen(&others);
            Ok(posterior)
        });
        Ok(Others { group, tables, posteriors: posteriors.into_iter().collect::<Result<_>>()? })
    }

    /// The posterior by workers outside of this one's group.
    pub(super) fn of(&self, worker: usize) -> &Posterior {
        &self.posteriors[self.group[worker]]
    }
}
