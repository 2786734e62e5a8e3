//! The fit, where the votes are elsewhere.

use super::super::em::{Climb, Expected, LARGE, Passes, Start, Stopping};
use super::super::{Auto, ClassPrior, DawidSkene, Evidence, FitSummary, Method, OneCoin};
use super::outcome::DistributedOutcome;
use super::pass::{Overview, Pass, Summand, expected, overview};
use super::reading::{Reading, Way};
use super::recode::Recode;
use crate::bytes::broken;
use crate::judgments::{Ballots, Dictionary, Repeats, TaskBlock, TaskIds, TaskSample, key_of_task, united};
use crate::reliability::Patterns;
use crate::{Context, Error, Result, Warning};

/// Where the votes are, and what can be asked there.
pub trait Cluster {
    /// The sum over all tasks.
    fn sum(&self, pass: &Pass) -> Result<Vec<f64>>;

    /// The tasks of a sample, with their ids.
    fn sample(&self, sample: &TaskSample) -> Result<Vec<(TaskBlock, TaskIds)>>;

    /// The different ways in which votes fall, part by part: counts, which may be added in any order.
    fn patterns(&self) -> Result<Vec<Patterns>>;
}

/// Finds the true label of each task from labels that are elsewhere.
///
/// The fit is that of [`Aggregate`](crate::Aggregate) with the same method; what differs is the order in which sums are
/// added. Steps that one machine takes on a part of the tasks are taken here, on the same part, which is drawn by the
/// seed and the tasks' ids.
#[derive(Clone, Debug)]
pub struct DistributedFit {
    /// How to aggregate.
    pub method: DistributedMethod,
    /// The workers' ids, in the order of their numbers.
    pub workers: Dictionary,
    /// The classes' names, in sorted order.
    pub classes: Dictionary,
    /// How many labels there are.
    pub labels: u64,
    /// What became of labels that a worker gave to the same task twice, when blocks were made; rows of a cluster have no
    /// order, so there is no first.
    pub repeats: Repeats,
}

/// The methods that need no more of votes than sums.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DistributedMethod {
    /// Several fits, weighed by how well they predict held-out labels.
    Auto(Auto),
    /// The class with the most votes.
    Majority,
    /// A confusion matrix for each worker.
    DawidSkene(DawidSkene),
    /// An accuracy for each worker.
    OneCoin(OneCoin),
}

impl DistributedMethod {
    /// The method of this name, with these settings where it has them.
    pub fn named(
        name: &str,
        prior: Option<ClassPrior>,
        smoothing: Option<f64>,
        iterations: Option<usize>,
    ) -> Result<Self> {
        let refuse = |range| Err(Error::OutOfRange { name: "the method", value: name.to_owned(), range });
        let stopping = Stopping { iterations: iterations.unwrap_or(500), ..Stopping::default() };
        let smoothed = |default: f64| smoothing.unwrap_or(default);
        match name {
            "auto" | "majority" if smoothing.is_some() => refuse("dawid-skene or one-coin where there is smoothing"),
            "auto" | "majority" if iterations.is_some() => refuse("dawid-skene or one-coin where steps are limited"),
            "auto" => Ok(DistributedMethod::Auto(Auto { prior, ..Auto::default() })),
            "majority" if prior.is_some() => refuse("one of the models where there is a prior"),
            "majority" => Ok(DistributedMethod::Majority),
            "dawid-skene" => {
                let prior = prior.unwrap_or_default();
                Ok(DistributedMethod::DawidSkene(DawidSkene { smoothing: smoothed(0.0), prior, stopping }))
            }
            "one-coin" => {
                let prior = prior.unwrap_or_default();
                let method = OneCoin { smoothing: smoothed(0.0), prior, stopping, ..OneCoin::default() };
                Ok(DistributedMethod::OneCoin(method))
            }
            _ => refuse("auto, majority, dawid-skene or one-coin on a cluster"),
        }
    }

