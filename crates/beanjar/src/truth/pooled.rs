use super::em::{Expected, Model, Start, Step, climb, expect};
use super::posterior::Posterior;
use super::rule::Confusion;
use super::{Evidence, Fitted, Prior, Stopping};
use crate::gamma::digamma;
use crate::judgments::Ballots;
use crate::{Cores, Result};

/// Dawid-Skene's model with each row of a worker's confusion matrix shrunk to the population's.
///
/// P_w(. | k) ~ Dirichlet(alpha_k): alpha_k's shares are the population's row, its sum how many labels that is worth. Both
/// are learned from the data, by the evidence of the Dirichlet-multinomial on the expected counts (empirical Bayes), so
/// workers with three labels do not have five free parameters, and workers who differ are let differ. The tables are the
/// posterior means (count + alpha) / (sum of counts + sum of alpha). Cost: as [`DawidSkene`](super::DawidSkene), and
/// O(workers times classes squared) digamma functions an iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Pooled {
    /// The shares of the classes.
    pub prior: Prior,
    /// When to stop.
    pub stopping: Stopping,
}

impl Default for Pooled {
    fn default() -> Self {
        Pooled { prior: Prior::Estimated, stopping: Stopping { iterations: 200, tolerance: 1e-6 } }
    }
}

impl Pooled {
    /// Finds the population, the workers and the classes.
    pub fn fit(&self, evidence: &Evidence<'_>, cores: &Cores) -> Result<Fitted> {
        let classes = evidence.ballots.classes();
        self.stopping.check()?;
        self.prior.check(classes)?;
        let mut model = Population { prior: &self.prior, alpha: Vec::new() };
        climb(evidence, classes, Start::Votes, &self.stopping, &mut model, cores).into_fitted(evidence, cores)
    }
}

/// The tables of all workers, shrunk to the population's, where the probabilities of the classes are given.
pub(crate) fn tables_given(ballots: &Ballots, posterior: &Posterior, cores: &Cores) -> Result<Confusion> {
    let evidence = Evidence::votes(ballots)?;
    let classes = ballots.classes();
    let expected = expect(Start::Posterior(posterior), &evidence, classes, cores);
    let mut model = Population { prior: &Prior::Estimated, alpha: Vec::new() };
    // Worth and shares settle in a few steps when the counts stay as they are.
    const STEPS: usize = 5;
    (0..STEPS).for_each(|_| model.learn(&expected));
    let Step { prior, votes, trust, .. } = model.maximise(&expected);
    Ok(Confusion { labels: classes, prior, votes, meaning: None, trust })
}

/// The most labels that the population may be worth: beyond, all workers are the same to four digits.
const MOST: f64 = 1e4;
/// The least that any cell may be worth, so that no label is ever impossible.
const LEAST: f64 = 1e-3;

/// What the population is like, improved step by step.
struct Population<'a> {
    prior: &'a Prior,
    /// At `label * classes + class`; empty before the first step.
    alpha: Vec<f64>,
}

impl Population<'_> {
    /// One step up the evidence for the population: how much it is worth, then its shares (Minka's fixed point, which
    /// alone would take hundreds of steps to find that all workers are alike).
    fn learn(&mut self, expected: &Expected<'_>) {
        let (labels, classes) = (expected.labels, expected.classes);
        if self.alpha.is_empty() {
            // Begin with the mean row, worth as many labels as there are classes.
            self.alpha = expected.population();
            super::dawid_skene::normalise(&mut self.alpha, labels, classes, 1.0, None);
            self.alpha.iter_mut().for_each(|share| *share *= classes as f64);
        }
        let cells = labels * classes;
        for class in 0..classes {
            self.weigh(expected, class);
            let worth: f64 = (0..labels).map(|label| self.alpha[label * classes + class]).sum();
            let mut spread = 0.0;
            let mut gains = vec![0.0; labels];
            for table in expected.votes.chunks_exact(cells) {
                let sum: f64 = (0..labels).map(|label| table[label * classes + class]).sum();
                if sum > 0.0 {
                    spread += digamma(sum + worth) - digamma(worth);
                    for label in 0..labels {
                        let (count, alpha) = (table[label * classes + class], self.alpha[label * classes + class]);
                        if count > 0.0 {
                            gains[label] += digamma(count + alpha) - digamma(alpha);
                        }
                    }
                }
            }
            if spread > 0.0 {
                for label in 0..labels {
                    let alpha = &mut self.alpha[label * classes + class];
                    *alpha = (*alpha * gains[label] / spread).max(LEAST);
                }
                let worth: f64 = (0..labels).map(|label| self.alpha[label * classes + class]).sum();
                if worth > MOST {
                    (0..labels).for_each(|label| self.alpha[label * classes + class] *= MOST / worth);
                }
            }
        }
    }
}

