use crate::output::{Report, Rows, count, exact, number, table, with_header};
use beanjar::Labels;
use beanjar::truth::{Calibration, Chosen, Posterior, Rule, WorkerAccuracy, worker_accuracies};
use serde::ser::{SerializeMap, SerializeSeq, SerializeStruct};
use serde::{Serialize, Serializer};

/// What `aggregate` and `predict` print. Tasks are written as they are made, for there may be millions.
pub(crate) struct AggregateReport<'a> {
    pub(crate) method: String,
    pub(crate) labels: &'a Labels,
    pub(crate) posterior: Posterior,
    /// How the posterior was found; none if it was only predicted.
    pub(crate) fit: Option<Fit>,
    pub(crate) workers: Vec<Option<WorkerAccuracy>>,
    pub(crate) kept: Vec<bool>,
    pub(crate) gold: Option<Calibration>,
    pub(crate) truth: Option<Calibration>,
    pub(crate) confusion: bool,
    pub(crate) seed: u64,
    pub(crate) all: bool,
}

/// How a fit went.
pub(crate) struct Fit {
    pub(crate) rule: Rule,
    pub(crate) log_likelihood: Option<f64>,
    pub(crate) iterations: usize,
    pub(crate) converged: bool,
    pub(crate) chosen: Option<Chosen>,
}

impl<'a> AggregateReport<'a> {
    /// What a saved model says of new tasks.
    pub(crate) fn predicted(
        method: &str,
        labels: &'a Labels,
        posterior: Posterior,
        truth: Option<Vec<Option<u16>>>,
        seed: u64,
    ) -> Self {
        AggregateReport {
            method: method.to_owned(),
            workers: worker_accuracies(&posterior, labels.ballots()),
            kept: vec![true; labels.workers.len()],
            gold: None,
            truth: truth.and_then(|truth| Calibration::of(&posterior, &truth)),
            labels,
            posterior,
            fit: None,
            confusion: false,
            seed,
            all: false,
        }
    }
}

impl Serialize for AggregateReport<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut report = serializer.serialize_struct("aggregate", 10)?;
        report.serialize_field("method", &self.method)?;
        report.serialize_field("classes", &self.labels.classes.iter().collect::<Vec<_>>())?;
        if let Some(fit) = &self.fit {
            report.serialize_field("log_likelihood", &fit.log_likelihood)?;
            report.serialize_field("iterations", &fit.iterations)?;
            report.serialize_field("converged", &fit.converged)?;
            if let Some(chosen) = &fit.chosen {
                report.serialize_field("chosen", chosen)?;
            }
        }
        if let Some(gold) = &self.gold {
            report.serialize_field("gold", gold)?;
        }
        if let Some(truth) = &self.truth {
            report.serialize_field("truth", truth)?;
        }
        report.serialize_field("tasks", &Tasks(self))?;
        report.serialize_field("workers", &Workers(self))?;
        report.end()
    }
}

struct Tasks<'a>(&'a AggregateReport<'a>);
struct Workers<'a>(&'a AggregateReport<'a>);
struct Probabilities<'a>(&'a Labels, &'a [f64]);

#[derive(Serialize)]
struct Task<'a> {
    task: &'a str,
    label: &'a str,
    confidence: f64,
    tied: bool,
    probabilities: Probabilities<'a>,
}

#[derive(Serialize)]
struct Worker<'a> {
    worker: &'a str,
    labels: u64,
    kept: bool,
    accuracy: Option<f64>,
    accuracy_low: Option<f64>,
    accuracy_high: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confusion: Option<Vec<Vec<f64>>>,
}

impl AggregateReport<'_> {
    fn task(&self, task: usize) -> Task<'_> {
        let answer = self.posterior.answer(task, self.seed);
        Task {
            task: self.labels.tasks.get(task),
            label: self.labels.classes.get(answer.class),
            confidence: answer.confidence,
            tied: answer.tied,
            probabilities: Probabilities(self.labels, self.posterior.of(task)),
        }
    }

    fn worker(&self, worker: usize) -> Worker<'_> {
        let found = self.workers[worker];
        Worker {
            worker: self.labels.workers.get(worker),
            labels: found.map_or(0, |found| found.labels),
            kept: self.kept[worker],
            accuracy: found.map(|found| found.accuracy),
            accuracy_low: found.map(|found| found.low),
            accuracy_high: found.map(|found| found.high),
            confusion: self
                .fit
                .as_ref()
                .filter(|_| self.confusion && self.kept[worker])
                .and_then(|fit| fit.rule.matrix(worker)),
        }
    }
}

impl Serialize for Tasks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tasks = self.0.labels.tasks.len();
        let mut list = serializer.serialize_seq(Some(tasks))?;
        (0..tasks).try_for_each(|task| list.serialize_element(&self.0.task(task)))?;
        list.end()
    }
}

