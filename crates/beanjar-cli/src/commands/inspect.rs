use super::by_question::ByQuestion;
use super::pictures::{Pictures, by_question};
use super::reading_flags::{By, Reading};
use super::repeats::RepeatsName;
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::{Report, Rows, count, exact, number, table, with_header};
use beanjar::reliability::{AdjustedMean, AttributeReliability, Interval, JudgmentWorker, Scale};
use beanjar::{
    Dictionary, InspectJudgments, InspectJudgmentsOutcome, InspectLabels, InspectLabelsOutcome, Judgments, Labels,
};
use beanjar_io::{Data, Output, PositionBias, Question, Read, Source, read_table, write_rows};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::PathBuf;

/// Report how reliable judgments or labels are: each attribute, each worker, and overall.
///
/// For judgments, noise is the variance among judgments of one object and signal the variance among objects; icc is the
/// reliability of one judgment, and 'needed' is how many judgments to average for a reliability of 0.8. For labels,
/// alpha is Krippendorff's: 1 is perfect agreement, 0 is what chance gives.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  beanjar inspect labels.csv\n  beanjar inspect judgments.parquet --labels truth.csv\n  zcat ratings.csv.gz | beanjar inspect - --columns object=photo,worker=rater --format json"
)]
pub(crate) struct Inspect {
    /// Judgments (object,attribute,worker,value, or a column per attribute) or labels (task,worker,label).
    #[arg(value_name = "FILE")]
    file: Source,
    /// A table of known labels, by object or task: the report counts how many have one.
    #[arg(long, value_name = "FILE")]
    labels: Option<Source>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    by: By,
    /// For labels: how far apart two different labels are, for alpha.
    #[arg(long, value_enum, default_value_t = ScaleName::Nominal)]
    scale: ScaleName,
    /// For labels: what becomes of labels that a worker gave to the same task more than once: all count, or the first. Alpha and
    /// agreement count whole labels, so they cannot be averaged as in other commands.
    #[arg(long, value_enum, default_value_t = RepeatsName::All)]
    repeats: RepeatsName,
    /// For labels: how many bootstrap copies of the tasks for alpha's interval; 0 for none.
    #[arg(long, value_name = "N", default_value_t = InspectLabels::default().bootstrap)]
    bootstrap: usize,
    /// For judgments: report the reliability of the mean of K judgments.
    #[arg(long, value_name = "K", default_value_t = InspectJudgments::default().mean_of)]
    mean_of: u32,
    /// For judgments: report how many to average for this reliability of their mean.
    #[arg(long, value_name = "R", default_value_t = InspectJudgments::default().wanted)]
    wanted: f64,
    /// For judgments: write objects' means here, as they are and without what their raters add:
    /// object,attribute,judgments,mean,adjusted.
    #[arg(long, value_name = "FILE.csv")]
    adjusted: Option<PathBuf>,
    /// In the table, show every worker and not only those who agree least.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    pictures: Pictures,
}

#[derive(Clone, Copy, ValueEnum)]
enum ScaleName {
    /// All different labels are equally far apart.
    Nominal,
    /// Labels have an order: that of numbers, or the one given with --order.
    Ordinal,
    /// Labels are numbers.
    Interval,
    /// Labels are numbers from a true zero.
    Ratio,
}

impl From<ScaleName> for Scale {
    fn from(name: ScaleName) -> Scale {
        match name {
            ScaleName::Nominal => Scale::Nominal,
            ScaleName::Ordinal => Scale::Ordinal,
            ScaleName::Interval => Scale::Interval,
            ScaleName::Ratio => Scale::Ratio,
        }
    }
}