impl Population<'_> {
    /// Scales a class's row to where the evidence is largest, by halving the range where its slope changes sign.
    fn weigh(&mut self, expected: &Expected<'_>, class: usize) {
        let (labels, classes) = (expected.labels, expected.classes);
        let slope = |factor: f64| -> f64 {
            let alpha: Vec<f64> = (0..labels).map(|label| factor * self.alpha[label * classes + class]).collect();
            let worth: f64 = alpha.iter().sum();
            let of = |table: &[f64]| {
                let counts = (0..labels).map(|label| table[label * classes + class]);
                let sum: f64 = counts.clone().sum();
                let cells = counts.zip(&alpha).filter(|(count, _)| *count > 0.0);
                let gains: f64 = cells.map(|(count, alpha)| alpha * (digamma(count + alpha) - digamma(*alpha))).sum();
                if sum > 0.0 { gains - worth * (digamma(sum + worth) - digamma(worth)) } else { 0.0 }
            };
            expected.votes.chunks_exact(labels * classes).map(of).sum()
        };
        const WIDEST: f64 = 16.0;
        let (mut low, mut high) = match slope(1.0) {
            slope if slope > 0.0 => (1.0, WIDEST),
            slope if slope < 0.0 => (1.0 / WIDEST, 1.0),
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
        let factor = f64::sqrt(low * high);
        (0..labels).for_each(|label| self.alpha[label * classes + class] *= factor);
    }
}

impl Model for Population<'_> {
    fn maximise(&mut self, expected: &Expected<'_>) -> Step {
        let (labels, classes) = (expected.labels, expected.classes);
        self.learn(expected);
        let mut tables = expected.votes.clone();
        // The newcomer has no counts, and so the population's row.
        tables.resize(tables.len() + labels * classes, 0.0);
        for table in tables.chunks_exact_mut(labels * classes) {
            for (cell, alpha) in table.iter_mut().zip(&self.alpha) {
                *cell += alpha;
            }
            super::dawid_skene::normalise(table, labels, classes, 0.0, None);
        }
        Step { prior: self.prior.shares(&expected.tasks), votes: tables, density: 0.0, trust: Vec::new() }
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
        let drawn = crowd.draw(6).unwrap();
        let truth = drawn.truth.iter().map(|&class| Some(class as u16)).collect();
        (Ballots::from_tasks(&drawn.labels, workers, 3), truth)
    }

    /// ln P(counts | alpha) of one class, term by term.
    fn evidence_of(expected: &Expected<'_>, alpha: &[f64], class: usize) -> f64 {
        let k = expected.classes;
        let worth: f64 = (0..k).map(|label| alpha[label * k + class]).sum();
        let of = |table: &[f64]| {
            let sum: f64 = (0..k).map(|label| table[label * k + class]).sum();
            let cell = |label: usize| {
                let at = label * k + class;
                ln_gamma(table[at] + alpha[at]) - ln_gamma(alpha[at])
            };
            ln_gamma(worth) - ln_gamma(sum + worth) + (0..k).map(cell).sum::<f64>()
        };
        expected.votes.chunks_exact(k * k).map(of).sum()
    }

    #[test]
    fn every_step_raises_the_evidence_to_where_no_cell_gains() {
        let (ballots, _) = crowd(40, 4);
        let evidence = Evidence::votes(&ballots).unwrap();
        let expected = expect(Start::Votes, &evidence, 3, &Cores::one());
        let mut population = Population { prior: &Prior::Estimated, alpha: Vec::new() };
        population.learn(&expected);
        let mut last = (0..3).map(|k| evidence_of(&expected, &population.alpha, k)).collect::<Vec<_>>();
        for _ in 0..100 {
            population.learn(&expected);
            let now: Vec<f64> = (0..3).map(|k| evidence_of(&expected, &population.alpha, k)).collect();
            // The worth is found to five digits, which costs the evidence no more than this.
            assert!(now.iter().zip(&last).all(|(now, last)| *now >= last - 1e-6));
            last = now;
        }
        for cell in 0..9 {
            for factor in [0.99, 1.01] {
                let mut other = population.alpha.clone();
                other[cell] *= factor;
                assert!(evidence_of(&expected, &other, cell % 3) < last[cell % 3] + 1e-6);
            }
        }
    }

    #[test]
    fn workers_with_few_labels_are_read_better_than_by_their_own_matrix() {
        // 600 workers with four labels each.
        let (ballots, truth) = crowd(600, 4);
        let evidence = Evidence::votes(&ballots).unwrap();
        let pooled = Pooled::default().fit(&evidence, &Cores::one()).unwrap();
        let alone = DawidSkene::default().fit(&evidence, &Cores::one()).unwrap();
        assert!(pooled.converged);
        assert!(pooled.posterior.error(&truth).unwrap() < alone.posterior.error(&truth).unwrap() - 0.02);
    }
}
