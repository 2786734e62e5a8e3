use super::super::Posterior;
use super::super::em::Expected;
use super::super::rule::{Confusion, Products};
use super::SkilledClimb;
use crate::Context;
use crate::judgments::{Ballots, Votes};
use std::borrow::Cow;
use std::collections::HashMap;

/// Reads votes, each by a table that does not count that vote.
#[derive(Clone, Debug)]
pub(in crate::truth) struct LeaveOneOut<'a> {
    pub(in crate::truth) tables: Cow<'a, Confusion>,
    /// The mean rows that the tables were drawn to, laid out as they are, and how strongly.
    pub(in crate::truth) means: Cow<'a, [f64]>,
    pub(in crate::truth) strength: f64,
    /// The expected counts under the tables.
    pub(in crate::truth) counts: Cow<'a, [f64]>,
    /// Their sums over labels, at `worker * components + component`.
    sums: Vec<f64>,
}

impl<'a> LeaveOneOut<'a> {
    pub(in crate::truth) fn new(
        tables: Cow<'a, Confusion>,
        means: Cow<'a, [f64]>,
        strength: f64,
        counts: Cow<'a, [f64]>,
    ) -> Self {
        let (labels, components) = (tables.labels(), tables.classes());
        let mut sums = vec![0.0; counts.len() / labels.max(1)];
        for (worker, table) in counts.chunks_exact(labels * components).enumerate() {
            let sums = &mut sums[worker * components..(worker + 1) * components];
            for row in table.chunks_exact(components) {
                sums.iter_mut().zip(row).for_each(|(sum, votes)| *sum += votes);
            }
        }
        LeaveOneOut { tables, means, strength, counts, sums }
    }

    /// The posterior of the components of a task that has votes.
    pub(in crate::truth) fn read(&self, votes: Votes<'_>, row: &mut [f64]) {
        let (labels, components) = (self.tables.labels(), self.tables.classes());
        let mut own = vec![0.0; components];
        self.tables.components(votes, &mut own);
        let mut products = Products::new(self.tables.prior(), row);
        let together = opinions(votes);
        for (worker, label, weight) in votes.weighted() {
            let at = (worker * labels + label) * components;
            // All that the worker said of the task is left out.
            let opinions = match &together {
                Some(together) => together.get(&worker).copied().unwrap_or(weight),
                None if votes.weights.is_empty() => 1.0,
                None => votes.opinions_of(worker),
            };
            let (counts, means) = (&self.counts[at..at + components], &self.means[at..at + components]);
            let sums = &self.sums[worker * components..(worker + 1) * components];
            let left = own.iter().zip(counts.iter().zip(means)).zip(sums).map(|((own, (count, mean)), sum)| {
                let votes = (count - weight * own).max(0.0) + self.strength * mean;
                votes / ((sum - opinions * own).max(0.0) + self.strength)
            });
            match weight == 1.0 {
                true => products.multiply(left),
                false => products.multiply(left.map(|p| p.powf(weight))),
            }
        }
        products.finish();
    }
}

/// What the votes of each worker count together, where looking for them again for every vote would take long.
fn opinions(votes: Votes<'_>) -> Option<HashMap<usize, f64>> {
    const MANY: usize = 100;
    if votes.weights.is_empty() || votes.labels.len() < MANY {
        return None;
    }
    let mut sums = HashMap::new();
    votes.weighted().for_each(|(worker, _, weight)| *sums.entry(worker).or_insert(0.0) += weight);
    Some(sums)
}

impl SkilledClimb {
    /// The posterior of the components with each vote read by a table that does not count that vote. `expected` are the
    /// counts under the tables.
    pub(in crate::truth) fn leave_one_out(
        &self,
        ballots: &Ballots,
        expected: &Expected,
        context: &Context,
    ) -> Posterior {
        let (tables, means) = (Cow::Borrowed(&self.climb.tables), Cow::Borrowed(&self.means[..]));
        let reader = LeaveOneOut::new(tables, means, self.strength, Cow::Borrowed(&expected.votes));
        let mut posterior = Posterior::equal(ballots.tasks(), expected.classes);
        posterior.fill(context, |task, row| {
            let votes = ballots.votes(task);
            if !votes.labels.is_empty() {
                reader.read(votes, row);
            }
        });
        posterior
    }

    /// The same for whoever reads the votes elsewhere.
    pub(in crate::truth) fn into_reader(self, expected: Expected) -> LeaveOneOut<'static> {
        let SkilledClimb { climb, means, strength, .. } = self;
        LeaveOneOut::new(Cow::Owned(climb.tables), Cow::Owned(means), strength, Cow::Owned(expected.votes))
    }
}
