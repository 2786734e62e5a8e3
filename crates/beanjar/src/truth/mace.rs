use super::class_prior::{ClassShares, VoteShares};
use super::em::{Climb, Em, Expected, Model, Start, Step, Stopping};
use super::rule::{Confusion, possible};
use super::{ClassPrior, Evidence, TruthFit, check_restarts};
use crate::random::{key, stream};
use crate::{Context, Error, Result};
use rand::RngExt;

/// Each worker knows the class or guesses: MACE.
///
/// P(label l by worker w | class k) = t_w [l = k] + (1 - t_w) g_wl: with probability t_w the worker knows and gives the
/// class, else they guess, with habits g_w of their own that do not depend on the class. EM is run from several random
/// starts, of which the likeliest end is kept. It counts as if each worker had known and guessed `knowing` labels more, and
/// had guessed each class `guessing` times more: a worker who gives one answer only is then a guesser of that answer,
/// and not one whose tasks are all alike. Cost: O(votes times classes) a step; memory: O(workers times classes squared).
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `prior` | the class prior | uniform | |
/// | `knowing` | pseudo-labels known, and as many guessed | 0.5 | above 0 |
/// | `guessing` | pseudo-guesses of each class | 10 | above 0 |
/// | `restarts` | random starts | 10 | 1 to 10,000 |
/// | `stopping` | when EM stops | 50 steps, gains below 1e-8 a label | |
///
/// ```
/// use beanjar::{Context, Labels, truth::{Evidence, Mace}};
///
/// let labels = Labels::from_rows([("1", "ann", "cat"), ("1", "bob", "cat"), ("1", "cy", "dog")])?;
/// let fitted = Mace::default().fit(&Evidence::votes(labels.ballots())?, &Context::new())?;
/// assert!(fitted.posterior.of(0)[0] > 0.5);
/// # Ok::<(), beanjar::Error>(())
/// ```
///
/// D. Hovy, T. Berg-Kirkpatrick, A. Vaswani and E. Hovy, Learning whom to trust with MACE, NAACL-HLT (2013).
#[derive(Clone, Debug, PartialEq)]
pub struct Mace {
    /// The class prior.
    pub prior: ClassPrior,
    /// Pseudo-labels that each worker knew, and as many that they guessed.
    pub knowing: f64,
    /// Pseudo-guesses of each class by each worker.
    pub guessing: f64,
    /// Random starts.
    pub restarts: usize,
    /// When to stop.
    pub stopping: Stopping,
}

impl Default for Mace {
    fn default() -> Self {
        let stopping = Stopping { iterations: 50, ..Stopping::default() };
        Mace { prior: ClassPrior::Uniform, knowing: 0.5, guessing: 10.0, restarts: 10, stopping }
    }
}

impl Mace {
    /// Finds who knows, who guesses, and the classes.
    pub fn fit(&self, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
        let ballots = evidence.ballots;
        let classes = ballots.classes();
        self.check()?;
        self.prior.check(classes)?;
        evidence.check_tables(classes)?;
        let mut best: Option<Climb> = None;
        for restart in 0..self.restarts {
            let part = context.part(restart as f64 / self.restarts as f64, (restart + 1) as f64 / self.restarts as f64);
            let (mut guesses, mut knows) = (vec![0.0; ballots.workers() * classes], Vec::new());
            for (worker, row) in guesses.chunks_exact_mut(classes).enumerate() {
                // By the worker's id, and not by where they stand in a file.
                let mut random = stream(key(context.seed(), restart as u64), ballots.worker_key(worker));
                row.iter_mut().for_each(|guess| *guess = 1.0 + random.random::<f64>());
                let sum: f64 = row.iter().sum();
                row.iter_mut().for_each(|guess| *guess /= sum);
                knows.push(0.3 + 0.4 * random.random::<f64>());
            }
            let shares = self.prior.estimate(&VoteShares::of(ballots), 0.0);
            let mut model = Guessers { knowing: self.knowing, guessing: self.guessing, knows, guesses, shares };
            let first = model.tables(&vec![1.0; classes], classes);
            let start = Start::Tables(&first);
            let climbed = Em { votes: evidence, classes, start, stopping: self.stopping }.climb(&mut model, &part)?;
            let value = |climb: &Climb| climb.objective.last().copied().unwrap_or(f64::NEG_INFINITY);
            if best.as_ref().is_none_or(|best| value(&climbed) > value(best)) {
                best = Some(climbed);
            }
        }
        match best {
            Some(best) => best.into_fit(evidence, context),
            None => Err(Error::Empty("start")),
        }
    }

    fn check(&self) -> Result<()> {
        self.stopping.check()?;
        let refuse = |name, value: String, range| Err(Error::OutOfRange { name, value, range });
        let positive = |x: f64| x > 0.0 && x <= 1e9;
        if !positive(self.knowing) || !positive(self.guessing) {
            let value = format!("{} and {}", self.knowing, self.guessing);
            return refuse("the number of pseudo-labels", value, "above 0, and at most a billion");
        }
        check_restarts(self.restarts)
    }
}

/// What each worker knows and how they guess, as far as EM has come.
struct Guessers {
    knowing: f64,
    guessing: f64,
    knows: Vec<f64>,
    /// At `worker * labels + label`.
    guesses: Vec<f64>,
    shares: ClassShares,
}

