use super::class_prior::ClassShares;
use super::dawid_skene::Free;
use super::em::{Climb, Em, Start, Stopping};
use super::rule::Confusion;
use super::{Evidence, Posterior, TruthFit, check_restarts, check_smoothing};
use crate::judgments::Ballots;
use crate::random::{key, stream};
use crate::{Context, Error, Result};
use rand_distr::{Distribution, Exp1};

/// The general mixture of discrete product distributions: latent components need not be the labels.
///
/// P(votes on a task) = sum over components k of share_k prod over votes (w, l) of P_w(l | k). With more components
/// than labels, a class may have subtypes on which workers err in different ways. EM from `restarts` random starts (and
/// from the votes, where components are as many as labels), the likeliest kept. A component stands for the label that its
/// voters give most. Cost: as [`DawidSkene`](super::DawidSkene), times restarts.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `components` | how many | as many as labels | 1 to 1000 |
/// | `restarts` | random starts | 10 | 1 to 10,000 |
/// | `smoothing` | pseudo-labels added to each cell | 0.01 | 0 or more |
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    /// How many components; as many as labels if not given.
    pub components: Option<usize>,
    /// How many random starts.
    pub restarts: usize,
    /// Pseudo-labels added to each cell.
    pub smoothing: f64,
    /// When to stop.
    pub stopping: Stopping,
}

impl Default for Mixture {
    fn default() -> Self {
        Mixture { components: None, restarts: 10, smoothing: 0.01, stopping: Stopping::default() }
    }
}

impl Mixture {
    /// Finds the components.
    pub fn fit(&self, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
        let ballots = evidence.ballots;
        let components = self.components.unwrap_or(ballots.classes());
        let refuse = |name, value: String, range| Err(Error::OutOfRange { name, value, range });
        check_smoothing(self.smoothing)?;
        self.stopping.check()?;
        if !(1..=1000).contains(&components) {
            return refuse("the number of components", components.to_string(), "1 to 1000");
        }
        evidence.check_tables(components)?;
        check_restarts(self.restarts)?;
        if evidence.gold.iter().any(Option::is_some) {
            return Err(Error::NoGold("a mixture"));
        }
        let starts = self.restarts + 1;
        let from = |start: Start<'_>, number: usize| {
            let mut model = Free { smoothing: self.smoothing, shares: ClassShares::of_components(components) };
            let context = context.part(number as f64 / starts as f64, (number + 1) as f64 / starts as f64);
            let em = Em { votes: evidence, classes: components, start, stopping: self.stopping };
            em.climb(&mut model, &context)
        };
        let at_random = |restart: usize| {
            let start = random(ballots, components, key(context.seed(), restart as u64));
            from(Start::Posterior(&start), restart + 1)
        };
        let votes = (components == ballots.classes()).then(|| from(Start::Votes, 0));
        let value = |climb: &Climb| climb.objective.last().copied().unwrap_or(f64::NEG_INFINITY);
        let mut best: Option<Climb> = votes.transpose()?;
        for restart in 0..self.restarts {
            let next = at_random(restart)?;
            best = match best {
                Some(best) if value(&best) >= value(&next) => Some(best),
                _ => Some(next),
            };
        }
        let Some(mut best) = best else { return refuse("the number of restarts", "0".into(), "1 or more") };
        let meaning = meaning(&best.tables);
        best.tables = best.tables.with_meaning(meaning);
        best.into_fit(evidence, context)
    }
}

/// Each component stands for the label that its voters give most; for several, if they give them equally often.
fn meaning(tables: &Confusion) -> Vec<f64> {
    let newcomer = tables.workers();
    let stands_for = |component: usize| {
        let shares: Vec<f64> =
            (0..tables.labels()).map(|label| tables.probability(newcomer, component, label)).collect();
        let most = shares.iter().fold(0.0, |most: f64, &share| most.max(share));
        let best: Vec<bool> = shares.iter().map(|share| *share >= most - 1e-9).collect();
        let count = best.iter().filter(|best| **best).count() as f64;
        best.into_iter().map(move |best| if best { 1.0 / count } else { 0.0 })
    };
    (0..tables.classes()).flat_map(stands_for).collect()
}

/// Random probabilities, uniform over all there can be.
fn random(ballots: &Ballots, components: usize, seed: u64) -> Posterior {
    let mut posterior = Posterior::equal(ballots.tasks(), components);
    for task in 0..ballots.tasks() {
        let mut random = stream(seed, ballots.task_key(task));
        posterior.set(task, |row| {
            row.iter_mut().for_each(|p| *p = Exp1.sample(&mut random));
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p /= sum);
        });
    }
    posterior
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn subtypes_on_which_most_workers_err_are_found() {
        // Three kinds of task, two labels: on the second kind two thirds of the workers say the wrong label.
        let mut random = stream(1, 1);
        let kinds: Vec<usize> = (0..900).map(|task| task % 3).collect();
        let tasks: Vec<Vec<(usize, usize)>> = kinds
            .iter()
            .map(|&kind| {
                let said = |worker: usize| match (kind, worker < 6) {
                    (0, _) | (1, true) => 0,
                    _ => 1,
                };
                (0..9).map(|worker| (worker, said(worker) ^ usize::from(random.random_bool(0.1)))).collect()
            })
            .collect();
        let ballots = Ballots::from_tasks(&tasks, 9, 2).unwrap();
        let evidence = Evidence::votes(&ballots).unwrap();
        let fitted = Mixture { components: Some(3), ..Mixture::default() }.fit(&evidence, &Context::new()).unwrap();
        let super::super::Rule::Confusion(tables) = &fitted.rule else { panic!("tables") };
        assert_eq!(tables.classes(), 3);
        let shares = tables.prior();
        assert!(shares.iter().all(|share| (share - 1.0 / 3.0).abs() < 0.05), "{shares:?}");
        let two = Mixture { components: Some(2), ..Mixture::default() }.fit(&evidence, &Context::new()).unwrap();
        assert!(fitted.log_likelihood > two.log_likelihood);
    }

    #[test]
    fn one_component_is_the_product_of_the_workers_shares() {
        let tasks = vec![vec![(0, 0), (1, 1)], vec![(0, 1), (1, 1)], vec![(0, 0)]];
        let ballots = Ballots::from_tasks(&tasks, 2, 2).unwrap();
        let evidence = Evidence::votes(&ballots).unwrap();
        let method = Mixture { components: Some(1), smoothing: 0.0, ..Mixture::default() };
        let fitted = method.fit(&evidence, &Context::new()).unwrap();
        let direct = 2.0 * (2.0f64 / 3.0).ln() + (1.0f64 / 3.0).ln();
        assert!((fitted.log_likelihood.unwrap() - direct).abs() < 1e-9);
    }
}
