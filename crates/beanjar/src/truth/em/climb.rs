//! The alternation of the two steps of EM.

use super::super::rule::{Confusion, Rule};
use super::super::{Evidence, TruthFit};
use super::{Expected, Start, Stopping, expect};
use crate::judgments::{Ballots, sample_of_tasks};
use crate::{Context, Result};

/// Votes beyond which EM begins on a part of the tasks: the population is then known far better than any worker. With double of
/// it answers are as far from those of EM on all votes.
pub(in crate::truth) const LARGE: usize = 200_000;
/// Steps on all votes after that, in which workers who had few votes in the part get tables of their own.
const LARGE_STEPS: usize = 3;

/// A model whose tables EM improves.
pub(in crate::truth) trait Model {
    /// The tables that fit the expected counts best.
    fn maximise(&mut self, expected: &Expected) -> Step;
}

/// Tables, and how probable they were before any vote.
pub(in crate::truth) struct Step {
    pub(in crate::truth) tables: Confusion,
    /// The logarithm of the tables' own prior.
    pub(in crate::truth) density: f64,
}

/// Votes that EM can pass over, in this process or elsewhere.
pub(in crate::truth) trait Passes {
    /// How many votes there are.
    fn votes(&self) -> usize;

    /// One pass over the votes.
    fn expect(&self, from: Start<'_>, classes: usize, context: &Context) -> Result<Expected>;
}

impl Passes for Evidence<'_> {
    fn votes(&self) -> usize {
        self.ballots.len()
    }

    fn expect(&self, from: Start<'_>, classes: usize, context: &Context) -> Result<Expected> {
        Ok(expect(from, self, classes, context))
    }
}

/// A run of EM: over which votes, from where, and until when.
#[derive(Clone, Copy)]
pub(in crate::truth) struct Em<'a> {
    pub(in crate::truth) votes: &'a dyn Passes,
    pub(in crate::truth) classes: usize,
    pub(in crate::truth) start: Start<'a>,
    pub(in crate::truth) stopping: Stopping,
}

impl Em<'_> {
    /// Improves the model until a step no longer gains.
    pub(in crate::truth) fn climb(&self, model: &mut dyn Model, context: &Context) -> Result<Climb> {
        let Em { votes, classes, start, stopping } = *self;
        let enough = stopping.tolerance * votes.votes() as f64;
        let mut objective: Vec<f64> = Vec::new();
        let Step { mut tables, mut density } = model.maximise(&votes.expect(start, classes, context)?);
        loop {
            context.report("aggregating", objective.len() as f64 / stopping.iterations as f64)?;
            let expected = votes.expect(Start::Tables(&tables), classes, context)?;
            let (log_likelihood, improved) = (expected.log_likelihood, model.maximise(&expected));
            let value = log_likelihood + density;
            let converged = objective.last().is_some_and(|last| (value - last).abs() <= enough) && enough > 0.0;
            objective.push(value);
            if converged || objective.len() >= stopping.iterations {
                return Ok(Climb { tables, log_likelihood, objective, converged, expected: Some(expected) });
            }
            Step { tables, density } = improved;
        }
    }
}

/// The tasks that EM begins on where there are very many votes; none where it goes over all votes from the start.
pub(in crate::truth) fn first_part(ballots: &Ballots, context: &Context) -> Result<Option<Ballots>> {
    sample_of_tasks(ballots, LARGE, context.seed()).map(|tasks| ballots.of_tasks(&tasks)).transpose()
}

/// What EM came to.
pub(in crate::truth) struct Climb {
    pub(in crate::truth) tables: Confusion,
    pub(in crate::truth) log_likelihood: f64,
    /// The log-likelihood, with the prior of the tables, after each step.
    pub(in crate::truth) objective: Vec<f64>,
    pub(in crate::truth) converged: bool,
    /// The expected counts under the tables; none where workers share these.
    pub(in crate::truth) expected: Option<Expected>,
}

impl Climb {
    /// From the tables of a part of the tasks, the last few steps, on all votes. It converged if it did on the part.
    pub(in crate::truth) fn go_on(
        &self,
        all: &dyn Passes,
        stopping: Stopping,
        model: &mut dyn Model,
        context: &Context,
    ) -> Result<Climb> {
        let stopping = Stopping { iterations: LARGE_STEPS, ..stopping };
        let em = Em { votes: all, classes: self.tables.classes(), start: Start::Tables(&self.tables), stopping };
        Ok(Climb { converged: self.converged, ..em.climb(model, context)? })
    }

    pub(in crate::truth) fn into_fit(self, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
        let rule = Rule::Confusion(self.tables);
        let mut posterior = rule.posterior(evidence.ballots, context)?;
        posterior.set_known(&evidence.gold);
        Ok(TruthFit {
            rule,
            posterior,
            log_likelihood: Some(self.log_likelihood),
            iterations: self.objective.len(),
            converged: self.converged,
            auto: None,
        })
    }
}