impl Guessers {
    /// P(label | class) of all workers and of a newcomer, who is as the mean worker.
    fn tables(&self, tasks: &[f64], labels: usize) -> Confusion {
        let workers = self.knows.len();
        let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / workers.max(1) as f64;
        let known = mean(&mut self.knows.iter().copied());
        let guessed: Vec<f64> =
            (0..labels).map(|label| mean(&mut self.guesses.iter().skip(label).step_by(labels).copied())).collect();
        let mut tables = Vec::with_capacity((workers + 1) * labels * labels);
        let all = self.knows.iter().copied().zip(self.guesses.chunks_exact(labels)).chain([(known, &guessed[..])]);
        for (knows, guesses) in all {
            for label in 0..labels {
                let guess = (1.0 - knows) * guesses[label];
                tables.extend((0..labels).map(|class| possible(guess + if label == class { knows } else { 0.0 })));
            }
        }
        Confusion::of_tables(labels, self.shares.shares(tasks), tables)
    }
}

impl Model for Guessers {
    fn maximise(&mut self, expected: &Expected) -> Step {
        let labels = expected.labels;
        let mut density = 0.0;
        for worker in 0..self.knows.len() {
            let knows = self.knows[worker];
            let guesses = &mut self.guesses[worker * labels..(worker + 1) * labels];
            let (mut known, mut guessed) = (0.0, vec![0.0; labels]);
            for label in 0..labels {
                let counts = expected.of(worker, label);
                let share = knows / (knows + (1.0 - knows) * guesses[label]).max(f64::MIN_POSITIVE);
                known += counts[label] * share;
                guessed[label] = counts.iter().sum::<f64>() - counts[label] * share;
            }
            let all: f64 = guessed.iter().sum();
            let knows = (known + self.knowing) / (known + all + 2.0 * self.knowing);
            density += self.knowing * (knows.ln() + (1.0 - knows).ln());
            for (guess, count) in guesses.iter_mut().zip(guessed) {
                *guess = (count + self.guessing) / (all + labels as f64 * self.guessing);
                density += self.guessing * guess.ln();
            }
            self.knows[worker] = knows;
        }
        Step { tables: self.tables(&expected.tasks, labels), density }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgments::Ballots;
    use crate::simulate::Crowd;
    use crate::truth::{Majority, Rule};

    fn drawn(classes: usize) -> (Ballots, Vec<Option<u16>>) {
        let crowd = Crowd { tasks: 300, workers: 20, classes, votes: (5, 5), spammers: 0.4, ..Crowd::default() };
        let drawn = crowd.draw(&Context::new().with_seed(5)).unwrap();
        let truth = drawn.truth.iter().map(|&class| Some(class as u16)).collect();
        (Ballots::from_tasks(&drawn.labels, 20, classes).unwrap(), truth)
    }

    #[test]
    fn the_objective_never_falls() {
        let (ballots, _) = drawn(3);
        let evidence = Evidence::votes(&ballots).unwrap();
        let mut model = Guessers {
            knowing: 0.5,
            guessing: 10.0,
            knows: vec![0.5; 20],
            guesses: vec![1.0 / 3.0; 60],
            shares: ClassPrior::Uniform.estimate(&VoteShares::of(&ballots), 0.0),
        };
        let stopping = Stopping { iterations: 40, tolerance: 0.0 };
        let em = Em { votes: &evidence, classes: 3, start: Start::Votes, stopping };
        let climbed = em.climb(&mut model, &Context::new()).unwrap();
        assert!(climbed.objective.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9 * pair[0].abs()));
        assert!(climbed.objective[39] > climbed.objective[0] + 1.0);
    }

    #[test]
    fn a_worker_who_always_gives_one_answer_is_a_guesser_and_counts_for_little() {
        let mut tasks: Vec<Vec<(usize, usize)>> = (0..200)
            .map(|task| (0..3).map(|w| (w, if (task + w * 2) % 7 == 0 { 1 - task % 2 } else { task % 2 })).collect())
            .collect();
        tasks.iter_mut().for_each(|votes| votes.extend([(3, 0), (4, 0)]));
        let ballots = Ballots::from_tasks(&tasks, 5, 2).unwrap();
        let fit = Mace::default().fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap();
        let Rule::Confusion(confusion) = &fit.rule else { panic!("it has tables") };
        // What such a vote says of the class: hardly anything, where an honest one says much.
        let said = |worker: usize| confusion.probability(worker, 0, 0) / confusion.probability(worker, 1, 0);
        assert!(said(0) > 3.0 && said(3) < 1.5, "{} {}", said(0), said(3));
        let truth: Vec<Option<u16>> = (0..200).map(|task| Some(task as u16 % 2)).collect();
        assert!(fit.posterior.error(&truth).unwrap() < 0.1);
    }

    #[test]
    fn it_beats_the_plain_vote_where_some_guess_and_says_the_same_for_any_threads() {
        let (ballots, truth) = drawn(4);
        let evidence = Evidence::votes(&ballots).unwrap();
        let fit = Mace::default().fit(&evidence, &Context::new()).unwrap();
        let votes = Majority::default().fit(&evidence, &Context::new()).unwrap();
        assert!(fit.posterior.error(&truth) <= votes.posterior.error(&truth));
        let threads = Context::new().with_threads(std::num::NonZeroUsize::new(3).unwrap()).unwrap();
        assert_eq!(Mace::default().fit(&evidence, &threads).unwrap(), fit);
    }

    #[test]
    fn parameters_are_checked_and_known_classes_are_certain() {
        let ballots = Ballots::from_tasks(&[vec![(0, 0), (1, 1)], vec![(0, 1)]], 2, 2).unwrap();
        let evidence = Evidence::with_gold(&ballots, vec![Some(1), None]).unwrap();
        assert_eq!(Mace::default().fit(&evidence, &Context::new()).unwrap().posterior.of(0), [0.0, 1.0]);
        for bad in [Mace { restarts: 0, ..Mace::default() }, Mace { knowing: 0.0, ..Mace::default() }] {
            assert!(bad.fit(&evidence, &Context::new()).is_err());
        }
    }
}
