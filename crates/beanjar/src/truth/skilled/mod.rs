//! Tables of workers by population and skill.

mod draws;
mod leave_one_out;
mod names;
mod rows;
mod skills;
mod start;

pub(super) use leave_one_out::LeaveOneOut;
pub(super) use names::Names;
pub(crate) use rows::{Rows, WorkerRows};

use super::class_prior::VoteShares;
use super::em::{Climb, Em, Expected, Passes, Start, Stopping, first_part};
use super::rare_workers::{OfWorkers, RareWorkers, sharing_tables};
use super::{ClassPrior, Evidence, Posterior, Rule, TruthFit};
use crate::judgments::Ballots;
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
/// With several `kinds`, each class has tasks of several kinds, and row k of a worker becomes one row for each kind of
/// class k, around a population row of that kind. Easy and hard or misleading tasks then have populations of their own,
/// and votes on a task need no longer be independent given its class. Kinds are started by the share of a task's top
/// vote. A component (a kind of a class) is finally named by its votes, those of informative workers counting more:
/// P(class | component) is soft where its voters disagree. One kind is the model without kinds.
///
/// Cost: as [`Pooled`](super::Pooled).
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `prior` | the class prior | anchored | |
/// | `kinds` | kinds of tasks within each class | 1 | 1 to 9 |
/// | `stopping` | when to stop | 60 steps, 1e-6 | |
#[derive(Clone, Debug, PartialEq)]
pub struct Skilled {
    /// The class prior. Where it is estimated, one pseudo-task is added to each class.
    pub prior: ClassPrior,
    /// Kinds of tasks within each class.
    pub kinds: usize,
    /// When to stop.
    pub stopping: Stopping,
}

impl Default for Skilled {
    fn default() -> Self {
        // More steps fit the tables ever closer to a few disputed tasks, and make answers surer, not better.
        let stopping = Stopping { iterations: 60, tolerance: 1e-6 };
        Skilled { prior: ClassPrior::Anchored, kinds: 1, stopping }
    }
}

impl Skilled {
    /// Finds the population, the skills, the workers' tables and the classes.
    pub fn fit(&self, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
        self.check(evidence)?;
        let mut fit = self.climb(evidence, context)?;
        let expected = fit.take_expected(evidence, context)?;
        let names = fit.names(&expected);
        let mut posterior = fit.named(fit.leave_one_out(evidence.ballots, &expected, context), &names, context);
        posterior.settle(evidence.ballots, &evidence.gold);
        Ok(TruthFit {
            posterior,
            log_likelihood: Some(fit.climb.log_likelihood),
            iterations: fit.climb.objective.len(),
            converged: fit.climb.converged,
            rule: fit.rule(names),
            auto: None,
        })
    }

    /// The posterior alone, where there may be millions of votes.
    pub(crate) fn posterior(&self, evidence: &Evidence<'_>, context: &Context) -> Result<Posterior> {
        self.check(evidence)?;
        let mut fit = self.climb_large(evidence, context)?;
        let expected = fit.take_expected(evidence, context)?;
        let names = fit.names(&expected);
        let mut posterior = fit.named(fit.leave_one_out(evidence.ballots, &expected, context), &names, context);
        posterior.settle(evidence.ballots, &evidence.gold);
        Ok(posterior)
    }

    pub(super) fn check(&self, evidence: &Evidence<'_>) -> Result<()> {
        self.stopping.check()?;
        if !(1..=9).contains(&self.kinds) {
            let value = self.kinds.to_string();
            return Err(Error::OutOfRange { name: "the number of kinds", value, range: "1 to 9" });
        }
        let classes = evidence.ballots.classes();
        evidence.check_tables(classes * self.kinds)?;
        self.prior.check(classes)
    }

    /// EM from the shares of the votes, with several kinds from how far they agree.
    pub(super) fn climb(&self, evidence: &Evidence<'_>, context: &Context) -> Result<SkilledClimb> {
        sharing_tables(evidence, |evidence| self.climb_each(evidence, context))
    }

