mod method;
mod report;
mod workers_wanted;

pub(crate) use report::AggregateReport;
use report::WorkerReport;

use super::by_question::ByQuestion;
use super::reading_flags::{By, Labelled, Reading};
use super::repeats::RepeatsFlag;
use super::report_flags::{ReportFlags, by_question, title_of};
use super::{Known, first_column, same_file};
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::Report;
use beanjar::truth::ClassPrior;
use beanjar::{AggregateOutcome, Labels, Model};
use beanjar_io::{Output, Question, Source, write_rows};
use clap::{Args, ValueEnum};
use method::MethodName;
use std::path::PathBuf;
use workers_wanted::WorkersWanted;

/// Find the true label of each task from the labels of several workers, with its probability.
///
/// No truth is needed: workers who agree with the others count more. The default method, auto, averages several models and
/// the plain vote by how well they predict held-out labels; some 50 known answers (--gold) make it better and tell it how
/// sure to be. Classes with equal probability are tied, and one of them is drawn by --seed.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  beanjar aggregate labels.csv --out truth.csv\n  beanjar aggregate labels.csv --method dawid-skene --confusion --format json\n  beanjar aggregate labels.csv --gold known.csv --workers auto --model model.json\n  beanjar aggregate labels.csv --out truth.csv --probabilities --workers-out workers.csv\n  beanjar aggregate labels.csv --report report.html"
)]
pub(crate) struct Aggregate {
    /// The labels: task,worker,label.
    #[arg(value_name = "LABELS")]
    file: Source,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    by: By,
    #[command(flatten)]
    repeats: RepeatsFlag,
    /// How to aggregate.
    #[arg(long, value_enum, default_value_t = MethodName::Auto)]
    method: MethodName,
    /// Known true labels (task,label). They are fixed; auto also learns from them whom to believe and how sure to be. The
    /// result says how good the method is without them.
    #[arg(long, value_name = "FILE")]
    gold: Option<Source>,
    /// True labels (task,label) that are only compared with: accuracy and calibration. Tasks in --gold are left out.
    #[arg(long, value_name = "FILE")]
    truth: Option<Source>,
    /// Whose labels to use: all, auto (as 'beanjar workers' would keep), a number (the first by score), or a file of workers.
    #[arg(long, value_name = "all|auto|N|FILE", default_value = "all")]
    workers: WorkersWanted,
    /// The class prior: estimated, uniform, or one share for each class in sorted order.
    #[arg(long, value_name = "estimated|uniform|P,...", value_parser = prior)]
    prior: Option<ClassPrior>,
    /// Pseudo-labels added to each cell of a worker's confusion matrix (dawid-skene, one-coin, mixture).
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    smoothing: Option<f64>,
    /// Random starts, the likeliest of which is kept (spectral, mixture, mace).
    #[arg(long, value_name = "N")]
    restarts: Option<usize>,
    /// How many latent components (mixture).
    #[arg(long, value_name = "K")]
    components: Option<usize>,
    /// The most steps of EM.
    #[arg(long, value_name = "N")]
    iterations: Option<usize>,
    /// What each worker's vote counts: a table of worker,weight (majority); who is not in it counts nothing.
    #[arg(long, value_name = "FILE")]
    weights: Option<Source>,
    /// Whether a class that nobody voted for on a task may be its label (auto) [default: refuse].
    #[arg(long, value_enum, value_name = "allow|refuse")]
    unvoted: Option<Unvoted>,
    /// Kinds of tasks within each class, such as easy and hard (skilled) [default: 1].
    #[arg(long, value_name = "N")]
    kinds: Option<usize>,
    /// Save the fit here, for 'beanjar predict'.
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Give each worker's confusion matrix (in JSON).
    #[arg(long)]
    confusion: bool,
    /// In the table of tasks (CSV), give the probability of every class: a column P(class) for each.
    #[arg(long)]
    probabilities: bool,
    /// Write the workers here too: worker,labels,kept,accuracy,accuracy_low,accuracy_high.
    #[arg(long, value_name = "FILE.csv")]
    workers_out: Option<PathBuf>,
    /// In the table, show every task and every worker.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    report: ReportFlags,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Unvoted {
    /// It may.
    Allow,
    /// It may not.
    Refuse,
}

fn prior(text: &str) -> std::result::Result<ClassPrior, String> {
    let numbers = || text.split(',').map(|share| share.trim().parse::<f64>()).collect::<std::result::Result<_, _>>();
    match text {
        "estimated" => Ok(ClassPrior::Estimated),
        "uniform" => Ok(ClassPrior::Uniform),
        _ => numbers().map(ClassPrior::Given).map_err(|_| "not estimated, uniform, or numbers such as 0.2,0.8".into()),
    }
}

