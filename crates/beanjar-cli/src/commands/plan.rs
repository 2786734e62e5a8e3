use super::Reading;
use super::labelled::{Chosen, judgments_of};
use crate::Common;
use crate::failure::Result;
use crate::output::{Report, Rows, count, number, table, with_header};
use beanjar::multiselect::plan;
use beanjar_io::Source;
use clap::Args;
use serde::Serialize;

/// List the judgments still to collect for a selection, object by object.
///
/// As CSV (object,attribute,have,ask) it is what a collection tool takes.
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
        let chosen = Chosen::load(&self.selection)?;
        let judgments = judgments_of(self.reading.read(&self.file, common)?.data, &self.file)?;
        let lookup = judgments.attributes.lookup();
        let wanted: Vec<(Option<usize>, u32)> =
            chosen.selection.iter().map(|a| (lookup.code(&a.attribute), a.judgments)).collect();
        let unseen: Vec<&str> = chosen
            .selection
            .iter()
            .zip(&wanted)
            .filter(|(_, (code, _))| code.is_none())
            .map(|(attribute, _)| attribute.attribute.as_str())
            .collect();
        if !unseen.is_empty() {
            common.warn(&format!("never judged so far: {}", unseen.join(", ")));
        }
        let asks = plan(&judgments, &wanted);
        let per_attribute = chosen.selection.iter().enumerate().map(|(i, attribute)| {
            let of = asks.iter().filter(|ask| ask.attribute == i);
            let (have, ask) =
                of.fold((0, 0), |(have, more), next| (have + u64::from(next.have), more + u64::from(next.ask)));
            Total {
                attribute: attribute.attribute.clone(),
                judgments: attribute.judgments,
                have,
                ask,
                cost: ask as f64 * attribute.cost,
            }
        });
        let attributes: Vec<Total> = per_attribute.collect();
        let rows = asks.iter().map(|ask| Row {
            object: judgments.objects.get(ask.object).to_owned(),
            attribute: chosen.selection[ask.attribute].attribute.clone(),
            have: ask.have,
            ask: ask.ask,
        });
        let report = PlanReport {
            objects: judgments.objects.len(),
            ask: attributes.iter().map(|total| total.ask).sum(),
            cost: attributes.iter().map(|total| total.cost).sum(),
            attributes,
            plan: rows.collect(),
        };
        sink.emit(&report)
    }
}

#[derive(Serialize)]
struct PlanReport {
    objects: usize,
    ask: u64,
    cost: f64,
    attributes: Vec<Total>,
    plan: Vec<Row>,
}

#[derive(Serialize)]
struct Total {
    attribute: String,
    judgments: u32,
    have: u64,
    ask: u64,
    cost: f64,
}

#[derive(Serialize)]
struct Row {
    object: String,
    attribute: String,
    have: u32,
    ask: u32,
}

impl Report for PlanReport {
    fn text(&self) -> String {
        let row = |t: &Total| {
            vec![t.attribute.clone(), t.judgments.to_string(), t.have.to_string(), t.ask.to_string(), number(t.cost)]
        };
        format!(
            "{} to ask for {}, at a cost of {}\n\n{}\n  --out todo.csv lists them object by object\n",
            count(self.ask as usize, "judgment"),
            count(self.objects, "object"),
            number(self.cost),
            table(&["attribute", "per object", "have", "ask", "cost"], self.attributes.iter().map(row).collect())
        )
    }

    fn rows(&self) -> Rows<'_> {
        let header = ["object", "attribute", "have", "ask"];
        let row =
            |row: &Row| vec![row.object.clone(), row.attribute.clone(), row.have.to_string(), row.ask.to_string()];
        with_header(&header, self.plan.iter().map(row))
    }
}
