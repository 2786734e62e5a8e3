use crate::commands::predict::confusion_table;
use crate::output::{Report, Rows, count, exact, number, table, with_header};
use beanjar::AggregateOutcome;
use beanjar::truth::{AggregatedTask, AggregatedWorker, AutoSummary, Calibration, CandidateWeight, TaskState};
use serde::{Serialize, Serializer};

/// What `aggregate` and `predict` print.
pub(crate) struct AggregateReport<'a> {
    pub(crate) outcome: &'a AggregateOutcome,
    /// Whether the table shows every task and worker.
    pub(crate) all: bool,
    /// Whether the table of tasks has the probability of each class.
    pub(crate) probabilities: bool,
    /// Whether the tasks are handed over to a calling program, and not printed.
    pub(crate) handed_over: bool,
}

impl Serialize for AggregateReport<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.handed_over {
            true => self.outcome.without_tasks().serialize(serializer),
            false => self.outcome.serialize(serializer),
        }
    }
}

/// The table of workers, for a file of its own.
pub(super) fn worker_rows(outcome: &AggregateOutcome) -> Rows<'_> {
    let row = |worker: AggregatedWorker<'_>| {
        let mut row = vec![worker.worker.to_owned(), worker.labels.to_string(), worker.kept.to_string()];
        row.extend([worker.accuracy, worker.accuracy_low, worker.accuracy_high].map(exact));
        row
    };
    let header = ["worker", "labels", "kept", "accuracy", "accuracy_low", "accuracy_high"];
    with_header(&header, outcome.workers().map(row))
}

/// The workers of one of several questions.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct WorkerReport<'a>(pub(super) &'a AggregateOutcome);

impl Report for WorkerReport<'_> {
    fn text(&self) -> String {
        String::new()
    }

    fn rows(&self) -> Rows<'_> {
        worker_rows(self.0)
    }
}

/// What is read at a glance.
const MOST: usize = 10;

impl Report for AggregateReport<'_> {
    fn text(&self) -> String {
        let outcome = self.outcome;
        let mut text = format!(
            "{} of {} by {}, method {}\n",
            count(outcome.labels, "label"),
            count(outcome.task_ids.len(), "task"),
            count(outcome.worker_ids.len(), "worker"),
            outcome.method,
        );
        let (kept, all) = (outcome.workers().filter(|worker| worker.kept).count(), outcome.worker_ids.len());
        if kept < all {
            text += &format!("  {} kept\n", count(kept, "worker"));
        }
        if let Some(auto) = outcome.fit.as_ref().and_then(|fit| fit.auto.as_ref()) {
            text += &auto_text(auto);
            for family in outcome.families() {
                text += &format!("  these are copies of one another and vote as one: {}\n", family.join(", "));
            }
        }
        text += &self.class_table();
        text += &self.state_text();
        text += &self.task_table();
        text += &self.worker_table();
        text + &self.summary()
    }

    fn summary(&self) -> String {
        let outcome = self.outcome;
        let mut text = calibration_text("on the known labels, when they are not used", outcome.gold.as_ref());
        text += &calibration_text("by the truth", outcome.truth.as_ref());
        text + &outcome.truth_confusion.as_ref().map(|counts| confusion_table(counts, "tasks")).unwrap_or_default()
    }

    fn rows(&self) -> Rows<'_> {
        let wanted = self.probabilities;
        let names: Vec<String> = self.outcome.classes.iter().map(|class| format!("P({class})")).collect();
        let mut header = vec!["task", "label", "confidence"];
        header.extend(names.iter().filter(|_| wanted).map(String::as_str));
        let row = move |task: AggregatedTask<'_>| {
            let mut row = vec![task.task.to_owned(), task.label.to_owned(), exact(Some(task.confidence))];
            row.extend(task.probabilities.iter().filter(|_| wanted).map(|p| exact(Some(p))));
            row
        };
        with_header(&header, self.outcome.tasks().map(row))
    }
}

