use super::labelled::nothing_in_common;
use super::labels_of;
use super::model::{Experts, Model};
use super::{Reading, model};
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::{Report, Rows, count, exact, number, table, with_header};
use crate::progress::working;
use beanjar::Labels;
use beanjar::experts::{Features, Labelled, Learned, ManyExperts, PathPoint, PenaltyPath, best_penalty};
use beanjar::judgments::Ballots;
use beanjar_io::{FeatureTable, Source, read_features};
use clap::{Args, ValueEnum};
use serde::{Serialize, Serializer};
use std::str::FromStr;

/// Learn a sparse classifier from features and the labels of several noisy experts.
///
/// The true class follows a logistic regression on the features; each expert is right with a skill of their own, and units
/// may be easy or hard. Both are learned together, with a penalty that leaves out features that do not help; the penalty is
/// chosen by S, how often labels that were held out differ from the prediction, which takes minutes for thousands of units
/// with dozens of features; --penalty X takes seconds. Two classes; the coefficients are for the
/// second in sorted order. With --out FILE.json the result is a model for 'beanjar predict'.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  beanjar learn features.csv --labels labels.csv --out model.json\n  beanjar predict model.json new-features.csv\n  beanjar learn features.csv --labels labels.csv --penalty 5 --format table"
)]
pub(crate) struct Learn {
    /// The features: a table whose first column is the unit and whose other columns are numbers.
    #[arg(value_name = "FEATURES")]
    features: Source,
    /// The labels of several experts: task,worker,label.
    #[arg(long, value_name = "FILE")]
    labels: Source,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    columns: FeatureColumns,
    /// The penalty on coefficients of standardised features: auto (chosen by S), or a number; 0 for none.
    #[arg(long, value_name = "auto|X", default_value = "auto", allow_negative_numbers = true)]
    penalty: Penalty,
    /// A penalty of its own for the coefficients of difficulty.
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    penalty_difficulty: Option<f64>,
    /// Random starts, the best of which is kept.
    #[arg(long, value_name = "N", default_value_t = ManyExperts::default().restarts)]
    restarts: usize,
    /// Parts of the units, each held out once to choose the penalty.
    #[arg(long, value_name = "N", default_value_t = PenaltyPath::default().folds)]
    folds: usize,
    /// Experts have a skill for each of the two true classes.
    #[arg(long)]
    asymmetric: bool,
}

/// Which columns are features, and what to do about gaps.
#[derive(Args)]
pub(crate) struct FeatureColumns {
    /// Columns that are not features.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Fill missing features in.
    #[arg(long, value_enum)]
    impute: Option<Impute>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Impute {
    /// With the mean of their column.
    Mean,
}

impl FeatureColumns {
    pub(crate) fn read(&self, source: &Source, common: &Common) -> Result<FeatureTable> {
        let table = read_features(source, &self.ignore, self.impute.is_some())?;
        if table.imputed > 0 {
            let filled = count(table.imputed, "missing value");
            common.warn(&format!("{}: {filled} filled in with their columns' means", source.name()));
        }
        Ok(table)
    }
}

#[derive(Clone, Copy)]
enum Penalty {
    Auto,
    Number(f64),
}

impl FromStr for Penalty {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "auto" => Ok(Penalty::Auto),
            _ => text.parse().map(Penalty::Number).map_err(|_| "not auto or a number".into()),
        }
    }
}

