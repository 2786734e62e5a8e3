use super::aggregate_outcome::{AggregateOutcome, FitSummary};
use super::votes::find_hopeless;
use super::{Calibration, Evidence, Majority, Method, Posterior, TaskState, worker_accuracies};
use crate::judgments::{Column, Dictionary, KnownClasses, Labels, Repeats};
use crate::nearest_name::nearest;
use crate::workers::{AgreementMap, Information, Keep, Missing, Ranking};
use crate::{Context, Error, Result, Warning};

/// Finds the true label of each task from the labels of several workers.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `method` | how to aggregate | [`Auto`](super::Auto) | |
/// | `gold` | known true labels, which are fixed | none | tasks among those labelled |
/// | `truth` | true labels that the result is only compared with | none | tasks among those labelled |
/// | `workers` | whose labels to use | all | |
/// | `weights` | what each worker's vote counts; who has no weight counts nothing | all alike | 0 or more; [`Majority`] only |
/// | `repeats` | what becomes of labels that a worker gave to the same task twice | averaged | |
/// | `details` | whether the outcome has what a report draws: tasks in doubt with their votes, agreement of workers | no | |
/// | `confusion` | whether the outcome gives each worker's confusion matrix | no | |
///
/// ```
/// use beanjar::{Aggregate, Context, Labels};
///
/// let labels = Labels::from_rows([
///     ("photo 1", "ann", "cat"), ("photo 1", "bob", "cat"), ("photo 1", "cy", "dog"),
///     ("photo 2", "ann", "dog"), ("photo 2", "bob", "dog"), ("photo 2", "cy", "dog"),
/// ])?;
/// let outcome = Aggregate::default().fit(&labels, &Context::new())?;
/// let first = outcome.task(0).unwrap();
/// assert_eq!((first.task, first.label), ("photo 1", "cat"));
/// assert!(first.confidence > 0.5);
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aggregate {
    /// How to aggregate.
    pub method: Method,
    /// Known true labels, which are fixed. The outcome says how good the method is without them.
    pub gold: Option<Column>,
    /// True labels that the result is only compared with. Tasks with a known label are left out.
    pub truth: Option<Column>,
    /// Whose labels to use.
    pub workers: WorkersToUse,
    /// What each worker's vote counts under [`Majority`]; who has no weight counts nothing.
    pub weights: Option<Column>,
    /// What becomes of labels that a worker gave to the same task more than once.
    pub repeats: Repeats,
    /// Whether the outcome has what a report draws: the tasks in doubt with their votes, and how often workers agree.
    pub details: bool,
    /// Whether the outcome gives each worker's confusion matrix.
    pub confusion: bool,
}

/// Whose labels to use.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum WorkersToUse {
    /// Everybody's.
    #[default]
    All,
    /// Of the workers that [`Keep`] chooses.
    Auto,
    /// Of the first workers by mutual information, at most this many.
    Top(usize),
    /// Of these.
    These(Dictionary),
}

impl Aggregate {
    /// Aggregates the labels.
    pub fn fit(&self, labels: &Labels, context: &Context) -> Result<AggregateOutcome> {
        self.check()?;
        if labels.is_empty() {
            return Err(Error::Empty("label"));
        }
        context.report("aggregating", 0.0)?;
        let mut warnings = Vec::new();
        let labels = labels.with_repeats(self.repeats, context, &mut warnings);
        let labels = labels.as_ref();
        let gold = known(self.gold.as_ref(), "gold", labels, &mut warnings)?;
        let truth = known(self.truth.as_ref(), "truth", labels, &mut warnings)?;
        let method = self.weighted_method(labels)?;
        let choosing = if self.workers == WorkersToUse::Auto { 0.4 } else { 0.0 };
        let kept = self.workers.kept(labels, &context.part(0.0, choosing), &mut warnings)?;
        let some = kept.as_ref().map(|kept| labels.ballots().of_workers(kept)).transpose()?;
        let ballots = some.as_ref().unwrap_or(labels.ballots());

        let has_gold = gold.as_ref().is_some_and(|gold| gold.iter().any(Option::is_some));
        let fitting = if has_gold { choosing + (1.0 - choosing) / 2.0 } else { 1.0 };
        let evidence = Evidence::with_gold(ballots, gold.clone().unwrap_or_default())?;
        let fit = method.fit(&evidence, &context.part(choosing, fitting))?;
        // Skilled and auto stop after sixty steps on purpose; of the others one expects a fixed point.
        if !fit.converged && !matches!(method, Method::Skilled(_) | Method::Auto(_)) {
            warnings.push(Warning::Stopped { steps: fit.iterations });
        }
        let without_gold = match &gold {
            Some(gold) if has_gold => {
                let blind = method.fit(&Evidence::votes(ballots)?, &context.part(fitting, 1.0))?;
                Calibration::of(&blind.posterior, gold)
            }
            _ => None,
        };
        let accuracies = worker_accuracies(&fit.posterior, labels.ballots())?;
        let summary = FitSummary {
            log_likelihood: fit.log_likelihood,
            iterations: fit.iterations,
            converged: fit.converged,
            auto: fit.auto,
        };
        let votes = summary.auto.as_ref().map(|auto| auto.effective_votes(ballots));
        let compared = truth.and_then(|truth| compared(&fit.posterior, truth, gold.as_deref()));
        let mut outcome = AggregateOutcome::new(method.name().to_owned(), labels, fit.posterior, accuracies, context);
        find_hopeless(&mut outcome.states, &fit.rule, &outcome.posterior, ballots, context);
        for (state, answer) in outcome.states.iter_mut().zip(gold.iter().flatten()) {
            *state = if answer.is_some() { TaskState::Known } else { *state };
        }
        outcome.fit = Some(summary);
        outcome.rule = Some(fit.rule);
        outcome.confusion = self.confusion;
        outcome.effective_votes = votes;
        outcome.kept = kept.unwrap_or(outcome.kept);
        outcome.gold = without_gold;
        outcome.truth = compared;
        outcome.warnings = warnings;
        if self.details {
            outcome.in_doubt = Some(outcome.find_doubt(labels));
            outcome.agreement = Some(AgreementMap::new(labels, context)?);
        }
        context.report("aggregating", 1.0)?;
        Ok(outcome)
    }

