use super::Reading;
use super::aggregate::AggregateReport;
use super::labelled::{judgments_of, matched};
use super::learn::FeatureColumns;
use super::model::{Crowd, Model, load};
use super::{labels_of, truths};
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::{Report, Rows, Sink, count, exact, number, table, with_header};
use beanjar::experts::ClassPrediction;
use beanjar::multiselect::Predictor;
use beanjar::{Dictionary, ExpertsModel, PredictClassesOutcome};
use beanjar_io::{Source, read_table};
use clap::Args;
use serde::Serialize;

/// Predict the labels of new objects with a model file.
///
/// A model of 'fit' predicts from judgments: an object with just the judgments planned gets the fitted predictor; any
/// other gets the best linear predictor for the judgments it has; one with none gets the mean. Each prediction has its
/// standard error.
///
/// A model of 'learn' classifies units by their features, with --labels by what experts said of them as well. The
/// probability is that of the second of two classes, and that of the label if there are more; JSON has all. Columns that
/// the model does not need may hold anything.
///
/// A model of 'aggregate' labels new tasks from workers' labels, without fitting again. A worker it has never seen is
/// read as the population; a label it has never seen is left out. Methods 'skilled' and 'auto' read a vote without itself
/// where they are fitted, which cannot be done here: tasks they were fitted on may get somewhat surer answers.
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
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    columns: FeatureColumns,
}

impl Predict {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let inputs: Vec<&Source> = [&self.model, &self.data].into_iter().chain(&self.labels).collect();
        let sink = common.sink(&inputs)?;
        let predictor = match load(&self.model)? {
            Model::Multiselect(predictor) => predictor,
            Model::Crowd(crowd) => return self.label(&crowd, sink, common),
            Model::Experts(experts) => return self.classify(&experts, sink, common),
        };
        let judgments = judgments_of(self.reading.read(&self.data, common)?.data, &self.data)?;
        let outcome =
            predictor.predict(&judgments, &common.context()?).map_err(|error| Failure::from(error).of(&self.data))?;
        common.warn_all(&outcome.warnings);
        let predictions: Vec<Row> = outcome
            .rows()
            .map(|row| Row {
                object: row.object.to_owned(),
                prediction: row.prediction,
                se: row.se,
                label: row.label.map(str::to_owned),
                planned: row.planned,
            })
            .collect();
        let mut report = PredictReport {
            label: predictor.label.clone(),
            compared: None,
            squared_error: None,
            error_rate: None,
            predictions,
        };
        if let Some(labels) = &self.labels {
            self.compare(&mut report, &predictor, &judgments.objects, labels)?;
        }
        sink.emit(&report)
    }

    /// Classifies units by their features, and the labels of experts if there are any.
    fn classify(&self, model: &ExpertsModel, sink: Sink<'_>, common: &Common) -> Result<()> {
        let these: Vec<(String, f64)> =
            model.feature_names().iter().cloned().zip(model.feature_means().iter().copied()).collect();
        let table = self.columns.read_these(&self.data, &these, common)?;
        let read = |source: &Source| labels_of(self.reading.read(source, common)?.data, source);
        let labels = self.labels.as_ref().map(read).transpose()?;
        let outcome = model.predict(&table, labels.as_ref(), &common.context()?);
        let outcome = outcome.map_err(|error| match error {
            beanjar::Error::NoExperts => Failure::from(error).of(&self.model),
            _ => Failure::from(error).of(&self.data),
        })?;
        common.warn_all(&outcome.warnings);
        sink.emit(&outcome)
    }

    /// Labels tasks as a crowd's model reads their labels.
    fn label(&self, crowd: &Crowd, sink: Sink<'_>, common: &Common) -> Result<()> {
        let read = labels_of(self.reading.read(&self.data, common)?.data, &self.data)?;
        let workers: Dictionary = crowd.workers.iter().map(String::as_str).collect();
        let classes: Dictionary = crowd.classes.iter().map(String::as_str).collect();
        let left_out: Dictionary = crowd.left_out.iter().map(String::as_str).collect();
        let known = read.without(&left_out).in_terms_of(&workers, &classes);
        if known.labels.len() + known.unknown_labels < read.len() {
            let dropped = count(read.len() - known.labels.len() - known.unknown_labels, "label");
            common.warn(&format!("{dropped} of workers whom the model leaves out"));
        }
        if known.labels.is_empty() {
            let names: Vec<&str> = crowd.classes.iter().take(5).map(String::as_str).collect();
            let said = format!("{}: no label is of a class of the model ({})", self.data.name(), names.join(", "));
            return Err(Failure::Words(said));
        }
        if known.unknown_labels > 0 {
            let labels = count(known.unknown_labels, "label");
            common.warn(&format!("{labels} of classes that the model has never seen, left out"));
        }
        if known.newcomers > 0 {
            let newcomers = count(known.newcomers, "worker");
            common.warn(&format!("{newcomers} whom the model has never seen, read as the population"));
        }
        let posterior = crowd.rule.posterior(&known.ballots, &common.context()?)?;
        let truth = self.labels.as_ref().map(|source| truths(&self.data, &known.labels, source, common)).transpose()?;
        sink.emit(&AggregateReport::predicted(&crowd.method, &known.labels, posterior, truth, common.seed))
    }

    fn compare(
        &self,
        report: &mut PredictReport,
        predictor: &Predictor,
        objects: &Dictionary,
        labels: &Source,
    ) -> Result<()> {
        let table = read_table(labels)?;
        let named = table.names.iter().position(|name| *name == predictor.label);
        let column = named.or((table.names.len() == 1).then_some(0)).ok_or_else(|| {
            Failure::Words(format!("{}: no column '{}', which the model predicts", labels.name(), predictor.label))
        })?;
        let rows = matched(&self.data, objects, "object", labels, &table, column)?;
        let truths = rows.iter().map(|row| row.map(|row| table.columns[column][row].as_str()));
        let pairs: Vec<(&Row, &str)> =
            report.predictions.iter().zip(truths).filter_map(|(row, truth)| Some((row, truth?))).collect();
        let n = pairs.len();
        if predictor.classes.is_some() {
            let wrong = pairs.iter().filter(|(row, truth)| row.label.as_deref() != Some(*truth)).count();
            report.error_rate = Some(wrong as f64 / n as f64);
        } else {
            let mut squares = 0.0;
            for (row, truth) in pairs {
                let truth: f64 = truth.trim().parse().map_err(|_| {
                    Failure::Words(format!("{}: '{truth}' for '{}' is not a number", labels.name(), row.object))
                })?;
                squares += (truth - row.prediction).powi(2);
            }
            report.squared_error = Some(squares / n as f64);
        }
        report.compared = Some(n);
        Ok(())
    }
}

