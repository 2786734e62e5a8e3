use super::by_question::ByQuestion;
use super::reading_flags::{self, Labelled};
use super::repeats::RepeatsFlag;
use super::report_flags::{ReportFlags, by_question, title_of};
use super::{Known, Reading};
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::{Report, Rows, count, exact, number, table, with_header};
use beanjar::workers::{
    ComparedLabels, KeepBy, KeepRule, KeepTrial, Missing, RankedWorker, SuspiciousPair, WorkersToKeep,
};
use beanjar::{Labels, RankWorkers, RankWorkersOutcome};
use beanjar_io::{Question, Source};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::str::FromStr;

/// Say of each worker what they are: good, weak, random, always the same, contrary, a copy, or too few labels to say.
///
/// No truth is needed: each worker is held against what the others make of the same tasks. The accuracy is corrected for
/// chance: 1 is always right, 0 is what guessing gives, below 0 is worse. Workers are sorted by the lower bound of its
/// interval. All are kept but those who are random, always the same, contrary or a copy. --by score ranks workers by the
/// mutual information between their labels and the others' instead, and --rule says how many of them to keep.
/// --suspicious also lists pairs that depend on one another beyond what the tasks explain: copies, or a shared
/// misunderstanding.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  beanjar workers labels.csv\n  beanjar workers labels.csv --out workers.csv\n  beanjar aggregate labels.csv --workers workers.csv\n  beanjar workers labels.csv --by score --rule predictive\n  beanjar workers labels.csv --truth truth.csv\n  beanjar workers labels.csv --suspicious --report report.html"
)]
pub(crate) struct Workers {
    /// The labels: task,worker,label.
    #[arg(value_name = "LABELS")]
    file: Source,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    repeats: RepeatsFlag,
    /// How many to keep: auto (by verdict; by --rule with --by score), all, or a number.
    #[arg(long, value_name = "auto|all|N", default_value = "auto")]
    keep: Wanted,
    /// By what --keep auto chooses the number of workers, with --by score [default: predictive].
    #[arg(long, value_enum)]
    rule: Option<RuleName>,
    /// What becomes of tasks that one of two workers did not label.
    #[arg(long, value_enum, default_value_t = MissingName::Paper)]
    missing_labels: MissingName,
    /// By what workers are sorted and kept [default: accuracy; score if there is a --rule].
    #[arg(long, value_enum)]
    by: Option<By>,
    /// Look for pairs of workers who agree (or disagree) beyond what the tasks explain.
    #[arg(long)]
    suspicious: bool,
    /// True labels (task,label) that the workers' labels are only compared with.
    #[arg(long, value_name = "FILE")]
    truth: Option<Source>,
    /// In the table, show every worker.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    report: ReportFlags,
}

#[derive(Clone, Copy)]
struct Wanted(WorkersToKeep);

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        Ok(Wanted(match (text, text.parse()) {
            ("auto", _) => WorkersToKeep::Auto,
            ("all", _) => WorkersToKeep::All,
            (_, Ok(n @ 1..)) => WorkersToKeep::Number(n),
            _ => return Err("not auto, all or a number of workers".into()),
        }))
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum RuleName {
    /// Held-out labels are most probable.
    Predictive,
    /// Held-out labels agree most with the aggregated ones.
    Surrogate,
    /// The classes leave the least information between workers.
    Goodness,
    /// The elbow of the curve of scores.
    Elbow,
}

