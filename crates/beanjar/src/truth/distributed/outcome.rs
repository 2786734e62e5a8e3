use super::super::accuracy::accuracy;
use super::super::{FitSummary, WorkerAccuracy};
use super::fit::DistributedFit;
use super::pass::Overview;
use crate::Warning;
use crate::judgments::Dictionary;

/// What a fit found besides the labels, which stay where the tasks are. Keys are those of
/// [`AggregateOutcome`](crate::AggregateOutcome).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DistributedOutcome {
    /// The method's name.
    pub method: String,
    /// The classes' names, in sorted order.
    pub classes: Dictionary,
    /// How many labels there were, repeats too.
    pub labels: u64,
    /// How many tasks there are.
    pub tasks: u64,
    /// How the fit went.
    pub fit: FitSummary,
    /// The workers' ids.
    pub worker_ids: Dictionary,
    /// How good each worker is; none without labels.
    pub workers: Vec<Option<WorkerAccuracy>>,
    /// What a user should know.
    pub warnings: Vec<Warning>,
}

impl DistributedOutcome {
    pub(super) fn new(
        of: &DistributedFit,
        fit: FitSummary,
        overview: &Overview,
        right: &[f64],
        warnings: Vec<Warning>,
    ) -> Self {
        DistributedOutcome {
            method: of.method.name().to_owned(),
            classes: of.classes.clone(),
            labels: of.labels,
            tasks: overview.shares.tasks as u64,
            fit,
            worker_ids: of.workers.clone(),
            workers: right.iter().zip(&overview.per_worker).map(|(right, labels)| accuracy(*right, *labels)).collect(),
            warnings,
        }
    }

    /// Groups of workers who are copies of one another and vote as one.
    #[must_use]
    pub fn families(&self) -> Vec<Vec<&str>> {
        let found = self.fit.auto.as_ref().map_or(&[][..], |auto| &auto.families);
        found.iter().map(|family| family.iter().map(|&worker| self.worker_ids.get(worker)).collect()).collect()
    }
}

#[cfg(feature = "serde")]
impl DistributedOutcome {
    /// As JSON.
    pub fn to_json(&self) -> crate::Result<String> {
        serde_json::to_string(self)
            .map_err(|error| crate::Error::Inconsistent { what: "numbers of a fit", why: error.to_string() })
    }
}

#[cfg(feature = "serde")]
mod written {
    use super::*;
    use serde::ser::{Serialize, SerializeStruct, Serializer};

    impl Serialize for DistributedOutcome {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut outcome = serializer.serialize_struct("aggregate", 10)?;
            outcome.serialize_field("method", &self.method)?;
            outcome.serialize_field("classes", &self.classes.iter().collect::<Vec<_>>())?;
            outcome.serialize_field("labels", &self.labels)?;
            outcome.serialize_field("task_count", &self.tasks)?;
            outcome.serialize_field("log_likelihood", &self.fit.log_likelihood)?;
            outcome.serialize_field("iterations", &self.fit.iterations)?;
            outcome.serialize_field("converged", &self.fit.converged)?;
            if let Some(auto) = &self.fit.auto {
                outcome.serialize_field("chosen", auto)?;
                outcome.serialize_field("families", &self.families())?;
            }
            let row = |(id, found)| Row(id, found);
            let workers: Vec<Row<'_>> = self.worker_ids.iter().zip(&self.workers).map(row).collect();
            outcome.serialize_field("workers", &workers)?;
            outcome.end()
        }
    }

    struct Row<'a>(&'a str, &'a Option<WorkerAccuracy>);

    impl Serialize for Row<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut row = serializer.serialize_struct("worker", 6)?;
            row.serialize_field("worker", self.0)?;
            row.serialize_field("labels", &self.1.map_or(0, |found| found.labels))?;
            row.serialize_field("kept", &true)?;
            row.serialize_field("accuracy", &self.1.map(|found| found.accuracy))?;
            row.serialize_field("accuracy_low", &self.1.map(|found| found.low))?;
            row.serialize_field("accuracy_high", &self.1.map(|found| found.high))?;
            row.end()
        }
    }
}
