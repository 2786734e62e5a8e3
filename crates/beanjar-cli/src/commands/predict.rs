use super::aggregate::AggregateReport;
use super::learn::FeatureColumns;
use super::{Reading, bytes_of, judgments_of, known_labels, labels_of};
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::{Report, Rows, Sink, count, exact, number, table, with_header};
use beanjar::experts::ClassPrediction;
use beanjar::multiselect::{PredictValuesOutcome, PredictedValue, Predictor};
use beanjar::{Column, CrowdModel, Error, ExpertsModel, Model, PredictClassesOutcome};
use beanjar_io::{Source, read_table};
use clap::Args;

/// Predict the labels of new objects with a model file.
///
/// A model of 'fit' predicts from judgments: an object with exactly the planned judgments gets the fitted predictor; any
/// other gets the best linear predictor for the judgments it has; one with none gets the mean. Each prediction has its
/// standard error.
///
/// A model of 'learn' classifies units by their features, and with --labels by the experts' labels as well. The
/// probability is that of the second of two classes, and that of the label if there are more; JSON has all. Columns that
/// the model does not need may hold anything.
///
/// A model of 'aggregate' labels new tasks from workers' labels, without fitting again. A worker it has never seen is
/// read as the population; a label it has never seen is left out. Methods 'skilled' and 'auto' leave each
/// vote out of the table that it is read by where they are fitted. That cannot be done here, so tasks they were fitted
/// on may get somewhat surer answers.
#[derive(Args)]
#[command(after_help = "Example:\n  beanjar predict model.json new.csv --out predictions.csv")]
pub(crate) struct Predict {
    /// The model file.
    #[arg(value_name = "MODEL")]
    model: Source,
    /// The data: judgments of objects, workers' labels of tasks, or features, as the model needs.
    #[arg(value_name = "DATA")]
    data: Source,
    /// True labels, to say how far off the predictions are; for a model of 'learn', labels of experts, to be used.
    #[arg(long, value_name = "FILE")]
    labels: Option<Source>,
    /// True labels, to say how far off the predictions of any model are.
    #[arg(long, value_name = "FILE")]
    truth: Option<Source>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    columns: FeatureColumns,
}

impl Predict {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let inputs: Vec<&Source> =
            [&self.model, &self.data].into_iter().chain(&self.labels).chain(&self.truth).collect();
        let sink = common.sink(&inputs)?;
        let text = String::from_utf8_lossy(&bytes_of(&self.model)?).into_owned();
        match Model::from_json(&text).map_err(|error| Failure::from(error).of(&self.model))? {
            Model::Multiselect(predictor) => self.values(&predictor, sink, common),
            Model::Crowd(crowd) => self.true_labels(&crowd, sink, common),
            Model::Experts(experts) => self.classes(&experts, sink, common),
            _ => Err(Failure::Words(format!("{}: a model that cannot predict", self.model.name()))),
        }
    }

    /// Predicts a label from judgments.
    fn values(&self, predictor: &Predictor, sink: Sink<'_>, common: &Common) -> Result<()> {
        let judgments = judgments_of(self.reading.read(&self.data, common)?.data, &self.data)?;
        let outcome = predictor.predict(&judgments, &common.context()?).map_err(|error| self.failure(error))?;
        common.warn_all(&outcome.warnings);
        let outcome = match self.truth.as_ref().or(self.labels.as_ref()) {
            None => outcome,
            Some(source) => {
                let truth = column_of(source, &outcome.label)?;
                outcome.compared_with(&truth).map_err(|error| self.failure_of_labels(error))?
            }
        };
        sink.emit(&outcome)
    }

    /// Labels tasks with a crowd's model.
    fn true_labels(&self, crowd: &CrowdModel, sink: Sink<'_>, common: &Common) -> Result<()> {
        let labels = labels_of(self.reading.read(&self.data, common)?.data, &self.data)?;
        let truth = self.truth.as_ref().or(self.labels.as_ref()).map(known_labels).transpose()?;
        let outcome = crowd.compare(&labels, truth.as_ref(), &common.context()?).map_err(|error| match error {
            Error::OfTable { error, .. } => self.failure_of_labels(*error),
            error => self.failure(error),
        })?;
        common.warn_all(&outcome.warnings);
        sink.emit(&AggregateReport { outcome: &outcome, all: false })
    }

    /// Classifies units by their features, and by the labels of experts if there are any.
    fn classes(&self, model: &ExpertsModel, sink: Sink<'_>, common: &Common) -> Result<()> {
        let these: Vec<(String, f64)> =
            model.feature_names().iter().cloned().zip(model.feature_means().iter().copied()).collect();
        let table = self.columns.read_these(&self.data, &these, &self.reading, common)?;
        let read = |source: &Source| labels_of(self.reading.read(source, common)?.data, source);
        let labels = self.labels.as_ref().map(read).transpose()?;
        let outcome = model.predict(&table, labels.as_ref(), &common.context()?);
        let outcome = outcome.map_err(|error| match error {
            Error::NoExperts => Failure::from(error).of(&self.model),
            error => self.failure(error),
        })?;
        common.warn_all(&outcome.warnings);
        let outcome = match self.truth.as_ref().map(known_labels).transpose()? {
            None => outcome,
            Some(truth) => outcome.compared_with(&truth).map_err(|error| self.failure_of_labels(error))?,
        };
        sink.emit(&outcome)
    }

    /// What is wrong with the data.
    fn failure(&self, error: Error) -> Failure {
        Failure::from(error).of(&self.data)
    }

    /// What is wrong with the table of true labels.
    fn failure_of_labels(&self, error: Error) -> Failure {
        let labels = self.truth.as_ref().or(self.labels.as_ref()).unwrap_or(&self.data);
        match error {
            error @ Error::NothingInCommon { .. } => {
                Failure::Words(format!("{} and {}: {error}", self.data.name(), labels.name()))
            }
            error => Failure::from(error).of(labels),
        }
    }
}

