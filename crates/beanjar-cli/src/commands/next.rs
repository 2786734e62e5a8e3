use super::repeats::RepeatsFlag;
use super::report_flags::{ReportFlags, title_of};
use super::votes::of_tables;
use super::{Known, Reading, ids_of};
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::{Report, Rows, exact, number, table, with_header};
use beanjar::truth::{NextQuestion, PoolWorker};
use beanjar::{NextVotes, NextVotesOutcome};
use beanjar_io::{Output, Source, read_columns};
use clap::Args;
use std::path::PathBuf;

/// Which tasks to ask again, and whom: the questions that raise the expected accuracy most.
///
/// Works in a loop: ask these questions, append the answers to the labels, run it again. Tasks on which all agree are not
/// asked about, nor those on which workers guess whoever is asked.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  beanjar next labels.csv --votes 500 --out ask.csv\n  beanjar next labels.csv --votes 500 --workers pool.csv --per-worker 20 --out ask.csv\n  beanjar next labels.csv --votes 500 --stop 0.95\n  beanjar next labels.csv --votes 500 --out ask.csv --report ask.html"
)]
pub(crate) struct Next {
    /// The labels so far: task,worker,label.
    #[arg(value_name = "LABELS")]
    labels: Source,
    /// How many questions to ask.
    #[arg(long, value_name = "N", default_value_t = 100)]
    votes: usize,
    /// Whom to ask: a table of worker and, if you like, limit (questions they may get now) and cost (the price of their
    /// vote) [default: anyone].
    #[arg(long, value_name = "FILE")]
    workers: Option<Source>,
    /// How many of the questions may be about one task, 1 to 4.
    #[arg(long, value_name = "N", default_value_t = 2)]
    per_task: usize,
    /// How many votes a task may have in all.
    #[arg(long, value_name = "N")]
    most_per_task: Option<usize>,
    /// How many questions one worker may get (with --workers).
    #[arg(long, value_name = "N", requires = "workers")]
    per_worker: Option<usize>,
    /// The price of a vote.
    #[arg(long, value_name = "X", default_value_t = 1.0, allow_negative_numbers = true)]
    cost: f64,
    /// Stop once this share of the labels is expected to be right: no more questions than that takes, none if it is reached.
    #[arg(long, value_name = "SHARE")]
    stop: Option<f64>,
    /// Which of the workers may be asked about which task: a table of task,worker [default: anyone any task].
    #[arg(long, value_name = "FILE", requires = "workers")]
    allowed: Option<Source>,
    /// Further tasks, which have no label yet: a table with their ids in the first column.
    #[arg(long, value_name = "FILE")]
    tasks: Option<Source>,
    /// Known true labels (task,label): their tasks are not asked about.
    #[arg(long, value_name = "FILE")]
    gold: Option<Source>,
    /// Write the tasks' ids here as Label Studio selects them ("selectedItems"), to assign them or to filter by.
    #[arg(long, value_name = "FILE.json")]
    label_studio: Option<PathBuf>,
    #[command(flatten)]
    repeats: RepeatsFlag,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    report: ReportFlags,
}

impl Next {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let others = self.gold.iter().chain(&self.workers).chain(&self.allowed).chain(&self.tasks);
        let inputs: Vec<&Source> = [&self.labels].into_iter().chain(others).collect();
        let (sink, page) = self.report.places(&inputs, common)?;
        if let (Some(one), Some(other)) = (&self.label_studio, &common.out)
            && super::same_file(one, other)
        {
            return Err(Failure::Words("--label-studio and --out name the same file; give each its own".into()));
        }
        let ids = self.label_studio.as_ref().map(|path| Output::create(path, &inputs)).transpose()?;
        let labels = self.reading.labels(&self.labels, common)?;
        let next = NextVotes {
            votes: self.votes,
            per_task: self.per_task,
            most_per_task: self.most_per_task,
            workers: self.workers.as_ref().map(pool).transpose()?,
            per_worker: self.per_worker,
            cost: self.cost,
            stop: self.stop,
            allowed: self.allowed.as_ref().map(pairs).transpose()?,
            tasks: self.tasks.as_ref().map(|tasks| ids_of(tasks, common)).transpose()?,
            known: self.gold.as_ref().map(|gold| Known::new(&self.reading, common).labels(gold)).transpose()?,
            repeats: self.repeats.repeats(),
        };
        let outcome = next.run(&labels, &common.context()?);
        let outcome = outcome.map_err(|error| of_tables(error, &self.labels, self.gold.as_ref()))?;
        common.warn_all(&outcome.warnings);
        if let Some(mut output) = ids {
            output.write_text(&selected_items(&outcome))?;
            output.finish()?;
        }
        page.draw(&format!("What to ask next about {}", title_of(&self.labels)), || {
            vec![beanjar_report::next(&outcome)]
        })?;
        sink.emit(&outcome)
    }
}

