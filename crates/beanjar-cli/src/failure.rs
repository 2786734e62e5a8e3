//! Why a command ended early, in one sentence, with the file and the flag it is about.

use std::fmt;
use std::io;

/// Why a command ended early: one sentence.
pub(crate) enum Failure {
    Io(beanjar_io::Error),
    Library(beanjar::Error),
    Words(String),
    /// Standard output was closed by its reader.
    Closed,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Io(error) => write!(f, "{error}{}", file_hint(error)),
            Failure::Library(error) => write!(f, "{error}{}", hint(error)),
            Failure::Words(words) => f.write_str(words),
            Failure::Closed => f.write_str("standard output was closed"),
        }
    }
}

/// The flags of numbers that are out of range.
const FLAGS: [(&str, &str); 50] = [
    ("a cost", " (--cost)"),
    ("a limit", " (--per-worker, --most-per-task)"),
    ("a noise factor", " (--noise-factor)"),
    ("accuracy", " (--accuracy)"),
    ("constancy", " (--constancy)"),
    ("priors", " (--priors)"),
    ("smoothing", " (--smoothing)"),
    ("spammers", " (--spammers)"),
    ("spread", " (--spread)"),
    ("the accuracy to reach", " (--target-accuracy)"),
    ("the accuracy to stop at", " (--stop)"),
    ("the budget", " (--budget)"),
    ("the class prior", " (--prior)"),
    ("the most judgments of an attribute", " (--at-most)"),
    ("the most votes per task", " (--most)"),
    ("the number of bootstrap copies", " (--bootstrap)"),
    ("the number of bootstrap samples", " (--bootstrap)"),
    ("the number of components", " (--components)"),
    ("the number of folds", " (--folds)"),
    ("the number of iterations", " (--iterations)"),
    ("the number of judgments to average", " (--mean-of)"),
    ("the number of judgments", " (--judgments)"),
    ("the number of kinds", " (--kinds)"),
    ("the number of labels per task", " (--votes)"),
    ("the number of photos", " (--objects, --judgments)"),
    ("the number of pseudo-labels", " (--smoothing)"),
    ("the number of restarts", " (--restarts)"),
    ("the number of tasks", " (--tasks, --votes)"),
    ("the number of tasks or workers", " (--tasks, --workers)"),
    ("the number of threads", " (--threads)"),
    ("the number of units", " (--units, --noise-features)"),
    ("the number of votes on one task", " (--per-task)"),
    ("the number of votes to ask for", " (--votes)"),
    ("the number of workers of all kinds together", " (--workers)"),
    ("the number of workers to keep", " (--keep)"),
    ("the number of workers", " (--workers)"),
    ("the penalty of ease", " (--penalty-difficulty)"),
    ("the penalty", " (--penalty)"),
    ("the price of a vote", " (--cost)"),
    ("the prior", " (--prior)"),
    ("the probability of copying", " (--copying)"),
    ("the probability of guessing", " (--guessing)"),
    ("the ridge", " (--ridge)"),
    ("the separation", " (--separation)"),
    ("the share of hard tasks", " (--hard)"),
    ("the share of misleading tasks", " (--misleading)"),
    ("the share of units held out", " (--holdout)"),
    ("the wanted reliability", " (--wanted)"),
    ("the worth of a corrected label", " (--worth)"),
    ("unevenness", " (--unevenness)"),
];

