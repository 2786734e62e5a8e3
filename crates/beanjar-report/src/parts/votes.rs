use crate::chart::{Chart, Series};
use crate::figure::Figure;
use crate::number::{count, form, percent, points, short};
use crate::page::Part;
use crate::table::{Table, row};
use beanjar::EnoughVotesOutcome;
use beanjar::truth::VotesRow;

/// How many votes per task are enough: what to expect of each number, and what it costs.
pub fn votes(outcome: &EnoughVotesOutcome) -> Part {
    let mut part = Part::new("votes", "How many votes are enough");
    part.lead.push(outcome.headline());
    part.lead.extend(outcome.advice());
    part.figures
        .extend([accuracy(outcome), price(outcome), agreement(outcome), calibration(outcome)].into_iter().flatten());
    part.with_warnings(&outcome.warnings)
}

fn curve(outcome: &EnoughVotesOutcome, figure: fn(&VotesRow) -> f64) -> impl Iterator<Item = (f64, f64)> {
    outcome.curve.iter().map(move |row| (row.votes as f64, figure(row)))
}

fn accuracy(outcome: &EnoughVotesOutcome) -> Option<Figure> {
    let (first, last) = (outcome.curve.first()?, outcome.curve.last()?);
    let band = outcome.curve.iter().map(|row| (row.votes as f64, row.accuracy_low, row.accuracy_high));
    let line = Series::new("expected, with its band", curve(outcome, |row| row.accuracy)).with_band(band).with_spots();
    let mut drawing =
        Chart::new("", "votes per task", "share of labels that are right").in_percent(false, true).with(line);
    drawing = drawing.with_marker(outcome.votes_per_task, "votes there are");
    if let Some(votes) = outcome.stops_paying {
        drawing = drawing.with_marker(votes as f64, "votes pay up to here");
    }
    if let Some(target) = &outcome.target {
        let across = [first.votes, last.votes].map(|votes| (votes as f64, target.accuracy));
        drawing = drawing.with(Series::new("accuracy asked for", across).dashed());
    }
    let title = format!(
        "With {} a task {} of labels are expected to be right; with {}, {}",
        count(first.votes, "vote"),
        percent(first.accuracy),
        last.votes,
        percent(last.accuracy)
    );
    let meaning = match outcome.known_answers {
        0 => {
            "The band reaches from workers who share their errors to workers who err independently: labels alone cannot \
              tell these apart, known answers can."
        }
        _ => "The accuracy lies within the band with a probability of 90%, by labels and known answers.",
    };
    let header = ["votes", "accuracy", "low", "high", "next vote gains", "share of tasks measured"];
    let rows =
        outcome.curve.iter().map(|r| row![r.votes, r.accuracy, r.accuracy_low, r.accuracy_high, r.gain, r.measured]);
    Some(Figure::new("accuracy", title, drawing, meaning, Table::new(&header, rows)))
}

fn price(outcome: &EnoughVotesOutcome) -> Option<Figure> {
    let at = outcome.stops_paying.or(outcome.curve.last().map(|row| row.votes))?;
    let here = outcome.curve.iter().find(|row| row.votes == at)?;
    let corrected = |row: &VotesRow| row.gain.filter(|gain| *gain > 0.0).map(|gain| outcome.cost / gain);
    let title = match corrected(here) {
        Some(each) => format!(
            "{} a task {} {} in all; after that a corrected label costs {}",
            count(at, "vote"),
            form(at, "costs", "cost"),
            short(here.price),
            short(each)
        ),
        None => format!("{} a task {} {} in all", count(at, "vote"), form(at, "costs", "cost"), short(here.price)),
    };
    let points = outcome.curve.iter().map(|row| (row.price, row.accuracy));
    let band = outcome.curve.iter().map(|row| (row.price, row.accuracy_low, row.accuracy_high));
    let drawing = Chart::new("", "price of all votes", "share of labels that are right")
        .in_percent(false, true)
        .with(Series::new("expected", points).with_band(band).with_spots())
        .with_marker(here.price, count(at, "vote"));
    let meaning = format!(
        "A vote costs {}, a corrected label is worth {}: as long as the line rises steeply enough, the next vote pays.",
        short(outcome.cost),
        short(outcome.worth)
    );
    let header = ["votes", "price of all votes", "still to pay", "accuracy", "price of a corrected label"];
    let rows = outcome.curve.iter().map(|r| row![r.votes, r.price, r.price_of_more, r.accuracy, corrected(r)]);
    Some(Figure::new("price", title, drawing, meaning, Table::new(&header, rows)))
}

fn agreement(outcome: &EnoughVotesOutcome) -> Option<Figure> {
    let last = outcome.curve.last()?;
    let band = outcome.curve.iter().map(|row| (row.votes as f64, row.agreement_low, row.agreement_high));
    let drawing = Chart::new("", "votes per task", "share of tasks with the same label")
        .in_percent(false, true)
        .with(Series::new("agreement", curve(outcome, |row| row.agreement)).with_band(band).with_spots());
    let title = format!(
        "Asked again, with {} of others a task, {} of tasks would get the same label",
        count(last.votes, "vote"),
        percent(last.agreement)
    );
    let header = ["votes", "agreement", "low", "high"];
    let rows = outcome.curve.iter().map(|r| row![r.votes, r.agreement, r.agreement_low, r.agreement_high]);
    let meaning = "How far labels depend on who was asked: this needs no known answers.";
    Some(Figure::new("agreement", title, drawing, meaning, Table::new(&header, rows)))
}

fn calibration(outcome: &EnoughVotesOutcome) -> Option<Figure> {
    let last = outcome.curve.last()?;
    let band = outcome.curve.iter().map(|row| (row.votes as f64, row.ece_low, row.ece_high));
    let drawing = Chart::new("", "votes per task", "how far confidence is off, in percentage points")
        .including((1.0, 0.0))
        .in_percent(false, true)
        .with(Series::new("calibration error", curve(outcome, |row| row.ece)).with_band(band).with_spots());
    let title =
        format!("With {} a task, confidence is expected to be off by {}", count(last.votes, "vote"), points(last.ece));
    let header = ["votes", "expected calibration error", "low", "high"];
    let rows = outcome.curve.iter().map(|r| row![r.votes, r.ece, r.ece_low, r.ece_high]);
    let meaning = "The smaller, the nearer a confidence of 90% comes to nine right labels of ten.";
    Some(Figure::new("calibration", title, drawing, meaning, Table::new(&header, rows)))
}
