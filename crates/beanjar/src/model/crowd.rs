use crate::classes_truth::confusion_counts;
use crate::judgments::{Column, Dictionary, Labels, Repeats};
use crate::truth::{AggregateOutcome, Calibration, Rule, worker_accuracies};
use crate::{Context, Error, Result, Warning};

/// What [`Aggregate`](crate::Aggregate) found: how the labels of a crowd are read.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CrowdModel {
    pub(crate) method: String,
    pub(crate) classes: Vec<String>,
    pub(crate) workers: Vec<String>,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub(crate) left_out: Vec<String>,
    pub(crate) rule: Rule,
}

impl CrowdModel {
    /// The method by which it was found.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The classes' names, in sorted order.
    #[must_use]
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The workers it knows.
    #[must_use]
    pub fn workers(&self) -> &[String] {
        &self.workers
    }

    /// Those whose labels it leaves out.
    #[must_use]
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// How it reads votes.
    #[must_use]
    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// Labels tasks without fitting again. A worker whom the model has never seen is read with the population's table; a label of
    /// a class that it has never seen is left out. A task without known labels has equal probabilities.
    ///
    /// Methods `skilled` and `auto` read each vote without itself on the tasks they are fitted on, which cannot be done
    /// here: those tasks may get somewhat surer answers.
    pub fn predict(&self, labels: &Labels, context: &Context) -> Result<AggregateOutcome> {
        self.compare(labels, None, context)
    }

    /// The same, compared with true labels.
    pub fn compare(&self, labels: &Labels, truth: Option<&Column>, context: &Context) -> Result<AggregateOutcome> {
        let named = |names: &[String]| names.iter().collect::<Dictionary>();
        let mut warnings = Vec::new();
        let labels = labels.with_repeats(Repeats::default(), context, &mut warnings);
        let used = labels.without(&named(&self.left_out));
        let known = used.in_terms_of(&named(&self.workers), &named(&self.classes));
        if known.labels.is_empty() {
            return Err(Error::NoModelClass(self.classes.iter().take(5).cloned().collect()));
        }
        if used.len() < labels.len() {
            warnings.push(Warning::LabelsOfWorkersLeftOut { labels: labels.len() - used.len() });
        }
        if known.unknown_labels > 0 {
            warnings.push(Warning::UnknownClasses { labels: known.unknown_labels });
        }
        if known.newcomers > 0 {
            warnings.push(Warning::UnknownWorkers { workers: known.newcomers });
        }
        context.report("aggregating", 0.0)?;
        let posterior = self.rule.posterior(&known.ballots, context)?;
        let accuracies = worker_accuracies(&posterior, known.labels.ballots())?;
        let truth = truth.map(|column| column.classes_of(&known.labels)).transpose();
        let truth = truth.map_err(|error| Error::OfTable { table: "truth", error: Box::new(error) })?;
        let mut compared = None;
        if let Some(truth) = &truth {
            compared = Calibration::of(&posterior, &truth.classes);
            if let Some(example) = truth.example.clone() {
                warnings.push(Warning::UnseenClass { table: "truth", tasks: truth.unseen, example });
            }
        }
        let mut outcome = AggregateOutcome::new(self.method.clone(), &known.labels, posterior, accuracies, context);
        outcome.truth = compared;
        outcome.truth_confusion = truth.map(|truth| {
            let names = |class: u16| known.labels.classes.get(usize::from(class));
            let pairs = truth.classes.iter().zip(outcome.given());
            confusion_counts(pairs.filter_map(|(class, given)| Some((names((*class)?), names(*given)))))
        });
        outcome.warnings = warnings;
        Ok(outcome)
    }
}