    /// The name by which it goes.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.alone().name()
    }

    /// The same for one machine.
    fn alone(&self) -> Method {
        match self.clone() {
            DistributedMethod::Auto(method) => Method::Auto(method),
            DistributedMethod::Majority => Method::Majority(super::super::Majority::default()),
            DistributedMethod::DawidSkene(method) => Method::DawidSkene(method),
            DistributedMethod::OneCoin(method) => Method::OneCoin(method),
        }
    }

    /// How many numbers the largest sum has that it asks for.
    #[must_use]
    pub fn numbers(&self, workers: u64, classes: u64) -> u64 {
        let tables = |workers: u64, components: u64| workers.saturating_mul(classes).saturating_mul(components);
        let of_workers = workers.saturating_add(classes + 4);
        match self {
            DistributedMethod::Majority => of_workers,
            DistributedMethod::DawidSkene(_) | DistributedMethod::OneCoin(_) => {
                of_workers.max(tables(workers, classes) + classes + 1)
            }
            DistributedMethod::Auto(_) => {
                of_workers.max(tables(workers.min(20_000), 2 * classes).saturating_add(2 * classes + 1))
            }
        }
    }
}

/// Votes elsewhere, with what is known of them here.
pub(in crate::truth) struct Far<'a> {
    cluster: &'a dyn Cluster,
    workers: usize,
    pub(in crate::truth) classes: usize,
    labels: u64,
    /// Whole tasks drawn by the seed, more votes than any part of a fit is made of; all of them if there are no more.
    pub(in crate::truth) sample: Ballots,
    pub(in crate::truth) overview: Overview,
}

/// Votes that are recoded in every pass.
pub(in crate::truth) struct Recoded<'a> {
    far: &'a Far<'a>,
    recode: &'a Recode,
}

impl Passes for Recoded<'_> {
    fn votes(&self) -> usize {
        self.far.overview.votes
    }

    fn expect(&self, from: Start<'_>, components: usize, context: &Context) -> Result<Expected> {
        let tables = match from {
            Start::Votes => None,
            Start::Tables(tables) => Some(tables.clone()),
            // Posteriors of tasks stay where the tasks are.
            Start::Posterior(_) => return Err(broken()),
        };
        context.report("aggregating", 0.0)?;
        let numbers = self.far.sum(self.recode, Summand::Expect { tables, components })?;
        expected(numbers, self.far.classes, components)
    }
}

impl Far<'_> {
    fn sum(&self, recode: &Recode, sum: Summand) -> Result<Vec<f64>> {
        let (workers, classes, labels) = (self.workers, self.classes, self.labels);
        let pass = Pass { workers, classes, labels, recode: recode.clone(), sum };
        let numbers = self.cluster.sum(&pass)?;
        if numbers.len() == pass.numbers() { Ok(numbers) } else { Err(broken()) }
    }

    pub(in crate::truth) fn passes<'a>(&'a self, recode: &'a Recode) -> Recoded<'a> {
        Recoded { far: self, recode }
    }

    pub(in crate::truth) fn overview_of(&self, recode: &Recode) -> Result<Overview> {
        let small = LARGE as u64;
        overview(&self.sum(recode, Summand::Overview { small })?, self.workers, self.classes)
    }

    pub(in crate::truth) fn correlation(&self, recode: &Recode, tables: &super::super::Confusion) -> Result<f64> {
        let numbers = self.sum(recode, Summand::Correlation(tables.clone()))?;
        Ok(super::super::effective::correlation_of([numbers[0], numbers[1], numbers[2]]))
    }

    /// Right labels of each worker by expectation, and the mean of effective votes.
    fn right(&self, reading: &Reading, recode: &Recode, correlation: f64) -> Result<(Vec<f64>, f64)> {
        let mut right = self.sum(recode, Summand::Right { reading: Box::new(reading.clone()), correlation })?;
        let tasks = right.pop().unwrap_or(0.0);
        let effective = right.pop().unwrap_or(0.0);
        Ok((right, effective / tasks.max(1.0)))
    }
}

