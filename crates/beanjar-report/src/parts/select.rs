use super::drawn;
use crate::chart::{Chart, Series};
use crate::figure::Figure;
use crate::number::{count, form, percent, short, short_or_dash};
use crate::page::Part;
use crate::rows::{Row, RowChart, Shape};
use crate::scatter::{Point, Scatter};
use crate::table::{Table, row};
use crate::text::{escaped, quoted};
use beanjar::SelectOutcome;
use beanjar::multiselect::{Method, SelectStep};

/// What to ask, how often, and what error to expect: at any budget up to that of the outcome.
pub fn select(outcome: &SelectOutcome) -> Part {
    let mut part = Part::new("select", "What to ask, and how often");
    part.lead = lead(outcome);
    part.controls = controls(outcome);
    part.figures = vec![judgments(outcome), curve(outcome), attributes(outcome)];
    part.figures.extend(stability(outcome));
    part.data = serde_json::to_string(outcome).ok();
    part.with_warnings(&outcome.warnings)
}

fn lead(outcome: &SelectOutcome) -> Vec<String> {
    let label = quoted(&outcome.label.name);
    let mut lead = Vec::new();
    let judgments: u32 = outcome.selection.iter().map(|chosen| chosen.judgments).sum();
    let mut found = format!(
        "To predict {label} of a new object, collect {} of {} for {} of a budget of {}.",
        count(judgments as usize, "judgment"),
        count(outcome.selection.len(), "attribute"),
        short(outcome.spent),
        short(outcome.budget),
    );
    if let (Some(loss), Some(se)) = (outcome.cv_loss, outcome.cv_se) {
        let error = match outcome.error_below() {
            Some(below) => format!("is not distinguishable from 0 (below {})", short(below)),
            None => format!("is {} (standard error {})", short(loss), short(se)),
        };
        let of = if outcome.label.classes.is_some() { ", of the classes coded as numbers," } else { "" };
        found += &format!(
            " The squared error to expect{of} {error}; predicting the mean for every object has {}.",
            short(outcome.label.variance),
        );
    }
    if let Some(rate) = outcome.error_rate {
        let mut wrong = format!("Expect {} of new objects to be put in the wrong class", percent(rate));
        if let Some((name, share)) = outcome.label.classes.as_ref().and_then(largest_class) {
            wrong += &format!("; {} for all of them would be wrong for {}", quoted(name), percent(1.0 - share));
        }
        lead.push(wrong + ".");
    }
    lead.insert(0, found);
    lead.extend(outcome.advice().map(|advice| advice.to_string()));
    lead
}

/// The class of most objects, with its share.
fn largest_class(classes: &beanjar::multiselect::Classes) -> Option<(&str, f64)> {
    let all = classes.names.iter().zip(classes.shares.iter().copied());
    all.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(name, share)| (name.as_str(), share))
}

/// Whether what is explained can be held against what the best selection would explain. Scoring counts what each attribute
/// explains alone, as if attributes were unrelated: by that nothing is better, and by the error much may be.
fn is_bounded(outcome: &SelectOutcome) -> bool {
    outcome.method != Method::Scoring
}

/// The error at a step: expected, or else projected.
fn error_of(step: &SelectStep) -> f64 {
    step.cv_loss.unwrap_or(step.projected_loss)
}

