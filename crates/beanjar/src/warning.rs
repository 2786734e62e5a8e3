/// What a user should know of a result, though it is no reason not to give it. Outcomes carry these; nothing is printed.
// An error by its derive alone, which writes the sentences as it does for `Error`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// Rows with the (task, worker) pair of an earlier row.
    #[error("{count} {what} with the (task, worker) of an earlier row; {rule}")]
    Repeated {
        /// How many.
        count: usize,
        /// Of what.
        what: &'static str,
        /// What becomes of them.
        rule: &'static str,
    },
    /// Expectation maximisation, or another search, ended before it came to rest.
    #[error("stopped after {steps} steps, before it converged")]
    Stopped {
        /// How many steps were taken.
        steps: usize,
    },
    /// Objects that were judged and have no label.
    #[error("left out, because they have no label: {objects} of the judged objects")]
    Unlabelled {
        /// How many.
        objects: usize,
    },
    /// Attributes that cannot be chosen.
    #[error("left out, because no labelled object has two judgments of them: {}", .attributes.join(", "))]
    JudgedOnce {
        /// Their names.
        attributes: Vec<String>,
    },
    /// No objects to spare for an expected loss.
    #[error(
        "{objects} labelled objects are too few to cross-validate with (at least {needed} are needed); only the projected loss is given, which is too small as a rule"
    )]
    NotValidated {
        /// How many labelled objects there are.
        objects: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A selection seems to explain more than the variance of the label.
    #[error(
        "more seems explained than there is: too few objects for this many attributes; a larger ridge, fewer attributes or more objects would help"
    )]
    Overfitted,
    /// Attributes of a selection that no object has.
    #[error("never judged so far: {}", .attributes.join(", "))]
    NeverJudged {
        /// Their names.
        attributes: Vec<String>,
    },
    /// Objects whose counts of judgments are not those of the selection.
    #[error(
        "{objects} of {all} objects have other numbers of judgments than planned; they are predicted from the judgments they have"
    )]
    NotAsPlanned {
        /// How many.
        objects: usize,
        /// Of how many.
        all: usize,
    },
}
