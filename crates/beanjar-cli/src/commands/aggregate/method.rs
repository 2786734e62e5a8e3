//! From flags to a method with its parameters.

use super::{Aggregate, Unvoted};
use crate::failure::{Failure, Result};
use beanjar::truth::{
    Auto, DawidSkene, Glad, GoldMajority, Kos, Mace, Majority, Method, Mixture, Mmsr, OneCoin, Pooled, Skilled,
    Spectral, Stopping, Wawa, ZeroBasedSkill,
};
use clap::ValueEnum;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MethodName {
    /// Several fits, weighed by how well they predict held-out labels.
    Auto,
    /// The class with the most votes.
    Majority,
    /// Votes weighted by how often the worker agrees with the majority.
    Wawa,
    /// A confusion matrix for each worker.
    DawidSkene,
    /// An accuracy for each worker.
    OneCoin,
    /// Confusion matrices shrunk to the population's.
    Pooled,
    /// Confusion matrices shrunk to those of a worker of the same skill.
    Skilled,
    /// Confusion matrices started by the method of moments.
    Spectral,
    /// Latent components that need not be the labels.
    Mixture,
    /// Abilities of workers and ease of tasks.
    Glad,
    /// Workers know the class, or guess with habits of their own.
    Mace,
    /// Messages between tasks and workers, for two classes.
    Kos,
    /// Accuracies by a robust fit to how far pairs of workers agree.
    Mmsr,
    /// Votes weighted by skills that are learned step by step.
    ZeroBasedSkill,
    /// Votes weighted by how often the worker is right on --gold.
    GoldMajority,
}

impl Aggregate {
    /// An error if a flag was given that is of no use with the method.
    fn check_flags(&self) -> Result<()> {
        use MethodName as Name;
        let name = self.method;
        let refuse = |given: bool, flag: &str, of: &[Name]| match given && !of.contains(&name) {
            true => {
                let names: Vec<String> =
                    of.iter().filter_map(|name| Some(name.to_possible_value()?.get_name().to_owned())).collect();
                Err(Failure::Words(format!("{flag} is only of use with --method {}", names.join(" or "))))
            }
            false => Ok(()),
        };
        let models = [
            Name::DawidSkene,
            Name::OneCoin,
            Name::Pooled,
            Name::Skilled,
            Name::Spectral,
            Name::Mixture,
            Name::Glad,
            Name::Mace,
            Name::Kos,
            Name::Mmsr,
            Name::Auto,
        ];
        let stepping = [&models[..10], &[Name::ZeroBasedSkill]].concat();
        let votes_only = [Name::Majority, Name::Wawa, Name::ZeroBasedSkill, Name::GoldMajority];
        refuse(self.smoothing.is_some(), "--smoothing", &[Name::DawidSkene, Name::OneCoin, Name::Mixture])?;
        refuse(self.restarts.is_some(), "--restarts", &[Name::Spectral, Name::Mixture, Name::Mace])?;
        refuse(self.components.is_some(), "--components", &[Name::Mixture])?;
        refuse(self.weights.is_some(), "--weights", &[Name::Majority])?;
        refuse(self.unvoted.is_some(), "--unvoted", &[Name::Auto])?;
        refuse(self.kinds.is_some(), "--kinds", &[Name::Skilled])?;
        refuse(self.iterations.is_some(), "--iterations", &stepping)?;
        refuse(self.confusion && votes_only.contains(&name), "--confusion", &models)?;
        let with_prior = [&models[..5], &[Name::Glad, Name::Mace, Name::Auto]].concat();
        if name == Name::GoldMajority && self.gold.is_none() {
            return Err(Failure::Words(
                "--method gold-majority needs known labels: add --gold FILE (task,label)".into(),
            ));
        }
        refuse(self.prior.is_some(), "--prior", &with_prior)
    }

    /// The method with its parameters.
    pub(super) fn method(&self) -> Result<Method> {
        use MethodName as Name;
        self.check_flags()?;
        let stops =
            |default: Stopping| Stopping { iterations: self.iterations.unwrap_or(default.iterations), ..default };
        let stopping = stops(Stopping::default());
        let smoothing = self.smoothing.unwrap_or(0.0);
        let prior = self.prior.clone().unwrap_or_default();
        Ok(match self.method {
            Name::Auto => {
                let unvoted = self.unvoted == Some(Unvoted::Allow);
                Method::Auto(Auto { prior: self.prior.clone(), unvoted, ..Auto::default() })
            }
            Name::Majority => Method::Majority(Majority::default()),
            Name::Wawa => Method::Wawa(Wawa),
            Name::DawidSkene => Method::DawidSkene(DawidSkene { smoothing, prior, stopping }),
            Name::OneCoin => Method::OneCoin(OneCoin { smoothing, prior, stopping, ..OneCoin::default() }),
            Name::Pooled => Method::Pooled(Pooled { prior, stopping: stops(Pooled::default().stopping) }),
            Name::Skilled => {
                let default = Skilled::default();
                let prior = self.prior.clone().unwrap_or(default.prior);
                let kinds = self.kinds.unwrap_or(default.kinds);
                Method::Skilled(Skilled { prior, kinds, stopping: stops(default.stopping) })
            }
            Name::Spectral => {
                let restarts = self.restarts.unwrap_or(Spectral::default().restarts);
                Method::Spectral(Spectral { restarts, prior, stopping })
            }
            Name::Mixture => {
                let default = Mixture::default();
                let restarts = self.restarts.unwrap_or(default.restarts);
                let smoothing = self.smoothing.unwrap_or(default.smoothing);
                Method::Mixture(Mixture { components: self.components, restarts, smoothing, stopping })
            }
            Name::Glad => {
                let default = Glad::default();
                let prior = self.prior.clone().unwrap_or(default.prior);
                Method::Glad(Glad { prior, stopping: stops(default.stopping), ..default })
            }
            Name::Mace => {
                let default = Mace::default();
                let prior = self.prior.clone().unwrap_or(default.prior);
                let restarts = self.restarts.unwrap_or(default.restarts);
                Method::Mace(Mace { prior, restarts, stopping: stops(default.stopping), ..default })
            }
            Name::Kos => Method::Kos(Kos { iterations: self.iterations.unwrap_or(Kos::default().iterations) }),
            Name::Mmsr => {
                let default = Mmsr::default();
                Method::Mmsr(Mmsr { iterations: self.iterations.unwrap_or(default.iterations), ..default })
            }
            Name::ZeroBasedSkill => {
                let iterations = self.iterations.unwrap_or(ZeroBasedSkill::default().iterations);
                Method::ZeroBasedSkill(ZeroBasedSkill { iterations })
            }
            Name::GoldMajority => Method::GoldMajority(GoldMajority),
        })
    }
}
