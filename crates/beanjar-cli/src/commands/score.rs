use super::{Reading, labels_of};
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::{Report, Rows, count, exact, number, table, with_header};
use beanjar::Labels;
use beanjar::surrogate::{difference, disagreements, expert_error, implied_risk, score};
use beanjar::truth::{Auto, Evidence};
use beanjar_io::{Source, read_table};
use clap::Args;
use serde::Serialize;

/// Compare predictions by noisy labels alone: which model, or prompt, to believe when no truth is at hand.
///
/// S is the share of labels that differ from the prediction, averaged over tasks. If the experts are right more often
/// than not and err independently of the models, the model with the smallest S has the smallest risk. The labels must
/// not be those that a model was trained on.
#[derive(Args)]
#[command(
    after_help = "Example:\n  beanjar score small.csv large.csv prompt3.csv --labels labels.csv\n\nA file of predictions is a table whose first column is the task; of the others, 'label' or 'prediction' is taken."
)]
pub(crate) struct Score {
    /// The predictions: a file for each model.
    #[arg(value_name = "PREDICTIONS", required = true)]
    files: Vec<Source>,
    /// The labels of several experts: task,worker,label.
    #[arg(long, value_name = "FILE")]
    labels: Source,
    #[command(flatten)]
    reading: Reading,
}

impl Score {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let mut inputs: Vec<&Source> = self.files.iter().collect();
        inputs.push(&self.labels);
        let sink = common.sink(&inputs)?;
        let labels = labels_of(self.reading.read(&self.labels, common)?.data, &self.labels)?;
        if labels.is_empty() {
            return Err(Failure::from(beanjar::Error::Empty("label")).of(&self.labels));
        }
        let models: Vec<Predicted> = self.files.iter().map(|file| self.load(file, &labels)).collect::<Result<_>>()?;
        for model in models.iter().filter(|model| model.strange > 0) {
            let strange = count(model.strange, "prediction");
            common.warn(&format!(
                "{}: {strange} of a class that no expert gave, which differ from every label",
                model.name
            ));
        }
        let ballots = labels.ballots();
        let posterior = Auto { seed: common.seed, ..Auto::default() }
            .fit(&Evidence::votes(ballots)?, &common.context()?)?
            .posterior;
        let error = expert_error(ballots, &posterior);
        let classes = labels.classes.len();
        let mut order: Vec<(usize, beanjar::surrogate::Score)> = Vec::new();
        for (i, model) in models.iter().enumerate() {
            let found = score(&model.disagreements);
            order.push((i, found.ok_or_else(|| self.nothing(model, &labels))?));
        }
        order.sort_by(|a, b| a.1.surrogate.total_cmp(&b.1.surrogate).then(a.0.cmp(&b.0)));
        let best = &models[order[0].0];
        let rows = order.iter().enumerate().map(|(rank, (i, found))| {
            let model = &models[*i];
            let worse = (rank > 0).then(|| difference(&model.disagreements, &best.disagreements)).flatten();
            Row {
                name: model.name.clone(),
                surrogate: found.surrogate,
                se: found.se,
                risk: error.and_then(|error| implied_risk(found.surrogate, error, classes)),
                difference: worse.map(|worse| worse.mean),
                difference_se: worse.and_then(|worse| worse.se),
                units: found.units,
                missing: model.missing,
            }
        });
        let report = ScoreReport { models: rows.collect(), expert_error: error };
        self.warn(&report, &labels, common);
        sink.emit(&report)
    }

    fn load(&self, file: &Source, labels: &Labels) -> Result<Predicted> {
        let table = read_table(file)?;
        let named = |name: &str| table.names.iter().position(|other| other == name);
        let column = named("label").or_else(|| named("prediction")).or((table.names.len() == 1).then_some(0));
        let Some(column) = column else {
            let names = table.names.join(", ");
            return Err(Failure::Words(format!("{}: no column 'label' or 'prediction'; found {names}", file.name())));
        };
        let (tasks, classes) = (table.ids.lookup(), labels.classes.lookup());
        let predicted: Vec<Option<usize>> = labels
            .tasks
            .iter()
            .map(|task| {
                let text = &table.columns[column][tasks.code(task)?];
                (!text.is_empty()).then(|| classes.code(text).unwrap_or(usize::MAX))
            })
            .collect();
        let missing = predicted.iter().filter(|predicted| predicted.is_none()).count();
        let strange = predicted.iter().filter(|predicted| **predicted == Some(usize::MAX)).count();
        let disagreements = disagreements(labels.ballots(), &predicted);
        Ok(Predicted { name: file.name(), disagreements, missing, strange, tasks: table.ids })
    }

    fn nothing(&self, model: &Predicted, labels: &Labels) -> Failure {
        let file = Source::from(model.name.as_str());
        super::labelled::nothing_in_common(&file, &model.tasks, "task", &self.labels, &labels.tasks)
    }

    fn warn(&self, report: &ScoreReport, labels: &Labels, common: &Common) {
        if report.models.iter().any(|model| model.missing > 0) {
            let missing = report.models.iter().filter(|model| model.missing > 0);
            let said: Vec<String> =
                missing.map(|model| format!("{} for {}", count(model.missing, "task"), model.name)).collect();
            common.warn(&format!(
                "no prediction of {}; differences are on tasks that both models predict",
                said.join(", ")
            ));
        }
        warn_of_experts(report.expert_error, labels, common);
    }
}

