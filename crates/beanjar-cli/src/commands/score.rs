use super::repeats::RepeatsFlag;
use super::report_flags::{ReportFlags, title_of};
use super::{Known, Reading, column_names};
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::{Report, Rows, exact, number, one_line, table, with_header};
use beanjar::experts::LearnedFrom;
use beanjar::surrogate::ModelScore;
use beanjar::{Column, ScoreOutcome};
use beanjar_io::{Source, read_table};
use clap::Args;

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
    /// Known answers of some tasks, drawn at random (task,label): the risk of each model is estimated from both, with an
    /// interval that holds whatever the labels' errors.
    #[arg(long, value_name = "FILE", visible_alias = "truth")]
    gold: Option<Source>,
    #[command(flatten)]
    repeats: RepeatsFlag,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    report: ReportFlags,
}

impl Score {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let mut inputs: Vec<&Source> = self.files.iter().collect();
        inputs.push(&self.labels);
        inputs.extend(&self.gold);
        let (sink, page) = self.report.places(&inputs, common)?;
        let labels = self.reading.labels(&self.labels, common)?;
        let known = Known::new(&self.reading, common);
        let gold = self.gold.as_ref().map(|gold| known.labels(gold)).transpose()?;
        let files: Vec<(Column, Option<LearnedFrom>)> =
            self.files.iter().map(|file| predictions(file, common)).collect::<Result<_>>()?;
        let (models, learned_from): (Vec<Column>, Vec<Option<LearnedFrom>>) = files.into_iter().unzip();
        let outcome = beanjar::Score { learned_from, gold, repeats: self.repeats.repeats() }.run(
            &models,
            &labels,
            &common.context()?,
        );
        let outcome = outcome.map_err(|error| match error {
            // It names the file of predictions.
            beanjar::Error::OfModel { .. } => Failure::from(error),
            _ => Failure::from(error).of(&self.labels),
        })?;
        common.warn_all(&outcome.warnings);
        page.draw(
            &format!("{} compared by {}", beanjar::counted(self.files.len(), "model"), title_of(&self.labels)),
            || vec![beanjar_report::score(&outcome)],
        )?;
        sink.emit(&outcome)
    }
}

/// The predictions in a file, named after it, and the labels that the model was learned from, if the file says so.
fn predictions(file: &Source, common: &Common) -> Result<(Column, Option<LearnedFrom>)> {
    let table = read_table(file)?;
    let named = |name: &str| table.names.iter().position(|other| other == name);
    let column = named("label").or_else(|| named("prediction")).or((table.names.len() == 1).then_some(0));
    let Some(column) = column else {
        let names = column_names(&table);
        return Err(Failure::Words(format!("{}: no column 'label' or 'prediction'; found {names}", file.name())));
    };
    let learned = |at: usize| {
        let labels = table.columns[at].iter().map(String::as_str);
        LearnedFrom::from_labels(table.ids.iter().zip(labels))
    };
    let learned_from = named("learned_labels").and_then(learned);
    let values = table.classes(column).map(|column| column.values().to_vec()).unwrap_or_default();
    let predicted = Column::new(file.name(), table.ids, values)?;
    Ok((common.column_as_first_written(predicted)?, learned_from))
}

impl Report for ScoreOutcome {
    fn text(&self) -> String {
        let row = |model: &ModelScore| {
            let numbers = [Some(model.surrogate), model.se, model.difference, model.difference_se, model.risk];
            let mut cells = vec![model.name.clone()];
            cells.extend(numbers.map(number));
            cells.push(model.units.to_string());
            cells
        };
        let header = ["model", "S", "se", "worse by", "se", "implied risk", "tasks"];
        let learned = |model: &ModelScore| model.learned_labels.is_some_and(|labels| labels > 0);
        let mut text = String::new();
        for model in self.models.iter().filter(|model| learned(model)) {
            let name = one_line(&model.name);
            text += &format!("the S of {name} is too small: it was learned from these labels\n");
        }
        text += &table(&header, self.models.iter().map(row).collect());
        text +=
            "\n  S: the share of labels that differ from the prediction, averaged over tasks; se: its standard error\n";
        text += "  worse by: how much larger S is than the first model's, on the tasks that both predict\n";
        if let Some(error) = self.expert_error {
            let error = number(error);
            text += &format!(
                "  implied risk: how often the model errs, if experts err {error} of the time as labels suggest\n"
            );
        }
        text += "  tasks: how many have a prediction and labels\n";
        if self.models.iter().any(|model| model.gold.is_some()) {
            let interval = |low: f64, high: f64| format!("{} to {}", number(low), number(high));
            let row = |model: &ModelScore| {
                let gold = model.gold?;
                let (both, alone) = (interval(gold.low, gold.high), interval(gold.alone_low, gold.alone_high));
                Some(vec![model.name.clone(), number(gold.risk), both, alone, gold.units.to_string()])
            };
            let header = ["model", "risk", "95% interval", "from known answers alone", "known"];
            text += &format!("\n{}", table(&header, self.models.iter().filter_map(row).collect()));
            text += "\n  risk: how often the model errs, by known answers and labels together; the interval holds whatever\n";
            text += "  the labels' errors, if tasks with known answers were drawn at random\n";
        }
        let unsure = self.models.iter().skip(1).filter(|model| !model.is_clearly_worse());
        let unsure: Vec<&str> = unsure.map(|model| model.name.as_str()).collect();
        let known = self.models.iter().filter_map(|model| Some((model, model.gold?)));
        let least = known.min_by(|one, other| one.1.risk.total_cmp(&other.1.risk)).filter(|_| self.models.len() > 1);
        if let Some((model, gold)) = least {
            let (name, risk) = (one_line(&model.name), number(gold.risk));
            text +=
                &format!("  believe {name}: by known answers and labels together its risk is the smallest, {risk}\n");
        } else if let [first, _, ..] = &self.models[..] {
            if learned(first) {
                text += "  believe none by S: score them by labels that none of them was learned from\n";
                return text;
            }
            text += &format!("  believe {}: its S is the smallest", one_line(&first.name));
            text += &match unsure.is_empty() {
                true => ", by more than two standard errors of the difference\n".to_owned(),
                false => format!(
                    ", but within two standard errors of the difference\n  labels cannot tell it from {}: of these, take the simplest\n",
                    unsure.join("; ")
                ),
            };
        }
        text
    }

    fn summary(&self) -> String {
        self.text()
    }

    fn rows(&self) -> Rows<'_> {
        let header = ["name", "surrogate", "se", "risk", "difference", "difference_se", "units", "missing"];
        let row = |model: &ModelScore| {
            let numbers = [Some(model.surrogate), model.se, model.risk, model.difference, model.difference_se];
            let mut cells = vec![model.name.clone()];
            cells.extend(numbers.map(exact));
            cells.extend([model.units.to_string(), model.missing.to_string()]);
            cells
        };
        with_header(&header, self.models.iter().map(row))
    }
}
