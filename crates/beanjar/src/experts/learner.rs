use super::labelled_units::Labelled;
use super::large::is_large;
use super::linear::{Linear, rows_of};
use super::parameters::Parameters;
use super::penalty::{Penalty, check_penalty};
use super::regression::{SoftLabels, largest_penalty};
use super::rights::Rights;
use super::rows::RowParameters;
use super::{Classifier, ExpertModel, ExpertsFit, Features, ManyExperts, PenaltyKind};
use crate::context::Steps;
use crate::truth::{Evidence, Method};
use crate::{Context, Result};

/// A way to learn a classifier from units with features and noisy labels.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Learner {
    /// The class and the experts together.
    Experts(ManyExperts),
    /// A penalised logistic regression on the majority's label; a tie counts for each of the tied.
    Majority,
    /// A penalised logistic regression on the soft labels of a method that infers the truth.
    Aggregate(Method),
    /// A penalised logistic regression on the true class, of the units where it is known.
    Truth,
}

/// A classifier, fitted by any [`Learner`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClassifierFit {
    /// The classifier, for features on the user's scale.
    pub classifier: Classifier,
    /// The classifier with the experts, if they were learned together.
    pub experts: Option<ExpertModel>,
    /// The log-likelihood less the penalties: of experts' labels, or of those a regression was fitted to.
    pub objective: f64,
    /// That log-likelihood.
    pub log_likelihood: f64,
    /// Steps that were taken, from a start on: with those of fits with other penalties on the way.
    pub iterations: usize,
    /// Whether the steps ended because none promised more.
    pub converged: bool,
    /// The same for standardised features.
    pub(super) standardised: StandardisedFit,
}

/// What was fitted, for standardised features.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum StandardisedFit {
    Classifier(Linear),
    Experts(Parameters),
    Rows(RowParameters),
}

impl StandardisedFit {
    /// The model of the experts, if there is one.
    pub(super) fn rights(&self) -> Option<&dyn Rights> {
        match self {
            StandardisedFit::Classifier(_) => None,
            StandardisedFit::Experts(parameters) => Some(parameters),
            StandardisedFit::Rows(parameters) => Some(parameters),
        }
    }
}

impl ClassifierFit {
    /// How many features enter, for the class or for ease.
    #[must_use]
    pub fn features_used(&self) -> usize {
        match &self.standardised {
            StandardisedFit::Classifier(classifier) => classifier.features_used(),
            StandardisedFit::Experts(parameters) => parameters.features_used(),
            StandardisedFit::Rows(parameters) => parameters.classifier.features_used(),
        }
    }

    /// The likeliest class of each unit, by its features.
    pub fn predictions(&self, features: &Features) -> Result<Vec<Option<usize>>> {
        Ok(self.classifier.predict(features)?.into_iter().map(Some).collect())
    }

    pub(super) fn parameters(&self) -> Option<&Parameters> {
        match &self.standardised {
            StandardisedFit::Experts(parameters) => Some(parameters),
            _ => None,
        }
    }

    pub(super) fn linear(&self) -> &Linear {
        match &self.standardised {
            StandardisedFit::Classifier(classifier) => classifier,
            StandardisedFit::Experts(parameters) => &parameters.classifier,
            StandardisedFit::Rows(parameters) => &parameters.classifier,
        }
    }
}

impl From<ExpertsFit> for ClassifierFit {
    fn from(fit: ExpertsFit) -> Self {
        ClassifierFit {
            classifier: fit.model.classifier().clone(),
            experts: Some(fit.model),
            objective: fit.objective,
            log_likelihood: fit.log_likelihood,
            iterations: fit.iterations,
            converged: fit.converged,
            standardised: StandardisedFit::Experts(fit.parameters),
        }
    }
}

impl Learner {
    /// The smallest penalty at which no feature enters.
    pub fn largest_penalty(&self, data: &Labelled<'_>, context: &Context) -> Result<f64> {
        match self {
            Learner::Experts(method) => method.largest_penalty(data, context),
            _ => largest_penalty(&data.features, &self.soft_labels(data, context)?.rows, context),
        }
    }

    /// Whether there are too many features to take one by one, or the penalty is of another kind than L1.
    pub(super) fn needs_products(&self, data: &Labelled<'_>, kind: PenaltyKind) -> bool {
        match self {
            Learner::Experts(method) => ManyExperts { kind, ..method.clone() }.needs_products(data),
            _ => {
                let numbers = rows_of(data.ballots.classes()) * (data.features.len() + 1);
                kind != PenaltyKind::L1 || is_large(data.units(), numbers)
            }
        }
    }