fn controls(outcome: &SelectOutcome) -> String {
    let Some(last) = outcome.path.last() else { return String::new() };
    let judgments: u32 = outcome.path.iter().map(|step| step.judgments).sum();
    let error = error_of(last);
    let kind = if last.cv_loss.is_some() { "Expected squared error" } else { "Projected squared error" };
    let left = last.upper_bound.filter(|_| is_bounded(outcome)).map(|bound| (bound - last.explained).max(0.0));
    let share = match left {
        Some(left) => format!("{}% of the label's variance", short(100.0 * left / outcome.label.variance)),
        None => String::new(),
    };
    let (next, price) = match &outcome.next {
        Some(next) => (next.attribute.as_str(), format!("for {} more", short(next.spent - last.spent))),
        None => ("nothing that helps", String::new()),
    };
    let (shown, root, sure) = match (last.error_below(), last.cv_se) {
        (Some(below), _) => (
            format!("below {}", short(below)),
            format!("below {}", short(below.sqrt())),
            "not distinguishable from 0".to_owned(),
        ),
        (None, se) => (
            short(error),
            short(error.max(0.0).sqrt()),
            se.map_or(String::new(), |se| format!("standard error {}", short(se))),
        ),
    };
    let typical = match outcome.label.classes {
        Some(_) => "Its square root",
        None => "Typical error, in the label's units",
    };
    let numbers = [
        ("Spent per object", format!("<span data-f=\"spent\">{}</span>", short(last.spent)), String::new()),
        ("Judgments per object", format!("<span data-f=\"judgments\">{judgments}</span>"), String::new()),
        (kind, format!("<span data-f=\"error\">{shown}</span>"), format!("<span data-f=\"se\">{sure}</span>")),
        (typical, format!("<span data-f=\"root\">{root}</span>"), String::new()),
        (
            "The best selection for as much could explain at most",
            format!(
                "<span data-f=\"gain\">{}</span>",
                left.map_or("not known".into(), |left| format!("{} more", short(left)))
            ),
            format!("<span data-f=\"gain-share\">{share}</span>"),
        ),
        (
            "To collect next",
            format!("<bdi data-f=\"next\">{}</bdi>", escaped(&crate::text::plain(next))),
            format!("<span data-f=\"price\">{price}</span>"),
        ),
    ];
    let rows: String = numbers
        .iter()
        .map(|(name, value, more)| format!("<div><dt>{name}</dt><dd>{value}<small>{more}</small></dd></div>\n"))
        .collect();
    let steps = outcome.path.len();
    format!(
        "<div class=\"controls\">\n<div hidden><label for=\"budget\">Budget per object: <span data-f=\"spent\">{}</span></label>\n<input type=\"range\" id=\"budget\" min=\"1\" max=\"{steps}\" value=\"{steps}\" step=\"1\"></div>\n<dl>\n{rows}</dl>\n</div>\n",
        short(last.spent)
    )
}

/// Attributes with how often each is judged, in the order in which they enter.
fn counts(outcome: &SelectOutcome) -> Vec<(&str, u32, f64)> {
    let cost = |name: &str| {
        outcome.selection.iter().find(|chosen| chosen.attribute == name).map_or(f64::NAN, |chosen| chosen.cost)
    };
    let mut places = std::collections::BTreeMap::new();
    let mut counts: Vec<(&str, u32, f64)> = Vec::new();
    for step in &outcome.path {
        let place = *places.entry(step.attribute.as_str()).or_insert_with(|| {
            counts.push((&step.attribute, 0, cost(&step.attribute)));
            counts.len() - 1
        });
        counts[place].1 += step.judgments;
    }
    counts
}

/// Bars that fit on a screen; the rest is one bar.
const MOST_BARS: usize = 40;

fn judgments(outcome: &SelectOutcome) -> Figure {
    let counts = counts(outcome);
    let row_of = |(i, (name, n, _)): (usize, &(&str, u32, f64))| Row {
        name: (*name).to_owned(),
        value: f64::from(*n),
        interval: None,
        note: n.to_string(),
        filled: true,
        row: i,
    };
    let mut rows: Vec<Row> = counts.iter().enumerate().take(MOST_BARS).map(row_of).collect();
    if counts.len() > MOST_BARS {
        let rest: u32 = counts[MOST_BARS..].iter().map(|(_, n, _)| n).sum();
        let name = format!("{} more", counts.len() - MOST_BARS);
        let value = f64::from(rest);
        rows.push(Row { name, value, interval: None, note: rest.to_string(), filled: true, row: counts.len() });
    }
    let chart = RowChart {
        shape: Shape::Bar,
        axis: "judgments of each new object".into(),
        rows,
        percent: false,
        reference: None,
        slides: true,
    };
    let total: u32 = counts.iter().map(|(_, n, _)| n).sum();
    let words =
        |spent: &str, total: &str, attributes: &str| format!("For {spent} per object, ask {total} of {attributes}");
    let spent = short(outcome.spent);
    let (total, attributes) = (count(total as usize, "judgment"), count(counts.len(), "attribute"));
    let table = Table::new(
        &["attribute", "judgments", "cost of one"],
        counts.iter().map(|(name, n, cost)| row![*name, *n as usize, *cost]),
    );
    let meaning = "Noisy attributes are asked several times and averaged; the bars say how often. Attributes stand in the \
                   order in which they enter as the budget grows.";
    let mut figure = Figure::new("judgments", words(&spent, &total, &attributes), chart, meaning, table);
    let live = |name: &str, value: &str| format!("<span data-f=\"{name}\">{value}</span>");
    figure.live_title =
        Some(words(&live("spent", &spent), &live("all-judgments", &total), &live("all-attributes", &attributes)));
    figure.class = "judgments";
    figure
}

