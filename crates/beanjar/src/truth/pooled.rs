use super::class_prior::{ClassShares, VoteShares};
use super::em::{Em, Expected, Model, Start, Step, Stopping, expect};
use super::rule::Confusion;
use super::{ClassPrior, Evidence, Posterior, TruthFit};
use crate::gamma::digamma_gain;
use crate::judgments::Ballots;
use crate::{Context, Result};

/// Dawid-Skene's model with each row of a worker's confusion matrix shrunk to the population's.
///
/// P_w(. | k) ~ Dirichlet(worth m_k): m_k is the population's row, and worth the number of labels that it counts for. Both are
/// learned from the data, by the evidence of the Dirichlet-multinomial on the expected counts (empirical Bayes), so
/// workers with three labels do not have five free parameters, and workers who differ are let differ. The tables are the
/// posterior means (count + worth m) / (sum of counts + worth). Cost: as [`DawidSkene`](super::DawidSkene), and
/// O(workers times classes squared) digamma functions an iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Pooled {
    /// The class prior.
    pub prior: ClassPrior,
    /// When to stop.
    pub stopping: Stopping,
}

impl Default for Pooled {
    fn default() -> Self {
        Pooled { prior: ClassPrior::Estimated, stopping: Stopping { iterations: 200, tolerance: 1e-6 } }
    }
}

impl Pooled {
    /// Finds the population, the workers and the classes.
    pub fn fit(&self, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
        let classes = evidence.ballots.classes();
        self.stopping.check()?;
        self.prior.check(classes)?;
        evidence.check_tables(classes)?;
        let mut model = Population::new(self.prior.estimate(&VoteShares::of(evidence.ballots), 0.0));
        let em = Em { votes: evidence, classes, start: Start::Votes, stopping: self.stopping };
        em.climb(&mut model, context)?.into_fit(evidence, context)
    }
}

/// The tables of all workers, shrunk to the population's, where the probabilities of the classes are given.
pub(crate) fn tables_given(ballots: &Ballots, posterior: &Posterior, context: &Context) -> Result<Confusion> {
    posterior.check_tasks(ballots)?;
    let evidence = Evidence::votes(ballots)?;
    let classes = ballots.classes();
    let expected = expect(Start::Posterior(posterior), &evidence, classes, context);
    let mut model = Population::new(ClassPrior::Estimated.estimate(&VoteShares::of(ballots), 0.0));
    // Worth and shares settle in a few steps when the counts stay as they are.
    const STEPS: usize = 5;
    (0..STEPS).for_each(|_| model.learn(&expected));
    Ok(model.maximise(&expected).tables)
}

/// The tables of workers who had no part in what the probabilities of the classes are.
///
/// Counting their labels by those probabilities would make every table too flat, for the probabilities are not certain.
/// So each worker's own vote is combined with the posterior of the others: EM for one worker at a time, with the classes'
/// probabilities as the prior of each task, and the population as two labels more.
pub(crate) fn tables_against(ballots: &Ballots, posterior: &Posterior, context: &Context) -> Result<Confusion> {
    const STEPS: usize = 25;
    const POPULATION: f64 = 2.0;
    let mut tables = tables_given(ballots, posterior, context)?;
    let classes = ballots.classes();
    let cells = classes * classes;
    let mut row = vec![0.0; classes];
    for _ in 0..STEPS {
        let mut counts = vec![0.0; tables.votes.len()];
        for task in 0..ballots.tasks() {
            let prior = posterior.of(task);
            for (worker, label, weight) in ballots.votes(task).weighted() {
                let at = (worker * classes + label) * classes;
                let joint = prior.iter().zip(&tables.votes[at..at + classes]);
                row.iter_mut().zip(joint).for_each(|(p, (prior, likelihood))| *p = prior * likelihood);
                let scale = weight / row.iter().sum::<f64>().max(f64::MIN_POSITIVE);
                counts[at..at + classes].iter_mut().zip(&row).for_each(|(sum, p)| *sum += p * scale);
            }
        }
        let mut population = vec![1e-3; cells];
        for table in counts.chunks_exact(cells) {
            population.iter_mut().zip(table).for_each(|(sum, count)| *sum += count);
        }
        super::dawid_skene::normalise(&mut population, classes, classes, 0.0, None);
        for table in counts.chunks_exact_mut(cells) {
            table.iter_mut().zip(&population).for_each(|(count, share)| *count += POPULATION * share);
            super::dawid_skene::normalise(table, classes, classes, 0.0, None);
        }
        tables.votes = counts;
    }
    Ok(tables)
}

