use super::{drawn, drawn_ends, ends};
use crate::chart::{Chart, Series};
use crate::figure::Figure;
use crate::number::{count, form, percent, short, short_or_dash};
use crate::page::Part;
use crate::rows::{Row, RowChart, Shape};
use crate::table::{Table, row};
use crate::text::quoted;
use beanjar::LearnOutcome;
use beanjar::experts::{PathPoint, PenaltyKind, PerClass};

/// Rows that fit on a screen.
const MOST: usize = 40;

/// A classifier from noisy experts, how it was chosen, and how good the experts are.
pub fn learn(outcome: &LearnOutcome) -> Part {
    let mut part = Part::new("learn", "A classifier from noisy labels");
    part.lead = lead(outcome);
    part.figures.extend(path(outcome));
    part.figures.extend(coefficients(outcome));
    part.figures.push(features(outcome));
    part.figures.extend(experts(outcome));
    part.with_warnings(&outcome.warnings)
}

fn lead(outcome: &LearnOutcome) -> Vec<String> {
    let all = count(outcome.features.len(), "feature");
    let mut lead = vec![match entered(outcome) {
        0 => format!("The class depends on none of {all}."),
        n => format!("The class depends on {n} of {all}."),
    }];
    if let Some(s) = outcome.surrogate {
        let mut text = format!("{} of held-out labels differ from the prediction.", percent(s));
        if let (Some(error), Some(risk)) = (outcome.expert_error, outcome.risk) {
            text += &format!(
                " Experts err {} of the time, so that the classifier errs about {} of the time.",
                percent(error),
                percent(risk)
            );
        }
        lead.push(text);
    }
    if let Some(risk) = chosen(outcome).and_then(|point| point.true_risk) {
        lead.push(format!("By the truth it errs {} of the time.", percent(risk)));
    }
    lead
}

/// How many features the class depends on.
fn entered(outcome: &LearnOutcome) -> usize {
    outcome.features.iter().filter(|row| !row.truth.is_zero()).count()
}

fn chosen(outcome: &LearnOutcome) -> Option<&PathPoint> {
    outcome.path.iter().find(|point| (point.penalty, point.kind) == (outcome.penalty, outcome.penalty_kind))
}

/// What a larger penalty does.
fn penalty_axis(kind: PenaltyKind) -> &'static str {
    match kind {
        PenaltyKind::L2 => "penalty (larger: smaller coefficients)",
        _ => "penalty (larger: fewer features)",
    }
}

/// S along the path; none without several penalties.
fn path(outcome: &LearnOutcome) -> Option<Figure> {
    let points: Vec<&PathPoint> =
        outcome.path.iter().filter(|point| point.kind == outcome.penalty_kind && point.surrogate.is_some()).collect();
    let chosen = chosen(outcome).filter(|_| points.len() > 1)?;
    let s = |point: &&PathPoint| (point.penalty, point.surrogate.unwrap_or(f64::NAN));
    let band = |point: &&PathPoint| {
        let (s, se) = (point.surrogate.unwrap_or(f64::NAN), point.surrogate_se.unwrap_or(0.0));
        (point.penalty, s - se, s + se)
    };
    let series =
        Series::new("held-out labels that differ from the prediction, \u{b1} 1 standard error", points.iter().map(s))
            .with_band(points.iter().map(band))
            .with_spots();
    let mut chart =
        Chart::new("", penalty_axis(outcome.penalty_kind), "share of labels; by the truth, of units").with(series);
    let risks: Vec<(f64, f64)> = points.iter().filter_map(|point| Some((point.penalty, point.true_risk?))).collect();
    let with_truth = !risks.is_empty();
    if with_truth {
        chart = chart.with(Series::new("wrong by the truth", risks));
    }
    let chart = chart.logarithmic_across().in_percent(false, true).with_marker(outcome.penalty, "chosen");
    let mut title = format!(
        "{} of held-out labels differ at the chosen penalty, the least of {}",
        percent(chosen.surrogate.unwrap_or(f64::NAN)),
        count(points.len(), "penalty"),
    );
    let too_large = match outcome.penalty_kind {
        PenaltyKind::L2 => "makes little of features that matter",
        _ => "leaves features out that matter",
    };
    let mut meaning = format!(
        "Too large a penalty {too_large}, too small a one learns noise; labels that were held out find the middle."
    );
    meaning += &other_kinds(outcome);
    if with_truth {
        let best = points.iter().filter_map(|point| point.true_risk).fold(f64::INFINITY, f64::min);
        let risk = chosen.true_risk.unwrap_or(f64::NAN);
        title += &format!("; by the truth {} are wrong", percent(risk));
        meaning += &format!(" The best penalty by the truth, which was not used, has {} wrong.", percent(best));
    }
    let rows = points.iter().map(|point| {
        row![point.penalty, point.surrogate, point.surrogate_se, point.true_risk, point.nonzero, point.log_likelihood]
    });
    let header =
        ["penalty", "labels that differ", "standard error", "wrong by the truth", "features used", "log-likelihood"];
    Some(Figure::new("path", title, chart, meaning, Table::new(&header, rows)))
}

