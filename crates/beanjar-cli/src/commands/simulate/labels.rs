//! `simulate labels`.

use super::{Files, Folder, NUMBER, TEXT};
use crate::Common;
use crate::failure::{Failure, Result};
use beanjar::simulate::{Crowd, SimulatedLabels, TaskCounts, TaskKind, WorkerModel};
use beanjar_io::Cell;
use clap::{Args, ValueEnum};

#[derive(Args)]
pub(super) struct Labels {
    /// How many tasks.
    #[arg(long, value_name = "N", default_value_t = Crowd::default().tasks)]
    tasks: usize,
    /// How many workers.
    #[arg(long, value_name = "N", default_value_t = Crowd::default().workers)]
    workers: usize,
    /// How many classes.
    #[arg(long, value_name = "K", default_value_t = Crowd::default().classes)]
    classes: usize,
    /// Labels per task: a number, or from and to, as 3-7.
    #[arg(long, value_name = "N", default_value = "5", value_parser = from_to)]
    votes: (usize, usize),
    /// The shares of the classes, as 0.7,0.3 [default: equal].
    #[arg(long, value_name = "P,...", value_delimiter = ',')]
    priors: Vec<f64>,
    /// The share of the last class; the others share the rest evenly.
    #[arg(long, value_name = "P", conflicts_with = "priors")]
    rare: Option<f64>,
    #[command(flatten)]
    kinds_of_tasks: KindsOfTasks,
    #[command(flatten)]
    kinds_of_workers: KindsOfWorkers,
    /// In how many files labels and truth are written, into folders of these names: no more than a part is held in memory.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_PARTS))]
    parts: Option<u16>,
    #[command(flatten)]
    files: Files,
}

/// Each part has up to three files, which are open until all are written.
const MOST_PARTS: i64 = 300;

#[derive(Args)]
#[command(next_help_heading = "Tasks")]
struct KindsOfTasks {
    /// The share of hard tasks, which workers guess with probability --guessing.
    #[arg(long, value_name = "P", default_value_t = Crowd::default().hard)]
    hard: f64,
    /// The probability that a worker guesses a hard task.
    #[arg(long, value_name = "P", default_value_t = Crowd::default().guessing)]
    guessing: f64,
    /// The share of misleading tasks, each with a favourite wrong answer.
    #[arg(long, value_name = "P", default_value_t = Crowd::default().misleading)]
    misleading: f64,
    /// The probability that a worker gives the favourite wrong answer of a misleading task.
    #[arg(long, value_name = "P", default_value_t = Crowd::default().pull)]
    pull: f64,
}

#[derive(Args)]
#[command(next_help_heading = "Workers")]
struct KindsOfWorkers {
    /// How workers err.
    #[arg(long, value_enum, default_value_t = ModelName::OneCoin)]
    model: ModelName,
    /// Mean accuracy of workers who look.
    #[arg(long, value_name = "P", default_value_t = Crowd::default().accuracy)]
    accuracy: f64,
    /// How alike workers are, as pseudo-counts of a beta distribution: large is alike.
    #[arg(long, value_name = "X", default_value_t = Crowd::default().spread)]
    spread: f64,
    /// How unevenly work is shared: worker j takes tasks in proportion to 1/j^X.
    #[arg(long, value_name = "X", default_value_t = Crowd::default().unevenness)]
    unevenness: f64,
    /// How many families of workers err together; they are the first workers.
    #[arg(long, value_name = "N", default_value_t = Crowd::default().families)]
    families: usize,
    /// How many workers a family has.
    #[arg(long, value_name = "N", default_value_t = Crowd::default().family_size)]
    family_size: usize,
    /// The probability that a member of a family repeats the answer of its first member.
    #[arg(long, value_name = "P", default_value_t = Crowd::default().copying)]
    copying: f64,
    /// How many workers answer at random.
    #[arg(long, value_name = "N", default_value_t = Crowd::default().random)]
    random: usize,
    /// How many workers give one class with probability --constancy, whatever the task.
    #[arg(long, value_name = "N", default_value_t = Crowd::default().constant)]
    constant: usize,
    /// How often a constant worker gives that class; else they answer as others do.
    #[arg(long, value_name = "P", default_value_t = Crowd::default().constancy)]
    constancy: f64,
    /// How many workers give the next class in place of the one they see.
    #[arg(long, value_name = "N", default_value_t = Crowd::default().contrary)]
    contrary: usize,
    /// The share of workers who answer without looking, half at random and half always the same.
    #[arg(long, value_name = "P", default_value_t = Crowd::default().spammers)]
    spammers: f64,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum ModelName {
    /// Right with the worker's accuracy, else any other class alike.
    OneCoin,
    /// A confusion matrix of each worker's own.
    Confusion,
    /// Classes come in pairs that look alike, and most mistakes are the other of the pair.
    Pairs,
}

impl ModelName {
    pub(super) fn model(self) -> WorkerModel {
        match self {
            ModelName::OneCoin => WorkerModel::OneCoin,
            ModelName::Confusion => WorkerModel::Confusion,
            ModelName::Pairs => WorkerModel::Pairs,
        }
    }
}

pub(super) fn from_to(text: &str) -> std::result::Result<(usize, usize), String> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.trim().parse().map_err(|_| format!("'{text}' is not a whole number"));
    Ok((number(from)?, number(to)?))
}