    /// Learns with one penalty, from all starts, and from another fit if there is one.
    pub fn fit(
        &self,
        data: &Labelled<'_>,
        penalty: impl Into<Penalty>,
        other: Option<&ClassifierFit>,
        context: &Context,
    ) -> Result<ClassifierFit> {
        let penalty = penalty.into();
        match self {
            Learner::Experts(method) => {
                let method = method.with_penalty(penalty);
                let on = from(&method, data, other, context)?;
                match on {
                    Some(on) if method.needs_products(data) => Ok(method.highest_nearby(data, on, context)?.into()),
                    on => Ok(on.into_iter().fold(method.fit(data, context)?, higher).into()),
                }
            }
            _ => {
                let labels = self.soft_labels(data, context)?;
                regress(data, &labels, penalty, other, context)
            }
        }
    }

    /// How many fits [`along`](Self::along) makes with this many penalties.
    pub(super) fn fits_along(&self, penalties: usize) -> usize {
        match self {
            Learner::Experts(_) => (2 * penalties).saturating_sub(1),
            _ => penalties,
        }
    }

    /// Learns with each of several penalties, from the largest down. Each fit is a step.
    ///
    /// Experts are learned from all starts at the first penalty, and from some of them at every fifth; at each penalty from
    /// where the last ended, and then back up, from where the next smaller ended. What ends highest is kept: the likelihood
    /// has many maxima, and those without features lead nowhere where experts are few.
    pub(super) fn along(
        &self,
        data: &Labelled<'_>,
        penalties: &[f64],
        steps: &Steps<'_>,
        context: &Context,
    ) -> Result<Vec<ClassifierFit>> {
        let mut fits: Vec<ClassifierFit> = Vec::with_capacity(penalties.len());
        let Learner::Experts(method) = self else {
            let labels = self.soft_labels(data, context)?;
            for penalty in penalties.iter().copied().map(Penalty::from) {
                fits.push(regress(data, &labels, penalty, fits.last(), context)?);
                steps.tick()?;
            }
            return Ok(fits);
        };
        const EVERY: usize = 5;
        for (i, &penalty) in penalties.iter().enumerate() {
            let restarts = if i == 0 { method.restarts } else { method.restarts / EVERY };
            let method = ManyExperts { penalty, restarts, ..method.clone() };
            let on = from(&method, data, fits.last(), context)?;
            fits.push(match on {
                Some(on) if i % EVERY != 0 => on.into(),
                on => on.into_iter().fold(method.fit(data, context)?, higher).into(),
            });
            steps.tick()?;
        }
        for i in (1..fits.len()).rev() {
            let method = ManyExperts { penalty: penalties[i - 1], ..method.clone() };
            if let Some(back) = from(&method, data, Some(&fits[i]), context)?
                && back.objective > fits[i - 1].objective
            {
                fits[i - 1] = back.into();
            }
            steps.tick()?;
        }
        Ok(fits)
    }

    /// What a regression is fitted to.
    pub(super) fn soft_labels(&self, data: &Labelled<'_>, context: &Context) -> Result<SoftLabels> {
        let ballots = data.ballots;
        let classes = ballots.classes();
        let mut shares = vec![0.0; data.units() * classes];
        match self {
            Learner::Experts(_) | Learner::Majority => {
                let votes = data.shares();
                for (cells, votes) in shares.chunks_exact_mut(classes).zip(votes.chunks_exact(classes)) {
                    let most = votes.iter().fold(0.0, |most: f64, share| most.max(*share));
                    let tied = votes.iter().filter(|share| **share == most).count() as f64;
                    let win = |share: &f64| if *share == most && most > 0.0 { 1.0 / tied } else { 0.0 };
                    cells.iter_mut().zip(votes).for_each(|(cell, share)| *cell = win(share));
                }
            }
            Learner::Aggregate(method) => {
                let posterior = method.fit(&Evidence::votes(ballots)?, &context.alone())?.posterior;
                for unit in data.with_labels() {
                    shares[unit * classes..(unit + 1) * classes].copy_from_slice(&posterior.row(unit));
                }
            }
            Learner::Truth => {
                let truth = data.truth.as_deref().unwrap_or_default();
                let known = truth.iter().enumerate().filter_map(|(unit, class)| Some((unit, (*class)?)));
                known.for_each(|(unit, class)| shares[unit * classes + usize::from(class)] = 1.0);
            }
        }
        SoftLabels::new(classes, shares)
    }
}

