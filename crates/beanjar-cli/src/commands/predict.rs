use super::aggregate::AggregateReport;
use super::learn::FeatureColumns;
use super::{Known, Reading, column_names};
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::{Report, Rows, Sink, count, exact, number, table, with_header};
use beanjar::experts::ClassPrediction;
use beanjar::multiselect::{PredictValuesOutcome, PredictedValue, Predictor};
use beanjar::{ClassesTruth, Column, ConfusionCounts, CrowdModel, Error, ExpertsModel, Model, PredictClassesOutcome};
use beanjar_io::{Source, read_table_with};
use clap::Args;
use std::collections::{BTreeMap, BTreeSet};

/// Predict the labels of new objects with a model file.
///
/// A model of 'fit' predicts from judgments: an object with exactly the planned judgments gets the fitted predictor; any
/// other gets the best linear predictor for the judgments it has; one with none gets the mean. Each prediction has its
/// standard error. Where the label has classes, it gets the likeliest one with its probability.
///
/// A model of 'learn' classifies units by their features, and with --labels by the experts' labels as well. The
/// probability is that of the label; JSON and --probabilities have those of all classes. 'learned_from' says whether
/// the unit's labels were among those that the model learned from, and 'learned_labels' whose, in numbers that 'score'
/// reads. Such labels do not count twice with --labels: beside them a unit is classified by a fit that held them out.
/// Columns that the model does not need may hold anything.
///
/// A model of 'aggregate' labels new tasks from workers' labels, without fitting again. A worker it has never seen is
/// read with the population's confusion matrix; a label it has never seen is left out. Methods 'skilled' and 'auto' leave each
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
    /// True labels (object,label), to say how good the predictions are.
    #[arg(long, value_name = "FILE")]
    truth: Option<Source>,
    /// A column for the probability of each class, in CSV.
    #[arg(long)]
    probabilities: bool,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    columns: FeatureColumns,
}

impl Predict {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let inputs: Vec<&Source> = [&self.model, &self.data]
            .into_iter()
            .chain(&self.labels)
            .chain(&self.truth)
            .chain(self.columns.files())
            .collect();
        let sink = common.sink(&inputs)?;
        common.check_probabilities(self.probabilities)?;
        let text = String::from_utf8_lossy(&self.model.bytes()?).into_owned();
        match Model::from_json(&text).map_err(|error| Failure::from(error).of(&self.model))? {
            Model::Multiselect(predictor) => self.values(&predictor, sink, common),
            Model::Crowd(crowd) => self.true_labels(&crowd, sink, common),
            Model::Experts(experts) => self.classes(&experts, sink, common),
            _ => Err(Failure::Words(format!("{}: a model that cannot predict", self.model.name()))),
        }
    }

    /// Predicts a label from judgments.
    fn values(&self, predictor: &Predictor, sink: Sink<'_>, common: &Common) -> Result<()> {
        let judgments = self.reading.judgments(&self.data, common)?;
        let outcome = predictor.predict(&judgments, &common.context()?).map_err(|error| self.failure(error))?;
        common.warn_all(&outcome.warnings);
        let outcome = match self.true_file() {
            None => outcome,
            Some(source) => {
                let truth = self.column_of(source, &outcome.label, common)?;
                outcome.compared_with(&truth).map_err(|error| self.failure_of_labels(error))?
            }
        };
        sink.emit(&ValuesReport { outcome: &outcome, probabilities: self.probabilities })
    }

    /// Labels tasks with a crowd's model.
    fn true_labels(&self, crowd: &CrowdModel, sink: Sink<'_>, common: &Common) -> Result<()> {
        common.as_first_written(crowd.classes());
        let labels = self.reading.labels(&self.data, common)?;
        let known = Known::new(&self.reading, common);
        let truth = self.true_file().map(|truth| known.labels(truth)).transpose()?;
        let outcome = crowd.compare(&labels, truth.as_ref(), &common.context()?).map_err(|error| match error {
            Error::OfTable { error, .. } => self.failure_of_labels(*error),
            error => self.failure(error),
        })?;
        common.warn_all(&outcome.warnings);
        let (probabilities, handed_over) = (self.probabilities, common.hands_over());
        sink.emit(&AggregateReport { outcome: &outcome, all: false, probabilities, handed_over })?;
        common.hand_over(outcome);
        Ok(())
    }

    /// Classifies units by their features, and by the labels of experts if there are any.
    fn classes(&self, model: &ExpertsModel, sink: Sink<'_>, common: &Common) -> Result<()> {
        common.as_first_written(model.classes());
        let these: Vec<(String, f64)> =
            model.feature_names().iter().cloned().zip(model.feature_means().iter().copied()).collect();
        let read = self.columns.read_these(&self.data, &these, &self.reading, common)?;
        let (table, named) = (read.table, read.ids_as_named);
        let read = |source: &Source| self.reading.labels_beside(source, named, common);
        let labels = self.labels.as_ref().map(read).transpose()?;
        let outcome = model.predict(&table, labels.as_ref(), &common.context()?);
        let outcome = outcome.map_err(|error| match error {
            Error::NoExperts => Failure::from(error).of(&self.model),
            error => self.failure(error),
        })?;
        common.warn_all(&outcome.warnings);
        let outcome = match &self.truth {
            None => outcome,
            Some(source) => {
                let truth = Known::new(&self.reading, common).labels(source)?;
                outcome.compared_with(&truth).map_err(|error| self.failure_of_labels(error))?
            }
        };
        sink.emit(&ClassesReport { outcome: &outcome, probabilities: self.probabilities })
    }

    /// The file of true labels, for models that need no labels of experts.
    fn true_file(&self) -> Option<&Source> {
        self.truth.as_ref().or(self.labels.as_ref())
    }

    /// The column of this name, or the only one.
    fn column_of(&self, source: &Source, name: &str, common: &Common) -> Result<Column> {
        let table = read_table_with(source, &self.reading.options().missing)?;
        let only = || (table.names.len() == 1).then(|| table.column(0)).flatten();
        let found = table.named(name).or_else(only).ok_or_else(|| {
            let (file, names) = (source.name(), column_names(&table));
            Failure::Words(format!("{file}: no column '{name}', which the model predicts; found {names}"))
        })?;
        common.note(&format!("read {}: {}", source.name(), table.understood("object", found.name(), "known label")));
        Ok(found)
    }

    /// What is wrong with the data.
    fn failure(&self, error: Error) -> Failure {
        Failure::from(error).of(&self.data)
    }

    /// What is wrong with the table of true labels.
    fn failure_of_labels(&self, error: Error) -> Failure {
        let labels = self.true_file().unwrap_or(&self.data);
        match error {
            error @ Error::NothingInCommon { .. } => {
                Failure::Words(format!("{} and {}: {error}", self.data.name(), labels.name()))
            }
            error => Failure::from(error).of(labels),
        }
    }
}

