//! A report for each of several questions, as one.

use crate::output::{Report, Rows};
use serde::{Serialize, Serializer};

/// The reports of several questions: one after the other, under the name of each.
pub(crate) struct ByQuestion<R>(pub(crate) Vec<(String, R)>);

impl<R> ByQuestion<R> {
    /// A report for each outcome.
    pub(crate) fn of<'a, O>(outcomes: &'a [(String, O)], report: impl Fn(&'a O) -> R) -> Self {
        ByQuestion(outcomes.iter().map(|(name, outcome)| (name.clone(), report(outcome))).collect())
    }
}

#[derive(Serialize)]
struct Named<'a, R> {
    question: &'a str,
    #[serde(flatten)]
    report: &'a R,
}

impl<R: Serialize> Serialize for ByQuestion<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Questions<'a, R>(&'a [(String, R)]);
        impl<R: Serialize> Serialize for Questions<'_, R> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_seq(self.0.iter().map(|(question, report)| Named { question, report }))
            }
        }
        serializer.collect_map([("questions", Questions(&self.0))])
    }
}

impl<R: Report> Report for ByQuestion<R> {
    fn text(&self) -> String {
        let part = |(question, report): &(String, R)| format!("Question '{question}': {}", report.text());
        self.0.iter().map(part).collect::<Vec<_>>().join("\n")
    }

    fn rows(&self) -> Rows<'_> {
        let with = |first: &str, mut row: Vec<String>| {
            row.insert(0, first.to_owned());
            row
        };
        let header = self.0.iter().take(1).filter_map(|(_, report)| report.rows().next());
        let header = header.map(move |row| with("question", row));
        let rows =
            self.0.iter().flat_map(move |(question, report)| report.rows().skip(1).map(move |row| with(question, row)));
        Box::new(header.chain(rows))
    }
}