impl Report for PredictClassesOutcome {
    fn text(&self) -> String {
        const MOST: usize = 20;
        let row = |row: ClassPrediction<'_>| vec![row.object.to_owned(), row.label.to_owned(), number(row.probability)];
        let chance = format!("P({})", self.class().unwrap_or("label"));
        let mut text = table(&["object", "label", &chance], self.predictions().take(MOST).map(row).collect());
        if self.len() > MOST {
            text += &format!("  and {} more (--out FILE.csv has all)\n", self.len() - MOST);
        }
        text
    }

    fn rows(&self) -> Rows<'_> {
        let row =
            |row: ClassPrediction<'_>| vec![row.object.to_owned(), row.label.to_owned(), exact(Some(row.probability))];
        with_header(&["object", "label", "probability"], self.predictions().map(row))
    }
}

#[derive(Serialize)]
struct PredictReport {
    label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    squared_error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_rate: Option<f64>,
    predictions: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    object: String,
    prediction: f64,
    se: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    planned: bool,
}

impl Report for PredictReport {
    fn text(&self) -> String {
        const MOST: usize = 20;
        let row = |row: &Row| {
            let label = row.label.clone().unwrap_or_default();
            vec![row.object.clone(), number(row.prediction), number(row.se), label]
        };
        let rows = self.predictions.iter().take(MOST).map(row).collect();
        let mut text = table(&["object", &self.label, "se", ""], rows);
        if self.predictions.len() > MOST {
            text += &format!("  and {} more (--out FILE.csv has all)\n", self.predictions.len() - MOST);
        }
        if let Some(compared) = self.compared {
            let (what, value) = match (self.squared_error, self.error_rate) {
                (Some(error), _) => ("mean squared error", number(error)),
                (_, rate) => ("share put into the wrong class", number(rate)),
            };
            text += &format!("\n  {what} on {}: {value}\n", count(compared, "labelled object"));
        }
        text
    }

    fn rows(&self) -> Rows<'_> {
        let classes = self.predictions.iter().any(|row| row.label.is_some());
        let mut header = vec!["object", "prediction", "se"];
        header.extend(classes.then_some("label"));
        let row = |row: &Row| {
            let mut cells = vec![row.object.clone(), exact(Some(row.prediction)), exact(Some(row.se))];
            cells.extend(row.label.clone());
            cells
        };
        with_header(&header, self.predictions.iter().map(row))
    }
}