    /// Whether all parameters are in their ranges.
    pub fn check(&self) -> Result<()> {
        let refuse = |name, value: &str, range| Err(Error::OutOfRange { name, value: value.to_owned(), range });
        if self.weights.is_some() && !matches!(self.method, Method::Majority(_)) {
            return refuse("the method", self.method.name(), "majority where workers have weights");
        }
        let votes_only = matches!(
            self.method,
            Method::Majority(_) | Method::Wawa(_) | Method::ZeroBasedSkill(_) | Method::GoldMajority(_)
        );
        if self.confusion && votes_only {
            return refuse("the method", self.method.name(), "a model where confusion matrices are asked for");
        }
        match self.workers {
            WorkersToUse::Top(0) => refuse("the number of workers to use", "0", "1 or more"),
            _ => Ok(()),
        }
    }

    /// The method, with the workers' weights if there are any.
    fn weighted_method(&self, labels: &Labels) -> Result<Method> {
        let Some(column) = &self.weights else { return Ok(self.method.clone()) };
        let of_table = |error| Error::OfTable { table: "weights", error: Box::new(error) };
        let texts = column.matched(&labels.workers, "worker").map_err(of_table)?;
        let weight = |(worker, text): (usize, &Option<&str>)| {
            let Some(text) = text else { return Ok(0.0) };
            let weight = text.trim().parse().ok().filter(|weight: &f64| *weight >= 0.0 && weight.is_finite());
            weight.ok_or_else(|| {
                let worker = labels.workers.get(worker).to_owned();
                of_table(Error::BadWeight { worker, value: text.trim().to_owned() })
            })
        };
        let weights = texts.iter().enumerate().map(weight).collect::<Result<_>>()?;
        Ok(Method::Majority(Majority { weights: Some(weights) }))
    }
}

/// The known class of each task.
pub(crate) fn known(
    column: Option<&Column>,
    table: &'static str,
    labels: &Labels,
    warnings: &mut Vec<Warning>,
) -> Result<Option<Vec<Option<u16>>>> {
    let Some(column) = column else { return Ok(None) };
    let known = column.classes_of(labels).map_err(|error| Error::OfTable { table, error: Box::new(error) })?;
    let KnownClasses { classes, unseen, example } = known;
    if let Some(example) = example {
        warnings.push(Warning::UnseenClass { table, tasks: unseen, example });
    }
    Ok(Some(classes))
}

/// How good the posterior is on tasks whose class was not fixed: the others say nothing about the method.
fn compared(posterior: &Posterior, truth: Vec<Option<u16>>, gold: Option<&[Option<u16>]>) -> Option<Calibration> {
    let truth: Vec<Option<u16>> = match gold {
        None => truth,
        Some(gold) => truth.into_iter().zip(gold).map(|(class, known)| class.filter(|_| known.is_none())).collect(),
    };
    Calibration::of(posterior, &truth)
}

impl WorkersToUse {
    /// Whether each worker is kept; none if all are.
    fn kept(&self, labels: &Labels, context: &Context, warnings: &mut Vec<Warning>) -> Result<Option<Vec<bool>>> {
        let ballots = labels.ballots();
        let ranking = |context: &Context| {
            Information::new(ballots, Missing::default(), context).map(|found| Ranking::new(&found))
        };
        let kept = match self {
            WorkersToUse::All => return Ok(None),
            WorkersToUse::Auto => {
                let keep = Keep::default().choose(ballots, &context.part(0.0, 0.9))?.keep;
                ranking(&context.part(0.9, 1.0))?.top(keep)
            }
            WorkersToUse::Top(n) => {
                if *n > ballots.workers() {
                    warnings.push(Warning::FewerWorkers { asked: *n, workers: ballots.workers() });
                }
                ranking(context)?.top(*n)
            }
            WorkersToUse::These(wanted) => listed(wanted, labels, warnings)?,
        };
        Ok(Some(kept))
    }
}

/// Which workers are among those wanted.
fn listed(wanted: &Dictionary, labels: &Labels, warnings: &mut Vec<Warning>) -> Result<Vec<bool>> {
    let of_table = |error| Error::OfTable { table: "workers", error: Box::new(error) };
    let column = Column::new("worker", wanted.clone(), vec!["yes".to_owned(); wanted.len()])?;
    let found = column.matched(&labels.workers, "worker").map_err(of_table)?;
    let kept: Vec<bool> = found.iter().map(Option::is_some).collect();
    let count = kept.iter().filter(|kept| **kept).count();
    if count < wanted.len() {
        let lookup = labels.workers.lookup();
        let example = wanted.iter().find(|name| lookup.code(name).is_none()).unwrap_or_default().to_owned();
        let nearest = nearest(&labels.workers, &example);
        warnings.push(Warning::WorkersWithoutLabels { workers: wanted.len() - count, example, nearest });
    }
    Ok(kept)
}

#[cfg(test)]
mod tests;
