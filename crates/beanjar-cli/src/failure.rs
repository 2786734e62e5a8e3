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
            Failure::Io(error) => error.fmt(f),
            Failure::Library(error) => write!(f, "{error}{}", hint(error)),
            Failure::Words(words) => f.write_str(words),
            Failure::Closed => f.write_str("standard output was closed"),
        }
    }
}

/// The flag that mends what the library complains about.
fn hint(error: &beanjar::Error) -> &'static str {
    use beanjar::Error;
    match error {
        Error::ClassNotANumber { .. } => " (--scale nominal)",
        Error::FewComplete { .. } => " ('beanjar plan' lists what to collect; --predictor moments needs no more)",
        Error::BudgetTooLarge { .. } => " (--cost, --at-most)",
        Error::NoGold(_) => "; leave out --gold",
        Error::NotTwoClasses(_) => "; leave --asymmetric out",
        Error::FewUnits(_) => "; give --penalty X",
        Error::EmptySplit { .. } | Error::OutOfRange { name: "the share of units held out", .. } => " (--holdout)",
        Error::NoExperts => "; leave --labels out",
        Error::FewWorkers { .. } => " (--keep)",
        Error::NotAModelFile => " as 'fit --out', 'aggregate --model' or 'learn --out' write it",
        Error::Threads(_) => " (--threads)",
        _ => "",
    }
}

impl Failure {
    /// The same, said of a file.
    pub(crate) fn of(self, source: &beanjar_io::Source) -> Failure {
        match self {
            // A bad parameter is not the file's fault.
            Failure::Library(error @ beanjar::Error::OutOfRange { .. }) => Failure::Library(error),
            Failure::Library(error) => Failure::Words(format!("{}: {error}{}", source.name(), hint(&error))),
            other => other,
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