impl From<RuleName> for KeepRule {
    fn from(name: RuleName) -> Self {
        match name {
            RuleName::Predictive => KeepRule::Predictive,
            RuleName::Surrogate => KeepRule::Surrogate,
            RuleName::Goodness => KeepRule::Goodness,
            RuleName::Elbow => KeepRule::Elbow,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum MissingName {
    /// Probabilities over all tasks, the cells of 'no label' left out.
    Paper,
    /// 'No label' is a label.
    Full,
    /// Only tasks that both labelled.
    Pair,
}

impl From<MissingName> for Missing {
    fn from(name: MissingName) -> Self {
        match name {
            MissingName::Paper => Missing::Paper,
            MissingName::Full => Missing::Full,
            MissingName::Pair => Missing::Pair,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum By {
    /// The lower bound of the chance-corrected accuracy.
    Accuracy,
    /// The sum of mutual information with all others.
    Score,
    /// The same order; those are kept who have the largest sum of information among themselves.
    Subset,
}

impl From<By> for KeepBy {
    fn from(by: By) -> Self {
        match by {
            By::Accuracy => KeepBy::Accuracy,
            By::Score => KeepBy::Score,
            By::Subset => KeepBy::Subset,
        }
    }
}

impl Workers {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let inputs: Vec<&Source> = [&self.file].into_iter().chain(&self.truth).collect();
        let (sink, page) = self.report.places(&inputs, common)?;
        let title = format!("The workers of {}", title_of(&self.file));
        if let (Some(By::Accuracy), Some(_)) = (self.by, self.rule) {
            return Err(Failure::Words(
                "--rule: chooses among workers by score; leave --by out, or say --by score".into(),
            ));
        }
        let by = self.by.unwrap_or(if self.rule.is_some() { By::Score } else { By::Accuracy });
        let labelled = self.reading.questions(&reading_flags::By::default(), &self.file, common)?;
        let rank = RankWorkers {
            keep: self.keep.0,
            rule: self.rule.map(KeepRule::from).unwrap_or_default(),
            missing: self.missing_labels.into(),
            by: by.into(),
            repeats: self.repeats.repeats(),
            suspicious: self.suspicious,
            details: self.report.wanted(common),
            ..RankWorkers::default()
        };
        let context = common.context()?;
        let fit = |labels: &Labels, question: Option<&str>| {
            let known = |source: &Source| Known::new(&self.reading, common).of(question).labels(source);
            let truth = self.truth.as_ref().map(known).transpose()?;
            RankWorkers { truth, ..rank.clone() }.fit(labels, &context).map_err(|error| match (error, &self.truth) {
                (beanjar::Error::OfTable { error, .. }, Some(truth)) => Failure::from(*error).of_two(&self.file, truth),
                (error, _) => Failure::from(error).of(&self.file),
            })
        };
        match labelled {
            Labelled::One(labels) => {
                let outcome = fit(&labels, None)?;
                common.warn_all(&outcome.warnings);
                page.draw(&title, || vec![beanjar_report::workers(&outcome)])?;
                sink.emit(&WorkersReport { outcome, all: self.all })
            }
            Labelled::Each(questions) => {
                let report = |question: Question| {
                    let outcome = fit(&question.labels, Some(&question.name))?;
                    common.warn_all_of(&question.name, &outcome.warnings);
                    Ok((question.name, WorkersReport { outcome, all: self.all }))
                };
                let reports = questions.into_iter().map(report).collect::<Result<Vec<_>>>()?;
                let parts =
                    reports.iter().map(|(name, report)| (name.as_str(), beanjar_report::workers(&report.outcome)));
                page.draw(&title, || by_question(parts))?;
                sink.emit(&ByQuestion(reports))
            }
        }
    }
}

/// What `workers` prints.
#[derive(Serialize)]
#[serde(transparent)]
struct WorkersReport {
    outcome: RankWorkersOutcome,
    /// Whether the table shows every worker and pair.
    #[serde(skip)]
    all: bool,
}

/// What is read at a glance.
const MOST: usize = 20;

impl Report for WorkersReport {
    fn text(&self) -> String {
        let outcome = &self.outcome;
        let mut text = format!(
            "{}; keep {} ({})\n\n",
            count(outcome.workers.len(), "worker"),
            outcome.keep,
            match outcome.rule {
                "all" => "all, as asked".to_owned(),
                "given" => "as asked".to_owned(),
                "verdict" => "by verdict".to_owned(),
                rule => format!("rule: {rule}"),
            }
        );
        text += &self.worker_table();
        text += &self.trial_table();
        text += &self.pair_table();
        text
    }

    fn rows(&self) -> Rows<'_> {
        let row = |worker: &RankedWorker| {
            let (labels, rank) = (worker.labels.to_string(), worker.rank.to_string());
            let accuracy = [worker.accuracy, worker.accuracy_low, worker.accuracy_high, worker.most_given];
            let evidence = accuracy.map(|value| exact(Some(value)));
            let paper = [worker.worker.clone(), labels, exact(Some(worker.score)), rank, worker.kept.to_string()];
            let copies = [worker.copies.clone().unwrap_or_default()];
            let truth = worker.truth.map(|truth| vec![truth.labels.to_string(), exact(truth.accuracy)]);
            [&paper[..], std::slice::from_ref(&worker.verdict), &evidence, &copies, &truth.unwrap_or_default()].concat()
        };
        let paper = ["worker", "labels", "score", "rank", "kept"];
        let judged = ["verdict", "accuracy", "accuracy_low", "accuracy_high", "most_given", "copies"];
        let truth: &[&str] = if self.outcome.truth.is_some() { &["truth_labels", "truth_accuracy"] } else { &[] };
        with_header(&[&paper[..], &judged, truth].concat(), self.outcome.workers.iter().map(row))
    }
}

impl WorkersReport {
    /// The workers, best first.
    fn worker_table(&self) -> String {
        let workers = &self.outcome.workers;
        let shown = if self.all { workers.len() } else { workers.len().min(MOST) };
        let row = |worker: &RankedWorker| {
            let kept = if worker.kept { "keep" } else { "" };
            let interval = format!("{:.2} to {:.2}", worker.accuracy_low, worker.accuracy_high);
            let (rank, labels) = (worker.rank.to_string(), worker.labels.to_string());
            let accuracy = format!("{:.2}", worker.accuracy);
            let score = number(worker.score);
            let right = worker.truth.map(|truth| truth.accuracy.map_or("-".into(), |share| format!("{share:.2}")));
            let mut row = vec![worker.worker.clone(), labels, accuracy, interval];
            row.extend(right);
            row.extend([score, rank, kept.to_owned(), worker.verdict.clone()]);
            row
        };
        let right: &[&str] = if self.outcome.truth.is_some() { &["right"] } else { &[] };
        let header =
            [&["worker", "labels", "accuracy", "95% interval"], right, &["score", "rank", "", "verdict"]].concat();
        // Whoever needs a word stands at the end, and is shown.
        let (first, last) = if shown < workers.len() { (shown / 2, shown / 2) } else { (shown, 0) };
        let mut rows: Vec<Vec<String>> = workers[..first].iter().map(row).collect();
        if last > 0 {
            let mut gap = vec![format!("({} more)", workers.len() - first - last)];
            gap.resize(header.len(), String::new());
            rows.push(gap);
            rows.extend(workers[workers.len() - last..].iter().map(row));
        }
        let mut text = table(&header, rows);
        if last > 0 {
            text += "  (--all shows all workers)\n";
        }
        text += "\n  accuracy: 1 is always right, 0 is what guessing gives whatever the classes' shares, below 0 is worse\n";
        text += "  good: the interval is above 0.3; weak: above 0, or below 0.3 but not surely nothing\n";
        text += "  contrary: useful if turned round; copies: gives the answers of another worker\n";
        text += "  score: mutual information between the worker's labels and the others', in nats; rank: by score\n";
        if let Some(truth) = &self.outcome.truth {
            let share = |compared: ComparedLabels| match compared.accuracy {
                Some(accuracy) => format!("{accuracy:.3} of {}", count(compared.labels, "label")),
                None => "no label".to_owned(),
            };
            text += "  right: the share of their labels on tasks of --truth that are the true one\n";
            text += &format!("  right of those kept: {}; of the others: {}\n", share(truth.kept), share(truth.others));
        }
        text += &format!("  elbow: after the first {} the scores hardly fall any more\n", self.outcome.elbow);
        for family in &self.outcome.families {
            text += &format!("  these give the same answers: {}\n", family.join(", "));
        }
        text
    }

    /// The numbers of workers that were tried.
    fn trial_table(&self) -> String {
        let (tried, keep) = (&self.outcome.tried, self.outcome.keep);
        if tried.is_empty() {
            return String::new();
        }
        let row = |trial: &KeepTrial| {
            let mark = if trial.keep == keep { "chosen" } else { "" };
            let numbers = [trial.predictive, trial.surrogate, trial.goodness].map(number);
            [vec![trial.keep.to_string()], numbers.to_vec(), vec![mark.into()]].concat()
        };
        let header = ["kept", "predictive", "surrogate", "goodness", ""];
        let mut text = format!("\n{}", table(&header, tried.iter().map(row).collect()));
        text += "\n  predictive: mean log-probability of held-out labels; larger is better\n";
        text += "  surrogate: share of held-out labels that differ from the aggregated label; smaller is better\n";
        text += "  goodness: information between workers that the classes do not explain; smaller is better\n";
        text
    }

    /// The pairs that depend on one another.
    fn pair_table(&self) -> String {
        let Some(suspicious) = &self.outcome.suspicious else { return String::new() };
        let mut text = format!("\n{} share 10 tasks or more; ", count(suspicious.looked_at, "pair"));
        text += &match suspicious.pairs.len() {
            0 => "none depends on the other beyond what the tasks explain\n".to_owned(),
            1 => "1 pair depends on one another beyond what the tasks explain\n\n".to_owned(),
            n => format!("{} depend on one another beyond what the tasks explain\n\n", count(n, "pair")),
        };
        if suspicious.pairs.is_empty() {
            return text;
        }
        let row = |suspicious: &SuspiciousPair| {
            let [one, other] = &suspicious.workers;
            let pair = &suspicious.pair;
            let numbers = [pair.agreement, pair.expected, pair.p_value, pair.adjusted].map(number);
            [vec![format!("{one}, {other}"), pair.shared.to_string()], numbers.to_vec()].concat()
        };
        let header = ["workers", "shared", "agree", "expected", "p", "adjusted"];
        let shown = if self.all { usize::MAX } else { MOST };
        text += &table(&header, suspicious.pairs.iter().take(shown).map(row).collect());
        if suspicious.pairs.len() > shown {
            let rest = count(suspicious.pairs.len() - shown, "pair");
            text += &format!("  and {rest} more (--all shows them)\n");
        }
        text += "\n  shared: tasks that both labelled; agree: the share of them with equal labels\n";
        text += "  expected: the share that would agree if only the tasks' classes brought them together\n";
        text += "  p: how often chance alone would leave as much dependence\n";
        text += "  adjusted: p for the number of pairs looked at; those at or below 0.05 are listed\n";
        text
    }
}
