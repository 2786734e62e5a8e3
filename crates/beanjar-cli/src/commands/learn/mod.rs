mod report;
mod units;

use super::score::warn_of_experts;
use super::{Reading, labels_of, truths};
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::count;
use beanjar::experts::{Fit, Learner, ManyExperts, Part, PathPoint, PenaltyPath, Validation};
use beanjar::surrogate::{expert_error, implied_risk};
use beanjar::truth::{Auto, Evidence, Method, Posterior};
use beanjar::{Context, Labels};
use beanjar_io::{FeatureTable, Source, Wanted, read_features};
use clap::{Args, ValueEnum};
use report::{LearnReport, Validated};
use std::str::FromStr;
use units::{Train, Units};

/// Learn a sparse classifier from features and the labels of several noisy experts.
///
/// The true class follows a logistic regression on the features; each expert is right with a skill of their own, and units
/// may be easy or hard. Both are learned together, with a penalty that leaves out features that do not help. The penalty
/// is chosen by S, how often labels that were held out differ from the prediction: those of parts of the units in turn
/// (--folds), of a share of the units (--holdout), or of other units (--test). With --holdout and --test the model is
/// learned from the other labels only, so S is that of the model you get.
///
/// Coefficients are for features as they are in the file; penalties are on those of standardised features (of the labelled
/// units), against the log-likelihood summed over units. 'truth' is what a feature says of the class: of the second in
/// sorted order, or of each if there are more than two. 'difficulty' is what it adds to the chance that experts are
/// right: below zero, it makes units hard. With --out FILE.json the result is a model for 'beanjar predict'.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  beanjar learn features.csv --labels labels.csv --out model.json\n  beanjar predict model.json new-features.csv\n  beanjar learn features.csv --labels labels.csv --penalty 5 --holdout 0.3\n  beanjar learn features.csv --labels labels.csv --model majority --format table"
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
    /// What to learn from the labels.
    #[arg(long, value_enum, default_value = "experts")]
    model: ModelName,
    /// The true classes (task,label), for --model truth.
    #[arg(long, value_name = "FILE")]
    truth: Option<Source>,
    /// The penalty on coefficients of standardised features: auto (chosen by S), or a number; 0 for none.
    #[arg(long, value_name = "auto|X", default_value = "auto", allow_negative_numbers = true)]
    penalty: Penalty,
    /// A penalty of its own for the coefficients of difficulty.
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    penalty_difficulty: Option<f64>,
    /// Random starts, the best of which is kept [default: 30].
    #[arg(long, value_name = "N")]
    restarts: Option<usize>,
    /// Experts have a skill for each of two true classes.
    #[arg(long)]
    asymmetric: bool,
    /// Parts of the units, each held out once for S [default: 5 if the penalty is to be chosen].
    #[arg(long, value_name = "N")]
    folds: Option<usize>,
    /// A share of the units, drawn at random, whose labels are held out for S.
    #[arg(long, value_name = "SHARE", conflicts_with = "folds", allow_negative_numbers = true)]
    holdout: Option<f64>,
    /// Labels of other units, for S: task,worker,label; their features are in FEATURES.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["folds", "holdout"])]
    test: Option<Source>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModelName {
    /// The class and the experts, together.
    Experts,
    /// A logistic regression on the majority's label; a tie counts for each of the tied.
    Majority,
    /// A logistic regression on the soft labels of 'beanjar aggregate'.
    Aggregate,
    /// A logistic regression on the true class, to compare with.
    Truth,
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
    /// Reads all columns that are not to be ignored.
    fn read(&self, source: &Source, common: &Common) -> Result<FeatureTable> {
        let table = read_features(source, Wanted::AllBut(&self.ignore), self.impute.is_some())?;
        filled(&table, source, "their columns' means", common);
        Ok(table)
    }

    /// Reads the columns of a model, gaps being filled with the means of the units it was learned from.
    pub(crate) fn read_these(&self, source: &Source, these: &[(String, f64)], common: &Common) -> Result<FeatureTable> {
        let table = read_features(source, Wanted::These(these), self.impute.is_some())?;
        filled(&table, source, "the means of what the model was learned from", common);
        Ok(table)
    }
}