impl Inspect {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let inputs: Vec<&Source> = std::iter::once(&self.file).chain(&self.labels).collect();
        let sink = common.sink(&inputs)?;
        let easel = self.pictures.easel(&inputs, common)?;
        let title = format!("How reliable {} is", self.file.name());
        if let (Some(one), Some(other)) = (&self.adjusted, &common.out)
            && super::same_file(one, other)
        {
            return Err(Failure::Words("--adjusted and --out name the same file; give each its own".into()));
        }
        let adjusted = self.adjusted.as_ref().map(|path| Ok::<_, Failure>((path, Output::create(path, &inputs)?)));
        let adjusted = adjusted.transpose()?;
        let Read { data, positions, .. } = self.reading.read_by(&self.by, &self.file, common)?;
        match data {
            Data::Judgments(judgments) => {
                let mut outcome = self.inspect_judgments(&judgments, common)?;
                common.warn_all(&outcome.warnings);
                easel.draw(&title, || vec![beanjar_report::inspect_judgments(&outcome)])?;
                if let Some((path, output)) = adjusted {
                    // They have a file of their own, and need not be in the JSON as well.
                    write_rows(path, output, adjusted_rows(&std::mem::take(&mut outcome.adjusted)))?;
                }
                sink.emit(&JudgmentsReport { outcome: &outcome, all: self.all })
            }
            _ if adjusted.is_some() => Err(Failure::Words(format!(
                "{}: --adjusted is for judgments, and this file holds labels",
                self.file.name()
            ))),
            Data::Labels(labels) => {
                let outcome = self.inspect_labels(&labels, common)?;
                common.warn_all(&outcome.warnings);
                easel.draw(&title, || vec![beanjar_report::inspect_labels(&outcome)])?;
                sink.emit(&LabelsReport { outcome, positions, all: self.all })
            }
            Data::Questions(questions) => {
                let report = |question: Question| {
                    let outcome = self.inspect_labels(&question.labels, common)?;
                    common.warn_all_of(&question.name, &outcome.warnings);
                    Ok((question.name, LabelsReport { outcome, positions: Vec::new(), all: self.all }))
                };
                let reports = questions.into_iter().map(report).collect::<Result<Vec<_>>>()?;
                let parts = reports
                    .iter()
                    .map(|(name, report)| (name.as_str(), beanjar_report::inspect_labels(&report.outcome)));
                easel.draw(&title, || by_question(parts))?;
                sink.emit(&ByQuestion(reports))
            }
        }
    }

    fn inspect_judgments(&self, judgments: &Judgments, common: &Common) -> Result<InspectJudgmentsOutcome> {
        let adjusted = self.adjusted.is_some();
        let params = InspectJudgments { mean_of: self.mean_of, wanted: self.wanted, known: self.known()?, adjusted };
        params.run(judgments, &common.context()?).map_err(|error| self.blame(error))
    }

    fn inspect_labels(&self, labels: &Labels, common: &Common) -> Result<InspectLabelsOutcome> {
        let params = InspectLabels {
            scale: self.scale.into(),
            ordered: self.reading.orders(),
            repeats: self.repeats.into(),
            bootstrap: self.bootstrap,
            known: self.known()?,
        };
        params.run(labels, &common.context()?).map_err(|error| self.blame(error))
    }

    /// The ids in the table given with `--labels`.
    fn known(&self) -> Result<Option<Dictionary>> {
        Ok(self.labels.as_ref().map(read_table).transpose()?.map(|table| table.labelled()))
    }

    fn blame(&self, error: beanjar::Error) -> Failure {
        match &self.labels {
            Some(labels) => Failure::from(error).of_two(&self.file, labels),
            None => Failure::from(error).of(&self.file),
        }
    }
}

/// The table of objects' means.
fn adjusted_rows(means: &[AdjustedMean]) -> Rows<'_> {
    let row = |of: &AdjustedMean| {
        let numbers = [exact(Some(of.mean)), exact(Some(of.adjusted))];
        [vec![of.object.clone(), of.attribute.clone(), of.judgments.to_string()], numbers.to_vec()].concat()
    };
    with_header(&["object", "attribute", "judgments", "mean", "adjusted"], means.iter().map(row))
}

