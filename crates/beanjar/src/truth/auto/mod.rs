//! Several fits, weighed by how well they predict held-out labels and known answers.

mod candidate;
mod copies;
mod held_out;
mod known;
mod many_classes;
mod on_cluster;
mod one_vote;
mod stack;
mod summary;

pub(crate) use many_classes::too_many_for_tables;
pub use summary::{AutoSummary, CandidateWeight, KnownSummary};

use super::effective::residual_correlation;
use super::rule::{Blend, Pool, Rule, Sharpening, Weights, keep_to_voted, smoothed_shares};
use super::{ClassPrior, Evidence, Majority, Posterior, TruthFit};
use crate::judgments::{Ballots, as_one};
use crate::workers::families_of_copies;
use crate::{Context, Error, Result};
use candidate::{Candidate, Model};
use held_out::{HeldOut, hold_out};
use known::Known;
use stack::Weighed;

/// The method to use when nothing is known but the labels, or little more.
///
/// [`Skilled`](super::Skilled) contains the usual models as corners. What labels leave open is whether tasks of a class are
/// of one kind or of two, whether workers differ in more than one number, and the class prior. So there are six candidates:
/// one kind, two kinds, and [`OneCoin`](super::OneCoin), each under the anchored and the uniform class prior; and the plain
/// vote. Their weights are those under which their mixture makes held-out labels most probable (stacking, with a prior
/// towards equal weights). If the mixture of the models does not predict held-out labels better than the plain vote by more
/// than two standard errors over tasks, the answer is the plain vote.
///
/// A candidate reads a task's votes in two ways. Bayes' rule multiplies them, which is right if they are independent given
/// the class; the linear pool averages them, which is right if they are copies of one another. Labels alone cannot tell how
/// much of each is due, for errors that all share look like the truth. What is known is how many workers there are: a
/// mistake that a few judges share is in all tasks, while of hundreds of workers each task has others. The pool's share is
/// one half with up to 20 workers, and about a tenth less with every doubling (0.1 with 500 or more). Where a task has more
/// than 20 votes, their number is divided by a twentieth of that: a hundred who vote on every task count as 20.
///
/// Known answers (`gold`) name the components of candidates with two kinds, weigh the candidates and their two ways of
/// reading, and calibrate the result by a power, a power of the plain vote beside it, and a shift for each class. Each is
/// scored on answers that it has not seen, and held to what labels alone say where answers are few.
///
/// With 50 classes or more, and more pairs of classes than labels, no table of classes can be learned: then votes count by
/// how often their worker agrees with the majority ([`Wawa`](super::Wawa)).
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `folds` | each label is held out in one of these fits | 5 | 2 to 20 |
/// | `prior` | one class prior instead of the two | none | |
/// | `unvoted` | whether a class nobody voted for may be a task's label | no | |
///
/// Cost: six fits of all labels, of which the first steps are taken on a part where there are many, and six times `folds`
/// of at most 60,000 (whole tasks drawn by the seed).
#[derive(Clone, Debug, PartialEq)]
pub struct Auto {
    /// Each label is held out in one of these fits.
    pub folds: usize,
    /// One class prior instead of the two.
    pub prior: Option<ClassPrior>,
    /// Whether a class that nobody voted for on a task may be its label.
    pub unvoted: bool,
}

impl Default for Auto {
    fn default() -> Self {
        Auto { folds: 5, prior: None, unvoted: false }
    }
}

/// The weight of the linear pool beside Bayes' rule, by the number of workers who voted and how many votes a task has. With
/// more than half of it, the pool would outvote what the models know of the workers.
///
/// A hundred judges who all vote on every task share their mistakes as twenty do: they count as twenty. A hundred workers of
/// whom five vote on a task are another five on the next.
pub(crate) fn pool_share(workers: usize, votes: f64) -> f64 {
    const PANEL: f64 = 20.0;
    let workers = workers.max(1) as f64 / f64::max(votes / PANEL, 1.0);
    (0.9 - 0.3 * workers.log10()).clamp(0.1, 0.5)
}

/// The weights of each candidate by Bayes' rule, then of each by its pool, then of the plain vote, from those of the
/// candidates and the plain vote and the pool's share.
fn ways(weights: &[f64], pooled: f64) -> Vec<f64> {
    let (plain, candidates) = weights.split_last().map_or((0.0, weights), |(plain, rest)| (*plain, rest));
    let share = |of: f64| candidates.iter().map(move |weight| of * weight);
    share(1.0 - pooled).chain(share(pooled)).chain([plain]).collect()
}

impl Auto {
    /// Fits the candidates, weighs them, and averages. Workers who are copies of one another vote as one.
    pub fn fit(&self, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
        self.check_folds()?;
        match one_vote::nothing_to_learn(evidence) {
            true => one_vote::fit(evidence, context),
            false => self.fit_models(evidence, context),
        }
    }

