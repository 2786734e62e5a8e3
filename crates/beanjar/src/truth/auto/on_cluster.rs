//! The same fit where the votes are elsewhere.

use super::super::class_prior::VoteShares;
use super::super::distributed::{CandidateReading, Far, MixedReading, ReadBy, Recode};
use super::super::em::{Climb, LARGE, Passes};
use super::super::rare_workers::RareWorkers;
use super::super::skilled::Names;
use super::super::{Evidence, FitSummary};
use super::candidate::Model;
use super::held_out::hold_out;
use super::many_classes::too_many_for_tables;
use super::stack::{self, Weighed};
use super::{Auto, AutoSummary, copies, pool_share, summary, ways};
use crate::judgments::{Ballots, sample_of_tasks};
use crate::workers::families_of_copies;
use crate::{Context, Error, Result};

impl Auto {
    /// Copies, held-out labels and the first steps of EM are seen on parts of the tasks, as on one machine; the last steps
    /// of each candidate go over all votes.
    pub(in crate::truth) fn fit_far(&self, far: &Far<'_>, context: &Context) -> Result<(MixedReading, FitSummary)> {
        // One machine goes by agreement with the majority then, and has room for so few labels.
        if too_many_for_tables(far.classes, far.overview.votes) {
            let what = "what so few labels can teach on a cluster; use majority, or one machine";
            return Err(Error::TooManyClasses { classes: far.classes, what });
        }
        let methods = self.candidates();
        self.check_folds()?;
        let sample = Evidence::part(&far.sample, &[]);
        methods.iter().try_for_each(|method| method.check(&sample))?;
        let mut families = families_of_copies(&far.sample, &context.part(0.0, 0.05))?;
        let context = &context.part(0.05, 1.0);
        let together = Recode::of_families(families.clone()).together(&far.sample);
        let held_out = hold_out(&methods, &together, self.folds, &context.part(0.0, 0.6))?;
        let Weighed { weights, gain, plain_vote } = stack::weigh(&held_out);
        let nothing = &context.part(0.6, 0.6);
        if plain_vote
            && !families.is_empty()
            && !copies::count_once(&far.sample, &together, &families, self.folds, nothing)?
        {
            families.clear();
        }
        let recode = Recode::of_families(families.clone());
        let sample = recode.together(&far.sample);
        let overview = if families.is_empty() { far.overview.clone() } else { far.overview_of(&recode)? };
        let rare = RareWorkers::of_votes(overview.per_worker.clone());
        let recode = recode.with_tables(rare.as_ref());
        let sample = recode.by_table(sample);
        let part = sample_of_tasks(&sample, LARGE, context.seed()).map(|tasks| sample.of_tasks(&tasks)).transpose()?;
        let votes = Votes {
            part: part.as_ref().unwrap_or(&sample),
            all: &far.passes(&recode),
            shares: &overview.shares,
            whole: overview.votes <= LARGE && sample.len() == overview.votes,
        };
        let at = |number: usize| 0.6 + 0.4 * number as f64 / methods.len() as f64;
        let fit = |(number, method)| votes.fit(method, &context.part(at(number), at(number + 1)));
        let fits = methods.iter().enumerate().map(fit).collect::<Result<Vec<CandidateFit>>>()?;
        let correlation = far.correlation(&recode, fits[0].reading.tables())?;
        let voters = overview.per_worker.iter().filter(|votes| **votes > 0).count();
        let weights = ways(&weights, pool_share(voters, overview.votes as f64 / overview.shares.tasks));
        let auto = AutoSummary {
            held_out: held_out.labels(),
            plain_vote,
            gain,
            candidates: summary::candidates(&methods, &weights),
            pool: weights[methods.len()..2 * methods.len()].iter().sum(),
            correlation,
            effective_votes: 0.0,
            families,
            known: None,
        };
        let summary = FitSummary {
            log_likelihood: None,
            iterations: fits.iter().map(|fit| fit.steps).max().unwrap_or(0),
            converged: fits.iter().all(|fit| fit.converged),
            auto: Some(auto),
        };
        let candidates = fits.into_iter().map(|fit| fit.reading).collect();
        Ok((MixedReading::new(recode, candidates, weights, !self.unvoted), summary))
    }
}

/// What a candidate is fitted to.
struct Votes<'a> {
    /// The tasks on which EM takes its first steps.
    part: &'a Ballots,
    all: &'a dyn Passes,
    shares: &'a VoteShares,
    /// Whether the part is all there is.
    whole: bool,
}

/// One candidate.
struct CandidateFit {
    reading: CandidateReading,
    steps: usize,
    converged: bool,
}

impl Votes<'_> {
    fn fit(&self, model: &Model, context: &Context) -> Result<CandidateFit> {
        let here = Evidence::part(self.part, &[]);
        match model {
            Model::Skilled(method) => {
                let mut fit = match self.whole {
                    true => method.climb_each(&here, context)?,
                    false => method.climb_from_part(self.part, self.all, self.shares, context)?,
                };
                let expected = fit.take_expected(self.all, context)?;
                let (names, steps, converged) = (fit.names(&expected), fit.climb.objective.len(), fit.climb.converged);
                let by = ReadBy::LeaveOneOut(fit.into_reader(expected));
                Ok(CandidateFit { reading: CandidateReading { names, by }, steps, converged })
            }
            Model::OneCoin(method) => {
                let Climb { tables, objective, converged, .. } = match self.whole {
                    true => method.climb(&here, context)?,
                    false => method.climb_from_part(self.part, self.all, self.shares, context)?,
                };
                let names = Names::of_classes(tables.labels());
                let reading = CandidateReading { names, by: ReadBy::Tables(tables) };
                Ok(CandidateFit { reading, steps: objective.len(), converged })
            }
        }
    }
}
