use super::{Known, Reading};
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::{Report, Rows, count, exact, number, table, with_header};
use beanjar::truth::SuggestedTask;
use beanjar::{SuggestGold, SuggestGoldOutcome};
use beanjar_io::Source;
use clap::Args;

/// Suggest which tasks to have checked by someone who knows, for `beanjar aggregate --gold`.
///
/// A few known answers settle what labels alone leave open: which model to believe and how sure to be. The tasks suggested
/// are spread over easy and hard tasks, over classes, and over doubt, with more of those in doubt.
#[derive(Args)]
#[command(
    after_help = "Example:\n  beanjar gold labels.csv --n 50 --out check.csv\n  (fill in the column 'label' of check.csv)\n  beanjar aggregate labels.csv --gold check.csv"
)]
pub(crate) struct Gold {
    /// The labels: task,worker,label.
    #[arg(value_name = "LABELS")]
    labels: Source,
    /// How many tasks to suggest.
    #[arg(long, value_name = "N", default_value_t = 50)]
    n: usize,
    /// Answers that are known already (task,label): their tasks are not suggested.
    #[arg(long, value_name = "FILE")]
    gold: Option<Source>,
    #[command(flatten)]
    reading: Reading,
}

impl Gold {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let inputs: Vec<&Source> = [&self.labels].into_iter().chain(&self.gold).collect();
        let sink = common.sink(&inputs)?;
        let labels = self.reading.labels(&self.labels, common)?;
        let known = Known::new(&self.reading, common);
        let known = self.gold.as_ref().map(|gold| known.labels(gold)).transpose()?;
        let suggest = SuggestGold { n: self.n, known };
        let outcome = suggest.run(&labels, &common.context()?);
        let outcome = outcome.map_err(|error| Failure::from(error).of(&self.labels))?;
        common.warn_all(&outcome.warnings);
        sink.emit(&outcome)
    }
}

impl Report for SuggestGoldOutcome {
    fn text(&self) -> String {
        let row = |task: &SuggestedTask| {
            let confidence = number(task.confidence);
            vec![task.task.clone(), task.kind.to_string(), task.label.clone(), confidence, task.votes.to_string()]
        };
        let header = ["task", "kind", "label so far", "confidence", "labels"];
        let mut text = format!(
            "Of {}, have these {} checked by someone who knows.\n\n",
            count(self.candidates, "task"),
            self.tasks.len()
        );
        text += &table(&header, self.tasks.iter().map(row).collect());
        text += "\n  kind: hard tasks are those on which workers differ, or are misled together\n";
        text += "  label so far: the most probable class by the labels alone, and how probable it is; do not show it to\n  whoever checks\n";
        text += "  --format csv writes a table to fill in; then: beanjar aggregate LABELS --gold TABLE\n";
        text
    }

    /// A table to fill in, which `--gold` reads.
    fn rows(&self) -> Rows<'_> {
        let header = ["task", "label", "kind", "label_so_far", "confidence"];
        let row = |task: &SuggestedTask| {
            let confidence = exact(Some(task.confidence));
            vec![task.task.clone(), String::new(), task.kind.to_string(), task.label.clone(), confidence]
        };
        with_header(&header, self.tasks.iter().map(row))
    }
}
