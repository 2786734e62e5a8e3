use super::classifier::Regression;
use super::{Classifier, ExpertModel, Labelled, Learned, ManyExperts, SoftLabels};
use crate::truth::{Evidence, Method};
use crate::{Context, Error, Result};

/// A way to learn a classifier from units with features and noisy labels.
#[derive(Clone, Debug, PartialEq)]
pub enum Learner {
    /// The class and the experts together.
    Experts(ManyExperts),
    /// A penalised logistic regression on the majority's label; a tie counts for each of the tied.
    Majority,
    /// A penalised logistic regression on the soft labels of a method that infers the truth.
    Aggregate(Method),
    /// A penalised logistic regression on the true class, where it is known, of each unit.
    Truth(Vec<Option<u16>>),
}

/// Units to learn from.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// Their features and labels.
    pub data: Labelled<'a>,
    /// Their numbers among all units.
    pub units: &'a [usize],
}

/// A classifier that was learned, for features standardised as those it was learned from.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The classifier.
    pub classifier: Classifier,
    /// The classifier with the experts, if they were learned together.
    pub experts: Option<ExpertModel>,
    /// The log-likelihood less the penalties: of experts' labels, or of those a regression was fitted to.
    pub objective: f64,
    /// That log-likelihood.
    pub log_likelihood: f64,
    /// Steps that were taken.
    pub iterations: usize,
    /// Whether they came to an end by themselves.
    pub converged: bool,
}

impl Fit {
    /// How many features enter, for the class or for difficulty.
    pub fn features_used(&self) -> usize {
        match &self.experts {
            Some(experts) => experts.features_used(),
            None => self.classifier.features_used(),
        }
    }
}

impl From<Learned> for Fit {
    fn from(learned: Learned) -> Self {
        Fit {
            classifier: learned.model.classifier.clone(),
            experts: Some(learned.model),
            objective: learned.objective,
            log_likelihood: learned.log_likelihood,
            iterations: learned.iterations,
            converged: learned.converged,
        }
    }
}

impl Learner {
    /// The smallest penalty at which no feature enters.
    pub fn largest_penalty(&self, part: &Part<'_>) -> Result<f64> {
        match self {
            Learner::Experts(method) => method.largest_penalty(&part.data),
            _ => Regression::largest_penalty(part.data.features, &self.soft_labels(part)?),
        }
    }

    /// Learns with one penalty, from all starts, and from another fit if there is one.
    pub fn fit(&self, part: &Part<'_>, penalty: f64, other: Option<&Fit>, context: &Context) -> Result<Fit> {
        match self {
            Learner::Experts(method) => {
                let method = ManyExperts { penalty, ..method.clone() };
                let afresh = method.fit(&part.data, context)?;
                Ok(higher(afresh, from(&method, part, other)?))
            }
            _ => regress(part, &self.soft_labels(part)?, penalty, other.map(|fit| &fit.classifier)),
        }
    }

    /// Learns with each of several penalties, from the largest down.
    ///
    /// Experts are learned from all starts at the first penalty, and from some of them at every fifth; at each penalty from
    /// where the last ended, and then back up, from where the next smaller ended. What ends highest is kept: the likelihood
    /// has many maxima, and those without features lead nowhere where experts are few.
    pub fn along(&self, part: &Part<'_>, penalties: &[f64]) -> Result<Vec<Fit>> {
        let mut fits: Vec<Fit> = Vec::with_capacity(penalties.len());
        let Learner::Experts(method) = self else {
            let labels = self.soft_labels(part)?;
            for &penalty in penalties {
                fits.push(regress(part, &labels, penalty, fits.last().map(|fit| &fit.classifier))?);
            }
            return Ok(fits);
        };
        const EVERY: usize = 5;
        for (i, &penalty) in penalties.iter().enumerate() {
            let restarts = if i == 0 { method.restarts } else { method.restarts / EVERY };
            let method = ManyExperts { penalty, restarts, ..method.clone() };
            let on = from(&method, part, fits.last())?;
            fits.push(match on {
                Some(on) if i % EVERY != 0 => on.into(),
                on => higher(method.fit(&part.data, &Context::new())?, on),
            });
        }
        for i in (1..fits.len()).rev() {
            let method = ManyExperts { penalty: penalties[i - 1], ..method.clone() };
            if let Some(back) = from(&method, part, Some(&fits[i]))?
                && back.objective > fits[i - 1].objective
            {
                fits[i - 1] = back.into();
            }
        }
        Ok(fits)
    }