impl Learn {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let sink = common.sink(&[&self.features, &self.labels])?;
        let table = self.columns.read(&self.features, common)?;
        let labels = labels_of(self.reading.read(&self.labels, common)?.data, &self.labels)?;
        if labels.is_empty() {
            return Err(Failure::from(beanjar::Error::Empty("label")).of(&self.labels));
        }
        if labels.classes.len() != 2 {
            let classes = count(labels.classes.len(), "class");
            return Err(Failure::Words(format!("{}: {classes}; 'learn' is for two so far", self.labels.name())));
        }
        let (rows, ballots) = self.matched(&table, &labels, common)?;
        let all = Features::from_columns(table.ids.len(), &table.columns)?;
        let features = all.of_units(&rows)?;
        let cores = common.cores()?;
        let sign = working("learning", common);
        let base = ManyExperts {
            penalty_difficulty: self.penalty_difficulty,
            restarts: self.restarts,
            asymmetric: self.asymmetric,
            seed: common.seed,
            ..ManyExperts::default()
        };
        let mut path = Vec::new();
        let penalty = match self.penalty {
            Penalty::Number(penalty) => penalty,
            Penalty::Auto => {
                let steps = PenaltyPath { folds: self.folds, seed: common.seed, ..PenaltyPath::default() };
                // To choose among penalties, predictions need be no finer.
                let roughly = ManyExperts { tolerance: 1e-6, iterations: 200, ..base.clone() };
                path = steps.run(&roughly, &features, &ballots, &cores)?;
                best_penalty(&path).map_or(1.0, |point| point.penalty)
            }
        };
        let data = Labelled::new(&features, &ballots)?;
        let fit = ManyExperts { penalty, ..base }.fit(&data, &cores)?;
        drop(sign);
        if !fit.converged {
            common.warn(&format!("stopped after {} steps of EM before it came to an end", fit.iterations));
        }
        if path.is_empty() {
            let nonzero = fit.truth.iter().zip(&fit.difficulty).filter(|(b, g)| **b != 0.0 || **g != 0.0).count();
            let (objective, log_likelihood) = (fit.objective, fit.log_likelihood);
            path.push(PathPoint { penalty, objective, log_likelihood, surrogate: None, surrogate_se: None, nonzero });
        }
        sink.emit(&LearnReport::new(penalty, path, &fit, &features, &ballots, &table, &labels))
    }

    /// The rows of the units with labels, and their labels in that order.
    fn matched(&self, table: &FeatureTable, labels: &Labels, common: &Common) -> Result<(Vec<usize>, Ballots)> {
        let lookup = table.ids.lookup();
        let pairs: Vec<(usize, usize)> =
            labels.tasks.iter().enumerate().filter_map(|(task, id)| Some((lookup.code(id)?, task))).collect();
        if pairs.is_empty() {
            return Err(nothing_in_common(&self.features, &table.ids, "unit", &self.labels, &labels.tasks));
        }
        let (without_features, without_labels) = (labels.tasks.len() - pairs.len(), table.ids.len() - pairs.len());
        if without_features > 0 {
            let tasks = count(without_features, "labelled task");
            common.warn(&format!("{tasks} without features in {}, left out", self.features.name()));
        }
        if without_labels > 0 {
            let units = count(without_labels, "unit");
            common.warn(&format!("{units} without labels in {}, not used", self.labels.name()));
        }
        let (rows, tasks): (Vec<usize>, Vec<usize>) = pairs.into_iter().unzip();
        let votes: Vec<Vec<(usize, usize)>> = tasks.iter().map(|&task| labels.votes(task).iter().collect()).collect();
        Ok((rows, Ballots::from_tasks(&votes, labels.workers.len(), 2)))
    }
}

struct LearnReport {
    classes: Vec<String>,
    model: Experts,
    penalty: f64,
    path: Vec<PathPoint>,
    features: Vec<FeatureRow>,
    experts: Vec<ExpertRow>,
    objective: f64,
    log_likelihood: f64,
    iterations: usize,
    converged: bool,
}

#[derive(Serialize)]
struct FeatureRow {
    feature: String,
    truth: f64,
    difficulty: f64,
}

#[derive(Serialize)]
struct ExpertRow {
    worker: String,
    skill: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    skill_false: Option<f64>,
    accuracy: Option<f64>,
}

