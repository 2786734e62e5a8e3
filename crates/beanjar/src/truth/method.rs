use super::{Auto, DawidSkene, Evidence, Majority, Mixture, OneCoin, Pooled, Skilled, Spectral, TruthFit, Wawa};
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
}

impl Method {
    /// The name by which it goes.
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
        }
    }
}

impl Default for Method {
    fn default() -> Self {
        Method::Auto(Auto::default())
    }
}