/// What `inspect` prints of judgments.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct JudgmentsReport<'a> {
    pub(crate) outcome: &'a InspectJudgmentsOutcome,
    /// Whether to show every worker in the table.
    #[serde(skip)]
    pub(crate) all: bool,
}

impl Report for JudgmentsReport<'_> {
    fn text(&self) -> String {
        let found = self.outcome;
        let mut text = format!(
            "{} of {} on {}",
            count(found.judgments, "judgment"),
            count(found.objects, "object"),
            count(found.attributes.len(), "attribute"),
        );
        if !found.workers.is_empty() {
            text += &format!(", by {}", count(found.workers.len(), "worker"));
        }
        if let Some(labelled) = found.labelled {
            text += &format!("; {} with a label", count(labelled, "object"));
        }
        text += "\n\n";
        let mean_of = format!("mean of {}", found.repeats);
        let header = ["attribute", "judgments", "mean", "noise", "signal", "icc", &mean_of, "needed", "alpha"];
        let row = |a: &AttributeReliability| {
            vec![
                a.attribute.clone(),
                a.judgments.to_string(),
                number(a.mean),
                number(a.noise),
                number(a.signal),
                number(a.icc),
                number(a.reliability),
                a.needed.map_or("-".into(), |needed| needed.to_string()),
                number(a.alpha),
            ]
        };
        text += &table(&header, found.attributes.iter().map(row).collect());
        let wanted = found.wanted;
        text += &format!(
            "\n  noise: variance among judgments of one object; signal: variance among objects\n  \
             icc: reliability of one judgment; {mean_of}: of the mean of {} judgments\n  \
             needed: judgments to average for a reliability of {wanted}; alpha: Krippendorff's, 1 is full agreement\n",
            found.repeats
        );
        text += &self.means_table();
        text += &worker_table(
            found
                .workers
                .iter()
                .map(|w| Agreeing::new(&w.worker, w.judgments, w.agreement, w.agreement_high))
                .collect(),
            "judgments",
            "correlation with the others' mean on the same objects",
            self.all,
        );
        text + &self.bias_table()
    }

    fn rows(&self) -> Rows<'_> {
        let header = [
            "attribute",
            "objects",
            "judgments",
            "mean",
            "noise",
            "signal",
            "icc",
            "reliability",
            "needed",
            "alpha",
            "icc_low",
            "icc_high",
            "icc2k",
            "icc3k",
            "alpha_low",
            "alpha_high",
        ];
        let row = |a: &AttributeReliability| {
            vec![
                a.attribute.clone(),
                a.objects.to_string(),
                a.judgments.to_string(),
                exact(Some(a.mean)),
                exact(a.noise),
                exact(a.signal),
                exact(a.icc),
                exact(a.reliability),
                a.needed.map(|needed| needed.to_string()).unwrap_or_default(),
                exact(a.alpha),
                exact(a.icc_low),
                exact(a.icc_high),
                exact(a.icc2k.map(|icc| icc.estimate)),
                exact(a.icc3k.map(|icc| icc.estimate)),
                exact(a.alpha_low),
                exact(a.alpha_high),
            ]
        };
        with_header(&header, self.outcome.attributes.iter().map(row))
    }
}