/// The column of this name, or the only one.
fn column_of(source: &Source, name: &str) -> Result<Column> {
    let table = read_table(source)?;
    let only = || (table.names.len() == 1).then(|| table.column(0)).flatten();
    table
        .named(name)
        .or_else(only)
        .ok_or_else(|| Failure::Words(format!("{}: no column '{name}', which the model predicts", source.name())))
}

/// What is read at a glance.
const MOST: usize = 20;

impl Report for PredictClassesOutcome {
    fn text(&self) -> String {
        let row = |row: ClassPrediction<'_>| vec![row.object.to_owned(), row.label.to_owned(), number(row.probability)];
        let chance = format!("P({})", self.class().unwrap_or("label"));
        let mut text = table(&["object", "label", &chance], self.predictions().take(MOST).map(row).collect());
        if self.len() > MOST {
            text += &format!("  and {} more (--out FILE.csv has all)\n", self.len() - MOST);
        }
        if let (Some(compared), Some(rate)) = (self.compared, self.error_rate) {
            text += &format!(
                "\n  share put into the wrong class, of {}: {}\n",
                count(compared, "unit with a true class"),
                number(rate)
            );
        }
        text
    }

    fn rows(&self) -> Rows<'_> {
        let row =
            |row: ClassPrediction<'_>| vec![row.object.to_owned(), row.label.to_owned(), exact(Some(row.probability))];
        with_header(&["object", "label", "probability"], self.predictions().map(row))
    }
}

impl Report for PredictValuesOutcome {
    fn text(&self) -> String {
        let row = |row: PredictedValue<'_>| {
            vec![
                row.object.to_owned(),
                number(row.prediction),
                number(row.se),
                row.label.unwrap_or_default().to_owned(),
            ]
        };
        let mut text =
            table(&["object", &self.label, "se", ""], PredictValuesOutcome::rows(self).take(MOST).map(row).collect());
        if self.objects.len() > MOST {
            text += &format!("  and {} more (--out FILE.csv has all)\n", self.objects.len() - MOST);
        }
        text += "\n  se: the standard error of the prediction\n";
        if let Some(compared) = self.compared {
            let (what, value) = match (self.squared_error, self.error_rate) {
                (Some(error), _) => ("mean squared error", number(error)),
                (_, rate) => ("share put into the wrong class", number(rate)),
            };
            text += &format!("  {what} on {}: {value}\n", count(compared, "labelled object"));
        }
        text
    }

    fn rows(&self) -> Rows<'_> {
        let mut header = vec!["object", "prediction", "se"];
        header.extend(self.class_names.is_some().then_some("label"));
        let row = |row: PredictedValue<'_>| {
            let mut cells = vec![row.object.to_owned(), exact(Some(row.prediction)), exact(Some(row.se))];
            cells.extend(row.label.map(str::to_owned));
            cells
        };
        with_header(&header, PredictValuesOutcome::rows(self).map(row))
    }
}