impl FitSummary {
    fn of(climb: &Climb) -> Self {
        let (log_likelihood, iterations) = (Some(climb.log_likelihood), climb.objective.len());
        FitSummary { log_likelihood, iterations, converged: climb.converged, auto: None }
    }
}

impl DistributedFit {
    /// Finds how votes are read, and how good the workers are.
    pub fn fit(&self, cluster: &dyn Cluster, context: &Context) -> Result<(Reading, DistributedOutcome)> {
        if self.labels == 0 || self.workers.is_empty() {
            return Err(Error::Empty("label"));
        }
        let far = self.look(cluster, context.seed())?;
        let (way, mut fit) = match &self.method {
            DistributedMethod::Majority => {
                (Way::Majority, FitSummary { log_likelihood: None, iterations: 0, converged: true, auto: None })
            }
            DistributedMethod::DawidSkene(method) => {
                method.check(far.classes)?;
                self.check_tables(&far)?;
                let recode = Recode::default();
                let climb = method.climb_over(&far.passes(&recode), &far.overview.shares, context)?;
                let summary = FitSummary::of(&climb);
                (Way::Tables(climb.tables), summary)
            }
            DistributedMethod::OneCoin(method) => {
                method.check(&Evidence::part(&far.sample, &[]))?;
                let recode = Recode::default();
                let climb = method.climb_over(&far.passes(&recode), &far.overview.shares, context)?;
                let summary = FitSummary::of(&climb);
                (Way::Tables(climb.tables), summary)
            }
            DistributedMethod::Auto(method) => {
                let (mixed, summary) = method.fit_far(&far, context)?;
                (Way::Mixed(mixed), summary)
            }
        };
        let reading = Reading { workers: far.workers, classes: far.classes, way };
        let families = Recode::of_families(fit.auto.as_ref().map_or(Vec::new(), |auto| auto.families.clone()));
        let correlation = fit.auto.as_ref().map_or(0.0, |auto| auto.correlation);
        let (right, effective) = far.right(&reading, &families, correlation)?;
        if let Some(auto) = &mut fit.auto {
            auto.effective_votes = effective;
        }
        let mut warnings = Vec::new();
        if far.overview.repeated > 0 {
            let count = far.overview.repeated as usize;
            let what = if count == 1 { "label" } else { "labels" };
            warnings.push(Warning::Repeated { count, what, rule: self.repeats.in_words() });
        }
        if !fit.converged && !matches!(self.method, DistributedMethod::Auto(_)) {
            warnings.push(Warning::Stopped { steps: fit.iterations });
        }
        Ok((reading, DistributedOutcome::new(self, fit, &far.overview, &right, warnings)))
    }

    /// The votes at large, and a sample of them.
    fn look<'a>(&self, cluster: &'a dyn Cluster, seed: u64) -> Result<Far<'a>> {
        let (workers, classes) = (self.workers.len(), self.classes.len());
        let keys: std::sync::Arc<[u64]> = self.workers.iter().map(key_of_task).collect();
        let empty = united(&[], keys.clone(), classes)?;
        let overview = Overview::none(workers, classes);
        let mut far = Far { cluster, workers, classes, labels: self.labels, sample: empty, overview };
        far.overview = far.overview_of(&Recode::default())?;
        if matches!(self.method, DistributedMethod::Auto(_)) {
            // Twice what any part of a fit has, for which of these tasks make a part is decided later.
            let share = 2.0 * LARGE as f64 / far.overview.small.max(1) as f64;
            let blocks = cluster.sample(&TaskSample::of_share(share, LARGE as u64, seed))?;
            far.sample = united(&blocks, keys, classes)?;
        }
        Ok(far)
    }

    fn check_tables(&self, far: &Far<'_>) -> Result<()> {
        Evidence::part(&far.sample, &[]).check_tables(far.classes)
    }
}
