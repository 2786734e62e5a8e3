//! Tables of workers by population and skill.

mod leave_one_out;
mod skills;

use super::em::{Climb, Start, Stopping, climb};
use super::{ClassPrior, Evidence, Rule, TruthFit};
use crate::{Context, Error, Result};
use skills::Skills;

/// Confusion matrices drawn around the population's, tilted by each worker's skill.
///
/// Row k of worker w is drawn from Dirichlet(strength m_wk). Its mean m_wk is the population's row with the odds of being
/// right moved by the worker's skill: m_wk(k) = s(base_k + skill_w) with s the logistic function, and the rest of the
/// row is shared among the wrong labels as the population shares it. skill_w ~ N(0, variance). So a worker with few
/// labels is read by a skill alone, and one with many by a matrix of their own. Strength and variance decide how much of
/// either; they are learned from the data by the evidence of the expected counts. One coin (no strength
/// spared for own rows, even sharing), [`Pooled`](super::Pooled) (all skills alike) and [`DawidSkene`](super::DawidSkene)
/// (no strength) are its corners. The tables are posterior means. On the tasks it was
/// fitted on, each vote is read by a table that leaves it out (leave-one-out), so that no vote confirms itself.
///
/// With a `discount` g, the votes of a worker whose label and the class have the mutual information I count
/// min(1, (I / I')^g), I' such that the mean over labels of I^g is I'^g: below-average workers count less than by Bayes'
/// rule, which guards against what the model leaves out.
///
/// Cost: as [`Pooled`](super::Pooled).
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `prior` | the class prior | anchored | |
/// | `discount` | how much less below-average workers count | 0 | 0 to 1 |
/// | `stopping` | when to stop | 50 steps, 1e-6 | |
#[derive(Clone, Debug, PartialEq)]
pub struct Skilled {
    /// The class prior. Where it is estimated, one pseudo-task is added to each class.
    pub prior: ClassPrior,
    /// How much less below-average workers count.
    pub discount: f64,
    /// When to stop.
    pub stopping: Stopping,
}

impl Default for Skilled {
    fn default() -> Self {
        let stopping = Stopping { iterations: 50, tolerance: 1e-6 };
        Skilled { prior: ClassPrior::Anchored, discount: 0.0, stopping }
    }
}

impl Skilled {
    /// Finds the population, the skills, the workers' tables and the classes.
    pub fn fit(&self, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
        self.check(evidence.ballots.classes())?;
        evidence.check_tables(evidence.ballots.classes())?;
        let fit = self.climb(evidence, context)?;
        let posterior = fit.leave_one_out(evidence, context);
        // Discounted votes have no likelihood.
        let log_likelihood = (self.discount == 0.0).then_some(fit.climb.log_likelihood);
        let (iterations, converged) = (fit.climb.objective.len(), fit.climb.converged);
        let rule = Rule::Confusion(fit.climb.tables);
        Ok(TruthFit { rule, posterior, log_likelihood, iterations, converged, blend: None })
    }

    pub(super) fn check(&self, classes: usize) -> Result<()> {
        self.stopping.check()?;
        if !(0.0..=1.0).contains(&self.discount) {
            return Err(Error::OutOfRange { name: "the discount", value: self.discount.to_string(), range: "0 to 1" });
        }
        self.prior.check(classes)
    }

    /// EM from the shares of the votes.
    pub(super) fn climb(&self, evidence: &Evidence<'_>, context: &Context) -> Result<SkilledClimb> {
        let classes = evidence.ballots.classes();
        let mut model = Skills::new(self, evidence.ballots);
        let climb = climb(evidence, classes, Start::Votes, &self.stopping, &mut model, context)?;
        Ok(SkilledClimb { climb, means: model.means, strength: model.strength })
    }
}

/// What EM came to, with what leaving votes out needs.
pub(super) struct SkilledClimb {
    pub(super) climb: Climb,
    /// m, laid out as the counts are, with the newcomer's at the end.
    means: Vec<f64>,
    strength: f64,
}

#[cfg(test)]
mod tests;