/// The workers of a table, with their limits and prices.
fn pool(source: &Source) -> Result<Vec<PoolWorker>> {
    let (names, columns) = read_columns(source)?;
    let column = |name: &str| names.iter().position(|other| other == name).map(|at| &columns[at]);
    let Some(workers) = column("worker").or(columns.first()) else {
        return Err(Failure::Words(format!("{}: there is no column of workers", source.name())));
    };
    let (limits, costs) = (column("limit"), column("cost"));
    let mut pool = Vec::new();
    for (row, worker) in workers.iter().enumerate() {
        let text = |column: Option<&Vec<String>>| {
            column.map(|column| column[row].trim().to_owned()).filter(|text| !text.is_empty())
        };
        let wrong = |name: &str, text: &str, wanted: &str| {
            Failure::Words(format!("{}: '{text}' for '{worker}' in column '{name}' is not {wanted}", source.name()))
        };
        let limit = text(limits).map(|text| text.parse().map_err(|_| wrong("limit", &text, "a whole number")));
        let cost = text(costs).map(|text| text.parse().map_err(|_| wrong("cost", &text, "a number")));
        pool.push(PoolWorker { worker: worker.clone(), limit: limit.transpose()?, cost: cost.transpose()? });
    }
    Ok(pool)
}

/// The pairs in a table of tasks and workers.
fn pairs(source: &Source) -> Result<Vec<(String, String)>> {
    let (names, columns) = read_columns(source)?;
    let column = |name: &str| names.iter().position(|other| other == name).map(|at| &columns[at]);
    match (column("task"), column("worker")) {
        (Some(tasks), Some(workers)) => Ok(tasks.iter().cloned().zip(workers.iter().cloned()).collect()),
        _ => Err(Failure::Words(format!(
            "{}: columns 'task' and 'worker' are needed; found {}",
            source.name(),
            names.join(", ")
        ))),
    }
}

/// Which items of a project are selected, as Label Studio writes it. Its ids are numbers.
fn selected_items(outcome: &NextVotesOutcome) -> String {
    let mut seen = std::collections::HashSet::new();
    let once = outcome.questions.iter().filter(|question| seen.insert(&question.task));
    let id = |question: &NextQuestion| match question.task.parse::<u64>() {
        Ok(number) => serde_json::Value::from(number),
        Err(_) => serde_json::Value::from(question.task.as_str()),
    };
    let ids: Vec<serde_json::Value> = once.map(id).collect();
    format!("{}\n", serde_json::json!({ "all": false, "included": ids }))
}

impl Report for NextVotesOutcome {
    fn text(&self) -> String {
        const SHOWN: usize = 20;
        let sentences = [self.headline()].into_iter().chain(self.advice());
        let mut text: String = sentences.map(|sentence| sentence + "\n").collect();
        if self.questions.is_empty() {
            return text;
        }
        text += "\n";
        let workers = self.questions.iter().any(|question| question.worker.is_some());
        let row = |question: &NextQuestion| {
            let mut row = vec![question.task.clone()];
            row.extend(workers.then(|| question.worker.clone().unwrap_or_default()));
            row.extend([
                question.label.clone().unwrap_or("-".into()),
                number(question.confidence),
                question.votes.to_string(),
                number(question.gain),
            ]);
            row
        };
        let mut header = vec!["task"];
        header.extend(workers.then_some("worker"));
        header.extend(["label so far", "confidence", "votes", "gain"]);
        text += &table(&header, self.questions.iter().take(SHOWN).map(row).collect());
        if self.questions.len() > SHOWN {
            text += &format!("  and {} more\n", self.questions.len() - SHOWN);
        }
        text += "\n  gain: how much more probable the task's label is expected to be for this vote\n";
        text += "  --out ask.csv lists all of them; append the answers to the labels and run this again\n";
        text
    }

    fn rows(&self) -> Rows<'_> {
        let row = |question: &NextQuestion| {
            vec![
                question.task.clone(),
                question.worker.clone().unwrap_or_default(),
                question.label.clone().unwrap_or_default(),
                exact(question.confidence),
                question.votes.to_string(),
                exact(Some(question.gain)),
            ]
        };
        let header = ["task", "worker", "label_so_far", "confidence", "votes", "gain"];
        with_header(&header, self.questions.iter().map(row))
    }
}
