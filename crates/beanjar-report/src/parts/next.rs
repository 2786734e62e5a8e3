use crate::chart::{Chart, Series};
use crate::figure::Figure;
use crate::number::{count, percent, whole};
use crate::page::Part;
use crate::rows::{Row, RowChart, Shape};
use crate::table::{Table, row};
use crate::text::quoted;
use beanjar::NextVotesOutcome;
use std::collections::HashMap;

/// Which questions to ask next, and what they are expected to gain.
pub fn next(outcome: &NextVotesOutcome) -> Part {
    let mut part = Part::new("next", "What to ask next");
    part.lead.push(outcome.headline());
    part.lead.extend(outcome.advice());
    part.figures.extend([gains(outcome), workers(outcome)].into_iter().flatten());
    part.with_warnings(&outcome.warnings)
}

/// Points that a line needs to look like one.
const POINTS: usize = 400;

fn gains(outcome: &NextVotesOutcome) -> Option<Figure> {
    let questions = &outcome.questions;
    let last = questions.len().checked_sub(1)?;
    let mut right = outcome.accuracy;
    let mut points = vec![(0.0, right)];
    let every = questions.len().div_ceil(POINTS);
    for (at, question) in questions.iter().enumerate() {
        right = (right + question.gain / outcome.tasks as f64).min(1.0);
        if at == last || (at + 1) % every == 0 {
            points.push(((at + 1) as f64, right));
        }
    }
    let mut drawing = Chart::new("", "questions answered", "share of labels expected to be right")
        .in_percent(false, true)
        .with(Series::new("expected", points));
    if let Some(stop) = &outcome.stop {
        let across = [0.0, questions.len() as f64].map(|at| (at, stop.accuracy));
        drawing = drawing.with(Series::new("where to stop", across).dashed());
    }
    let (now, after) = (percent(outcome.accuracy), percent(outcome.accuracy_after));
    let asked = count(questions.len(), "question");
    let title = match now == after {
        true => format!("{asked} are not expected to raise the share of right labels much above {now}"),
        false => format!("{asked} are expected to raise the share of right labels from {now} to {after}"),
    };
    let title = if last == 0 { title.replacen(" are ", " is ", 1) } else { title };
    let meaning =
        "The questions that gain most come first. The longer the line stays steep, the more a larger batch is worth.";
    let header = ["task", "worker", "label so far", "confidence", "votes", "gain"];
    let rows = questions.iter().map(|question| {
        row![
            question.task.as_str(),
            question.worker.as_deref().unwrap_or("anyone"),
            question.label.as_deref().unwrap_or(""),
            question.confidence,
            question.votes,
            question.gain
        ]
    });
    Some(Figure::new("gain", title, drawing, meaning, Table::new(&header, rows)))
}

/// Rows that fit on a screen.
const MOST: usize = 40;

fn workers(outcome: &NextVotesOutcome) -> Option<Figure> {
    let mut asked: HashMap<&str, usize> = HashMap::new();
    outcome.questions.iter().filter_map(|question| question.worker.as_deref()).for_each(|worker| {
        *asked.entry(worker).or_default() += 1;
    });
    let mut asked: Vec<(&str, usize)> = asked.into_iter().collect();
    asked.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let &(busiest, most) = asked.first()?;
    let bar = |(row, &(worker, questions)): (usize, &(&str, usize))| Row {
        name: worker.to_owned(),
        value: questions as f64,
        interval: None,
        note: whole(questions),
        filled: true,
        row,
    };
    let drawing = RowChart {
        shape: Shape::Bar,
        axis: "questions".into(),
        rows: asked.iter().take(MOST).enumerate().map(bar).collect(),
        percent: false,
        reference: None,
        slides: false,
    };
    let title = format!("{} to ask; {} gets most, {}", count(asked.len(), "worker"), quoted(busiest), whole(most));
    let mut meaning =
        "Workers are drawn in proportion to what their answers tell for the price, within their limits.".to_owned();
    if asked.len() > MOST {
        meaning += &format!(" Drawn are the {MOST} with most; the table has more.");
    }
    let rows = asked.iter().map(|&(worker, questions)| row![worker, questions]);
    Some(Figure::new("workers", title, drawing, meaning, Table::new(&["worker", "questions"], rows)))
}