/// The most labels that the population may be worth: beyond, all workers are the same to four digits.
const MOST: f64 = 1e4;
/// The least: a worker's own row is all that counts.
const FEWEST: f64 = 1e-2;

/// What the population is like, improved step by step.
struct Population {
    class_shares: ClassShares,
    /// How many labels the population's row is worth, the same for all classes: a number of its own for a class with few
    /// labels would drift off.
    worth: f64,
    /// The population's rows, at `label * classes + class`; empty before the first step.
    shares: Vec<f64>,
}

impl Population {
    fn new(class_shares: ClassShares) -> Self {
        Population { class_shares, worth: 1.0, shares: Vec::new() }
    }

    /// One step up the evidence for the population: how much it is worth, then its shares.
    ///
    /// By the usual device of tables (Antoniak), a cell with count c and pseudo-count a stands for a (digamma(c + a) -
    /// digamma(a)) independent draws from the population's row. One more draw, evenly spread, keeps every label possible.
    fn learn(&mut self, expected: &Expected) {
        let (labels, classes) = (expected.labels, expected.classes);
        if self.shares.is_empty() {
            self.shares = expected.population();
            super::dawid_skene::normalise(&mut self.shares, labels, classes, 1.0, None);
            self.worth = classes as f64;
        }
        self.weigh(expected);
        let mut draws = vec![1.0 / labels as f64; labels * classes];
        for table in expected.votes.chunks_exact(labels * classes) {
            for ((draw, &count), share) in draws.iter_mut().zip(table).zip(&self.shares) {
                if count > 0.0 {
                    let pseudo = self.worth * share;
                    *draw += pseudo * digamma_gain(pseudo, count);
                }
            }
        }
        super::dawid_skene::normalise(&mut draws, labels, classes, 0.0, None);
        self.shares = draws;
    }

    /// Finds the worth at which the evidence is largest, by halving the range where its slope changes sign.
    fn weigh(&mut self, expected: &Expected) {
        let (labels, classes) = (expected.labels, expected.classes);
        let slope = |worth: f64| -> f64 {
            let of = |table: &[f64]| -> f64 {
                let mut slope = 0.0;
                for class in 0..classes {
                    let mut sum = 0.0;
                    for label in 0..labels {
                        let (count, share) = (table[label * classes + class], self.shares[label * classes + class]);
                        sum += count;
                        if count > 0.0 {
                            slope += share * digamma_gain(worth * share, count);
                        }
                    }
                    if sum > 0.0 {
                        slope -= digamma_gain(worth, sum);
                    }
                }
                slope
            };
            expected.votes.chunks_exact(labels * classes).map(of).sum()
        };
        const WIDEST: f64 = 16.0;
        let (mut low, mut high) = match slope(self.worth) {
            slope if slope > 0.0 => (self.worth, self.worth * WIDEST),
            slope if slope < 0.0 => (self.worth / WIDEST, self.worth),
            _ => return,
        };
        // To one part in a hundred thousand, so that EM can settle.
        for _ in 0..18 {
            let middle = f64::sqrt(low * high);
            match slope(middle) > 0.0 {
                true => low = middle,
                false => high = middle,
            }
        }
        self.worth = f64::sqrt(low * high).clamp(FEWEST, MOST);
    }
}