impl Aggregate {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let mut inputs = vec![&self.file];
        inputs.extend(self.gold.iter().chain(&self.truth).chain(&self.weights).chain(self.workers.file()));
        let (sink, page) = self.report.places(&inputs, common)?;
        let title = format!("The labels of {}", title_of(&self.file));
        self.check_places(common)?;
        common.check_probabilities(self.probabilities)?;
        let workers = self.workers_out.as_ref().map(|path| Output::create(path, &inputs)).transpose()?;
        let model = self.model.as_ref().map(|path| Output::create(path, &inputs)).transpose()?;
        match self.reading.questions(&self.by, &self.file, common)? {
            Labelled::One(labels) => {
                let outcome = self.fit(*labels, None, common)?;
                common.warn_all(&outcome.warnings);
                if let (Some(mut output), Some(model)) = (model, outcome.model()) {
                    output.write_text(&Model::Crowd(model).to_json())?;
                    output.finish()?;
                }
                page.draw(&title, || vec![beanjar_report::aggregate(&outcome)])?;
                self.write_workers(workers, &WorkerReport(&outcome))?;
                sink.emit(&self.printed(&outcome, common))?;
                common.hand_over(outcome);
            }
            Labelled::Each(_) if model.is_some() => {
                let file = self.file.name();
                let problem = format!("{file}: --model saves the fit of one question; choose it with --question");
                return Err(Failure::Words(problem));
            }
            Labelled::Each(questions) => {
                let fit = |question: Question| {
                    let outcome = self.fit(question.labels, Some(&question.name), common)?;
                    common.warn_all_of(&question.name, &outcome.warnings);
                    Ok((question.name, outcome))
                };
                let outcomes = questions.into_iter().map(fit).collect::<Result<Vec<_>>>()?;
                let parts = outcomes.iter().map(|(name, outcome)| (name.as_str(), beanjar_report::aggregate(outcome)));
                page.draw(&title, || by_question(parts))?;
                self.write_workers(workers, &ByQuestion::of(&outcomes, WorkerReport))?;
                sink.emit(&ByQuestion::of(&outcomes, |outcome| self.printed(outcome, common)))?;
                outcomes.into_iter().for_each(|(_, outcome)| common.hand_over(outcome));
            }
        }
        Ok(())
    }

    /// An error if two files to write are the same.
    fn check_places(&self, common: &Common) -> Result<()> {
        let written = [("--out", &common.out), ("--model", &self.model), ("--workers-out", &self.workers_out)];
        for (at, (one, path)) in written.iter().enumerate() {
            for (other, second) in &written[at + 1..] {
                if let (Some(path), Some(second)) = (path, second)
                    && same_file(path, second)
                {
                    return Err(Failure::Words(format!("{other} and {one} name the same file; give each its own")));
                }
            }
        }
        Ok(())
    }

    fn write_workers(&self, output: Option<Output>, workers: &impl Report) -> Result<()> {
        if let (Some(path), Some(output)) = (&self.workers_out, output) {
            write_rows(path, output, workers.rows())?;
        }
        Ok(())
    }

    fn printed<'a>(&self, outcome: &'a AggregateOutcome, common: &Common) -> AggregateReport<'a> {
        let handed_over = common.hands_over();
        AggregateReport { outcome, all: self.all, probabilities: self.probabilities, handed_over }
    }

    /// Aggregates the labels of one question, which are not needed any more then, and there may be millions.
    fn fit(&self, labels: Labels, question: Option<&str>, common: &Common) -> Result<AggregateOutcome> {
        let known = |source: &Source| Known::new(&self.reading, common).of(question).labels(source);
        let aggregate = beanjar::Aggregate {
            method: self.method()?,
            gold: self.gold.as_ref().map(known).transpose()?,
            truth: self.truth.as_ref().map(known).transpose()?,
            workers: self.workers.load()?,
            weights: self.weights.as_ref().map(first_column).transpose()?,
            repeats: self.repeats.repeats(),
            details: self.report.wanted(common),
            confusion: self.confusion,
        };
        let outcome = aggregate.fit(&labels, &common.context()?).map_err(|error| self.failure(error))?;
        drop(labels);
        Ok(outcome)
    }

    /// What is wrong, with the file that it is wrong with.
    fn failure(&self, error: beanjar::Error) -> Failure {
        let beanjar::Error::OfTable { table, error } = error else { return Failure::from(error).of(&self.file) };
        let source = match table {
            "gold" => self.gold.as_ref(),
            "truth" => self.truth.as_ref(),
            "weights" => self.weights.as_ref(),
            _ => self.workers.file(),
        };
        let source = source.unwrap_or(&self.file);
        match *error {
            error @ beanjar::Error::NothingInCommon { .. } => {
                Failure::Words(format!("{} and {}: {error}", self.file.name(), source.name()))
            }
            error => Failure::from(error).of(source),
        }
    }
}