fn curve(outcome: &SelectOutcome) -> Figure {
    let path = &outcome.path;
    let variance = outcome.label.variance;
    let expected: Vec<(f64, f64, f64)> =
        path.iter().filter_map(|step| Some((step.spent, step.cv_loss?, step.cv_se?))).collect();
    let projected = Series::new(
        match is_bounded(outcome) {
            true => "projected (on the objects used to choose)",
            false => "projected, as if attributes were unrelated",
        },
        path.iter().map(|step| (step.spent, step.projected_loss)),
    );
    // What no selection explains more of is a bound on the projected error, not on the expected one.
    let bound_of =
        |step: &SelectStep| step.upper_bound.filter(|_| is_bounded(outcome)).map(|bound| (variance - bound).max(0.0));
    let best = path.iter().filter_map(|step| Some((step.spent, bound_of(step)?)));
    let bound = Series::new("lowest projected error of any selection", best).dashed();
    let unit = format!("squared error of {}", quoted(&outcome.label.name));
    let mut chart = Chart::new("", "spent per object", unit);
    chart = match expected.is_empty() {
        true => chart.with(projected.with_spots()),
        false => {
            let series = Series::new(
                "expected on new objects, \u{b1} 1 standard error",
                expected.iter().map(|&(x, y, _)| (x, y)),
            )
            .with_band(expected.iter().map(|&(x, y, se)| (x, y - se, y + se)))
            .with_spots();
            chart.with(series).with(projected)
        }
    };
    chart = if is_bounded(outcome) { chart.with(bound) } else { chart };
    for other in outcome.others.iter().flatten() {
        let name = match other.method {
            Method::Full => "full",
            Method::Scoring => "scoring: as if attributes were unrelated",
            Method::Averages => "averages: all as often as in the data",
            Method::CrowdMean => "crowd mean: one attribute only",
            other => other.name(),
        };
        chart = chart.with(Series::new(name, other.path.iter().map(|step| (step.spent, step.cv_loss))));
    }
    if let Some(budget) = outcome.suggested_budget {
        chart = chart.with_marker(budget, format!("{} would do", short(budget)));
    }
    let chart = chart.including((0.0, 0.0)).sliding();
    let rows = path.iter().map(|step| {
        row![step.spent, step.attribute.as_str(), step.cv_loss, step.cv_se, step.projected_loss, bound_of(step)]
    });
    let header =
        ["spent", "last asked", "expected error", "standard error", "projected error", "lowest projected error of any"];
    Figure::new("error-by-budget", fall(outcome), chart, flat(outcome), Table::new(&header, rows))
}

/// How far the error falls, in a title.
fn fall(outcome: &SelectOutcome) -> String {
    let variance = outcome.label.variance;
    let error = outcome.path.last().map_or(variance, error_of);
    let (from, spent) = (short(variance), short(outcome.spent));
    match outcome.error_below() {
        Some(below) => format!(
            "The error falls from {from} without judgments to below {} for {spent}: not distinguishable from 0",
            short(below)
        ),
        None if error >= variance => {
            format!("The error does not fall: {from} without judgments, {} for {spent}", short(error))
        }
        None => format!(
            "The error falls from {from} without judgments to {} for {spent}, {} less",
            short(error),
            percent(1.0 - error / variance)
        ),
    }
}

/// How to read the curve, and what another method would expect.
fn flat(outcome: &SelectOutcome) -> String {
    let meaning =
        "Where the curve is flat, more judgments buy little; the shaded band is one standard error.".to_owned();
    let others = outcome.others.iter().flatten();
    let others = others.filter_map(|other| Some((other.method.name(), other.path.last()?)));
    let Some((name, step)) = others.min_by(|a, b| a.1.cv_loss.total_cmp(&b.1.cv_loss)) else { return meaning };
    // What cannot be distinguished from 0 is only known to be below something.
    let below = step.error_below();
    let other = below.map_or_else(|| short(step.cv_loss), |below| format!("below {}", short(below)));
    let error = outcome.path.last().map_or(outcome.label.variance, error_of);
    let se = outcome.path.last().and_then(|step| step.cv_se).unwrap_or(0.0);
    let (ours, clear) = (short(error), error - below.unwrap_or(step.cv_loss) > se.max(step.cv_se));
    let compared = match clear {
        true => format!("Another method, {name}, expects {other} against {ours}: try --method {name}."),
        false if other == ours => format!("The best of the other methods, {name}, expects as much."),
        false if step.cv_loss < error => {
            format!(
                "The best of the other methods, {name}, expects {other} against {ours}: no more than chance may give."
            )
        }
        false => format!("The best of the other methods, {name}, expects {other} against {ours}."),
    };
    format!("{meaning} {compared}")
}

