use super::{
    Auto, DawidSkene, Evidence, Glad, GoldMajority, Kos, Mace, Majority, Mixture, Mmsr, OneCoin, Pooled, Skilled,
    Spectral, TruthFit, Wawa, ZeroBasedSkill,
};
use crate::{Context, Result};

/// Any of the methods.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Method {
    /// Several fits, weighed by how well they predict held-out labels.
    Auto(Auto),
    /// The class with the most votes.
    Majority(Majority),
    /// Votes weighted by agreement with the majority.
    Wawa(Wawa),
    /// A confusion matrix for each worker.
    DawidSkene(DawidSkene),
    /// An accuracy for each worker.
    OneCoin(OneCoin),
    /// Confusion matrices shrunk to the population's.
    Pooled(Pooled),
    /// Confusion matrices shrunk to what a worker of that skill would have.
    Skilled(Skilled),
    /// Confusion matrices started by the method of moments.
    Spectral(Spectral),
    /// Latent components that need not be the labels.
    Mixture(Mixture),
    /// Abilities of workers and ease of tasks.
    Glad(Glad),
    /// Workers know or guess.
    Mace(Mace),
    /// Messages between tasks and workers, for two classes.
    Kos(Kos),
    /// Accuracies by a robust fit to agreements of pairs.
    Mmsr(Mmsr),
    /// Votes weighted by skills that are learned step by step.
    ZeroBasedSkill(ZeroBasedSkill),
    /// Votes weighted by how often the worker is right where the answer is known.
    GoldMajority(GoldMajority),
}

impl Method {
    /// The name by which it goes.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Method::Auto(_) => "auto",
            Method::Majority(_) => "majority",
            Method::Wawa(_) => "wawa",
            Method::DawidSkene(_) => "dawid-skene",
            Method::OneCoin(_) => "one-coin",
            Method::Pooled(_) => "pooled",
            Method::Skilled(_) => "skilled",
            Method::Spectral(_) => "spectral",
            Method::Mixture(_) => "mixture",
            Method::Glad(_) => "glad",
            Method::Mace(_) => "mace",
            Method::Kos(_) => "kos",
            Method::Mmsr(_) => "mmsr",
            Method::ZeroBasedSkill(_) => "zero-based-skill",
            Method::GoldMajority(_) => "gold-majority",
        }
    }

    /// Fits it.
    pub fn fit(&self, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
        match self {
            Method::Auto(method) => method.fit(evidence, context),
            Method::Majority(method) => method.fit(evidence, context),
            Method::Wawa(method) => method.fit(evidence, context),
            Method::DawidSkene(method) => method.fit(evidence, context),
            Method::OneCoin(method) => method.fit(evidence, context),
            Method::Pooled(method) => method.fit(evidence, context),
            Method::Skilled(method) => method.fit(evidence, context),
            Method::Spectral(method) => method.fit(evidence, context),
            Method::Mixture(method) => method.fit(evidence, context),
            Method::Glad(method) => method.fit(evidence, context),
            Method::Mace(method) => method.fit(evidence, context),
            Method::Kos(method) => method.fit(evidence, context),
            Method::Mmsr(method) => method.fit(evidence, context),
            Method::ZeroBasedSkill(method) => method.fit(evidence, context),
            Method::GoldMajority(method) => method.fit(evidence, context),
        }
    }
}

impl Default for Method {
    fn default() -> Self {
        Method::Auto(Auto::default())
    }
}