impl LearnReport {
    fn new(
        penalty: f64,
        path: Vec<PathPoint>,
        fit: &Learned,
        features: &Features,
        ballots: &Ballots,
        table: &FeatureTable,
        labels: &Labels,
    ) -> Self {
        let accuracies = fit.accuracies(features, ballots);
        let model = Experts::new(fit, features, &table.names, labels);
        let pairs = model.truth.iter().zip(&model.difficulty);
        let rows = table.names.iter().zip(pairs).map(|(name, (&truth, &difficulty))| FeatureRow {
            feature: name.clone(),
            truth,
            difficulty,
        });
        let experts = labels.workers.len();
        let row = |worker: usize| ExpertRow {
            worker: labels.workers.get(worker).to_owned(),
            skill: if fit.asymmetric { model.skills[experts + worker] } else { model.skills[worker] },
            skill_false: fit.asymmetric.then(|| model.skills[worker]),
            accuracy: accuracies[worker],
        };
        LearnReport {
            classes: labels.classes.iter().map(str::to_owned).collect(),
            penalty,
            path,
            features: rows.collect(),
            experts: (0..experts).map(row).collect(),
            objective: fit.objective,
            log_likelihood: fit.log_likelihood,
            iterations: fit.iterations,
            converged: fit.converged,
            model,
        }
    }
}

impl Serialize for LearnReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            #[serde(flatten)]
            file: model::File<&'a Model>,
            classes: &'a [String],
            penalty: f64,
            objective: f64,
            log_likelihood: f64,
            iterations: usize,
            converged: bool,
            path: &'a [PathPoint],
            features: &'a [FeatureRow],
            experts: &'a [ExpertRow],
        }
        let model = Model::Experts(self.model.clone());
        Fields {
            file: model::file(&model),
            classes: &self.classes,
            penalty: self.penalty,
            objective: self.objective,
            log_likelihood: self.log_likelihood,
            iterations: self.iterations,
            converged: self.converged,
            path: &self.path,
            features: &self.features,
            experts: &self.experts,
        }
        .serialize(serializer)
    }
}

impl Report for LearnReport {
    fn text(&self) -> String {
        const MOST: usize = 30;
        let mut text = format!(
            "P({}) from {}; penalty {}; log-likelihood {}\n\n",
            self.classes[1],
            count(self.features.iter().filter(|row| row.truth != 0.0).count(), "feature"),
            number(self.penalty),
            number(self.log_likelihood),
        );
        let mut entered: Vec<&FeatureRow> =
            self.features.iter().filter(|row| row.truth != 0.0 || row.difficulty != 0.0).collect();
        let shown = entered.len().min(MOST);
        let rest = entered.split_off(shown).len();
        let row = |row: &&FeatureRow| vec![row.feature.clone(), number(row.truth), number(row.difficulty)];
        let mut rows = vec![vec!["(intercept)".to_owned(), number(self.model.intercept), String::new()]];
        rows.extend(entered.iter().map(row));
        text += &table(&["feature", "truth", "difficulty"], rows);
        if rest > 0 {
            text += &format!("  and {} more (--format csv has all)\n", count(rest, "feature"));
        }
        let row = |row: &ExpertRow| vec![row.worker.clone(), number(row.skill), number(row.accuracy)];
        text += &format!(
            "\n{}",
            table(&["expert", "skill", "accuracy"], self.experts.iter().take(MOST).map(row).collect())
        );
        if self.experts.len() > MOST {
            text += &format!("  and {} more\n", count(self.experts.len() - MOST, "expert"));
        }
        if let Some(point) = self.path.iter().find(|point| point.penalty == self.penalty)
            && let Some(surrogate) = point.surrogate
        {
            text += &format!(
                "\n  S of held-out labels: {} (standard error {})\n",
                number(surrogate),
                number(point.surrogate_se)
            );
        }
        text
    }

    fn rows(&self) -> Rows<'_> {
        let row = |row: &FeatureRow| vec![row.feature.clone(), exact(Some(row.truth)), exact(Some(row.difficulty))];
        with_header(&["feature", "truth", "difficulty"], self.features.iter().map(row))
    }
}