/// The least S of each other kind of penalty that was tried.
fn other_kinds(outcome: &LearnOutcome) -> String {
    let mut least: Vec<(PenaltyKind, f64)> = Vec::new();
    for point in outcome.path.iter().filter(|point| point.kind != outcome.penalty_kind) {
        let Some(s) = point.surrogate else { continue };
        match least.iter_mut().find(|(kind, _)| *kind == point.kind) {
            Some((_, before)) => *before = before.min(s),
            None => least.push((point.kind, s)),
        }
    }
    let one = |&(kind, s): &(PenaltyKind, f64)| {
        format!(" Penalties of kind {kind:?} were tried as well: {} at least.", percent(s))
    };
    least.iter().map(one).collect()
}

fn coefficients(outcome: &LearnOutcome) -> Option<Figure> {
    let lines = &outcome.coefficient_paths;
    let first = lines.first()?;
    let two = outcome.classes.len() == 2;
    let name = |line: &beanjar::experts::CoefficientPath| match two {
        true => quoted(&line.feature),
        false => format!("{} for {}", quoted(&line.feature), quoted(&line.class)),
    };
    let here = |i: &usize| outcome.path[*i].kind == outcome.penalty_kind;
    let at: Vec<usize> = (0..outcome.path.len()).filter(here).collect();
    let up = "log-odds per standard deviation of the feature";
    let mut chart = Chart::new("", penalty_axis(outcome.penalty_kind), up);
    for (number, line) in lines.iter().enumerate() {
        let points = at.iter().filter_map(|&i| Some((outcome.path[i].penalty, *line.values.get(i)?)));
        let series = Series::new(name(line), points);
        chart = chart.with(if number < 6 { series } else { series.quiet() });
    }
    let chart = chart.logarithmic_across().with_marker(outcome.penalty, "chosen");
    let place =
        outcome.path.iter().position(|point| (point.penalty, point.kind) == (outcome.penalty, outcome.penalty_kind));
    let size = place.and_then(|place| first.values.get(place).copied());
    let title = format!(
        "{} matters most: a standard deviation more of it multiplies the odds of {} by {}",
        quoted(&first.feature),
        quoted(&first.class),
        short_or_dash(size.map(f64::exp))
    );
    let shrinks = match outcome.penalty_kind {
        PenaltyKind::L2 => "Coefficients shrink as the penalty grows, and none becomes zero.",
        _ => "Features enter from the right to the left as the penalty gives way; those that enter first matter most.",
    };
    let meaning =
        format!("{shrinks} Log-odds of 0.7 double the odds of a class, of -0.7 halve them. The six largest are named.");
    let rows = at.iter().map(|&i| {
        let mut cells = row![outcome.path[i].penalty];
        cells.extend(lines.iter().map(|line| crate::table::Cell::from(line.values.get(i).copied())));
        cells
    });
    let header: Vec<String> = std::iter::once("penalty".to_owned()).chain(lines.iter().map(name)).collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    Some(Figure::new("coefficients", title, chart, meaning, Table::new(&header, rows)))
}