fn attributes(outcome: &SelectOutcome) -> Figure {
    let chosen: std::collections::BTreeMap<&str, u32> =
        outcome.selection.iter().map(|chosen| (chosen.attribute.as_str(), chosen.judgments)).collect();
    let all = &outcome.attributes;
    // How much judgments of one object differ, as a share of all their variance.
    let noise = |a: &beanjar::multiselect::AttributeMoments| a.noise / (a.noise + a.signal);
    let points = all.iter().map(|a| Point {
        name: a.attribute.clone(),
        x: noise(a),
        y: a.correlation.map_or(0.0, f64::abs),
        chosen: chosen.contains_key(a.attribute.as_str()),
    });
    let label = quoted(&outcome.label.name);
    let chart = Scatter {
        across: "share of a judgment's variance that is noise".into(),
        up: format!("correlation with {label}, without sign"),
        points: points.collect(),
        kinds: ["chosen".into(), "not chosen".into()],
    };
    // By what one judgment tells: the correlation without noise of an attribute that is nearly all noise is chance.
    let tells = |a: &beanjar::multiselect::AttributeMoments| {
        let share = a.correlation.unwrap_or(0.0).powi(2) * (1.0 - noise(a));
        if share.is_nan() { 0.0 } else { share }
    };
    let title = match all.iter().max_by(|a, b| tells(a).total_cmp(&tells(b))) {
        Some(a) => {
            let of = match a.attribute == outcome.label.name {
                true => format!("A judgment of {label} itself"),
                false => format!("A judgment of {}", quoted(&a.attribute)),
            };
            let (correlation, noise) = (short_or_dash(a.correlation), percent(noise(a)));
            format!(
                "{of} tells most of {label}: {noise} of it is noise, and without noise its correlation is {correlation}"
            )
        }
        None => "No attribute could be chosen".into(),
    };
    let meaning = "High up is useful, far left is steady. What is useful and noisy is worth asking several times; what is \
                   low is not worth asking, unless it tells what the others do not. At the right edge nearly all is noise, \
                   and the correlation a guess. The pointer, or the arrow keys, show the numbers of a point, and its name \
                   where there is no room for it.";
    let rows = all.iter().map(|a| {
        let n = chosen.get(a.attribute.as_str()).copied().unwrap_or(0) as usize;
        row![a.attribute.as_str(), a.correlation, noise(a), a.covariance.single(), a.noise, a.signal, a.cost, n]
    });
    let header =
        ["attribute", "correlation", "noise share", "covariance", "noise", "signal", "cost of one", "judgments"];
    Figure::new("attributes", title, chart, meaning, Table::new(&header, rows))
}

fn stability(outcome: &SelectOutcome) -> Option<Figure> {
    let mut all: Vec<_> = outcome.stability.as_ref()?.iter().filter(|a| a.chosen > 0.0).collect();
    all.sort_by(|a, b| b.chosen.total_cmp(&a.chosen));
    let chosen = |name: &str| outcome.selection.iter().any(|chosen| chosen.attribute == name);
    let rows = all.iter().enumerate().take(MOST_BARS).map(|(i, a)| Row {
        name: a.attribute.clone(),
        value: a.chosen,
        interval: None,
        note: format!("{}\u{2013}{}", a.judgments_low, a.judgments_high),
        filled: chosen(&a.attribute),
        row: i,
    });
    let chart = RowChart {
        shape: Shape::Bar,
        axis: "share of resampled tables in which it is chosen; at the right, how often it is judged".into(),
        rows: rows.collect(),
        percent: true,
        reference: None,
        slides: false,
    };
    let sure = all.iter().filter(|a| a.chosen >= 0.9 && chosen(&a.attribute)).count();
    let title = format!(
        "{sure} of the {} {} chosen in at least 9 of 10 resampled tables",
        count(outcome.selection.len(), "chosen attribute"),
        form(sure, "is", "are")
    );
    let mut meaning =
        "What is chosen again and again is chosen for a reason; the others could be exchanged for one another. \
         Hollow bars are attributes that are not in the selection."
            .to_owned();
    meaning += &drawn(MOST_BARS, all.len(), "most often chosen");
    let table = Table::new(
        &["attribute", "chosen", "judgments, 5th percentile", "95th percentile"],
        all.iter().map(|a| row![a.attribute.as_str(), a.chosen, a.judgments_low as usize, a.judgments_high as usize]),
    );
    Some(Figure::new("stability", title, chart, meaning, table))
}
