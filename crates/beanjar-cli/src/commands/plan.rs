use super::selection_file::read_selection;
use super::{Reading, judgments_of};
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::{Report, Rows, count, number, table, with_header};
use beanjar::multiselect::{self, PlanAttribute, PlanOutcome, PlanRow};
use beanjar_io::Source;
use clap::Args;

/// List the judgments still to collect for a selection, object by object.
///
/// As CSV (object,attribute,have,ask) it can go to a collection tool: 'have' is the number of judgments at hand, 'ask' the
/// number still to collect.
#[derive(Args)]
#[command(after_help = "Example:\n  beanjar plan judgments.csv --selection selection.json --out todo.csv")]
pub(crate) struct Plan {
    /// The judgments at hand.
    #[arg(value_name = "JUDGMENTS")]
    file: Source,
    /// The selection: the JSON that select writes, or a table of attribute,judgments.
    #[arg(long, value_name = "FILE")]
    selection: Source,
    #[command(flatten)]
    reading: Reading,
}

impl Plan {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let sink = common.sink(&[&self.file, &self.selection])?;
        let params = multiselect::Plan { selection: read_selection(&self.selection)? };
        let judgments = judgments_of(self.reading.read(&self.file, common)?.data, &self.file)?;
        let outcome =
            params.run(&judgments, &common.context()?).map_err(|error| Failure::from(error).of(&self.file))?;
        common.warn_all(&outcome.warnings);
        sink.emit(&outcome)
    }
}

impl Report for PlanOutcome {
    fn text(&self) -> String {
        let row = |of: &PlanAttribute| {
            let numbers = [u64::from(of.judgments), of.have, of.ask].map(|n| n.to_string());
            [vec![of.attribute.clone()], numbers.to_vec(), vec![number(of.cost)]].concat()
        };
        format!(
            "{} to ask for {}, at a cost of {}\n\n{}\n\
             \x20 per object  judgments of each object that the selection wants\n\
             \x20 have        judgments at hand, of all objects\n\
             \x20 ask         judgments still to collect, and what they cost\n\n\
             \x20 --out todo.csv lists them object by object\n",
            count(self.ask as usize, "judgment"),
            count(self.objects.len(), "object"),
            number(self.cost),
            table(&["attribute", "per object", "have", "ask", "cost"], self.attributes.iter().map(row).collect())
        )
    }

    fn rows(&self) -> Rows<'_> {
        let row = |row: PlanRow<'_>| {
            vec![row.object.to_owned(), row.attribute.to_owned(), row.have.to_string(), row.ask.to_string()]
        };
        with_header(&["object", "attribute", "have", "ask"], PlanOutcome::rows(self).map(row))
    }
}