    /// The same with models of the workers even where they rest on their priors alone.
    pub(super) fn fit_models(&self, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
        if too_many_for_tables(evidence.ballots.classes(), evidence.ballots.len()) {
            return many_classes::fit(evidence, context);
        }
        self.candidates().iter().try_for_each(|method| method.check(evidence))?;
        let families = families_of_copies(evidence.ballots, &context.part(0.0, 0.05))?;
        let context = &context.part(0.05, 1.0);
        // Known answers come in later, so that every fit can be scored on them.
        let held_out = |ballots: &Ballots| hold_out(&self.candidates(), ballots, self.folds, &context.part(0.0, 0.6));
        if families.is_empty() {
            return self.fit_apart(evidence, &held_out(evidence.ballots)?, context);
        }
        let together = as_one(evidence.ballots, &families);
        let held_out = held_out(&together)?;
        if stack::weigh(&held_out).plain_vote
            && !copies::count_once(evidence.ballots, &together, &families, self.folds, &context.part(0.6, 0.6))?
        {
            return self.fit_apart(evidence, &held_out, context);
        }
        let mut fit = self.fit_apart(&Evidence::part(&together, &evidence.gold), &held_out, context)?;
        fit.rule.share_tables(&families);
        if let Some(summary) = &mut fit.auto {
            summary.families = families;
        }
        Ok(fit)
    }

    /// The same, each worker by themselves, weighed by these held-out labels.
    fn fit_apart(&self, evidence: &Evidence<'_>, held_out: &HeldOut, context: &Context) -> Result<TruthFit> {
        let methods = self.candidates();
        let ballots = evidence.ballots;
        let votes = Evidence::votes(ballots)?;
        let Weighed { weights, gain, plain_vote } = stack::weigh(held_out);
        let part = |number: usize| 0.6 + 0.4 * number as f64 / methods.len() as f64;
        let candidates = methods
            .iter()
            .enumerate()
            .map(|(number, method)| Candidate::fit(method, &votes, &context.part(part(number), part(number + 1))))
            .collect::<Result<Vec<Candidate>>>()?;
        let correlation = residual_correlation(&votes, &candidates[0].tables, context);
        let known: Vec<(usize, usize)> = (evidence.gold.iter().enumerate())
            .filter(|(task, _)| !ballots.votes(*task).labels.is_empty())
            .filter_map(|(task, class)| Some((task, usize::from((*class)?))))
            .collect();
        let mixed = Mixed::new(candidates, &weights, evidence, &known, context)?;

        let mut posterior = mixed.posterior(evidence, context);
        posterior.fill(context, |task, row| {
            let votes = ballots.votes(task);
            mixed.calibration.apply(votes, row);
            if !self.unvoted && !votes.labels.is_empty() {
                keep_to_voted(votes, row);
            }
        });
        posterior.settle(ballots, &evidence.gold);
        let summary = AutoSummary {
            held_out: held_out.labels(),
            plain_vote,
            gain,
            candidates: summary::candidates(&methods, &mixed.weights),
            pool: mixed.weights[methods.len()..2 * methods.len()].iter().sum(),
            correlation,
            effective_votes: summary::mean_effective_votes(ballots, correlation),
            families: Vec::new(),
            known: (!known.is_empty()).then(|| KnownSummary {
                answers: known.len(),
                sharpness: mixed.calibration.sharpness,
                shift: mixed.calibration.shift.clone(),
                vote_power: mixed.calibration.vote_power,
            }),
        };
        let (iterations, converged) = mixed.steps();
        Ok(TruthFit {
            posterior,
            // An average of fits has none.
            log_likelihood: None,
            iterations,
            converged,
            rule: mixed.rule(ballots.workers(), ballots.classes(), !self.unvoted)?,
            auto: Some(summary),
        })
    }

    fn check_folds(&self) -> Result<()> {
        match (2..=20).contains(&self.folds) {
            true => Ok(()),
            false => {
                let value = self.folds.to_string();
                Err(Error::OutOfRange { name: "the number of folds", value, range: "2 to 20" })
            }
        }
    }

    fn candidates(&self) -> Vec<Model> {
        match &self.prior {
            Some(prior) => Model::all(std::slice::from_ref(prior)),
            None => Model::all(&[ClassPrior::Anchored, ClassPrior::Uniform]),
        }
    }
}

/// The candidates, each read in two ways, and the plain vote, with their weights.
struct Mixed {
    candidates: Vec<Candidate>,
    pools: Vec<Pool>,
    /// Of each candidate by Bayes' rule, then of each by its pool, then of the plain vote.
    weights: Vec<f64>,
    calibration: Sharpening,
}

