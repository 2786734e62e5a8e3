//! Who agrees with the others, and how far.

use crate::output::{count, number, table};

/// Rows of a table that is read at a glance.
pub(super) const MOST: usize = 10;

/// A worker in the table of agreement.
pub(super) struct Agreeing<'a> {
    worker: &'a str,
    answers: u64,
    agreement: Option<f64>,
    high: Option<f64>,
}

impl<'a> Agreeing<'a> {
    pub(super) fn new(worker: &'a str, answers: u64, agreement: Option<f64>, high: Option<f64>) -> Self {
        Agreeing { worker, answers, agreement, high }
    }
}

/// The workers who agree least first; all of them, or only the first ten. They are in order of the upper end of the
/// agreement's interval, so that nobody is among the worst for lack of answers.
pub(super) fn worker_table(mut workers: Vec<Agreeing<'_>>, what: &str, meaning: &str, all: bool) -> String {
    if workers.is_empty() {
        return String::new();
    }
    let at_best = |worker: &Agreeing<'_>| worker.high.unwrap_or(f64::INFINITY);
    workers.sort_by(|a, b| at_best(a).total_cmp(&at_best(b)).then(a.worker.cmp(b.worker)));
    let shown = if all { workers.len() } else { workers.len().min(MOST) };
    let row =
        |of: &Agreeing<'_>| vec![of.worker.to_owned(), of.answers.to_string(), number(of.agreement), number(of.high)];
    let rows = workers[..shown].iter().map(row).collect();
    let mut text = format!("\n{}", table(&["worker", what, "agreement", "at best"], rows));
    if shown < workers.len() {
        text += &format!("  and {} who may agree more (--all shows them)\n", count(workers.len() - shown, "worker"));
    }
    text + &format!(
        "\n  agreement: {meaning}\n  at best: the upper end of its 95% interval; the table is in its order, so that few {what} alone\n  make nobody the worst\n"
    )
}
