mod sparse;

use super::class_prior::{ClassShares, VoteShares};
use super::em::{Climb, Em, Expected, Model, Passes, Start, Step, Stopping};
use super::posterior::MANY_CLASSES;
use super::rule::{Confusion, possible};
use super::{ClassPrior, Evidence, TruthFit, check_smoothing};
use crate::{Context, Result};

/// Each worker has a confusion matrix of their own (Dawid and Skene 1979).
///
/// P(votes on a task) = sum over classes k of prior_k prod over votes (w, l) of P_w(l | k). The estimate is that of
/// maximum likelihood, with `smoothing` the most probable one under a symmetric Dirichlet prior; found by EM from the
/// shares of the votes, and stopped on the log-likelihood. A class that a worker never met has the population's row.
/// Cost: O(votes times classes) an iteration; memory O(workers times classes squared). With 50 classes or more and no
/// smoothing nearly all cells are zero and only the others are kept: cost and memory follow votes and cells, and what is
/// zero stays zero.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `smoothing` | pseudo-labels added to each cell | 0 | 0 or more |
/// | `prior` | the class prior | estimated | |
/// | `stopping` | when to stop | 500 steps, 1e-8 | |
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DawidSkene {
    /// Pseudo-labels added to each cell of each worker's matrix.
    pub smoothing: f64,
    /// The class prior.
    pub prior: ClassPrior,
    /// When to stop.
    pub stopping: Stopping,
}

impl DawidSkene {
    /// Finds the confusion matrices and the classes.
    pub fn fit(&self, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
        let classes = evidence.ballots.classes();
        self.check(classes)?;
        if classes >= MANY_CLASSES && self.smoothing == 0.0 {
            return sparse::fit(self, evidence, context);
        }
        evidence.check_tables(classes)?;
        self.climb_over(evidence, &VoteShares::of(evidence.ballots), context)?.into_fit(evidence, context)
    }

    /// EM on votes that may be elsewhere, whose shares these are.
    pub(super) fn climb_over(&self, all: &dyn Passes, shares: &VoteShares, context: &Context) -> Result<Climb> {
        let mut model = Free { smoothing: self.smoothing, shares: self.prior.estimate(shares, 0.0) };
        let em = Em { votes: all, classes: shares.classes(), start: Start::Votes, stopping: self.stopping };
        em.climb(&mut model, context)
    }

    pub(super) fn check(&self, classes: usize) -> Result<()> {
        check_smoothing(self.smoothing)?;
        self.stopping.check()?;
        self.prior.check(classes)
    }
}

/// Tables without any tie among workers.
pub(super) struct Free {
    pub(super) smoothing: f64,
    pub(super) shares: ClassShares,
}

impl Model for Free {
    fn maximise(&mut self, expected: &Expected) -> Step {
        let (labels, classes) = (expected.labels, expected.classes);
        let cells = labels * classes;
        let mut population = expected.population();
        normalise(&mut population, labels, classes, 0.0, None);
        let mut tables = expected.votes.clone();
        for table in tables.chunks_exact_mut(cells) {
            normalise(table, labels, classes, self.smoothing, Some(&population));
        }
        tables.extend(population);
        tables.iter_mut().for_each(|p| *p = possible(*p));
        let density = match self.smoothing > 0.0 {
            true => self.smoothing * tables[..expected.votes.len()].iter().map(|p| p.ln()).sum::<f64>(),
            false => 0.0,
        };
        let prior = self.shares.shares(&expected.tasks);
        Step { tables: Confusion::of_tables(labels, prior, tables), density }
    }
}

