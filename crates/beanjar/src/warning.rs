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
}