impl JudgmentsReport<'_> {
    /// Reliabilities with their intervals, those of the means of all judgments of an object too.
    fn means_table(&self) -> String {
        let of = |icc: Option<Interval>| match icc {
            Some(icc) => interval(Some(icc.estimate), Some(icc.low), Some(icc.high)),
            None => "-".into(),
        };
        let row = |a: &AttributeReliability| {
            vec![
                a.attribute.clone(),
                interval(a.icc, a.icc_low, a.icc_high),
                interval(a.alpha, a.alpha_low, a.alpha_high),
                a.raters.map_or("-".into(), |raters| format!("{raters:.1}")),
                of(a.icc2k),
                of(a.icc3k),
            ]
        };
        let all = self.outcome.attributes.len();
        let shown = if self.all { all } else { all.min(MOST) };
        let rows = self.outcome.attributes[..shown].iter().map(row).collect();
        let mut text = format!("\n{}", table(&["attribute", "icc(1)", "alpha", "k", "icc(2,k)", "icc(3,k)"], rows));
        if shown < all {
            text += &format!("  and {} (--all shows them)\n", count(all - shown, "further attribute"));
        }
        text + "\n  with 95% intervals; icc(2,k) and icc(3,k): reliability of the mean of the k judgments that an\n  \
                object has, by any raters, and by the same raters for all objects\n"
    }

    /// Who rates high or low, and who uses the ends of the scale; the farthest first.
    fn bias_table(&self) -> String {
        let mut workers: Vec<&JudgmentWorker> = self.outcome.workers.iter().filter(|w| w.bias.is_some()).collect();
        let far = |worker: &JudgmentWorker| worker.bias.unwrap_or(0.0).abs();
        workers.sort_by(|a, b| far(b).total_cmp(&far(a)).then(a.worker.cmp(&b.worker)));
        let shown = if self.all { workers.len() } else { workers.len().min(MOST) };
        if shown == 0 {
            return String::new();
        }
        let row = |worker: &&JudgmentWorker| {
            let bias = worker.bias.map_or("-".into(), |bias| format!("{bias:+.2}"));
            let ends = |share: Option<f64>| share.map_or("-".into(), |share| format!("{:.0}%", 100.0 * share));
            vec![worker.worker.clone(), worker.judgments.to_string(), bias, ends(worker.ends), ends(worker.ends_usual)]
        };
        format!(
            "\n{}\n  bias: what the worker adds to a judgment, in standard deviations: + rates high, - rates low\n  \
             ends: share of their judgments at the lowest or highest value; usual: that of all judgments\n  \
             --adjusted FILE.csv writes objects' means without the bias of their raters\n",
            table(&["worker", "judgments", "bias", "ends", "usual"], workers[..shown].iter().map(row).collect())
        )
    }
}

/// Rows of a table that is read at a glance.
const MOST: usize = 10;

/// Two digits are all that an interval leaves.
fn interval(estimate: Option<f64>, low: Option<f64>, high: Option<f64>) -> String {
    match (estimate, low, high) {
        (Some(estimate), Some(low), Some(high)) => {
            let short = |x: f64| format!("{x:.2}").replacen("0.", ".", 1);
            format!("{estimate:.2} [{}, {}]", short(low), short(high))
        }
        (Some(estimate), ..) => format!("{estimate:.2}"),
        _ => "-".into(),
    }
}

/// What `inspect` prints of labels.
#[derive(Serialize)]
struct LabelsReport {
    #[serde(flatten)]
    outcome: InspectLabelsOutcome,
    /// Of verdicts on pairs: how often each judge chose what stood first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    positions: Vec<PositionBias>,
    /// Whether to show every worker in the table.
    #[serde(skip)]
    all: bool,
}

impl Report for LabelsReport {
    fn text(&self) -> String {
        let found = &self.outcome;
        let mut text = format!(
            "{} of {} by {}",
            count(found.labels, "label"),
            count(found.tasks, "task"),
            count(found.workers.len(), "worker"),
        );
        if let Some(labelled) = found.labelled {
            text += &format!("; {} with a known label", count(labelled, "task"));
        }
        text += "\n\n";
        let classes = found.classes.iter().zip(&found.shares);
        // A table of a thousand numbers is not read by anyone.
        const MOST: usize = 20;
        text += &table(
            &["class", "share"],
            classes.take(MOST).map(|(class, share)| vec![class.clone(), number(*share)]).collect(),
        );
        if found.classes.len() > MOST {
            text += &format!("  and {} more\n", count(found.classes.len() - MOST, "class"));
        }
        text += &format!("\n  votes per task: {}\n", self.votes());
        text += &format!("  Krippendorff's alpha ({}): {}", found.scale.name(), number(found.alpha));
        if let (Some(low), Some(high)) = (found.alpha_low, found.alpha_high) {
            text += &format!("  (95% interval over tasks: {} to {})", number(low), number(high));
        }
        text += "\n    1 is full agreement, 0 is what chance gives\n";
        if let Some(kappa) = found.fleiss_kappa {
            text += &format!("  Fleiss' kappa: {}\n", number(kappa));
        }
        text += &self.position_table();
        text + &worker_table(
            found.workers.iter().map(|w| Agreeing::new(&w.worker, w.labels, w.agreement, w.agreement_high)).collect(),
            "labels",
            "share of the others' votes on the same tasks that are the same",
            self.all,
        )
    }

