use super::super::em::{Start, expect};
use super::super::{Evidence, Posterior};
use super::SkilledClimb;
use crate::Context;

impl SkilledClimb {
    /// The posterior with each vote read by a table that does not count that vote.
    pub(in crate::truth) fn leave_one_out(&self, evidence: &Evidence<'_>, context: &Context) -> Posterior {
        let ballots = evidence.ballots;
        let (classes, tables) = (ballots.classes(), &self.climb.tables);
        let counted = expect(Start::Tables(tables), evidence, classes, context);
        let cells = classes * classes;
        let mut sums = vec![0.0; ballots.workers() * classes];
        for (worker, table) in counted.votes.chunks_exact(cells).enumerate() {
            for (at, votes) in table.iter().enumerate() {
                sums[worker * classes + at % classes] += votes;
            }
        }
        let mut posterior = Posterior::equal(ballots.tasks(), classes);
        posterior.fill(context, |task, row| {
            let votes = ballots.votes(task);
            if votes.labels.is_empty() {
                return;
            }
            let mut own = vec![0.0; classes];
            tables.components(votes, &mut own);
            row.iter_mut().zip(&tables.prior).for_each(|(score, share)| *score = share.ln());
            for (worker, label) in votes.iter() {
                let at = (worker * classes + label) * classes;
                let trust = tables.trust(worker);
                for class in 0..classes {
                    let votes = (counted.votes[at + class] - own[class]).max(0.0);
                    let sum = (sums[worker * classes + class] - own[class]).max(0.0);
                    let mean = self.strength * self.means[at + class];
                    row[class] += trust * ((votes + mean) / (sum + self.strength)).ln();
                }
            }
            let most = row.iter().fold(f64::NEG_INFINITY, |most: f64, &score| most.max(score));
            row.iter_mut().for_each(|score| *score = (*score - most).exp());
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p /= sum);
        });
        posterior.set_known(&evidence.gold);
        posterior
    }
}