fn filled(table: &FeatureTable, source: &Source, with: &str, common: &Common) {
    if table.imputed > 0 {
        let values = count(table.imputed, "missing value");
        common.warn(&format!("{}: {values} filled in with {with}", source.name()));
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
        self.check()?;
        let inputs: Vec<&Source> =
            [&self.features, &self.labels].into_iter().chain(&self.truth).chain(&self.test).collect();
        let sink = common.sink(&inputs)?;
        let table = self.columns.read(&self.features, common)?;
        let labels = labels_of(self.reading.read(&self.labels, common)?.data, &self.labels)?;
        if labels.is_empty() {
            return Err(Failure::from(beanjar::Error::Empty("label")).of(&self.labels));
        }
        let classes = labels.classes.len();
        if classes < 2 {
            let said = "all labels are of one class; there is nothing to tell apart";
            return Err(Failure::Words(format!("{}: {said}", self.labels.name())));
        }
        if self.asymmetric && classes > 2 {
            let said = format!("{} has {classes} classes; leave --asymmetric out", self.labels.name());
            return Err(Failure::Words(format!("--asymmetric is for two classes, and {said}")));
        }
        let (tasks, all) = self.matched(&table, &labels, common)?;
        let learner = self.learner(&labels, &tasks, common)?;
        let (train, others) = self.split(all, &tasks, &table, &labels, common)?;
        let context = common.context()?;
        let (penalty, path, fit) = learn(self, &learner, &train, others.as_ref(), common.seed, &context)?;
        if !fit.converged {
            common.warn(&format!("stopped after {} steps before it came to an end", fit.iterations));
        }
        let error = match &fit.experts {
            Some(experts) => experts.expert_error(&train.data()?),
            None => self.expert_error(&learner, &train, common.seed, &context)?,
        };
        let point = path.iter().find(|point| point.penalty == penalty);
        let validated = point.and_then(|point| {
            let (surrogate, se) = (point.surrogate?, point.surrogate_se);
            let risk = error.and_then(|error| implied_risk(surrogate, error, classes));
            Some(Validated { surrogate, se, risk })
        });
        warn_of_experts(error, &labels, common);
        sink.emit(&LearnReport::new(penalty, path, validated, error, &fit, &train.data()?, &table, &labels))
    }

    /// Options that do not go together.
    fn check(&self) -> Result<()> {
        let experts = self.model == ModelName::Experts;
        let given = [
            ("--restarts", self.restarts.is_some()),
            ("--penalty-difficulty", self.penalty_difficulty.is_some()),
            ("--asymmetric", self.asymmetric),
        ];
        if let Some((flag, _)) = given.iter().find(|(_, given)| *given && !experts) {
            return Err(Failure::Words(format!("{flag} is only of use with --model experts")));
        }
        match (self.model == ModelName::Truth, self.truth.is_some()) {
            (true, false) => {
                Err(Failure::Words("--model truth needs the true classes: add --truth FILE (task,label)".into()))
            }
            (false, true) => Err(Failure::Words("--truth is only of use with --model truth".into())),
            _ if self.holdout.is_some_and(|share| !(share > 0.0 && share < 1.0)) => {
                let share = self.holdout.unwrap_or_default();
                Err(Failure::Words(format!("--holdout is {share}, but must be a share between 0 and 1, such as 0.3")))
            }
            _ => Ok(()),
        }
    }

    fn learner(&self, labels: &Labels, tasks: &[usize], common: &Common) -> Result<Learner> {
        let default = ManyExperts::default();
        Ok(match self.model {
            ModelName::Experts => Learner::Experts(ManyExperts {
                penalty_difficulty: self.penalty_difficulty,
                restarts: self.restarts.unwrap_or(default.restarts),
                asymmetric: self.asymmetric,
                seed: common.seed,
                ..default
            }),
            ModelName::Majority => Learner::Majority,
            ModelName::Aggregate => Learner::Aggregate(Method::Auto(Auto { seed: common.seed, ..Auto::default() })),
            ModelName::Truth => {
                let source = self.truth.as_ref().unwrap_or(&self.labels);
                let truth = truths(&self.labels, labels, source, common)?;
                Learner::Truth(tasks.iter().map(|&task| truth[task]).collect())
            }
        })
    }

    /// How often experts err, where the model does not say.
    fn expert_error(&self, learner: &Learner, train: &Train, seed: u64, context: &Context) -> Result<Option<f64>> {
        let ballots = &train.units.ballots;
        let posterior = match learner {
            Learner::Truth(truth) => {
                let known: Vec<usize> =
                    (0..ballots.tasks()).filter(|&unit| truth[train.numbers[unit]].is_some()).collect();
                let class = |at: usize| usize::from(truth[train.numbers[known[at]]].unwrap_or_default());
                let certain = Posterior::certain(known.len(), ballots.classes(), class);
                return Ok(expert_error(&ballots.of_tasks(&known)?, &certain));
            }
            _ => Auto { seed, ..Auto::default() }.fit(&Evidence::votes(ballots)?, context)?.posterior,
        };
        Ok(expert_error(ballots, &posterior))
    }
}