/// What is read at a glance.
const MOST: usize = 20;

/// Predicted classes, and whether the probabilities of all classes are wanted.
struct ClassesReport<'a> {
    outcome: &'a PredictClassesOutcome,
    probabilities: bool,
}

impl serde::Serialize for ClassesReport<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.outcome.serialize(serializer)
    }
}

/// How good predictions are, in a few lines.
fn compared(truth: &ClassesTruth) -> String {
    let mut text = format!("\n  of {} with a known class\n", count(truth.tasks, "unit"));
    text += &format!("    accuracy {}: the share whose label is right\n", number(truth.accuracy));
    text += &format!("    log-loss {}: the mean of -ln of the true class's probability\n", number(truth.log_loss));
    text += &format!("    calibration error {}: how far probability is from accuracy, on average\n", number(truth.ece));
    text + &confusion_table(&truth.confusion, "units")
}

/// How many objects of each true class got each label; nothing if there are too many classes to read.
pub(crate) fn confusion_table(confusion: &ConfusionCounts, objects: &str) -> String {
    let classes: BTreeSet<&String> = confusion.keys().chain(confusion.values().flat_map(BTreeMap::keys)).collect();
    if classes.len() > MOST {
        return String::new();
    }
    let row = |(class, labels): (&String, &BTreeMap<String, usize>)| {
        let mut cells = vec![class.clone()];
        cells.extend(classes.iter().map(|label| labels.get(*label).copied().unwrap_or(0).to_string()));
        cells
    };
    let mut header = vec!["true class"];
    header.extend(classes.iter().map(|label| label.as_str()));
    let rows = table(&header, confusion.iter().map(row).collect());
    format!("\n{rows}\n  how many {objects} of each true class (row) got each label (column)\n")
}

