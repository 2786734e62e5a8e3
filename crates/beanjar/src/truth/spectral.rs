mod moments;
mod tensor;

use super::class_prior::VoteShares;
use super::dawid_skene::Free;
use super::em::{Climb, Em, Start, Stopping};
use super::rule::{Confusion, possible};
use super::{ClassPrior, Evidence, TruthFit, check_restarts};
use crate::judgments::{Ballots, sum_over};
use crate::linalg::Square;
use crate::random::{key, stream};
use crate::{Context, Error, Result};
use moments::{GroupEstimate, Moments};

/// Dawid-Skene's model started from the estimate of the method of moments (Zhang, Chen, Zhou and Jordan 2014, opt-D&S).
///
/// The workers are cut into three groups at random. Of each task, Z_g is the mean of the group's labels as unit vectors.
/// Given the class, the groups are independent, so E Z_a Z_b' = C_a W C_b' and the third moment is the sum over
/// classes of w_k (column k of C_1) x (of C_2) x (of C_3). With two groups seen through the third, the second moment
/// whitens the third, whose orthogonal components, found by the robust tensor power method, are the third group's columns.
/// A worker's matrix follows from how their labels go with another group's: E z_w Z_a' = C_w W C_a'. Then EM.
///
/// The cut is random, so this is repeated `restarts` times, and the likeliest fit kept. Where the moments do not
/// determine a start (fewer than three workers, moments of low rank), EM starts from the votes. Cost: O(tasks times
/// classes cubed) for the moments, then as [`DawidSkene`](super::DawidSkene), times restarts.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectral {
    /// How many random cuts into groups; 1 to 10,000. By default 10.
    pub restarts: usize,
    /// The class prior in EM.
    pub prior: ClassPrior,
    /// When EM stops.
    pub stopping: Stopping,
}

impl Default for Spectral {
    fn default() -> Self {
        Spectral { restarts: 10, prior: ClassPrior::Estimated, stopping: Stopping::default() }
    }
}

/// The least probability that is taken from the moments, so that EM can recover from their mistakes.
const LEAST: f64 = 1e-6;
/// Beyond this the third moment is too large to be of use.
const MOST_CLASSES: usize = 100;

impl Spectral {
    /// Finds the confusion matrices and the classes.
    pub fn fit(&self, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
        let mut best: Option<Climb> = None;
        for next in self.climbs(evidence, context)? {
            let next = next?;
            best = match best {
                Some(best) if best.log_likelihood >= next.log_likelihood => Some(best),
                _ => Some(next),
            };
        }
        best.ok_or(Error::Empty("restart"))?.into_fit(evidence, context)
    }

    /// The fit of each cut, in turn.
    pub fn fits(&self, evidence: &Evidence<'_>, context: &Context) -> Result<Vec<TruthFit>> {
        self.climbs(evidence, context)?.map(|climb| climb?.into_fit(evidence, context)).collect()
    }

    fn climbs(&self, evidence: &Evidence<'_>, context: &Context) -> Result<impl Iterator<Item = Result<Climb>>> {
        let classes = evidence.ballots.classes();
        self.stopping.check()?;
        self.prior.check(classes)?;
        check_restarts(self.restarts)?;
        if classes > MOST_CLASSES {
            let (value, range) = (classes.to_string(), "at most 100 for the spectral method");
            return Err(Error::OutOfRange { name: "the number of classes", value, range });
        }
        evidence.check_tables(classes)?;
        let climb = move |restart: usize| {
            let share = |restart: usize| restart as f64 / self.restarts as f64;
            let context = context.part(share(restart), share(restart + 1));
            let tables = moments_start(evidence.ballots, context.seed(), restart as u64, &context);
            let start = tables.as_ref().map_or(Start::Votes, Start::Tables);
            let mut model =
                Free { smoothing: 0.0, shares: self.prior.estimate(&VoteShares::of(evidence.ballots), 0.0) };
            Em { votes: evidence, classes, start, stopping: self.stopping }.climb(&mut model, &context)
        };
        Ok((0..self.restarts).map(climb))
    }
}

/// Each worker's group of three.
fn groups(ballots: &Ballots, seed: u64, restart: u64) -> Option<Vec<usize>> {
    let mut active = ballots.shuffled_workers(key(seed, restart));
    let votes = ballots.per_worker();
    active.retain(|&worker| votes[worker] > 0);
    if active.len() < 3 {
        return None;
    }
    let mut group = vec![0; ballots.workers()];
    active.iter().enumerate().for_each(|(at, &worker)| group[worker] = at % 3);
    Some(group)
}

