mod agreement_table;
mod judgments_report;
mod labels_report;

pub(crate) use judgments_report::JudgmentsReport;

use super::by_question::ByQuestion;
use super::reading_flags::{By, Reading};
use super::report_flags::{ReportFlags, by_question, title_of};
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::{Rows, exact, with_header};
use beanjar::reliability::{AdjustedMean, Scale};
use beanjar::{
    Dictionary, InspectJudgments, InspectJudgmentsOutcome, InspectLabels, InspectLabelsOutcome, Judgments, Labels,
    Repeats,
};
use beanjar_io::{Data, Output, Question, Read, Source, read_table, write_rows};
use clap::{Args, ValueEnum};
use labels_report::LabelsReport;
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
    #[arg(long, value_enum, default_value_t = WholeRepeats::All)]
    repeats: WholeRepeats,
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
    report: ReportFlags,
}

/// Without an average: alpha and agreement count whole labels.
#[derive(Clone, Copy, ValueEnum)]
enum WholeRepeats {
    /// All count, as if by different workers.
    All,
    /// The first counts.
    First,
}

impl From<WholeRepeats> for Repeats {
    fn from(name: WholeRepeats) -> Repeats {
        match name {
            WholeRepeats::All => Repeats::All,
            WholeRepeats::First => Repeats::First,
        }
    }
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
        // Whatever the file holds: a number out of range is a mistake.
        self.judgment_params(None).check()?;
        let inputs: Vec<&Source> = std::iter::once(&self.file).chain(&self.labels).collect();
        let (sink, page) = self.report.places(&inputs, common)?;
        let title = format!("How reliable {} is", title_of(&self.file));
        if let (Some(one), Some(other)) = (&self.adjusted, &common.out)
            && super::same_file(one, other)
        {
            return Err(Failure::Words("--adjusted and --out name the same file; give each its own".into()));
        }
        let adjusted = self.adjusted.as_ref().map(|path| Ok::<_, Failure>((path, Output::create(path, &inputs)?)));
        let adjusted = adjusted.transpose()?;
        let Read { data, positions, .. } = self.reading.read(&self.by, &self.file, common)?;
        match data {
            Data::Judgments(judgments) => {
                let mut outcome = self.inspect_judgments(&judgments, common)?;
                common.warn_all(&outcome.warnings);
                page.draw(&title, || vec![beanjar_report::inspect_judgments(&outcome)])?;
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
                page.draw(&title, || vec![beanjar_report::inspect_labels(&outcome)])?;
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
                page.draw(&title, || by_question(parts))?;
                sink.emit(&ByQuestion(reports))
            }
        }
    }

    fn inspect_judgments(&self, judgments: &Judgments, common: &Common) -> Result<InspectJudgmentsOutcome> {
        self.judgment_params(self.known()?).run(judgments, &common.context()?).map_err(|error| self.blame(error))
    }

    fn judgment_params(&self, known: Option<Dictionary>) -> InspectJudgments {
        InspectJudgments { mean_of: self.mean_of, wanted: self.wanted, known, adjusted: self.adjusted.is_some() }
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