/// The flag that helps with what the library complains about.
fn hint(error: &beanjar::Error) -> &'static str {
    use beanjar::Error;
    match error {
        Error::ClassNotANumber { .. } => " (--scale nominal)",
        Error::OrderUnknown { .. } => " (--order low,medium,high)",
        Error::NotInOrder { .. } => " (--order)",
        Error::FewComplete { .. } => " ('beanjar plan' lists what to collect; --predictor moments needs no more)",
        Error::BudgetTooLarge { .. } => " (--cost, --at-most)",
        Error::NoGold(_) => "; leave out --gold",
        Error::NotTwoClasses(_) => "; leave --asymmetric out",
        Error::FewUnits(_) => "; give --penalty X",
        Error::EmptySplit { .. } => " (--holdout)",
        Error::NoExperts => "; leave --labels out",
        Error::FewWorkers { .. } => " (--keep)",
        Error::NotAModelFile => " as 'fit --out', 'aggregate --model' or 'learn --out' write it",
        Error::OutOfRange { name: "the number of tasks", range: "1 or more", .. } => " (--n)",
        Error::OutOfRange { name: "the number of classes", range: "2 to 65535", .. } => " (--classes)",
        Error::OutOfRange { name: "the number of classes", range, .. } if range.starts_with("such that workers") => {
            " (--classes, --workers)"
        }
        Error::OutOfRange { name, .. } => FLAGS.iter().find(|(of, _)| of == name).map_or("", |(_, flag)| flag),
        Error::Threads(_) => " (--threads)",
        _ => "",
    }
}

/// The flag that helps with what was wrong with a file.
fn file_hint(error: &beanjar_io::Error) -> String {
    use beanjar_io::{Error, FeatureProblem};
    match error {
        Error::GrowsTooLarge { .. } => "; --unpack-limit GB lets it grow further".into(),
        Error::MissingColumn { role: "object", .. } => {
            "; use --columns object=NAME, or --wide tasks if each row is a worker and each column a task".into()
        }
        Error::MissingColumn { role, .. } => format!("; use --columns {role}=NAME"),
        Error::UnclearColumn { role, first, .. } if first.contains(',') => {
            format!("; say which, as in --columns '{role}=\"{first}\"'")
        }
        Error::UnclearColumn { role, first, .. } => format!("; say which, as in --columns \"{role}={first}\""),
        Error::ColumnTwice { .. } => "; name another with --columns".into(),
        Error::UnclearColumns { .. } => {
            "; say --wide annotators if each is an annotator, --wide attributes if each is an attribute, --wide repeats if \
             those that differ only in a number repeat one attribute"
                .into()
        }
        Error::UnclearKind { .. } => "; say --kind labels or --kind judgments".into(),
        Error::NotJudgments { .. } => "; if its labels are numbers, say --kind judgments".into(),
        Error::NotANumber { wide: true, .. } => "; every column but the object's and the worker's is taken for an attribute: say --wide annotators if each is an annotator, --wide tasks if each is a task, or name the column of labels with --columns label=NAME".into(),
        Error::NotANumber { .. } => "; for categories say --kind labels and --columns label=NAME".into(),
        Error::BadFeature { problem: FeatureProblem::Missing, .. } => "; --impute mean fills such gaps".into(),
        Error::BadFeature { .. } => "; --ignore leaves the column out".into(),
        _ => String::new(),
    }
}

impl Failure {
    /// The same, with the name of the file it is about.
    pub(crate) fn of(self, source: &beanjar_io::Source) -> Failure {
        match self {
            // A bad parameter is not the file's fault; weights come from one.
            Failure::Library(error @ beanjar::Error::OutOfRange { name, .. }) if name != "a weight" => {
                Failure::Library(error)
            }
            Failure::Library(error) => Failure::Words(format!("{}: {error}{}", source.name(), hint(&error))),
            other => other,
        }
    }

    /// The same, with the name of the file it is about, or of both if they have no id in common.
    pub(crate) fn of_two(self, source: &beanjar_io::Source, other: &beanjar_io::Source) -> Failure {
        match self {
            Failure::Library(error @ beanjar::Error::NothingInCommon { .. }) => {
                Failure::Words(format!("{} and {}: {error}", source.name(), other.name()))
            }
            failure => failure.of(source),
        }
    }
}

impl From<beanjar_io::Error> for Failure {
    fn from(error: beanjar_io::Error) -> Self {
        Failure::Io(error)
    }
}

impl From<beanjar::Error> for Failure {
    fn from(error: beanjar::Error) -> Self {
        Failure::Library(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Words(format!("standard output: cannot be written: {error}")),
        }
    }
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;
