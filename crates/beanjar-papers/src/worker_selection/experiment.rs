//! The paper's experiment: how the error falls, and rises again, with the number of workers kept.

use beanjar::judgments::Ballots;
use beanjar::quantile::quantile;
use beanjar::truth::{DawidSkene, Evidence, Majority, Posterior, Spectral, Stopping};
use beanjar::{Context, Result};

/// Error against the number of workers kept.
#[derive(Clone, Debug)]
pub(crate) struct Experiment<'a> {
    /// All votes.
    pub(crate) ballots: &'a Ballots,
    /// The true classes, as far as they are known.
    pub(crate) truth: &'a [Option<u16>],
    /// Steps of EM.
    pub(crate) iterations: usize,
    /// Runs of the spectral method; 0 for none.
    pub(crate) runs: usize,
    /// The seed of those.
    pub(crate) seed: u64,
}

/// The errors when the first workers of a ranking are kept.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Errors {
    /// How many.
    pub(crate) keep: usize,
    /// Of majority vote, in expectation over ties.
    pub(crate) majority: f64,
    /// Of majority vote improved by EM.
    pub(crate) em: f64,
    /// The quartiles of the spectral method's, if it was run.
    pub(crate) spectral: Option<[f64; 3]>,
}

impl Experiment<'_> {
    /// The errors for each number of the first workers in `order`.
    pub(crate) fn run(&self, order: &[usize], sizes: &[usize], context: &Context) -> Result<Vec<Errors>> {
        context.map(sizes.to_vec(), |keep| self.errors(order, keep)).into_iter().collect()
    }

    fn errors(&self, order: &[usize], keep: usize) -> Result<Errors> {
        let mut kept = vec![false; self.ballots.workers()];
        order.iter().take(keep).for_each(|&worker| kept[worker] = true);
        let some = self.ballots.of_workers(&kept)?;
        let evidence = Evidence::votes(&some)?;
        let stopping = Stopping { iterations: self.iterations, tolerance: 0.0 };
        let one = Context::new().with_seed(self.seed);
        let error = |posterior: &Posterior| posterior.error(self.truth).unwrap_or(f64::NAN);
        let majority = error(&Majority::default().fit(&evidence, &one)?.posterior);
        let em = error(&DawidSkene { stopping, ..DawidSkene::default() }.fit(&evidence, &one)?.posterior);
        let spectral = match self.runs {
            0 => None,
            restarts => {
                let method = Spectral { restarts, stopping, ..Spectral::default() };
                let mut errors: Vec<f64> =
                    method.fits(&evidence, &one)?.iter().map(|fit| error(&fit.posterior)).collect();
                errors.sort_by(f64::total_cmp);
                Some([0.25, 0.5, 0.75].map(|share| quantile(&errors, share).unwrap_or(f64::NAN)))
            }
        };
        Ok(Errors { keep, majority, em, spectral })
    }
}

/// Workers by their own error on tasks whose class is known, the best first: the benchmark that looks at the truth.
/// Of equals, who labelled more comes first; who labelled none of them comes last.
pub(crate) fn by_truth(ballots: &Ballots, truth: &[Option<u16>]) -> Vec<usize> {
    let (mut wrong, mut known) = (vec![0.0; ballots.workers()], vec![0.0; ballots.workers()]);
    for (task, class) in truth.iter().enumerate().filter_map(|(task, class)| Some((task, usize::from((*class)?)))) {
        for (worker, label) in ballots.votes(task).iter() {
            known[worker] += 1.0;
            wrong[worker] += f64::from(u8::from(label != class));
        }
    }
    let error = |worker: usize| if known[worker] > 0.0 { wrong[worker] / known[worker] } else { 2.0 };
    let mut order: Vec<usize> = (0..ballots.workers()).collect();
    order.sort_by(|&i, &j| error(i).total_cmp(&error(j)).then(known[j].total_cmp(&known[i])).then(i.cmp(&j)));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use beanjar::simulate::Crowd;
    use beanjar::workers::{Information, Missing, Ranking};

    #[test]
    fn a_few_good_workers_beat_many_spammers() {
        let crowd = Crowd {
            tasks: 200,
            workers: 30,
            classes: 2,
            votes: (20, 20),
            accuracy: 0.85,
            spammers: 0.8,
            ..Crowd::default()
        };
        let drawn = crowd.draw(&Context::new().with_seed(4)).unwrap();
        let ballots = Ballots::from_tasks(&drawn.labels, 30, 2).unwrap();
        let truth: Vec<Option<u16>> = drawn.truth.iter().map(|&class| Some(class as u16)).collect();
        let ranking = Ranking::new(&Information::new(&ballots, Missing::Paper, &Context::new()).unwrap());
        let experiment = Experiment { ballots: &ballots, truth: &truth, iterations: 20, runs: 3, seed: 0 };
        let errors = experiment.run(&ranking.order, &[6, 30], &Context::new()).unwrap();
        assert!(errors[0].majority < errors[1].majority);
        let [low, middle, high] = errors[1].spectral.unwrap();
        assert!(low <= middle && middle <= high);
        let order = by_truth(&ballots, &truth);
        assert!(order[..6].iter().all(|worker| *worker < 6));
    }
}
