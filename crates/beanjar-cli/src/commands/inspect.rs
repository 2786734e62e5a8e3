use super::{Reading, nothing_in_common};
use crate::Common;
use crate::failure::Result;
use crate::output::{Report, Rows, count, exact, number, table, with_header};
use beanjar::reliability::{
    AttributeReliability, JudgmentOptions, JudgmentsReliability, LabelOptions, LabelsReliability, Scale,
    inspect_judgments, inspect_labels,
};
use beanjar::{Dictionary, Judgments, Labels};
use beanjar_io::{Data, Source, read_table};
use clap::{Args, ValueEnum};
use serde::Serialize;

/// Say how reliable judgments or labels are: of each attribute, of each worker, and overall.
///
/// For judgments, noise is how much judgments of one object differ and signal how much objects do; icc is the
/// reliability of one judgment, and 'needed' is how many to average for a reliability of 0.8. For labels, alpha is
/// Krippendorff's: 1 is perfect agreement, 0 is what chance gives.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  beanjar inspect labels.csv\n  beanjar inspect judgments.parquet --labels truth.csv\n  zcat ratings.csv.gz | beanjar inspect - --columns object=photo,worker=rater --format json"
)]
pub(crate) struct Inspect {
    /// Judgments (object,attribute,worker,value, or a column per attribute) or labels (task,worker,label).
    #[arg(value_name = "FILE")]
    file: Source,
    /// A table with what is known of the objects: says how many of them it covers.
    #[arg(long, value_name = "FILE")]
    labels: Option<Source>,
    #[command(flatten)]
    reading: Reading,
    /// For labels: how far apart two different labels are, for alpha.
    #[arg(long, value_enum, default_value_t = ScaleName::Nominal)]
    scale: ScaleName,
    /// For labels: how many bootstrap copies of the tasks for alpha's interval; 0 for none.
    #[arg(long, value_name = "N", default_value_t = LabelOptions::default().bootstrap)]
    bootstrap: usize,
    /// For judgments: report the reliability of the mean of so many.
    #[arg(long, value_name = "K", default_value_t = JudgmentOptions::default().repeats)]
    repeats: u32,
    /// For judgments: say how many are needed for this reliability of their mean.
    #[arg(long, value_name = "R", default_value_t = JudgmentOptions::default().wanted)]
    wanted: f64,
    /// In the table, show every worker and not only those who agree least.
    #[arg(long)]
    all: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum ScaleName {
    /// All different labels are equally far apart.
    Nominal,
    /// Labels have an order.
    Ordinal,
    /// Labels are numbers.
    Interval,
    /// Labels are numbers from a true zero.
    Ratio,
}

impl Inspect {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let inputs: Vec<&Source> = std::iter::once(&self.file).chain(&self.labels).collect();
        let sink = common.sink(&inputs)?;
        match self.reading.read(&self.file, common)?.data {
            Data::Judgments(judgments) => {
                let covered = self.covered(&judgments.objects, "object", common)?;
                let options = JudgmentOptions { repeats: self.repeats, wanted: self.wanted };
                let report = JudgmentsReport::of(&judgments, &options, self.all, covered, common);
                let report = report.map_err(|failure| failure.of(&self.file))?;
                sink.emit(&report)
            }
            Data::Labels(labels) => {
                let covered = self.covered(&labels.tasks, "task", common)?;
                let scale = match self.scale {
                    ScaleName::Nominal => Scale::Nominal,
                    ScaleName::Ordinal => Scale::Ordinal,
                    ScaleName::Interval => Scale::Interval,
                    ScaleName::Ratio => Scale::Ratio,
                };
                let options = LabelOptions { scale, bootstrap: self.bootstrap, seed: common.seed };
                let report = LabelsReport::of(&labels, &options, self.all, covered, common);
                sink.emit(&report.map_err(|failure| failure.of(&self.file))?)
            }
        }
    }