impl AggregateReport<'_> {
    /// How many tasks each class has.
    fn class_table(&self) -> String {
        let outcome = self.outcome;
        let mut given = vec![0; outcome.classes.len()];
        outcome.given().iter().for_each(|&class| given[usize::from(class)] += 1);
        let row = |(name, given): (&str, &usize)| vec![name.to_owned(), given.to_string()];
        let rows = outcome.classes.iter().zip(&given).take(2 * MOST).map(row).collect();
        let mut text = format!("\n{}", table(&["class", "tasks"], rows));
        if given.len() > 2 * MOST {
            text += &format!("  and {} more\n", count(given.len() - 2 * MOST, "class"));
        }
        text
    }

    /// How many tasks are decided, and what to do about the others.
    fn state_text(&self) -> String {
        let states = self.outcome.states();
        let line = |tasks: usize, name: &str, meaning: &str| format!("  {name:<9} {tasks:>7}  {meaning}\n");
        let row = |tasks: usize, name: &str, meaning: &str| match tasks {
            0 => String::new(),
            _ => line(tasks, name, meaning),
        };
        // That none is settled is worth a line too.
        let mut text = String::from("\n") + &line(states.settled, "settled", "the label is more than 95% probable");
        text += &row(states.in_doubt, "in doubt", "more votes may settle these: 'beanjar next' lists the best to ask");
        text += &row(
            states.hopeless,
            "hopeless",
            "workers guess or are divided: more votes would hardly help, an expert would",
        );
        text += &row(states.tied, "tied", "another label is as probable; one was drawn by --seed");
        text + &row(states.known, "known", "the answer was given; they are counted in no other line")
    }

    /// The least sure tasks first.
    fn task_table(&self) -> String {
        let tasks: Vec<AggregatedTask<'_>> = self.outcome.tasks().collect();
        let mut order: Vec<usize> = (0..tasks.len()).collect();
        if !self.all {
            order.sort_by(|&i, &j| tasks[i].confidence.total_cmp(&tasks[j].confidence).then(i.cmp(&j)));
            order.truncate(MOST);
        }
        let row = |&i: &usize| {
            let task = &tasks[i];
            vec![task.task.to_owned(), task.label.to_owned(), number(task.confidence), doubt(task)]
        };
        let title = if self.all { "" } else { "  the least sure\n" };
        let rows = order.iter().map(row).collect();
        let mut text = format!("\n{title}{}", table(&["task", "label", "confidence", ""], rows));
        if tasks.len() > order.len() {
            text += &format!("  and {} (--out FILE.csv has all)\n", count(tasks.len() - order.len(), "surer task"));
        }
        text += "\n  confidence: the probability that the label is right\n";
        text
    }

    /// The workers who are right least often first.
    fn worker_table(&self) -> String {
        let mut workers: Vec<AggregatedWorker<'_>> = self.outcome.workers().collect();
        let accuracy = |worker: &AggregatedWorker<'_>| worker.accuracy.unwrap_or(f64::INFINITY);
        workers.sort_by(|a, b| accuracy(a).total_cmp(&accuracy(b)).then(a.worker.cmp(b.worker)));
        let row = |worker: &AggregatedWorker<'_>| {
            let interval = match (worker.accuracy_low, worker.accuracy_high) {
                (Some(low), Some(high)) => format!("{low:.2} to {high:.2}"),
                _ => "-".into(),
            };
            let kept = if worker.kept { "" } else { "left out" };
            vec![worker.worker.to_owned(), worker.labels.to_string(), number(worker.accuracy), interval, kept.into()]
        };
        let shown = if self.all { workers.len() } else { workers.len().min(MOST) };
        let header = ["worker", "labels", "accuracy", "95%", ""];
        let mut text = format!("\n{}", table(&header, workers[..shown].iter().map(row).collect()));
        if shown < workers.len() {
            let rest = count(workers.len() - shown, "better worker");
            text += &format!("  and {rest} (--all shows them)\n");
        }
        text += "\n  accuracy: the expected share of the worker's labels that are right; 95%: its interval\n";
        text
    }
}

/// Why a task is not settled.
fn doubt(task: &AggregatedTask<'_>) -> String {
    match (task.tied, task.state) {
        (true, _) => "tied".into(),
        (_, TaskState::Hopeless) => "hopeless".into(),
        (_, TaskState::InDoubt) if task.is_nearly_tied() => "nearly tied".into(),
        (_, TaskState::InDoubt) => "in doubt".into(),
        _ => String::new(),
    }
}

/// What auto did, in words, a line for each number.
fn auto_text(auto: &AutoSummary) -> String {
    let mut text = format!("  {}\n", auto.sentence());
    if !auto.plain_vote {
        let share = |part: &CandidateWeight| format!("{:.0}% {}", 100.0 * part.weight, part.candidate);
        let shares: Vec<String> = auto.shares().iter().filter(|part| part.weight >= 0.005).map(share).collect();
        text += &format!("  they go by {}\n", shares.join(", "));
    }
    text += &format!(
        "  a task's votes are worth {:.1} independent ones: workers share {:.0}% of their errors on a task\n",
        auto.effective_votes,
        100.0 * auto.correlation
    );
    if let Some(known) = &auto.known {
        let sure = match known.sharpness {
            power if power < 0.95 => "made answers less sure",
            power if power > 1.05 => "made answers surer",
            _ => "left sureness as it was",
        };
        let vote = if known.vote_power > 0.05 { "; the plain vote counts beside them" } else { "" };
        text += &format!("  {} weighed these and {sure}{vote}\n", count(known.answers, "known answer"));
    }
    text
}

/// How good labels and probabilities are, a line for each number.
fn calibration_text(by: &str, found: Option<&Calibration>) -> String {
    let Some(found) = found else { return String::new() };
    format!(
        "\n  {by} ({}):\n    accuracy {}: the share labelled rightly\n    calibration error {}: how far confidence is from accuracy, on average\n    log-loss {}: the mean of -ln of the true label's probability\n",
        count(found.tasks, "task"),
        number(found.accuracy),
        number(found.ece),
        number(found.log_loss),
    )
}