impl ManyExperts {
    /// The same with another penalty on the coefficients of the class.
    pub(super) fn with_penalty(&self, penalty: Penalty) -> ManyExperts {
        ManyExperts { penalty: penalty.size, kind: penalty.kind, ..self.clone() }
    }
}

/// Learns from where another fit ended, if there is one.
pub(super) fn from(
    method: &ManyExperts,
    data: &Labelled<'_>,
    other: Option<&ClassifierFit>,
    context: &Context,
) -> Result<Option<ExpertsFit>> {
    let Some((other, start)) = other.and_then(|other| Some((other, other.parameters()?))) else { return Ok(None) };
    let fit = method.fit_from_parameters(data, start, context)?;
    Ok(Some(ExpertsFit { iterations: other.iterations + fit.iterations, ..fit }))
}

fn higher(one: ExpertsFit, other: ExpertsFit) -> ExpertsFit {
    if other.objective > one.objective { other } else { one }
}

fn regress(
    data: &Labelled<'_>,
    labels: &SoftLabels,
    penalty: Penalty,
    start: Option<&ClassifierFit>,
    context: &Context,
) -> Result<ClassifierFit> {
    check_penalty("the penalty", penalty.size)?;
    let found = labels.regress_in_steps(&data.features, penalty, start.map(ClassifierFit::linear), context)?;
    Ok(regression_fit(data, labels, penalty, start, found))
}

/// A regression that was fitted from a start, and how many steps that took.
pub(super) fn regression_fit(
    data: &Labelled<'_>,
    labels: &SoftLabels,
    penalty: Penalty,
    start: Option<&ClassifierFit>,
    (fitted, steps): (Linear, usize),
) -> ClassifierFit {
    let log_likelihood = labels.log_likelihood(&fitted, &data.features);
    ClassifierFit {
        classifier: fitted.on_the_users_scale(&data.features),
        experts: None,
        objective: log_likelihood - penalty.of(&fitted.coefficients),
        log_likelihood,
        iterations: steps + start.map_or(0, |start| start.iterations),
        converged: true,
        standardised: StandardisedFit::Classifier(fitted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgments::Ballots;
    use crate::truth::Majority;

    #[test]
    fn regressions_are_on_what_their_names_say() {
        // Three classes; a tie, a unit without votes, and one whose truth nobody said.
        let votes = [vec![(0, 0), (1, 0), (2, 1)], vec![(0, 1), (1, 2)], vec![], vec![(2, 2)]];
        let ballots = Ballots::from_tasks(&votes, 3, 3).unwrap();
        let features = Features::from_columns(4, &[]).unwrap();
        let data = Labelled::new(&features, &ballots).unwrap();
        let data = data.with_truth(vec![Some(0), Some(2), None, Some(1)]).unwrap();
        let labels = |learner: Learner| learner.soft_labels(&data, &Context::new()).unwrap().rows.target;
        let none = [0.0; 3];
        let majority = [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], none, [0.0, 0.0, 1.0]].concat();
        assert_eq!(labels(Learner::Majority), majority);
        assert_eq!(
            labels(Learner::Aggregate(Method::Majority(Majority::default()))),
            [[2.0 / 3.0, 1.0 / 3.0, 0.0], [0.0, 0.5, 0.5], none, [0.0, 0.0, 1.0]].concat()
        );
        assert_eq!(labels(Learner::Truth), [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], none, [0.0, 1.0, 0.0]].concat());
        let unknown = Labelled::new(&features, &ballots).unwrap();
        assert!(Learner::Truth.soft_labels(&unknown, &Context::new()).is_err());
        assert!(unknown.clone().with_truth(vec![Some(3); 4]).is_err() && unknown.with_truth(vec![None; 3]).is_err());
        // Without features, the probabilities are the classes' shares.
        let fit = Learner::Majority.fit(&data, 1.0, None, &Context::new()).unwrap();
        let found = fit.classifier.probabilities(&features).unwrap();
        assert!(found[..3].iter().zip([1.0 / 3.0, 0.5 / 3.0, 1.5 / 3.0]).all(|(p, share)| (p - share).abs() < 1e-6));
        assert_eq!(fit.objective, fit.log_likelihood);
    }
}
