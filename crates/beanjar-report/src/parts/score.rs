use crate::figure::Figure;
use crate::number::{count, percent, points};
use crate::page::Part;
use crate::rows::{Row, RowChart, Shape};
use crate::table::{Table, row};
use crate::text::quoted;
use beanjar::ScoreOutcome;
use beanjar::surrogate::ModelScore;

/// Models compared by noisy labels alone.
pub fn score(outcome: &ScoreOutcome) -> Part {
    let mut part = Part::new("score", "Which model to believe");
    part.lead.extend(outcome.models.first().map(|best| lead(outcome, best)));
    part.figures.extend(surrogates(outcome));
    part.figures.extend(differences(outcome));
    part.figures.extend(risks(outcome));
    part.with_warnings(&outcome.warnings)
}

fn lead(outcome: &ScoreOutcome, best: &ModelScore) -> String {
    let mut text = quoted(&best.name);
    if outcome.models.len() > 1 {
        text += &format!(" is the best of {} by the labels: it", count(outcome.models.len(), "model"));
    }
    text += &match (best.gold, best.risk) {
        (Some(gold), risk) => {
            let alone = risk.map_or(String::new(), |risk| format!("; the labels alone would say {}", percent(risk)));
            let (low, high) = (percent(gold.low), percent(gold.high));
            let answers = count(gold.units, "known answer");
            format!(" errs {} of the time ({low} to {high}), by {answers} and the labels{alone}.", percent(gold.risk))
        }
        (None, Some(risk)) => {
            format!(" errs about {} of the time, if experts err as their labels suggest.", percent(risk))
        }
        (None, None) => format!(" differs from {} of labels.", percent(best.surrogate)),
    };
    let others = outcome.models.iter().skip(1);
    let unsure: Vec<String> =
        others.filter(|model| !model.is_clearly_worse()).map(|model| quoted(&model.name)).collect();
    if !unsure.is_empty() {
        text += &format!(" No clear difference from it: {}.", unsure.join(", "));
    }
    text
}

fn chart(axis: &str, rows: Vec<Row>, reference: Option<(f64, String)>) -> RowChart {
    RowChart { shape: Shape::Dot, axis: axis.into(), rows, percent: true, reference, slides: false }
}

fn surrogates(outcome: &ScoreOutcome) -> Option<Figure> {
    let (best, models) = (outcome.models.first()?, &outcome.models);
    let row_of = |(i, model): (usize, &ModelScore)| Row {
        name: model.name.clone(),
        value: model.surrogate,
        interval: model.interval(),
        note: percent(model.surrogate),
        filled: i == 0 || !model.is_clearly_worse(),
        row: i,
    };
    let least = match models.len() {
        1 => String::new(),
        n => format!(", the least of {}", count(n, "model")),
    };
    let (share, name) = (percent(best.surrogate), quoted(&best.name));
    let title = format!("{share} of labels differ from what {name} predicts{least}");
    let mut meaning =
        "The fewer labels differ, the better the model, as long as the labels are better than chance and err on \
                       their own."
            .to_owned();
    if models.iter().skip(1).any(ModelScore::is_clearly_worse) {
        meaning += " Hollow squares are clearly worse than the first: by two standard errors or more.";
    }
    let header = [
        "model",
        "S",
        "standard error",
        "implied risk",
        "worse by",
        "standard error of that",
        "tasks",
        "without a prediction",
    ];
    let rows = models
        .iter()
        .map(|m| row![m.name.as_str(), m.surrogate, m.se, m.risk, m.difference, m.difference_se, m.units, m.missing]);
    let drawing = chart(
        "share of labels that differ, with its 95% interval",
        models.iter().enumerate().map(row_of).collect(),
        None,
    );
    Some(Figure::new("surrogate", title, drawing, meaning, Table::new(&header, rows)))
}

fn differences(outcome: &ScoreOutcome) -> Option<Figure> {
    let best = outcome.models.first()?;
    let all: Vec<(&ModelScore, f64, f64)> =
        outcome.models.iter().filter_map(|model| Some((model, model.difference?, model.difference_se?))).collect();
    let (next, least, _) = *all.first()?;
    let row_of = |(i, (model, difference, _)): (usize, &(&ModelScore, f64, f64))| Row {
        name: model.name.clone(),
        value: *difference,
        interval: model.difference_interval(),
        note: percent(*difference),
        filled: !model.is_clearly_worse(),
        row: i,
    };
    let drawing = chart(
        "how many more labels differ than of the first model, same tasks",
        all.iter().enumerate().map(row_of).collect(),
        Some((0.0, "no difference".into())),
    );
    let clear = match next.is_clearly_worse() {
        true => "clearly worse",
        false => "no clear difference",
    };
    let (next, best, more) = (quoted(&next.name), quoted(&best.name), points(least));
    let title = format!("{more} more of the labels differ from {next} than from {best}: {clear}");
    let meaning = "On the same tasks, so that hard tasks count for both alike. Where the line crosses zero, the labels cannot tell the two apart.";
    let rows = all.iter().map(|(model, difference, se)| row![model.name.as_str(), *difference, *se, difference / se]);
    let table = Table::new(&["model", "worse by", "standard error", "in standard errors"], rows);
    Some(Figure::new("differences", title, drawing, meaning, table))
}

/// The risk by known answers, if there are some.
fn risks(outcome: &ScoreOutcome) -> Option<Figure> {
    let all: Vec<_> = outcome.models.iter().filter_map(|model| Some((model, model.gold?))).collect();
    let (first, gold) = all.first()?;
    let title = format!(
        "By {} and the labels, {} errs {} of the time ({} to {})",
        count(gold.units, "known answer"),
        quoted(&first.name),
        percent(gold.risk),
        percent(gold.low),
        percent(gold.high)
    );
    let rows = all.iter().enumerate().map(|(i, (model, gold))| Row {
        name: model.name.clone(),
        value: gold.risk,
        interval: Some((gold.low, gold.high)),
        note: percent(gold.risk),
        filled: true,
        row: i,
    });
    let drawing = chart("how often the model errs, with its 95% interval", rows.collect(), None);
    let table = Table::new(
        &["model", "risk", "low", "high", "low from known answers alone", "high from them alone", "known answers"],
        all.iter().map(|(m, g)| row![m.name.as_str(), g.risk, g.low, g.high, g.alone_low, g.alone_high, g.units]),
    );
    let meaning = "These intervals hold whatever the labels' errors, if tasks with known answers were drawn at random.";
    Some(Figure::new("risk", title, drawing, meaning, table))
}