impl Labels {
    pub(super) fn run(&self, common: &Common) -> Result<()> {
        let (crowd, context) = (self.crowd()?, common.context()?);
        let names: Vec<String> = match self.parts {
            None => vec![String::new()],
            Some(parts) => (1..=parts).map(|part| format!("/part-{part:03}")).collect(),
        };
        let parts = crowd.draw_parts(names.len(), &context)?;
        // Made once nothing can be refused any more.
        let folder = Folder::new(common, &self.files)?;
        let (mut counts, mut last) = (TaskCounts::default(), None);
        for (name, drawn) in names.iter().zip(parts) {
            let drawn = drawn?;
            write_tasks(&drawn, &folder, name)?;
            counts.add(&drawn.task_counts());
            last = Some(drawn);
        }
        // The workers are the same in every part.
        last.map_or(Ok(()), |drawn| write_workers(drawn.workers_over(counts), &folder))?;
        folder.finish()
    }

    fn crowd(&self) -> Result<Crowd> {
        let (tasks, workers) = (&self.kinds_of_tasks, &self.kinds_of_workers);
        let priors = match self.rare {
            None => self.priors.clone(),
            Some(share) if (0.0..1.0).contains(&share) => Crowd::rare_class(self.classes, share),
            Some(share) => return Err(Failure::Words(format!("--rare {share}: must be at least 0 and below 1"))),
        };
        Ok(Crowd {
            tasks: self.tasks,
            workers: self.workers,
            classes: self.classes,
            votes: self.votes,
            priors,
            model: workers.model.model(),
            accuracy: workers.accuracy,
            spread: workers.spread,
            spammers: workers.spammers,
            unevenness: workers.unevenness,
            hard: tasks.hard,
            guessing: tasks.guessing,
            misleading: tasks.misleading,
            pull: tasks.pull,
            families: workers.families,
            family_size: workers.family_size,
            copying: workers.copying,
            random: workers.random,
            constant: workers.constant,
            constancy: workers.constancy,
            contrary: workers.contrary,
        })
    }
}

/// Labels, truth and kinds of tasks; `part` follows the names of the files.
fn write_tasks(drawn: &SimulatedLabels, folder: &Folder, part: &str) -> Result<()> {
    folder.write_labels(part, drawn.rows())?;
    folder.write_truth(part, "task", &drawn.truth()?)?;
    if drawn.tasks.iter().all(|kind| *kind == TaskKind::Easy) {
        return Ok(());
    }
    folder.write(&format!("tasks{part}"), &[("task", TEXT), ("kind", TEXT), ("favourite", TEXT)], |table| {
        drawn.tasks().try_for_each(|(task, kind, favourite)| {
            table.row(&[Cell::Text(&task), Cell::Text(kind), Cell::Text(favourite.as_deref().unwrap_or(""))])
        })
    })
}

fn write_workers(mut workers: impl Iterator<Item = (String, f64, String)>, folder: &Folder) -> Result<()> {
    folder.write("workers", &[("worker", TEXT), ("accuracy", NUMBER), ("kind", TEXT)], |table| {
        workers.try_for_each(|(worker, accuracy, kind)| {
            table.row(&[Cell::Text(&worker), Cell::Number(accuracy), Cell::Text(&kind)])
        })
    })
}