/// Says when labels tell little of how often experts err, or of any model.
pub(super) fn warn_of_experts(error: Option<f64>, labels: &Labels, common: &Common) {
    if labels.workers.len() < 3 {
        common.warn("with fewer than three experts nobody can tell how often they err; do not trust the implied risk");
    }
    let ways = labels.classes.len() as f64;
    if error.is_some_and(|error| 1.0 - error * ways / (ways - 1.0) < 0.2) {
        common.warn("the experts are hardly better than chance, so S says little about any model");
    }
}

struct Predicted {
    name: String,
    disagreements: Vec<Option<f64>>,
    missing: usize,
    strange: usize,
    tasks: beanjar::Dictionary,
}

#[derive(Serialize)]
struct ScoreReport {
    models: Vec<Row>,
    expert_error: Option<f64>,
}

#[derive(Serialize)]
struct Row {
    name: String,
    surrogate: f64,
    se: Option<f64>,
    risk: Option<f64>,
    difference: Option<f64>,
    difference_se: Option<f64>,
    units: usize,
    missing: usize,
}

impl Report for ScoreReport {
    fn text(&self) -> String {
        let row = |model: &Row| {
            let numbers = [Some(model.surrogate), model.se, model.difference, model.difference_se, model.risk];
            let mut cells = vec![model.name.clone()];
            cells.extend(numbers.map(number));
            cells.push(model.units.to_string());
            cells
        };
        let header = ["model", "S", "se", "worse by", "se", "implied risk", "tasks"];
        let mut text = table(&header, self.models.iter().map(row).collect());
        text += "\n  S: share of labels that differ from the prediction; worse by: than the first, task by task\n";
        if let Some(error) = self.expert_error {
            text += &format!(
                "  implied risk: from S, if experts err with probability {} as the labels suggest\n",
                number(error)
            );
        }
        let unsure = self.models.iter().skip(1).filter(|model| match (model.difference, model.difference_se) {
            (Some(difference), Some(se)) => difference < 2.0 * se,
            _ => true,
        });
        let unsure: Vec<&str> = unsure.map(|model| model.name.as_str()).collect();
        if !unsure.is_empty() {
            text += &format!("  no clear difference from the first: {}\n", unsure.join(", "));
        }
        text
    }

    fn rows(&self) -> Rows<'_> {
        let header = ["name", "surrogate", "se", "risk", "difference", "difference_se", "units", "missing"];
        let row = |model: &Row| {
            let numbers = [Some(model.surrogate), model.se, model.risk, model.difference, model.difference_se];
            let mut cells = vec![model.name.clone()];
            cells.extend(numbers.map(exact));
            cells.extend([model.units.to_string(), model.missing.to_string()]);
            cells
        };
        with_header(&header, self.models.iter().map(row))
    }
}