    /// The same where each worker has a table.
    pub(super) fn climb_each(&self, evidence: &Evidence<'_>, context: &Context) -> Result<SkilledClimb> {
        let mut model = Skills::new(self, evidence.ballots.workers(), &VoteShares::of(evidence.ballots));
        let climb = self.climb_votes(evidence, &mut model, context)?;
        Ok(SkilledClimb { climb, kinds: self.kinds, means: model.means, strength: model.strength })
    }

    fn climb_votes(&self, evidence: &Evidence<'_>, model: &mut Skills, context: &Context) -> Result<Climb> {
        let by_agreement = (self.kinds > 1).then(|| start::by_agreement(evidence.ballots, self.kinds));
        let start = by_agreement.as_ref().map_or(Start::Votes, Start::Posterior);
        let classes = evidence.ballots.classes() * self.kinds;
        Em { votes: evidence, classes, start, stopping: self.stopping }.climb(model, context)
    }

    /// The same where there may be millions of votes: EM on a part of the tasks first, and a few steps on all from there.
    pub(super) fn climb_large(&self, evidence: &Evidence<'_>, context: &Context) -> Result<SkilledClimb> {
        sharing_tables(evidence, |evidence| match first_part(evidence.ballots, context)? {
            Some(part) => self.climb_from_part(&part, evidence, &VoteShares::of(evidence.ballots), context),
            None => self.climb_each(evidence, context),
        })
    }

    /// EM on a part of the tasks, and a few steps on all votes from there, wherever they are. `shares` are those of all.
    pub(super) fn climb_from_part(
        &self,
        part: &Ballots,
        all: &dyn Passes,
        shares: &VoteShares,
        context: &Context,
    ) -> Result<SkilledClimb> {
        let mut model = Skills::new(self, part.workers(), shares);
        let first = self.climb_votes(&Evidence::part(part, &[]), &mut model, &context.part(0.0, 0.5))?;
        let climb = first.go_on(all, self.stopping, &mut model, &context.part(0.5, 1.0))?;
        Ok(SkilledClimb { climb, kinds: self.kinds, means: model.means, strength: model.strength })
    }
}

/// What EM came to, with what leaving votes out needs.
pub(super) struct SkilledClimb {
    pub(super) climb: Climb,
    kinds: usize,
    /// m, laid out as the counts are, with the newcomer's at the end.
    means: Vec<f64>,
    strength: f64,
}

impl OfWorkers for SkilledClimb {
    fn of_workers(self, rare: &RareWorkers) -> Self {
        SkilledClimb { climb: self.climb.of_workers(rare), means: rare.spread_cells(&self.means), ..self }
    }
}

impl SkilledClimb {
    /// The expected counts under the tables, of the votes that these were fitted to: those of the last pass, if they were kept.
    pub(super) fn take_expected(&mut self, votes: &dyn Passes, context: &Context) -> Result<Expected> {
        match self.climb.expected.take() {
            Some(expected) => Ok(expected),
            None => self.expected(votes, context),
        }
    }

    /// The expected counts under the tables.
    pub(super) fn expected(&self, votes: &dyn Passes, context: &Context) -> Result<Expected> {
        let tables = &self.climb.tables;
        votes.expect(Start::Tables(tables), tables.classes(), context)
    }

    /// What classes the components stand for.
    pub(super) fn names(&self, expected: &Expected) -> Names {
        match self.kinds {
            1 => Names::of_classes(expected.labels),
            _ => Names::by_votes(&self.climb.tables, expected),
        }
    }

    /// The posterior of the classes, from that of the components.
    pub(super) fn named(&self, components: Posterior, names: &Names, context: &Context) -> Posterior {
        if self.kinds == 1 {
            return components;
        }
        let mut posterior = Posterior::equal(components.tasks(), names.classes);
        posterior.fill(context, |task, row| names.read(&components.row(task), row));
        posterior
    }

    /// The tables with the names of their components.
    pub(super) fn rule(self, names: Names) -> Rule {
        match self.kinds {
            1 => Rule::Confusion(self.climb.tables),
            _ => Rule::Confusion(self.climb.tables.with_meaning(names.shares)),
        }
    }
}

#[cfg(test)]
mod tests;
