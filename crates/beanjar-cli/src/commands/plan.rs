use super::report_flags::{ReportFlags, title_of};
use super::selection_file::read_selection;
use super::{Reading, ids_of};
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::{Report, Rows, exact, number, table, with_header};
use beanjar::Judgments;
use beanjar::multiselect::{self, PlanAttribute, PlanOutcome, PlanRow};
use beanjar_io::{Source, read_columns};
use clap::Args;

/// List the judgments still to collect for a selection, object by object.
///
/// As CSV (object,attribute,have,ask,cost) it can go to a collection tool: 'have' is the number of judgments at hand, 'ask'
/// the number still to collect, 'cost' their price.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  beanjar plan judgments.csv --selection selection.json --out todo.csv\n  beanjar plan new-ids.csv --selection selection.json --out todo.csv"
)]
pub(crate) struct Plan {
    /// The judgments at hand; none are needed for new objects, whose ids alone may stand here or be given by --objects.
    #[arg(value_name = "JUDGMENTS", required_unless_present = "objects")]
    file: Option<Source>,
    /// The objects to plan for, which may be new: a table with their ids in the first column [default: those judged].
    #[arg(long, value_name = "FILE")]
    objects: Option<Source>,
    /// The selection: the JSON that select writes, or a table of attribute,judgments.
    #[arg(long, value_name = "FILE")]
    selection: Source,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    report: ReportFlags,
}

impl Plan {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let inputs: Vec<&Source> = self.file.iter().chain(&self.objects).chain([&self.selection]).collect();
        let (sink, page) = self.report.places(&inputs, common)?;
        let mut objects = self.objects.as_ref().map(|file| ids_of(file, common)).transpose()?;
        let mut judgments = None;
        if let Some(file) = &self.file {
            match self.reading.judgments(file, common) {
                // Ids alone, with nothing judged, are the objects to plan for.
                Err(_) if objects.is_none() && is_one_column(file) => objects = Some(ids_of(file, common)?),
                read => judgments = Some(read?),
            }
        }
        let judged = judgments.is_some();
        let judgments = judgments.map_or_else(|| Judgments::from_rows([]), Ok)?;
        let params = multiselect::Plan { selection: read_selection(&self.selection)?, objects };
        let of_file = |error| match &self.file {
            Some(file) => Failure::from(error).of(file),
            None => Failure::from(error),
        };
        let mut outcome = params.run(&judgments, &common.context()?).map_err(of_file)?;
        if !judged {
            // Nothing was judged, and nobody said that it was.
            outcome.warnings.clear();
        }
        common.warn_all(&outcome.warnings);
        let of = self.objects.as_ref().or(self.file.as_ref()).map_or(String::new(), title_of);
        page.draw(&format!("What to collect for {of}"), || vec![beanjar_report::plan(&outcome)])?;
        sink.emit(&outcome)
    }
}

/// Whether a file can be read again, and has one column.
fn is_one_column(file: &Source) -> bool {
    matches!(file, Source::File(_)) && read_columns(file).is_ok_and(|(names, _)| names.len() == 1)
}

impl Report for PlanOutcome {
    fn text(&self) -> String {
        let row = |of: &PlanAttribute| {
            let numbers = [u64::from(of.judgments), of.have, of.ask].map(|n| n.to_string());
            [vec![of.attribute.clone()], numbers.to_vec(), vec![number(of.cost)]].concat()
        };
        format!(
            "{}\n\n{}\n\
             \x20 per object  judgments of each object that the selection wants\n\
             \x20 have        judgments at hand, of all objects\n\
             \x20 ask         judgments still to collect, and what they cost\n\n\
             \x20 --out todo.csv lists them object by object\n",
            self.headline(),
            table(&["attribute", "per object", "have", "ask", "cost"], self.attributes.iter().map(row).collect())
        )
    }

    fn rows(&self) -> Rows<'_> {
        let row = |row: PlanRow<'_>| {
            let counts = [row.have.to_string(), row.ask.to_string(), exact(Some(row.cost))];
            [vec![row.object.to_owned(), row.attribute.to_owned()], counts.to_vec()].concat()
        };
        with_header(&["object", "attribute", "have", "ask", "cost"], PlanOutcome::rows(self).map(row))
    }
}