impl Serialize for Workers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let workers = self.0.kept.len();
        let mut list = serializer.serialize_seq(Some(workers))?;
        (0..workers).try_for_each(|worker| list.serialize_element(&self.0.worker(worker)))?;
        list.end()
    }
}

impl Serialize for Probabilities<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.1.len()))?;
        for (class, probability) in self.0.classes.iter().zip(self.1) {
            map.serialize_entry(class, probability)?;
        }
        map.end()
    }
}

impl Report for AggregateReport<'_> {
    fn text(&self) -> String {
        /// What is read at a glance.
        const MOST: usize = 10;
        let labels = self.labels;
        let mut text = format!(
            "{} of {} by {}, method {}\n",
            count(labels.len(), "label"),
            count(labels.tasks.len(), "task"),
            count(labels.workers.len(), "worker"),
            self.method,
        );
        let kept = self.kept.iter().filter(|kept| **kept).count();
        if kept < self.kept.len() {
            text += &format!("  {} kept\n", count(kept, "worker"));
        }
        if let Some(chosen) = self.fit.as_ref().and_then(|fit| fit.chosen.as_ref()) {
            text += &format!("  {}\n", chosen.sentence());
        }
        let tasks: Vec<Task<'_>> = (0..labels.tasks.len()).map(|task| self.task(task)).collect();
        let tied = tasks.iter().filter(|task| task.tied).count();
        if tied > 0 {
            text += &format!("  {} tied\n", count(tied, "task"));
        }
        let classes = (0..labels.classes.len()).take(2 * MOST).map(|class| {
            let name = labels.classes.get(class);
            let given = tasks.iter().filter(|task| task.label == name).count();
            vec![name.to_owned(), given.to_string()]
        });
        text += &format!("\n{}", table(&["class", "tasks"], classes.collect()));
        if labels.classes.len() > 2 * MOST {
            text += &format!("  and {} more\n", count(labels.classes.len() - 2 * MOST, "class"));
        }
        let mut order: Vec<usize> = (0..tasks.len()).collect();
        if !self.all {
            order.sort_by(|&i, &j| tasks[i].confidence.total_cmp(&tasks[j].confidence).then(i.cmp(&j)));
            order.truncate(MOST);
        }
        let row = |&i: &usize| {
            let task = &tasks[i];
            let tied = if task.tied { "tied" } else { "" };
            vec![task.task.to_owned(), task.label.to_owned(), number(task.confidence), tied.to_owned()]
        };
        let title = if self.all { "" } else { "  the least sure\n" };
        text += &format!("\n{title}{}", table(&["task", "label", "confidence", ""], order.iter().map(row).collect()));
        if tasks.len() > order.len() {
            text += &format!("  and {} (--out FILE.csv has all)\n", count(tasks.len() - order.len(), "surer task"));
        }
        text += &self.worker_table(if self.all { usize::MAX } else { MOST });
        for (name, found) in [("gold, when not told", &self.gold), ("truth", &self.truth)] {
            if let Some(found) = found {
                text += &format!(
                    "\n  {name}: accuracy {} on {}, calibration error {}, log-loss {}\n",
                    number(found.accuracy),
                    count(found.tasks, "task"),
                    number(found.ece),
                    number(found.log_loss),
                );
            }
        }
        text
    }

    fn rows(&self) -> Rows<'_> {
        let row = |task: usize| {
            let task = self.task(task);
            vec![task.task.to_owned(), task.label.to_owned(), exact(Some(task.confidence))]
        };
        with_header(&["task", "label", "confidence"], (0..self.labels.tasks.len()).map(row))
    }
}

impl AggregateReport<'_> {
    /// The workers who are right least often first.
    fn worker_table(&self, most: usize) -> String {
        let mut workers: Vec<Worker<'_>> = (0..self.kept.len()).map(|worker| self.worker(worker)).collect();
        let accuracy = |worker: &Worker<'_>| worker.accuracy.unwrap_or(f64::INFINITY);
        workers.sort_by(|a, b| accuracy(a).total_cmp(&accuracy(b)).then(a.worker.cmp(b.worker)));
        let row = |worker: &Worker<'_>| {
            let interval = match (worker.accuracy_low, worker.accuracy_high) {
                (Some(low), Some(high)) => format!("{low:.2} to {high:.2}"),
                _ => "-".into(),
            };
            let kept = if worker.kept { "" } else { "left out" };
            vec![worker.worker.to_owned(), worker.labels.to_string(), number(worker.accuracy), interval, kept.into()]
        };
        let shown = workers.len().min(most);
        let header = ["worker", "labels", "accuracy", "95%", ""];
        let mut text = format!("\n{}", table(&header, workers[..shown].iter().map(row).collect()));
        if shown < workers.len() {
            let rest = count(workers.len() - shown, "better worker");
            text += &format!("  and {rest} (--all shows them)\n");
        }
        text
    }
}