/// The tables that the moments of a random cut suggest; none where they do not determine any.
fn moments_start(ballots: &Ballots, seed: u64, restart: u64, context: &Context) -> Option<Confusion> {
    let group = groups(ballots, seed, restart)?;
    let classes = ballots.classes();
    let moments = sum_over(ballots, context, || Moments::new(&group, ballots.workers(), classes));
    let mut random = stream(seed, restart ^ (1 << 63));
    let estimates: Vec<GroupEstimate> =
        (0..3).map(|c| moments.group(c, ballots.tasks() as f64, &mut random)).collect::<Option<_>>()?;
    let mut prior: Vec<f64> =
        (0..classes).map(|k| estimates.iter().map(|estimate| estimate.shares[k]).sum::<f64>()).collect();
    let sum: f64 = prior.iter().sum();
    prior.iter_mut().for_each(|share| *share /= sum);
    let mut votes = Vec::with_capacity((ballots.workers() + 1) * classes * classes);
    for worker in 0..ballots.workers() {
        let other = &estimates[(group[worker] + 1) % 3];
        // C_w = E z_w Z_a' (W C_a')^-1, columns brought to sum one.
        let seen = moments.with_next(worker, ballots.tasks() as f64);
        let weighted = Square::from_fn(classes, |k, l| other.shares[k] * other.columns.at(l, k));
        push_table(&seen.times(&weighted.inverse()?), &mut votes);
    }
    push_table(&Square::from_fn(classes, |l, k| estimates.iter().map(|e| e.columns.at(l, k)).sum()), &mut votes);
    Some(Confusion::of_tables(classes, prior.into_iter().map(possible).collect(), votes))
}

/// Columns as probabilities, none too small.
fn push_table(matrix: &Square, votes: &mut Vec<f64>) {
    let classes = matrix.size;
    let cell = |l: usize, k: usize| matrix.at(l, k).clamp(LEAST, 1e6);
    let sums: Vec<f64> = (0..classes).map(|k| (0..classes).map(|l| cell(l, k)).sum()).collect();
    for l in 0..classes {
        votes.extend((0..classes).map(|k| (cell(l, k) / sums[k]).max(LEAST)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::{Crowd, WorkerModel};

    /// The largest error of the moments' tables, before any EM, over workers and cells: root mean square.
    fn distance(tasks: usize) -> f64 {
        let crowd = Crowd {
            tasks,
            workers: 12,
            classes: 3,
            votes: (12, 12),
            model: WorkerModel::Confusion,
            accuracy: 0.75,
            spread: 20.0,
            priors: vec![0.3, 0.5, 0.2],
            ..Crowd::default()
        };
        let drawn = crowd.draw(&Context::new().with_seed(11)).unwrap();
        let ballots = Ballots::from_tasks(&drawn.labels, 12, 3).unwrap();
        let tables = moments_start(&ballots, 0, 0, &Context::new()).unwrap();
        let mut sum = 0.0;
        for worker in 0..12 {
            for class in 0..3 {
                for label in 0..3 {
                    sum += (tables.probability(worker, class, label) - drawn.confusion[worker][class][label]).powi(2);
                }
            }
        }
        (sum / 108.0).sqrt()
    }

    #[test]
    fn planted_confusion_matrices_are_recovered_as_data_grow() {
        let (few, more, many) = (distance(1_000), distance(10_000), distance(100_000));
        assert!(more < 0.7 * few && many < 0.7 * more && many < 0.02, "{few} {more} {many}");
    }

    #[test]
    fn too_few_workers_start_from_the_votes() {
        let ballots = Ballots::from_tasks(&[vec![(0, 0), (1, 1)], vec![(0, 1)]], 2, 2).unwrap();
        let evidence = Evidence::votes(&ballots).unwrap();
        let spectral = Spectral::default().fit(&evidence, &Context::new()).unwrap();
        let votes = super::super::DawidSkene::default().fit(&evidence, &Context::new()).unwrap();
        assert_eq!(spectral.posterior, votes.posterior);
    }

    #[test]
    fn every_restart_has_its_own_cut_and_the_likeliest_is_kept() {
        let crowd = Crowd { tasks: 300, workers: 9, classes: 3, votes: (4, 6), ..Crowd::default() };
        let ballots = Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(2)).unwrap().labels, 9, 3).unwrap();
        let evidence = Evidence::votes(&ballots).unwrap();
        let method = Spectral { restarts: 5, ..Spectral::default() };
        let fits = method.fits(&evidence, &Context::new()).unwrap();
        let most = fits.iter().filter_map(|fit| fit.log_likelihood).fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(method.fit(&evidence, &Context::new()).unwrap().log_likelihood, Some(most));
        assert_ne!(groups(&ballots, 0, 0), groups(&ballots, 0, 1));
    }
}