    /// How many of the objects have a row in the table given with `--labels`.
    fn covered(&self, objects: &Dictionary, what: &'static str, common: &Common) -> Result<Option<usize>> {
        let Some(source) = &self.labels else { return Ok(None) };
        let known = read_table(source)?.labelled();
        let lookup = known.lookup();
        let covered = objects.iter().filter(|id| lookup.code(id).is_some()).count();
        if covered == 0 {
            return Err(nothing_in_common(&self.file, objects, what, source, &known));
        }
        if covered < objects.len() {
            let without = count(objects.len() - covered, what);
            common.warn(&format!("{without} without a label in {}", source.name()));
        }
        Ok(Some(covered))
    }
}

/// What `inspect` prints of judgments.
#[derive(Serialize)]
pub(crate) struct JudgmentsReport {
    #[serde(flatten)]
    found: JudgmentsReliability,
    #[serde(skip_serializing_if = "Option::is_none")]
    labelled: Option<usize>,
    #[serde(skip)]
    all: bool,
}

impl JudgmentsReport {
    /// Inspects judgments, and warns of what looks odd in them.
    pub(crate) fn of(
        judgments: &Judgments,
        options: &JudgmentOptions,
        all: bool,
        labelled: Option<usize>,
        common: &Common,
    ) -> Result<Self> {
        let found = inspect_judgments(judgments, options, &common.context()?)?;
        if found.repeated > 0 {
            let repeated = count(found.repeated, "judgment");
            common.warn(&format!("{repeated} with the (object, attribute, worker) of an earlier row; all are kept"));
        }
        let constant: Vec<&str> =
            found.attributes.iter().filter(|a| a.constant).map(|a| a.attribute.as_str()).collect();
        if !constant.is_empty() {
            let attributes = count(constant.len(), "attribute");
            common.warn(&format!("{attributes} with a constant value, which tells nothing: {}", some(&constant)));
        }
        let once = found.attributes.iter().filter(|a| a.noise.is_none()).map(|a| a.attribute.as_str());
        let once: Vec<&str> = once.collect();
        if !once.is_empty() {
            let attributes = count(once.len(), "attribute");
            common.warn(&format!(
                "{attributes} judged only once of every object, so noise is not known: {}",
                some(&once)
            ));
        }
        warn_of_single(found.workers.iter().filter(|w| w.judgments == 1).count(), "judgment", common);
        Ok(JudgmentsReport { found, labelled, all })
    }

    pub(crate) fn attributes(&self) -> &[AttributeReliability] {
        &self.found.attributes
    }
}

impl Report for JudgmentsReport {
    fn text(&self) -> String {
        let found = &self.found;
        let mut text = format!(
            "{} of {} on {}",
            count(found.judgments, "judgment"),
            count(found.objects, "object"),
            count(found.attributes.len(), "attribute"),
        );
        if !found.workers.is_empty() {
            text += &format!(", by {}", count(found.workers.len(), "worker"));
        }
        if let Some(labelled) = self.labelled {
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
        text +=
            &format!("\n  icc: reliability of one judgment; {mean_of}: of their mean; needed: how many for {wanted}\n");
        let workers = found.workers.iter().map(|w| (w.worker.as_str(), w.judgments, w.agreement)).collect();
        text + &worker_table(workers, "judgments", "correlation with the others' mean on the same objects", self.all)
    }

    fn rows(&self) -> Rows<'_> {
        let header =
            ["attribute", "objects", "judgments", "mean", "noise", "signal", "icc", "reliability", "needed", "alpha"];
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
            ]
        };
        with_header(&header, self.found.attributes.iter().map(row))
    }
}

/// What `inspect` prints of labels.
#[derive(Serialize)]
pub(crate) struct LabelsReport {
    #[serde(flatten)]
    found: LabelsReliability,
    #[serde(skip_serializing_if = "Option::is_none")]
    labelled: Option<usize>,
    #[serde(skip)]
    all: bool,
}