    /// What a regression is fitted to.
    fn soft_labels(&self, part: &Part<'_>) -> Result<SoftLabels> {
        let ballots = part.data.ballots;
        let classes = ballots.classes();
        let mut shares = vec![0.0; ballots.tasks() * classes];
        match self {
            Learner::Experts(_) | Learner::Majority => {
                let votes = part.data.shares();
                for (cells, votes) in shares.chunks_exact_mut(classes).zip(votes.chunks_exact(classes)) {
                    let most = votes.iter().fold(0.0, |most: f64, share| most.max(*share));
                    let tied = votes.iter().filter(|share| **share == most).count() as f64;
                    let win = |share: &f64| if *share == most && most > 0.0 { 1.0 / tied } else { 0.0 };
                    cells.iter_mut().zip(votes).for_each(|(cell, share)| *cell = win(share));
                }
            }
            Learner::Aggregate(method) => {
                let posterior = method.fit(&Evidence::votes(ballots)?, &Context::new())?.posterior;
                let with_votes = (0..ballots.tasks()).filter(|&unit| !ballots.votes(unit).labels.is_empty());
                for unit in with_votes {
                    shares[unit * classes..(unit + 1) * classes].copy_from_slice(posterior.of(unit));
                }
            }
            Learner::Truth(truth) => {
                let known = part.units.iter().map(|&unit| truth.get(unit).copied().flatten()).enumerate();
                known.filter_map(|(at, class)| Some((at, class?))).for_each(|(at, class)| {
                    shares[at * classes + usize::from(class)] = 1.0;
                });
            }
        }
        if shares.iter().all(|share| *share == 0.0) {
            return Err(Error::Empty("known class of a unit"));
        }
        SoftLabels::new(classes, shares)
    }
}

/// Learns from where another fit ended, if there is one.
fn from(method: &ManyExperts, part: &Part<'_>, other: Option<&Fit>) -> Result<Option<Learned>> {
    let experts = other.and_then(|fit| fit.experts.as_ref());
    experts.map(|experts| method.fit_from(&part.data, experts)).transpose()
}

fn higher(one: Learned, other: Option<Learned>) -> Fit {
    Fit::from(match other {
        Some(other) if other.objective > one.objective => other,
        _ => one,
    })
}

fn regress(part: &Part<'_>, labels: &SoftLabels, penalty: f64, start: Option<&Classifier>) -> Result<Fit> {
    let classifier = Regression { penalty }.fit(part.data.features, labels, start)?;
    let log_likelihood = labels.log_likelihood(&classifier, part.data.features);
    let size: f64 = classifier.coefficients.iter().map(|b| b.abs()).sum();
    Ok(Fit {
        classifier,
        experts: None,
        objective: log_likelihood - penalty * size,
        log_likelihood,
        iterations: 1,
        converged: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experts::Features;
    use crate::judgments::Ballots;
    use crate::truth::Majority;

    #[test]
    fn regressions_are_on_what_their_names_say() {
        // Three classes; a tie, a unit without votes, and one whose truth nobody said.
        let votes = [vec![(0, 0), (1, 0), (2, 1)], vec![(0, 1), (1, 2)], vec![], vec![(2, 2)]];
        let ballots = Ballots::from_tasks(&votes, 3, 3).unwrap();
        let features = Features::from_columns(4, &[]).unwrap();
        let part = Part { data: Labelled::new(&features, &ballots).unwrap(), units: &[5, 0, 1, 2] };
        let labels = |learner: Learner| learner.soft_labels(&part).unwrap().rows.target;
        let third = [0.0; 3];
        let majority = [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], third, [0.0, 0.0, 1.0]].concat();
        assert_eq!(labels(Learner::Majority), majority);
        assert_eq!(
            labels(Learner::Aggregate(Method::Majority(Majority::default()))),
            [[2.0 / 3.0, 1.0 / 3.0, 0.0], [0.0, 0.5, 0.5], third, [0.0, 0.0, 1.0]].concat()
        );
        let truth = vec![Some(2), None, Some(1), None, None, Some(0)];
        assert_eq!(labels(Learner::Truth(truth)), [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], third, [0.0, 1.0, 0.0]].concat());
        assert!(Learner::Truth(vec![]).soft_labels(&part).is_err());
        // Without features, the probabilities are the classes' shares.
        let fit = Learner::Majority.fit(&part, 1.0, None, &Context::new()).unwrap();
        let found = fit.classifier.probabilities(&features);
        assert!(found[..3].iter().zip([1.0 / 3.0, 0.5 / 3.0, 1.5 / 3.0]).all(|(p, share)| (p - share).abs() < 1e-6));
        assert_eq!(fit.objective, fit.log_likelihood);
    }
}
