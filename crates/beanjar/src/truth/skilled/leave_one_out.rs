use super::super::em::Expected;
use super::super::{Evidence, Posterior};
use super::SkilledClimb;
use crate::Context;

impl SkilledClimb {
    /// The posterior of the components with each vote read by a table that does not count that vote. `expected` are the
    /// counts under the tables.
    pub(in crate::truth) fn leave_one_out(
        &self,
        evidence: &Evidence<'_>,
        expected: &Expected<'_>,
        context: &Context,
    ) -> Posterior {
        let ballots = evidence.ballots;
        let (labels, components, tables) = (ballots.classes(), expected.classes, &self.climb.tables);
        let mut sums = vec![0.0; ballots.workers() * components];
        for (worker, table) in expected.votes.chunks_exact(labels * components).enumerate() {
            for (at, votes) in table.iter().enumerate() {
                sums[worker * components + at % components] += votes;
            }
        }
        let prior: Vec<f64> = tables.prior().iter().map(|share| share.ln()).collect();
        let mut posterior = Posterior::equal(ballots.tasks(), components);
        posterior.fill(context, |task, row| {
            let votes = ballots.votes(task);
            if votes.labels.is_empty() {
                return;
            }
            let mut own = vec![0.0; components];
            expected.posterior_of(votes, &mut own);
            row.copy_from_slice(&prior);
            for (worker, label, weight) in votes.weighted() {
                let at = (worker * labels + label) * components;
                // All that the worker said of the task is left out.
                let opinions = if votes.weights.is_empty() { 1.0 } else { votes.opinions_of(worker) };
                for component in 0..components {
                    let votes = (expected.votes[at + component] - weight * own[component]).max(0.0);
                    let sum = (sums[worker * components + component] - opinions * own[component]).max(0.0);
                    let mean = self.strength * self.means[at + component];
                    row[component] += weight * ((votes + mean) / (sum + self.strength)).ln();
                }
            }
            let most = row.iter().fold(f64::NEG_INFINITY, |most: f64, &score| most.max(score));
            row.iter_mut().for_each(|score| *score = (*score - most).exp());
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p /= sum);
        });
        posterior
    }
}