impl Model for Population {
    fn maximise(&mut self, expected: &Expected) -> Step {
        let (labels, classes) = (expected.labels, expected.classes);
        self.learn(expected);
        let mut tables = expected.votes.clone();
        // The newcomer has no counts, and so the population's row.
        tables.resize(tables.len() + labels * classes, 0.0);
        for table in tables.chunks_exact_mut(labels * classes) {
            for (cell, share) in table.iter_mut().zip(&self.shares) {
                *cell += self.worth * share;
            }
            super::dawid_skene::normalise(table, labels, classes, 0.0, None);
        }
        let prior = self.class_shares.shares(&expected.tasks);
        Step { tables: Confusion::of_tables(labels, prior, tables), density: 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gamma::ln_gamma;
    use crate::simulate::{Crowd, WorkerModel};
    use crate::truth::DawidSkene;

    fn crowd(workers: usize, votes: usize) -> (Ballots, Vec<Option<u16>>) {
        let crowd = Crowd {
            tasks: 600,
            workers,
            classes: 3,
            votes: (votes, votes),
            model: WorkerModel::Confusion,
            ..Crowd::default()
        };
        let drawn = crowd.draw(&Context::new().with_seed(6)).unwrap();
        let truth = drawn.truth.iter().map(|&class| Some(class as u16)).collect();
        (Ballots::from_tasks(&drawn.labels, workers, 3).unwrap(), truth)
    }

    /// ln P(counts | worth, shares), term by term, with the one draw more.
    fn evidence_of(expected: &Expected, worth: f64, shares: &[f64]) -> f64 {
        let k = expected.classes;
        let mut sum = shares.iter().map(|share| share.ln() / k as f64).sum::<f64>();
        for table in expected.votes.chunks_exact(k * k) {
            for class in 0..k {
                let counts: Vec<f64> = (0..k).map(|label| table[label * k + class]).collect();
                sum += ln_gamma(worth) - ln_gamma(counts.iter().sum::<f64>() + worth);
                for (label, count) in counts.iter().enumerate() {
                    let pseudo = worth * shares[label * k + class];
                    sum += ln_gamma(count + pseudo) - ln_gamma(pseudo);
                }
            }
        }
        sum
    }

    #[test]
    fn every_step_raises_the_evidence_to_where_nothing_gains() {
        let (ballots, _) = crowd(40, 4);
        let evidence = Evidence::votes(&ballots).unwrap();
        let expected = expect(Start::Votes, &evidence, 3, &Context::new());
        let mut population = Population::new(ClassPrior::Estimated.estimate(&VoteShares::of(&ballots), 0.0));
        population.learn(&expected);
        let mut last = evidence_of(&expected, population.worth, &population.shares);
        for _ in 0..200 {
            population.learn(&expected);
            let now = evidence_of(&expected, population.worth, &population.shares);
            // The worth is found to five digits, which costs the evidence no more than this.
            assert!(now >= last - 1e-6);
            last = now;
        }
        for factor in [0.98, 1.02] {
            assert!(evidence_of(&expected, factor * population.worth, &population.shares) < last);
            for cell in 0..9 {
                let mut other = population.shares.clone();
                other[cell] *= factor;
                super::super::dawid_skene::normalise(&mut other, 3, 3, 0.0, None);
                assert!(evidence_of(&expected, population.worth, &other) < last + 1e-6);
            }
        }
    }

    #[test]
    fn workers_with_few_labels_are_read_better_than_by_their_own_matrix() {
        // 600 workers with four labels each.
        let (ballots, truth) = crowd(600, 4);
        let evidence = Evidence::votes(&ballots).unwrap();
        let pooled = Pooled::default().fit(&evidence, &Context::new()).unwrap();
        let alone = DawidSkene::default().fit(&evidence, &Context::new()).unwrap();
        assert!(pooled.converged);
        assert!(pooled.posterior.error(&truth).unwrap() < alone.posterior.error(&truth).unwrap() - 0.02);
    }
}