impl Mixed {
    fn new(
        mut candidates: Vec<Candidate>,
        weights: &[f64],
        evidence: &Evidence<'_>,
        known: &Known,
        context: &Context,
    ) -> Result<Self> {
        let ballots = evidence.ballots;
        let voters = ballots.per_worker().iter().filter(|votes| **votes > 0).count();
        let tasks = (0..ballots.tasks()).filter(|&task| !ballots.votes(task).labels.is_empty()).count();
        let mut weights = ways(weights, pool_share(voters, ballots.len() as f64 / tasks.max(1) as f64));
        let mut calibration = Sharpening::none();
        // Answers are read by pools whose names none of them changed, and so is everything else.
        let pools: Vec<Pool> = candidates.iter().map(Candidate::pool).collect();
        if !known.is_empty() {
            let rows = Self::left_out(&candidates, &pools, evidence, known, context)?;
            weights = known::weights(&rows, known, &weights);
            let mean = |parts: &Vec<Vec<f64>>| {
                let mut row = vec![0.0; evidence.ballots.classes()];
                for (part, weight) in parts.iter().zip(&weights) {
                    row.iter_mut().zip(part).for_each(|(sum, p)| *sum += weight * p);
                }
                row
            };
            let shares =
                |&(task, _): &(usize, usize)| smoothed_shares(evidence.ballots.votes(task), evidence.ballots.classes());
            let (means, shares): (Vec<_>, Vec<_>) = rows.iter().map(mean).zip(known.iter().map(shares)).unzip();
            calibration = known::calibration(&means, &shares, known);
            for candidate in candidates.iter_mut().filter(|candidate| candidate.has_kinds()) {
                candidate.names = candidate.names.with_known(&candidate.components, known);
            }
        }
        Ok(Mixed { candidates, pools, weights, calibration })
    }

    /// Answer by answer and part by part, the probabilities of the classes by parts that did not see that answer.
    fn left_out(
        candidates: &[Candidate],
        pools: &[Pool],
        evidence: &Evidence<'_>,
        known: &Known,
        context: &Context,
    ) -> Result<Vec<Vec<Vec<f64>>>> {
        let (ballots, classes) = (evidence.ballots, evidence.ballots.classes());
        let mut parts: Vec<Vec<Vec<f64>>> = candidates.iter().map(|candidate| candidate.left_out(known)).collect();
        for pool in pools {
            let read = |&(task, _): &(usize, usize)| {
                let mut row = vec![0.0; classes];
                pool.read(ballots.votes(task), &mut row);
                row
            };
            parts.push(known.iter().map(read).collect());
        }
        let plain = Majority::default().fit(&Evidence::votes(ballots)?, context)?.posterior;
        parts.push(known.iter().map(|&(task, _)| plain.of(task).to_vec()).collect());
        Ok((0..known.len()).map(|answer| parts.iter().map(|part| part[answer].clone()).collect()).collect())
    }

    /// The weighted mean of all parts.
    fn posterior(&self, evidence: &Evidence<'_>, context: &Context) -> Posterior {
        let ballots = evidence.ballots;
        let n = self.candidates.len();
        let plain = Weights::equal(ballots.workers(), ballots.classes());
        let mut posterior = Posterior::equal(ballots.tasks(), ballots.classes());
        posterior.fill(context, |task, row| {
            let votes = ballots.votes(task);
            if votes.labels.is_empty() {
                return;
            }
            let mut part = vec![0.0; row.len()];
            row.fill(0.0);
            let mut add = |weight: f64, part: &[f64]| row.iter_mut().zip(part).for_each(|(sum, p)| *sum += weight * p);
            for (number, candidate) in self.candidates.iter().enumerate() {
                let components = candidate.components.row(task);
                match candidate.has_kinds() {
                    true => {
                        candidate.names.read(&components, &mut part);
                        add(self.weights[number], &part);
                    }
                    false => add(self.weights[number], &components),
                }
                self.pools[number].read(votes, &mut part);
                add(self.weights[n + number], &part);
            }
            plain.read(votes, &mut part);
            add(self.weights[2 * n], &part);
        });
        posterior
    }

    /// The most steps of any candidate, and whether all came to an end.
    fn steps(&self) -> (usize, bool) {
        let candidates = || self.candidates.iter();
        let steps = candidates().map(|candidate| candidate.steps).max().unwrap_or(0);
        (steps, candidates().all(|candidate| candidate.converged))
    }

    fn rule(self, workers: usize, classes: usize, voted_only: bool) -> Result<Rule> {
        let Mixed { candidates, pools, weights, calibration } = self;
        let products = candidates.into_iter().map(Candidate::rule);
        let rules: Vec<Rule> = products
            .chain(pools.into_iter().map(Rule::Pool))
            .chain([Rule::Weights(Weights::equal(workers, classes))])
            .collect();
        Ok(Rule::Blend(Blend::new(rules, weights, calibration, voted_only)?))
    }
}

#[cfg(test)]
mod tests;
