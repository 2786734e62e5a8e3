//! The fits that are weighed.

use super::super::em::Climb;
use super::super::rule::{Confusion, Pool, Rule};
use super::super::skilled::Names;
use super::super::{ClassPrior, Evidence, OneCoin, Posterior, Skilled, Stopping};
use super::known::Known;
use crate::{Context, Result};

/// What is fitted.
pub(super) enum Model {
    Skilled(Skilled),
    OneCoin(OneCoin),
}

impl Model {
    /// One kind of tasks and two, and one coin for each worker, under each of the class priors.
    pub(super) fn all(priors: &[ClassPrior]) -> Vec<Model> {
        let skilled = |kinds: usize| {
            let of = move |prior: &ClassPrior| Skilled { prior: prior.clone(), kinds, ..Skilled::default() };
            priors.iter().map(move |prior| Model::Skilled(of(prior)))
        };
        // As many steps as the others take.
        let stopping: Stopping = Skilled::default().stopping;
        let one_coin = |prior: &ClassPrior| OneCoin { prior: prior.clone(), stopping, ..OneCoin::default() };
        let coins = priors.iter().map(|prior| Model::OneCoin(one_coin(prior)));
        skilled(1).chain(skilled(2)).chain(coins).collect()
    }

    pub(super) fn check(&self, evidence: &Evidence<'_>) -> Result<()> {
        match self {
            Model::Skilled(method) => method.check(evidence),
            Model::OneCoin(method) => method.check(evidence),
        }
    }

    /// The tables alone.
    pub(super) fn tables(&self, evidence: &Evidence<'_>, context: &Context) -> Result<Confusion> {
        Ok(match self {
            Model::Skilled(method) => method.climb(evidence, context)?.climb.tables,
            Model::OneCoin(method) => method.climb(evidence, context)?.tables,
        })
    }

    /// What it is, in words.
    pub(super) fn in_words(&self) -> String {
        let (what, prior) = match self {
            Model::Skilled(Skilled { kinds: 1, prior, .. }) => ("one kind of tasks", prior),
            Model::Skilled(Skilled { prior, .. }) => ("easy and hard tasks", prior),
            Model::OneCoin(OneCoin { prior, .. }) => ("one coin a worker", prior),
        };
        let prior = match prior {
            ClassPrior::Uniform => "classes equally common",
            ClassPrior::Given(_) => "class shares given",
            _ => "class shares estimated",
        };
        format!("{what}, {prior}")
    }
}

/// A model, fitted to all votes.
pub(super) struct Candidate {
    pub(super) tables: Confusion,
    pub(super) names: Names,
    /// The posterior of the components; under [`Skilled`] each vote is left out of the table that reads it.
    pub(super) components: Posterior,
    pub(super) steps: usize,
    pub(super) converged: bool,
}

impl Candidate {
    pub(super) fn fit(model: &Model, evidence: &Evidence<'_>, context: &Context) -> Result<Self> {
        match model {
            Model::Skilled(method) => {
                let mut fit = method.climb_large(evidence, context)?;
                let (names, components) = {
                    let expected = fit.take_expected(evidence, context)?;
                    (fit.names(&expected), fit.leave_one_out(evidence.ballots, &expected, context))
                };
                Ok(Candidate::new(fit.climb, names, components))
            }
            Model::OneCoin(method) => {
                let climb = method.climb_large(evidence, context)?;
                let ballots = evidence.ballots;
                let mut components = Posterior::equal(ballots.tasks(), ballots.classes());
                components.fill(context, |task, row| {
                    if !ballots.votes(task).labels.is_empty() {
                        climb.tables.components(ballots.votes(task), row);
                    }
                });
                Ok(Candidate::new(climb, Names::of_classes(ballots.classes()), components))
            }
        }
    }

    fn new(climb: Climb, names: Names, components: Posterior) -> Self {
        let Climb { tables, objective, converged, .. } = climb;
        Candidate { tables, names, components, steps: objective.len(), converged }
    }

    /// Whether its classes have several kinds of tasks, whose names votes and known answers give.
    pub(super) fn has_kinds(&self) -> bool {
        self.tables.classes() > self.tables.labels()
    }

    /// Of each known answer the probabilities of the classes, by names that the answer has not changed.
    pub(super) fn left_out(&self, known: &Known) -> Vec<Vec<f64>> {
        match self.has_kinds() {
            true => self.names.left_out(&self.components, known),
            false => known.iter().map(|&(task, _)| self.components.of(task).to_vec()).collect(),
        }
    }

    /// The linear pool of its tables.
    pub(super) fn pool(&self) -> Pool {
        Pool::of_tables(&self.tables, &self.names.shares)
    }

    /// Bayes' rule with its tables.
    pub(super) fn rule(self) -> Rule {
        match self.has_kinds() {
            true => Rule::Confusion(self.tables.with_meaning(self.names.shares)),
            false => Rule::Confusion(self.tables),
        }
    }
}
