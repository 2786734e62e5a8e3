mod report;

use super::repeats::RepeatsFlag;
use super::report_flags::{ReportFlags, title_of};
use super::{Known, Reading};
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::count;
use beanjar::experts::{ErrorModel, HeldOut, LearnData, LearnFrom, PenaltyKind};
use beanjar_io::{Gaps, ReadFeatures, Role, Source, UnitIds, Wanted, read_features};
use clap::{Args, ValueEnum};
use std::str::FromStr;

/// Learn a linear classifier from features and the labels of several noisy experts.
///
/// The true class follows a logistic regression on the features; each expert is right with a skill of their own, and units
/// may be easy or hard. Both are learned together, with a penalty: L1 leaves out features that do not help, L2 keeps all of
/// them small. Its kind and its size are chosen by S, how often labels that were held out differ from the prediction: those
/// of parts of the units in turn (--folds), of a share of the units (--holdout), or of other units (--test). With --holdout and --test the model is
/// learned from the other labels only, so S is that of the model you get.
///
/// Coefficients are for features as they are in the file; penalties are on those of standardised features (of the labelled
/// units), against the log-likelihood summed over units. 'truth' is a feature's coefficient for the class: for the second
/// in sorted order, or for each if there are more than two. 'ease' is what it adds to the log-odds that experts are right:
/// above zero it makes units easy, below zero hard (JSON and CSV call it 'difficulty', as the paper does, with this same
/// sign). With --out FILE.json the result is a model for 'beanjar predict'.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  beanjar learn features.csv --labels labels.csv --out model.json\n  beanjar predict model.json new-features.csv\n  beanjar learn features.csv --labels labels.csv --penalty 5 --holdout 0.3\n  beanjar learn features.csv --labels labels.csv --model majority --format table\n  beanjar learn embeddings.npy --ids ids.txt --labels labels.csv\n  beanjar learn features.csv --labels labels.csv --truth truth.csv --report report.html --out model.json"
)]
pub(crate) struct Learn {
    /// The features: a table whose first column is the unit (or that of --columns object=NAME) and whose other columns are
    /// numbers; a table of unit,feature,value for what is not zero; or a matrix in a .npy or .npz file.
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
    /// The true classes (task,label): to learn from with --model truth, else only to compare with, for the true risk of each
    /// penalty.
    #[arg(long, value_name = "FILE")]
    truth: Option<Source>,
    /// The penalty on coefficients of standardised features: auto (chosen by S), or a number; 0 for none.
    #[arg(long, value_name = "auto|X", default_value = "auto", allow_negative_numbers = true)]
    penalty: Penalty,
    /// What the penalty is on: l1 the absolute sizes of coefficients, which leaves features out; l2 their squares, for
    /// features that all carry something, as embeddings do; elastic half of each; auto l1 or l2, as S chooses, and l1 beside
    /// a penalty that is given.
    #[arg(long, value_enum, value_name = "KIND", default_value = "auto")]
    penalty_kind: KindName,
    /// A penalty of its own for the coefficients of ease ('difficulty' in JSON).
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    penalty_difficulty: Option<f64>,
    /// Learn from experts, the majority and aggregated labels, with penalties of kind l1 and l2, on the same folds, and print
    /// S of each with its difference from the best: which to believe.
    #[arg(long, conflicts_with_all = ["model", "penalty", "penalty_kind", "penalty_difficulty", "holdout", "test", "truth"])]
    compare: bool,
    /// Random starts, the best of which is kept [default: 30].
    #[arg(long, value_name = "N")]
    restarts: Option<usize>,
    /// Experts have a skill for each of two true classes.
    #[arg(long)]
    asymmetric: bool,
    /// How experts err: skill, one number each, while features say which units are easy; rows, a confusion matrix each around
    /// that of all, for experts who take certain classes for others; auto, by labels of --folds that were held out.
    #[arg(long, value_enum, value_name = "HOW", default_value = "auto")]
    experts: ErrorName,
    #[command(flatten)]
    repeats: RepeatsFlag,
    /// Parts of the units, each held out once for S [default: 5 if the penalty is to be chosen].
    #[arg(long, value_name = "N")]
    folds: Option<usize>,
    /// A random share of the units, whose labels are held out for S.
    #[arg(long, value_name = "SHARE", conflicts_with = "folds", allow_negative_numbers = true)]
    holdout: Option<f64>,
    /// Labels of other units, for S: task,worker,label; their features are in FEATURES.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["folds", "holdout"])]
    test: Option<Source>,
    #[command(flatten)]
    report: ReportFlags,
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

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ErrorName {
    Skill,
    Rows,
    Auto,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KindName {
    L1,
    L2,
    Elastic,
    Auto,
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
    /// The units' ids, in the order of the rows, where FEATURES is a .npy or .npz file: a line each, a table or an array.
    /// Without it rows are numbered from 0.
    #[arg(long, value_name = "FILE")]
    ids: Option<Source>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Impute {
    /// With the mean of their column.
    Mean,
}

impl FeatureColumns {
    /// Reads all columns that are not to be ignored.
    fn read(&self, source: &Source, reading: &Reading, common: &Common) -> Result<ReadFeatures> {
        let read = read_features(source, &self.ids(reading), Wanted::AllBut(&self.ignore), &self.gaps(reading))?;
        Ok(filled(read, source, "their columns' means", common))
    }

    /// Reads the columns of a model, gaps being filled with the means of the units it was learned from.
    pub(crate) fn read_these(
        &self,
        source: &Source,
        these: &[(String, f64)],
        reading: &Reading,
        common: &Common,
    ) -> Result<ReadFeatures> {
        let read = read_features(source, &self.ids(reading), Wanted::These(these), &self.gaps(reading))?;
        Ok(filled(read, source, "the means of what the model was learned from", common))
    }

    /// Where the user says that ids are.
    fn ids(&self, reading: &Reading) -> UnitIds {
        UnitIds { column: reading.options().columns.name_of(Role::Object).map(str::to_owned), file: self.ids.clone() }
    }

    /// The files that are read besides the features.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Source> {
        self.ids.iter()
    }

    /// What is missing by the user's word, and whether to fill it in.
    fn gaps(&self, reading: &Reading) -> Gaps {
        Gaps { impute: self.impute.is_some(), missing: reading.options().missing }
    }
}

/// The table, with a note on how it was understood, and a warning if values were filled in.
fn filled(read: ReadFeatures, source: &Source, with: &str, common: &Common) -> ReadFeatures {
    if let Some(understood) = &read.understood {
        common.note(&format!("read {}: {understood}", source.name()));
    }
    if read.imputed > 0 {
        let values = count(read.imputed, "missing value");
        common.warn(&format!("{}: {values} filled in with {with}", source.name()));
    }
    read
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
        self.check_flags()?;
        let params = self.params();
        params.check()?;
        let inputs: Vec<&Source> = [&self.features, &self.labels]
            .into_iter()
            .chain(&self.truth)
            .chain(&self.test)
            .chain(self.columns.files())
            .collect();
        let (sink, page) = self.report.places(&inputs, common)?;
        let read = self.columns.read(&self.features, &self.reading, common)?;
        let (features, named) = (read.table, read.ids_as_named);
        let read_labels = |source: &Source| self.reading.labels_beside(source, named, common);
        let labels = read_labels(&self.labels)?;
        let known = Known::new(&self.reading, common);
        let truth = self.truth.as_ref().map(|truth| known.labels(truth)).transpose()?;
        let test = self.test.as_ref().map(read_labels).transpose()?;
        let data = LearnData { features: &features, labels: &labels, truth: truth.as_ref(), test: test.as_ref() };
        if self.compare {
            let outcome = params.compare(&data, &common.context()?).map_err(|error| self.failure(error))?;
            common.warn_all(&outcome.warnings);
            page.draw(&format!("Models of {}, compared", title_of(&self.features)), || {
                vec![beanjar_report::score(&outcome)]
            })?;
            return sink.emit(&outcome);
        }
        let outcome = params.fit(&data, &common.context()?).map_err(|error| self.failure(error))?;
        common.warn_all(&outcome.warnings);
        page.draw(&format!("What {} tells of the classes", title_of(&self.features)), || {
            vec![beanjar_report::learn(&outcome)]
        })?;
        sink.emit(&outcome)
    }

    fn params(&self) -> beanjar::Learn {
        let default = beanjar::Learn::default();
        beanjar::Learn {
            from: match self.model {
                ModelName::Experts => LearnFrom::Experts,
                ModelName::Majority => LearnFrom::Majority,
                ModelName::Aggregate => LearnFrom::Aggregate,
                ModelName::Truth => LearnFrom::Truth,
            },
            penalty: match self.penalty {
                Penalty::Auto => None,
                Penalty::Number(penalty) => Some(penalty),
            },
            penalty_kind: match self.penalty_kind {
                KindName::L1 => Some(PenaltyKind::L1),
                KindName::L2 => Some(PenaltyKind::L2),
                KindName::Elastic => Some(PenaltyKind::Elastic),
                KindName::Auto => None,
            },
            penalty_ease: self.penalty_difficulty,
            restarts: self.restarts.unwrap_or(default.restarts),
            asymmetric: self.asymmetric,
            error_model: match self.experts {
                ErrorName::Skill => Some(ErrorModel::Skill),
                ErrorName::Rows => Some(ErrorModel::Rows),
                ErrorName::Auto => None,
            },
            repeats: self.repeats.repeats(),
            held_out: match (self.folds, self.holdout) {
                (Some(folds), _) => HeldOut::Folds(folds),
                (None, Some(share)) => HeldOut::Share(share),
                (None, None) => HeldOut::Auto,
            },
        }
    }

    /// Flags that do not go together.
    fn check_flags(&self) -> Result<()> {
        let experts = self.model == ModelName::Experts;
        let given = [
            ("--restarts", self.restarts.is_some()),
            ("--penalty-difficulty", self.penalty_difficulty.is_some()),
            ("--asymmetric", self.asymmetric),
            ("--experts", self.experts != ErrorName::Auto),
        ];
        if self.asymmetric && self.experts == ErrorName::Rows {
            return Err(Failure::Words(
                "--experts rows has a row for each class already: leave --asymmetric out".into(),
            ));
        }
        if let Some((flag, _)) = given.iter().find(|(_, given)| *given && !experts) {
            return Err(Failure::Words(format!("{flag} is only of use with --model experts")));
        }
        match (self.model == ModelName::Truth, self.truth.is_some()) {
            (true, false) => {
                Err(Failure::Words("--model truth needs the true classes: add --truth FILE (task,label)".into()))
            }
            _ => Ok(()),
        }
    }

    /// What the library complains about, said of the files concerned.
    fn failure(&self, error: beanjar::Error) -> Failure {
        use beanjar::Error;
        let other = match &error {
            Error::NothingInCommon { what: "test unit", .. } => self.test.as_ref(),
            Error::NothingInCommon { what: "task", .. } | Error::NoValues { .. } => {
                return Failure::from(error).of(self.truth.as_ref().unwrap_or(&self.labels));
            }
            Error::NothingInCommon { .. } => Some(&self.labels),
            Error::Empty(_) | Error::OneClass | Error::NotTwoClasses(_) => {
                return Failure::from(error).of(&self.labels);
            }
            _ => None,
        };
        match other {
            Some(other) => Failure::Words(format!("{} and {}: {error}", self.features.name(), other.name())),
            None => Failure::from(error),
        }
    }
}