/// Counts at `label * classes + class` become shares of a class's labels. A class without counts takes the `instead`
/// shares, or equal ones.
pub(super) fn normalise(table: &mut [f64], labels: usize, classes: usize, smoothing: f64, instead: Option<&[f64]>) {
    // Row by row as they lie, for a column of a large table is in as many places as there are labels.
    let mut sums = vec![smoothing * labels as f64; classes];
    for row in table.chunks_exact(classes) {
        sums.iter_mut().zip(row).for_each(|(sum, count)| *sum += count);
    }
    for (label, row) in table.chunks_exact_mut(classes).enumerate() {
        for (class, (cell, sum)) in row.iter_mut().zip(&sums).enumerate() {
            *cell = match *sum > 0.0 {
                true => (*cell + smoothing) / sum,
                false => instead.map_or(1.0 / labels as f64, |shares| shares[label * classes + class]),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgments::Ballots;
    use crate::simulate::{Crowd, WorkerModel};
    use crate::truth::Rule;

    pub(super) fn crowd(classes: usize, seed: u64) -> (Ballots, Vec<Option<u16>>) {
        let crowd = Crowd {
            tasks: 300,
            workers: 12,
            classes,
            votes: (2, 7),
            model: WorkerModel::Confusion,
            ..Crowd::default()
        };
        let drawn = crowd.draw(&Context::new().with_seed(seed)).unwrap();
        let truth = drawn.truth.iter().map(|&class| Some(class as u16)).collect();
        (Ballots::from_tasks(&drawn.labels, 12, classes).unwrap(), truth)
    }

    /// EM as the textbook has it, in plain probabilities.
    pub(super) fn textbook(ballots: &Ballots, iterations: usize) -> (Vec<Vec<f64>>, f64) {
        let (tasks, workers, classes) = (ballots.tasks(), ballots.workers(), ballots.classes());
        let mut posterior: Vec<Vec<f64>> = (0..tasks)
            .map(|task| {
                let votes = ballots.votes(task);
                let share =
                    |class| votes.iter().filter(|vote| vote.1 == class).count() as f64 / votes.iter().len() as f64;
                (0..classes).map(share).collect()
            })
            .collect();
        let mut log_likelihood = 0.0;
        for _ in 0..iterations {
            let prior: Vec<f64> =
                (0..classes).map(|k| posterior.iter().map(|row| row[k]).sum::<f64>() / tasks as f64).collect();
            let mut confusion = vec![vec![vec![0.0; classes]; classes]; workers];
            for task in 0..tasks {
                for (worker, label) in ballots.votes(task).iter() {
                    for class in 0..classes {
                        confusion[worker][class][label] += posterior[task][class];
                    }
                }
            }
            for row in confusion.iter_mut().flatten() {
                let sum: f64 = row.iter().sum();
                row.iter_mut().for_each(|cell| *cell /= sum.max(1e-300));
            }
            log_likelihood = 0.0;
            for task in 0..tasks {
                let joint: Vec<f64> = (0..classes)
                    .map(|k| {
                        ballots.votes(task).iter().fold(prior[k], |p, (worker, label)| p * confusion[worker][k][label])
                    })
                    .collect();
                let sum: f64 = joint.iter().sum();
                log_likelihood += sum.ln();
                posterior[task] = joint.iter().map(|p| p / sum).collect();
            }
        }
        (posterior, log_likelihood)
    }

    #[test]
    fn agrees_with_the_textbook() {
        for classes in [2, 3, 4, 5, 7] {
            let (ballots, _) = crowd(classes, classes as u64);
            let stopping = Stopping { iterations: 30, tolerance: 0.0 };
            let method = DawidSkene { stopping, ..DawidSkene::default() };
            let fitted = method.fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap();
            let (posterior, log_likelihood) = textbook(&ballots, 30);
            assert!((fitted.log_likelihood.unwrap() - log_likelihood).abs() < 1e-7, "{classes} classes");
            for (task, row) in posterior.iter().enumerate() {
                for (ours, theirs) in fitted.posterior.of(task).iter().zip(row) {
                    assert!((ours - theirs).abs() < 1e-8);
                }
            }
        }
    }

    #[test]
    fn the_objective_never_falls() {
        for (smoothing, seed) in [(0.0, 1), (0.1, 2), (3.0, 3)] {
            let (ballots, _) = crowd(3, seed);
            let evidence = Evidence::votes(&ballots).unwrap();
            let stopping = Stopping { iterations: 60, tolerance: 0.0 };
            let mut model = Free { smoothing, shares: ClassPrior::Estimated.estimate(&VoteShares::of(&ballots), 0.0) };
            let em = Em { votes: &evidence, classes: 3, start: Start::Votes, stopping };
            let climbed = em.climb(&mut model, &Context::new()).unwrap();
            assert!(climbed.objective.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9 * pair[0].abs()));
            assert!(climbed.objective[59] > climbed.objective[0] + 1.0);
        }
    }

    #[test]
    fn known_classes_stay_and_teach() {
        let (ballots, truth) = crowd(3, 5);
        let votes_alone = DawidSkene::default().fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap();
        let some: Vec<Option<u16>> = truth.iter().enumerate().map(|(i, &t)| t.filter(|_| i % 2 == 0)).collect();
        let rest: Vec<Option<u16>> = truth.iter().enumerate().map(|(i, &t)| t.filter(|_| i % 2 == 1)).collect();
        let taught =
            DawidSkene::default().fit(&Evidence::with_gold(&ballots, some.clone()).unwrap(), &Context::new()).unwrap();
        assert_eq!(taught.posterior.error(&some), Some(0.0));
        assert!(taught.posterior.error(&rest) <= votes_alone.posterior.error(&rest));
    }

    #[test]
    fn relabelling_the_classes_permutes_and_changes_nothing_else() {
        let (ballots, _) = crowd(3, 8);
        let turned: Vec<Vec<(usize, usize)>> = (0..ballots.tasks())
            .map(|task| ballots.votes(task).iter().map(|(worker, label)| (worker, (label + 1) % 3)).collect())
            .collect();
        let turned = Ballots::from_tasks(&turned, 12, 3).unwrap();
        let fit = |ballots| DawidSkene::default().fit(&Evidence::votes(ballots).unwrap(), &Context::new()).unwrap();
        let (before, after) = (fit(&ballots), fit(&turned));
        assert!((before.log_likelihood.unwrap() - after.log_likelihood.unwrap()).abs() < 1e-6);
        for task in 0..ballots.tasks() {
            for class in 0..3 {
                let difference = before.posterior.of(task)[class] - after.posterior.of(task)[(class + 1) % 3];
                assert!(difference.abs() < 1e-6);
            }
        }
    }

    #[test]
    fn duplicating_the_data_changes_nothing_but_the_likelihood() {
        let (ballots, _) = crowd(2, 9);
        let tasks: Vec<Vec<(usize, usize)>> = (0..ballots.tasks()).map(|t| ballots.votes(t).iter().collect()).collect();
        let twice = Ballots::from_tasks(&[tasks.clone(), tasks].concat(), 12, 2).unwrap();
        let stopping = Stopping { iterations: 40, tolerance: 0.0 };
        let method = DawidSkene { stopping, ..DawidSkene::default() };
        let fit = |ballots| method.fit(&Evidence::votes(ballots).unwrap(), &Context::new()).unwrap();
        let (once, twice) = (fit(&ballots), fit(&twice));
        assert!((2.0 * once.log_likelihood.unwrap() - twice.log_likelihood.unwrap()).abs() < 1e-6);
        for task in 0..ballots.tasks() {
            assert!((once.posterior.of(task)[0] - twice.posterior.of(task)[0]).abs() < 1e-9);
        }
    }

    #[test]
    fn odd_crowds_get_an_answer() {
        let fit = |tasks: &[Vec<(usize, usize)>], workers, classes| {
            let ballots = Ballots::from_tasks(tasks, workers, classes).unwrap();
            DawidSkene::default().fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap()
        };
        // One class only.
        let one_class = fit(&[vec![(0, 0), (1, 0)], vec![(1, 0)]], 2, 1);
        assert_eq!(one_class.posterior.of(1), [1.0]);
        // One worker only: their labels stand.
        let alone = fit(&[vec![(0, 0)], vec![(0, 1)], vec![(0, 1)]], 1, 2);
        assert_eq!((0..3).map(|t| alone.posterior.answer(t, 0).class).collect::<Vec<_>>(), [0, 1, 1]);
        // A worker who always says the same has no say, a task without votes equal chances, a task with one label that.
        let mut tasks: Vec<Vec<(usize, usize)>> = (0..30).map(|i| vec![(0, i % 2), (1, i % 2), (2, 0)]).collect();
        tasks.extend([vec![], vec![(1, 1)], vec![(2, 0)]]);
        let stubborn = fit(&tasks, 3, 2);
        assert!(stubborn.posterior.of(1)[1] > 0.99);
        assert_eq!(stubborn.posterior.of(30), [0.5, 0.5]);
        assert!(stubborn.posterior.answer(30, 0).tied);
        assert!(stubborn.posterior.of(31)[1] > 0.99);
        assert!((stubborn.posterior.of(32)[0] - 0.5).abs() < 0.1);
    }

    #[test]
    fn threads_do_not_change_a_byte() {
        let crowd = Crowd { tasks: 20_000, workers: 40, classes: 3, ..Crowd::default() };
        let ballots = Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(1)).unwrap().labels, 40, 3).unwrap();
        let fit = |threads| {
            let context = Context::new().with_threads(std::num::NonZeroUsize::new(threads).unwrap()).unwrap();
            DawidSkene::default().fit(&Evidence::votes(&ballots).unwrap(), &context).unwrap()
        };
        let one = fit(1);
        assert!(one == fit(2) && one == fit(5));
    }

    #[test]
    fn every_row_of_a_workers_matrix_sums_to_one() {
        let (ballots, _) = crowd(3, 4);
        let fitted = DawidSkene::default().fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap();
        let Rule::Confusion(confusion) = &fitted.rule else { panic!("a confusion matrix") };
        for worker in 0..=12 {
            for class in 0..3 {
                let sum: f64 = (0..3).map(|label| confusion.probability(worker, class, label)).sum();
                assert!((sum - 1.0).abs() < 1e-9);
            }
        }
    }
}
