//! Rows are written as they are made, for there may be millions.

use super::*;
use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

impl AggregateOutcome {
    /// All that is written of the outcome, but with an empty list of tasks, of which there may be millions.
    #[must_use]
    pub fn without_tasks(&self) -> impl Serialize {
        WithoutTasks(self)
    }

    /// The first tasks as they are written; all where there are no more.
    #[must_use]
    pub fn written_tasks(&self, first: usize) -> impl Serialize {
        Tasks(self, first)
    }

    fn write<S: Serializer>(&self, tasks: usize, serializer: S) -> Result<S::Ok, S::Error> {
        let mut outcome = serializer.serialize_struct("aggregate", 13)?;
        outcome.serialize_field("method", &self.method)?;
        outcome.serialize_field("classes", &self.classes.iter().collect::<Vec<_>>())?;
        if let Some(fit) = &self.fit {
            outcome.serialize_field("log_likelihood", &fit.log_likelihood)?;
            outcome.serialize_field("iterations", &fit.iterations)?;
            outcome.serialize_field("converged", &fit.converged)?;
            if let Some(auto) = &fit.auto {
                outcome.serialize_field("chosen", auto)?;
                outcome.serialize_field("families", &self.families().collect::<Vec<_>>())?;
            }
        }
        if let Some(gold) = &self.gold {
            outcome.serialize_field("gold", gold)?;
        }
        if let Some(truth) = &self.truth {
            outcome.serialize_field("truth", &Truth { truth, confusion: self.truth_confusion.as_ref() })?;
        }
        outcome.serialize_field("states", &self.states())?;
        outcome.serialize_field("tasks", &Tasks(self, tasks))?;
        outcome.serialize_field("workers", &Workers(self))?;
        if let Some(in_doubt) = &self.in_doubt {
            outcome.serialize_field("in_doubt", in_doubt)?;
        }
        if let Some(agreement) = &self.agreement {
            outcome.serialize_field("agreement", agreement)?;
        }
        outcome.end()
    }
}

impl Serialize for AggregateOutcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.write(usize::MAX, serializer)
    }
}

impl Serialize for WithoutTasks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(0, serializer)
    }
}

#[derive(serde::Serialize)]
struct Truth<'a> {
    #[serde(flatten)]
    truth: &'a Calibration,
    #[serde(skip_serializing_if = "Option::is_none")]
    confusion: Option<&'a ConfusionCounts>,
}

struct WithoutTasks<'a>(&'a AggregateOutcome);
/// The first tasks, this many of them.
struct Tasks<'a>(&'a AggregateOutcome, usize);
struct Workers<'a>(&'a AggregateOutcome);
struct Task<'a>(&'a Dictionary, AggregatedTask<'a>);
struct OfClasses<'a>(&'a Dictionary, Probabilities<'a>);

impl Serialize for Tasks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.tasks().take(self.1).map(|task| Task(&self.0.classes, task)))
    }
}

impl Serialize for Task<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Task(classes, task) = self;
        let mut row = serializer.serialize_struct("task", 7)?;
        row.serialize_field("task", task.task)?;
        row.serialize_field("label", task.label)?;
        row.serialize_field("confidence", &task.confidence)?;
        row.serialize_field("tied", &task.tied)?;
        row.serialize_field("probabilities", &OfClasses(classes, task.probabilities))?;
        row.serialize_field("state", &task.state)?;
        if let Some(votes) = task.effective_votes {
            row.serialize_field("effective_votes", &votes)?;
        }
        row.end()
    }
}

impl Serialize for OfClasses<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let OfClasses(names, probabilities) = *self;
        let mut map = serializer.serialize_map(Some(probabilities.written().count()))?;
        probabilities.written().try_for_each(|(class, p)| map.serialize_entry(names.get(class), &p))?;
        map.end()
    }
}

impl Serialize for Workers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.workers())
    }
}

impl Serialize for AggregatedWorker<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_struct("worker", 7)?;
        row.serialize_field("worker", self.worker)?;
        row.serialize_field("labels", &self.labels)?;
        row.serialize_field("kept", &self.kept)?;
        row.serialize_field("accuracy", &self.accuracy)?;
        row.serialize_field("accuracy_low", &self.accuracy_low)?;
        row.serialize_field("accuracy_high", &self.accuracy_high)?;
        if let Some(confusion) = &self.confusion {
            row.serialize_field("confusion", confusion)?;
        }
        row.end()
    }
}