/// The penalty, S of all that were tried, and the model.
fn learn(
    options: &Learn,
    learner: &Learner,
    train: &Train,
    others: Option<&Units>,
    seed: u64,
    context: &Context,
) -> Result<(f64, Vec<PathPoint>, Fit)> {
    let data = train.data()?;
    let part = Part { data, units: &train.numbers };
    let units = data.features().units();
    if others.is_none() && options.folds.is_none() && matches!(options.penalty, Penalty::Auto) && units < 2 {
        let said = "a penalty cannot be chosen by one unit with features and labels; give --penalty X";
        return Err(Failure::Words(said.into()));
    }
    let validation = match (others, options.folds, options.penalty) {
        (Some(others), ..) => Some(Validation::Others { features: &others.features, ballots: &others.ballots }),
        (_, None, Penalty::Number(_)) => None,
        (_, folds, _) => Some(Validation::Folds { folds: folds.unwrap_or(units.min(5)), seed }),
    };
    // To choose among penalties, predictions need be no finer.
    let roughly = match learner {
        Learner::Experts(method) => Learner::Experts(ManyExperts { tolerance: 1e-7, ..method.clone() }),
        other => other.clone(),
    };
    let penalties = match options.penalty {
        Penalty::Number(penalty) => vec![penalty],
        Penalty::Auto => PenaltyPath::default().of(learner, &part)?,
    };
    let Some(validation) = validation else {
        let fit = learner.fit(&part, penalties[0], None, context)?;
        return Ok((penalties[0], vec![PathPoint::new(penalties[0], &fit, None)], fit));
    };
    let path = roughly.compare(&part, &penalties, validation, context)?;
    let best = path.best();
    let fit = learner.fit(&part, penalties[best], Some(&path.fits[best]), context)?;
    let mut points = path.points;
    points[best] = match validation {
        Validation::Others { features, ballots } => {
            let predicted = fit.predictions(&train.units.features, features);
            PathPoint::new(penalties[best], &fit, Some((ballots, &predicted)))
        }
        // S is of fits to parts of the units, the rest of the fit to all.
        Validation::Folds { .. } => {
            let PathPoint { surrogate, surrogate_se, .. } = points[best];
            PathPoint { surrogate, surrogate_se, ..PathPoint::new(penalties[best], &fit, None) }
        }
    };
    Ok((penalties[best], points, fit))
}