impl LabelsReport {
    fn of(
        labels: &Labels,
        options: &LabelOptions,
        all: bool,
        labelled: Option<usize>,
        common: &Common,
    ) -> Result<Self> {
        let found = inspect_labels(labels, options, &common.context()?)?;
        if found.repeated > 0 {
            let repeated = count(found.repeated, "label");
            common.warn(&format!("{repeated} with the (task, worker) of an earlier row; all are kept"));
        }
        if found.classes.len() == 1 {
            common.warn(&format!("every label is '{}', so agreement says nothing", found.classes[0]));
        }
        warn_of_single(found.workers.iter().filter(|w| w.labels == 1).count(), "label", common);
        Ok(LabelsReport { found, labelled, all })
    }
}

impl Report for LabelsReport {
    fn text(&self) -> String {
        let found = &self.found;
        let mut text = format!(
            "{} of {} by {}",
            count(found.labels, "label"),
            count(found.tasks, "task"),
            count(found.workers.len(), "worker"),
        );
        if let Some(labelled) = self.labelled {
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
        text += &format!("  alpha ({}): {}", found.scale.name(), number(found.alpha));
        if let (Some(low), Some(high)) = (found.alpha_low, found.alpha_high) {
            text += &format!("  (95% of resampled tasks: {} to {})", number(low), number(high));
        }
        text += "\n";
        if let Some(kappa) = found.fleiss_kappa {
            text += &format!("  Fleiss' kappa: {}\n", number(kappa));
        }
        let workers = found.workers.iter().map(|w| (w.worker.as_str(), w.labels, w.agreement)).collect();
        text + &worker_table(
            workers,
            "labels",
            "share of the others' votes on the same tasks that are the same",
            self.all,
        )
    }

    fn rows(&self) -> Rows<'_> {
        let rows = self.found.workers.iter().map(|w| vec![w.worker.clone(), w.labels.to_string(), exact(w.agreement)]);
        with_header(&["worker", "labels", "agreement"], rows)
    }
}

impl LabelsReport {
    fn votes(&self) -> String {
        let votes = &self.found.votes_per_task;
        match &votes[..] {
            [all] => format!("{} each", all.votes),
            [first, .., last] => {
                let mean = self.found.labels as f64 / self.found.tasks as f64;
                format!("{} to {}, mean {}", first.votes, last.votes, number(mean))
            }
            [] => "none".into(),
        }
    }
}

fn warn_of_single(workers: usize, what: &str, common: &Common) {
    if workers > 0 {
        common.warn(&format!("{} with a single {what}, of whom little can be said", count(workers, "worker")));
    }
}

/// The workers who agree least first; all of them, or only the first ten.
fn worker_table(mut workers: Vec<(&str, u64, Option<f64>)>, what: &str, meaning: &str, all: bool) -> String {
    const MOST: usize = 10;
    if workers.is_empty() {
        return String::new();
    }
    workers.sort_by(|a, b| a.2.unwrap_or(f64::INFINITY).total_cmp(&b.2.unwrap_or(f64::INFINITY)).then(a.0.cmp(b.0)));
    let shown = if all { workers.len() } else { workers.len().min(MOST) };
    let rows = workers[..shown]
        .iter()
        .map(|(worker, n, agreement)| vec![(*worker).to_owned(), n.to_string(), number(*agreement)]);
    let mut text = format!("\n{}", table(&["worker", what, "agreement"], rows.collect()));
    if shown < workers.len() {
        text += &format!("  and {} who agree more (--all shows them)\n", count(workers.len() - shown, "worker"));
    }
    text + &format!("\n  agreement: {meaning}\n")
}

/// The first few names of many.
fn some(names: &[&str]) -> String {
    const MOST: usize = 5;
    let mut text = names.iter().take(MOST).copied().collect::<Vec<_>>().join(", ");
    if names.len() > MOST {
        text += " and others";
    }
    text
}