/// The coefficient that is farthest from 0, and its class; of two classes that of the `second`.
fn largest<'a>(value: &'a PerClass, second: &'a str) -> (f64, &'a str) {
    match value {
        PerClass::Second(value) => (*value, second),
        PerClass::Each(values) => {
            let farthest = values.iter().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
            farthest.map_or((0.0, ""), |(class, value)| (*value, class.as_str()))
        }
    }
}

fn features(outcome: &LearnOutcome) -> Figure {
    let second = outcome.classes.get(1).map_or("", String::as_str);
    let mut all: Vec<(&str, f64, f64, &str)> = outcome
        .features
        .iter()
        .filter(|row| !row.truth.is_zero() || row.ease != 0.0)
        .map(|row| {
            let (value, class) = largest(&row.truth, second);
            (row.feature.as_str(), value, row.ease, class)
        })
        .collect();
    all.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    // Those that only tell how hard a unit is come last, and have no bar.
    let entered = entered(outcome);
    let rows = all.iter().enumerate().take(entered.min(MOST)).map(|(i, (name, value, ..))| Row {
        name: (*name).to_owned(),
        value: *value,
        interval: None,
        note: short(*value),
        filled: true,
        row: i,
    });
    let target = match &outcome.classes[..] {
        [_, second] => format!("log-odds of {} per unit of the feature", quoted(second)),
        _ => "largest log-odds of a class per unit of the feature".into(),
    };
    let chart = RowChart {
        shape: Shape::Bar,
        axis: target,
        rows: rows.collect(),
        percent: false,
        reference: None,
        slides: false,
    };
    let title = match all.first().filter(|_| entered > 0) {
        Some((name, value, _, class)) => format!(
            "{} {}; per unit of its own, {} has the largest coefficient, {} for {}",
            count(entered, "feature"),
            form(entered, "enters", "enter"),
            quoted(name),
            short(*value),
            quoted(class),
        ),
        None => "No feature enters: the class is predicted by its share alone".into(),
    };
    let mut meaning =
        "Coefficients are on each feature's own scale: compare them only where the scales are alike. The table also has \
         what makes units easy for experts (above 0) or hard (below)."
            .to_owned();
    if all.len() > entered {
        let more = all.len() - entered;
        meaning += &format!(" {} in it {} of that alone.", count(more, "feature"), form(more, "tells", "tell"));
    }
    meaning += &drawn(MOST, entered, "largest");
    let table = Table::new(
        &["feature", "coefficient", "for class", "ease"],
        all.iter().map(|(name, value, ease, class)| row![*name, *value, *class, *ease]),
    );
    Figure::new("features", title, chart, meaning, table)
}

fn experts(outcome: &LearnOutcome) -> Option<Figure> {
    let mut all: Vec<_> = outcome.experts.iter().filter_map(|expert| Some((expert, expert.accuracy?))).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (best, worst) = (all.first()?, all.last()?);
    let rows = ends(MOST, all.len()).into_iter().map(|i| Row {
        name: all[i].0.worker.clone(),
        value: all[i].1,
        interval: None,
        note: percent(all[i].1),
        filled: true,
        row: i,
    });
    let chart = RowChart {
        shape: Shape::Bar,
        axis: "share of the expert's labels that are right, by the model".into(),
        rows: rows.collect(),
        percent: true,
        reference: None,
        slides: false,
    };
    let title = match all.len() {
        1 => format!("{} is right {} of the time", quoted(&best.0.worker), percent(best.1)),
        _ => format!(
            "{} is right {} of the time, {} {}",
            quoted(&best.0.worker),
            percent(best.1),
            quoted(&worst.0.worker),
            percent(worst.1)
        ),
    };
    let table = Table::new(
        &["expert", "accuracy", "skill"],
        all.iter().map(|(expert, accuracy)| row![expert.worker.as_str(), *accuracy, expert.skill]),
    );
    let meaning = "The model believes the better experts more; no true answer was needed to find them.".to_owned();
    Some(Figure::new("experts", title, chart, meaning + &drawn_ends(MOST, all.len(), ["best", "worst"]), table))
}
