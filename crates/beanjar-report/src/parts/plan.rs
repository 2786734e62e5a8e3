use crate::figure::Figure;
use crate::number::{count, short, whole};
use crate::page::Part;
use crate::rows::{Row, RowChart, Shape};
use crate::table::{Table, row};
use beanjar::PlanOutcome;

/// What is still to be judged for a selection, and what that costs.
pub fn plan(outcome: &PlanOutcome) -> Part {
    let mut part = Part::new("plan", "What to collect");
    part.lead.push(format!("{}.", outcome.headline()));
    part.figures.extend([attributes(outcome), objects(outcome)].into_iter().flatten());
    part.with_warnings(&outcome.warnings)
}

fn attributes(outcome: &PlanOutcome) -> Option<Figure> {
    let most = outcome.attributes.iter().max_by_key(|of| of.ask).filter(|of| of.ask > 0)?;
    let bar = |(row, of): (usize, &beanjar::multiselect::PlanAttribute)| Row {
        name: of.attribute.clone(),
        value: of.ask as f64,
        interval: None,
        note: whole(of.ask as usize),
        filled: true,
        row,
    };
    let drawing = RowChart {
        shape: Shape::Bar,
        axis: "judgments still to collect".into(),
        rows: outcome.attributes.iter().enumerate().map(bar).collect(),
        percent: false,
        reference: None,
        slides: false,
    };
    let title = format!(
        "{} to ask of {}, at a cost of {}",
        count(most.ask as usize, "judgment"),
        crate::text::quoted(&most.attribute),
        short(most.cost)
    );
    let header = ["attribute", "judgments of each object", "at hand", "to ask", "cost"];
    let rows = outcome
        .attributes
        .iter()
        .map(|of| row![of.attribute.as_str(), of.judgments as usize, of.have as usize, of.ask as usize, of.cost]);
    let meaning = "What the selection wants of every object, less what is at hand.";
    Some(Figure::new("attributes", title, drawing, meaning, Table::new(&header, rows)))
}

fn objects(outcome: &PlanOutcome) -> Option<Figure> {
    let open = outcome.rows().filter(|row| row.ask > 0);
    let rows = open.map(|of| row![of.object, of.attribute, of.have as usize, of.ask as usize, of.cost]);
    let title = format!("What to ask, object by object: {} in all", count(outcome.ask as usize, "judgment"));
    let header = ["object", "attribute", "at hand", "to ask", "cost"];
    let table = Table::new(&header, rows);
    (outcome.ask > 0).then(|| Figure::of_table("objects", title, "'--out todo.csv' lists the same for upload.", table))
}