impl Report for ClassesReport<'_> {
    fn text(&self) -> String {
        let outcome = self.outcome;
        let row = |row: ClassPrediction<'_>| vec![row.object.to_owned(), row.label.to_owned(), number(row.probability)];
        let mut text = table(&["object", "label", "P(label)"], outcome.predictions().take(MOST).map(row).collect());
        if outcome.len() > MOST {
            text += &format!("  and {} more (--out FILE.csv has all)\n", outcome.len() - MOST);
        }
        text + &self.summary()
    }

    fn summary(&self) -> String {
        self.outcome.truth.as_ref().map(compared).unwrap_or_default()
    }

    fn rows(&self) -> Rows<'_> {
        let PredictClassesOutcome { classes, learned_from, learned_labels, .. } = self.outcome;
        let mut header = vec!["object".to_owned(), "label".to_owned(), "probability".to_owned()];
        header.extend(learned_from.iter().map(|_| "learned_from".to_owned()));
        header.extend(learned_labels.iter().map(|_| "learned_labels".to_owned()));
        header.extend(classes.iter().filter(|_| self.probabilities).map(|class| format!("P({class})")));
        let row = |(unit, row): (usize, ClassPrediction<'_>)| {
            let mut cells = vec![row.object.to_owned(), row.label.to_owned(), exact(Some(row.probability))];
            cells.extend(learned_from.as_ref().map(|learned_from| learned_from[unit].to_string()));
            cells.extend(learned_labels.as_ref().map(|labels| labels[unit].clone()));
            cells.extend(row.probabilities.iter().filter(|_| self.probabilities).map(|p| exact(Some(*p))));
            cells
        };
        let rows: Vec<Vec<String>> = self.outcome.predictions().enumerate().map(row).collect();
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        with_header(&header, rows.into_iter())
    }
}

/// Predicted labels, and whether the probabilities of all classes are wanted.
struct ValuesReport<'a> {
    outcome: &'a PredictValuesOutcome,
    probabilities: bool,
}

impl serde::Serialize for ValuesReport<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.outcome.serialize(serializer)
    }
}

impl Report for ValuesReport<'_> {
    fn text(&self) -> String {
        let outcome = self.outcome;
        let classes = outcome.class_names.is_some();
        let row = |row: PredictedValue<'_>| match row.label.zip(row.probability) {
            Some((label, probability)) => vec![row.object.to_owned(), label.to_owned(), number(probability)],
            None => vec![row.object.to_owned(), number(row.prediction), number(row.se)],
        };
        let header = ["object", &outcome.label, if classes { "P(label)" } else { "se" }];
        let mut text = table(&header, outcome.rows().take(MOST).map(row).collect());
        if outcome.objects.len() > MOST {
            text += &format!("  and {} more (--out FILE.csv has all)\n", outcome.objects.len() - MOST);
        }
        text += match classes {
            true => "\n  P(label): the probability that the object is of this class\n",
            false => "\n  se: the standard error of the prediction\n",
        };
        text + &self.summary()
    }

    fn summary(&self) -> String {
        let outcome = self.outcome;
        let mut text = String::new();
        if let (Some(objects), Some(error)) = (outcome.compared, outcome.squared_error) {
            let (objects, expected) = (count(objects, "labelled object"), number(outcome.expected_squared_error));
            let error = number(error);
            text += &format!(
                "  mean squared error on {objects}: {error}; by the standard errors {expected} was to be expected\n"
            );
        }
        text + &outcome.truth.as_ref().map(compared).unwrap_or_default()
    }

    fn rows(&self) -> Rows<'_> {
        let outcome = self.outcome;
        let numbers = !outcome.predictions.is_empty();
        let names = outcome.class_names.as_deref().unwrap_or_default();
        let mut header = vec!["object".to_owned()];
        header.extend(["prediction", "se"].iter().filter(|_| numbers).map(|name| (*name).to_owned()));
        header.extend(["label", "probability"].iter().filter(|_| !names.is_empty()).map(|name| (*name).to_owned()));
        header.extend(names.iter().filter(|_| self.probabilities).map(|class| format!("P({class})")));
        let row = |row: PredictedValue<'_>| {
            let mut cells = vec![row.object.to_owned()];
            cells.extend([row.prediction, row.se].into_iter().flatten().map(|number| exact(Some(number))));
            cells.extend(row.label.map(str::to_owned));
            cells.extend(row.probability.map(|probability| exact(Some(probability))));
            let all = row.probabilities.filter(|_| self.probabilities).map_or(&[][..], |of| of.values);
            cells.extend(all.iter().map(|probability| exact(Some(*probability))));
            cells
        };
        let rows: Vec<Vec<String>> = outcome.rows().map(row).collect();
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        with_header(&header, rows.into_iter())
    }
}