    fn rows(&self) -> Rows<'_> {
        let rows =
            self.outcome.workers.iter().map(|w| vec![w.worker.clone(), w.labels.to_string(), exact(w.agreement)]);
        with_header(&["worker", "labels", "agreement"], rows)
    }
}

impl LabelsReport {
    /// How far the order of a pair mattered to each judge.
    fn position_table(&self) -> String {
        if self.positions.is_empty() {
            return String::new();
        }
        let row = |bias: &PositionBias| {
            let (verdicts, first) = (bias.verdicts.to_string(), number(bias.first));
            vec![bias.judge.clone(), verdicts, first, bias.both_orders.to_string(), bias.changed.to_string()]
        };
        let rows = self.positions.iter().map(row).collect();
        format!(
            "\n{}\n  first: the share of verdicts for what stood first; half where the order does not matter\n  \
             both: pairs seen in both orders; changed: how many of them got another verdict then\n",
            table(&["judge", "verdicts", "first", "both", "changed"], rows)
        )
    }

    fn votes(&self) -> String {
        let votes = &self.outcome.votes_per_task;
        match &votes[..] {
            [all] => format!("{} each", all.votes),
            [first, .., last] => {
                let mean = self.outcome.labels as f64 / self.outcome.tasks as f64;
                format!("{} to {}, mean {}", first.votes, last.votes, number(mean))
            }
            [] => "none".into(),
        }
    }
}

/// A worker in the table of agreement.
struct Agreeing<'a> {
    worker: &'a str,
    answers: u64,
    agreement: Option<f64>,
    high: Option<f64>,
}

impl<'a> Agreeing<'a> {
    fn new(worker: &'a str, answers: u64, agreement: Option<f64>, high: Option<f64>) -> Self {
        Agreeing { worker, answers, agreement, high }
    }
}

/// The workers who agree least first; all of them, or only the first ten. They are in order of the upper end of the
/// agreement's interval, so that nobody is among the worst for lack of answers.
fn worker_table(mut workers: Vec<Agreeing<'_>>, what: &str, meaning: &str, all: bool) -> String {
    if workers.is_empty() {
        return String::new();
    }
    let at_best = |worker: &Agreeing<'_>| worker.high.unwrap_or(f64::INFINITY);
    workers.sort_by(|a, b| at_best(a).total_cmp(&at_best(b)).then(a.worker.cmp(b.worker)));
    let shown = if all { workers.len() } else { workers.len().min(MOST) };
    let row =
        |of: &Agreeing<'_>| vec![of.worker.to_owned(), of.answers.to_string(), number(of.agreement), number(of.high)];
    let rows = workers[..shown].iter().map(row).collect();
    let mut text = format!("\n{}", table(&["worker", what, "agreement", "at best"], rows));
    if shown < workers.len() {
        text += &format!("  and {} who may agree more (--all shows them)\n", count(workers.len() - shown, "worker"));
    }
    text + &format!(
        "\n  agreement: {meaning}\n  at best: the upper end of its 95% interval; the table is in its order, so that few {what} alone\n  make nobody the worst\n"
    )
}
