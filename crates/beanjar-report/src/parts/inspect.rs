use super::{drawn, drawn_ends, ends};
use crate::columns::{Bin, Columns};
use crate::figure::Figure;
use crate::number::{count, form, mean_of, percent, short, short_or_dash, whole};
use crate::page::Part;
use crate::rows::{Row, RowChart, Shape};
use crate::table::{Table, row};
use crate::text::quoted;
use beanjar::reliability::AttributeReliability;
use beanjar::{InspectJudgmentsOutcome, InspectLabelsOutcome};

/// Rows that fit on a screen.
const MOST: usize = 40;

/// How reliable judgments are.
pub fn inspect_judgments(outcome: &InspectJudgmentsOutcome) -> Part {
    let mut part = Part::new("inspect", "How far the judgments can be trusted");
    let mut lead = format!(
        "{} of {} on {}",
        count(outcome.judgments, "judgment"),
        count(outcome.objects, "object"),
        count(outcome.attributes.len(), "attribute")
    );
    if !outcome.workers.is_empty() {
        lead += &format!(", by {}", count(outcome.workers.len(), "worker"));
    }
    part.lead.push(lead + ".");
    part.figures = vec![reliability(outcome), needed(outcome)];
    part.figures.extend(gaps(outcome));
    let workers = outcome.workers.iter().map(|w| Agreeing {
        worker: &w.worker,
        given: w.judgments,
        agreement: w.agreement,
        interval: w.agreement_low.zip(w.agreement_high),
    });
    part.figures.extend(agreement(
        workers.collect(),
        "judgments",
        "correlation with the others' mean on the same objects, with its 95% interval",
        false,
    ));
    part.with_warnings(&outcome.warnings)
}

/// How reliable labels are.
pub fn inspect_labels(outcome: &InspectLabelsOutcome) -> Part {
    let mut part = Part::new("inspect", "How far the labels can be trusted");
    let interval = match (outcome.alpha_low, outcome.alpha_high) {
        (Some(low), Some(high)) => format!(" (95% interval {} to {})", short(low), short(high)),
        _ => String::new(),
    };
    let mut lead = format!(
        "{} of {} by {}",
        count(outcome.labels, "label"),
        count(outcome.tasks, "task"),
        count(outcome.workers.len(), "worker"),
    );
    if outcome.repeated > 0 {
        let (n, are) = (whole(outcome.repeated), form(outcome.repeated, "is", "are"));
        lead += &format!("; {n} of the labels {are} by a worker who had labelled the task before");
    }
    lead += &match outcome.alpha {
        Some(alpha) => {
            format!(
                ". Krippendorff's alpha is {}{interval}: 1 is full agreement, 0 is what chance gives.",
                short(alpha)
            )
        }
        None => ". Nothing shows how far workers agree.".into(),
    };
    part.lead.push(lead);
    part.figures = vec![classes(outcome), votes(outcome)];
    let workers = outcome.workers.iter().map(|w| Agreeing {
        worker: &w.worker,
        given: w.labels,
        agreement: w.agreement,
        interval: w.agreement_low.zip(w.agreement_high),
    });
    part.figures.extend(agreement(
        workers.collect(),
        "labels",
        "share of the others' votes on the same tasks that are the same, with its 95% interval",
        true,
    ));
    part.with_warnings(&outcome.warnings)
}

/// Attributes from the most reliable on.
fn sorted(outcome: &InspectJudgmentsOutcome) -> Vec<&AttributeReliability> {
    let mut all: Vec<&AttributeReliability> = outcome.attributes.iter().collect();
    all.sort_by(|a, b| b.icc.unwrap_or(f64::NEG_INFINITY).total_cmp(&a.icc.unwrap_or(f64::NEG_INFINITY)));
    all
}

fn reliability(outcome: &InspectJudgmentsOutcome) -> Figure {
    let all = sorted(outcome);
    // Attributes whose reliability is not known are the last.
    let known: Vec<&AttributeReliability> = all.iter().copied().filter(|a| a.icc.is_some()).collect();
    let rows = ends(MOST, known.len()).into_iter().filter_map(|i| {
        let a = known[i];
        let icc = a.icc?;
        let interval = a.reliability.map(|mean| (icc.min(mean), icc.max(mean)));
        Some(Row { name: a.attribute.clone(), value: icc, interval, note: short(icc), filled: true, row: i })
    });
    let chart = RowChart {
        shape: Shape::Bar,
        axis: format!("reliability of one judgment (bar), of the mean of {} (line's end)", outcome.repeats),
        rows: rows.collect(),
        percent: false,
        reference: None,
        slides: false,
    };
    let title = match (known.first(), known.last()) {
        (Some(best), Some(worst)) => {
            let mut title =
                format!("One judgment of {} has a reliability of {}", quoted(&best.attribute), short_or_dash(best.icc));
            if known.len() > 1 {
                title += &format!(", one of {} {}", quoted(&worst.attribute), short_or_dash(worst.icc));
            }
            title
        }
        _ => "No attribute was judged twice, so that no reliability is known".into(),
    };
    let mut meaning =
        "A reliability of 1 means that all judges see the same; near 0, a single judgment says next to nothing."
            .to_owned();
    meaning += &drawn_ends(MOST, known.len(), ["most reliable", "least reliable"]);
    let header =
        ["attribute", "icc", "mean of several", "needed", "noise", "signal", "alpha", "judgments", "objects", "mean"];
    let rows = all.iter().map(|a| {
        let needed = a.needed.map(|needed| needed as f64);
        row![
            a.attribute.as_str(),
            a.icc,
            a.reliability,
            needed,
            a.noise,
            a.signal,
            a.alpha,
            a.judgments as usize,
            a.objects as usize,
            a.mean
        ]
    });
    Figure::new("reliability", title, chart, meaning, Table::new(&header, rows))
}

fn needed(outcome: &InspectJudgmentsOutcome) -> Figure {
    let mut all: Vec<(&AttributeReliability, u64)> =
        outcome.attributes.iter().filter_map(|a| Some((a, a.needed?))).collect();
    // In the order of reliabilities, where numbers are alike.
    let icc = |a: &AttributeReliability| a.icc.unwrap_or(0.0);
    all.sort_by(|(a, few), (b, more)| few.cmp(more).then(icc(b).total_cmp(&icc(a))));
    let rows = ends(MOST, all.len()).into_iter().map(|i| Row {
        name: all[i].0.attribute.clone(),
        value: all[i].1 as f64,
        interval: None,
        note: whole(all[i].1 as usize),
        filled: true,
        row: i,
    });
    let chart = RowChart {
        shape: Shape::Bar,
        axis: format!("judgments to average for a reliability of {}", outcome.wanted),
        rows: rows.collect(),
        percent: false,
        reference: None,
        slides: false,
    };
    let title = match (all.first(), all.last()) {
        (Some((easy, few)), Some((hard, many))) => {
            let few = count(*few as usize, "judgment");
            let mut title = format!("For a reliability of {}, {} takes {few}", outcome.wanted, quoted(&easy.attribute));
            if all.len() > 1 {
                title += &format!(" and {} {}", quoted(&hard.attribute), whole(*many as usize));
            }
            title
        }
        _ => format!("No number of judgments gives a reliability of {}", outcome.wanted),
    };
    let never = outcome.attributes.len() - all.len();
    let mut meaning = "Ask each attribute as often as it needs, and no more.".to_owned();
    if never > 0 {
        meaning += &format!(" Of {} no number is enough, or none is known.", count(never, "attribute"));
    }
    meaning += &drawn_ends(MOST, all.len(), ["that need the fewest", "that need the most"]);
    let table = Table::new(
        &["attribute", "judgments needed"],
        all.iter().map(|(a, n)| row![a.attribute.as_str(), *n as usize]),
    );
    Figure::new("needed", title, chart, meaning, table)
}

/// Where judgments are missing; none if nothing is.
fn gaps(outcome: &InspectJudgmentsOutcome) -> Option<Figure> {
    let objects = outcome.objects.max(1) as f64;
    let mut all: Vec<(&AttributeReliability, f64)> =
        outcome.attributes.iter().map(|a| (a, a.objects as f64 / objects)).collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (worst, share) = *all.first().filter(|(_, share)| *share < 1.0)?;
    let missing = all.iter().filter(|(_, share)| *share < 1.0);
    let rows = missing.clone().take(MOST).map(|(attribute, share)| (attribute.attribute.as_str(), *share));
    let chart = RowChart::of_shares("share of objects that were judged", rows);
    let meaning = "Gaps make estimates of these attributes less steady.".to_owned();
    let meaning = meaning + &drawn(MOST, missing.count(), "with the largest gaps");
    let title = format!("{} was judged of {} of objects only", quoted(&worst.attribute), percent(share));
    let table = Table::new(
        &["attribute", "objects judged", "share"],
        all.iter().map(|(a, share)| row![a.attribute.as_str(), a.objects as usize, *share]),
    );
    Some(Figure::new("gaps", title, chart, meaning, table))
}

fn classes(outcome: &InspectLabelsOutcome) -> Figure {
    let mut all: Vec<(&String, f64)> = outcome.classes.iter().zip(outcome.shares.iter().copied()).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    let rows = all.iter().take(MOST).map(|(name, share)| (name.as_str(), *share));
    let chart = RowChart::of_shares("share of labels", rows);
    // As they are read: what differs in the digits that are not shown is alike.
    let alike = all.iter().filter(|(_, share)| percent(*share) == percent(all[0].1)).count();
    let title = match (alike, all.first()) {
        (1, Some((name, share))) => format!("{} of all labels are {}", percent(*share), quoted(name)),
        (2, Some((name, share))) => {
            format!("{} and {} are {} of all labels each", quoted(name), quoted(all[1].0), percent(*share))
        }
        (n, Some((_, share))) => format!("{n} classes are {} of all labels each", percent(*share)),
        (_, None) => "There are no labels".into(),
    };
    let table = Table::new(&["class", "share"], all.iter().map(|(name, share)| row![name.as_str(), *share]));
    let meaning = "What workers say, before anything is made of it.".to_owned();
    Figure::new("classes", title, chart, meaning + &drawn(MOST, all.len(), "largest"), table)
}

fn votes(outcome: &InspectLabelsOutcome) -> Figure {
    let all = &outcome.votes_per_task;
    let mean = outcome.labels as f64 / outcome.tasks.max(1) as f64;
    let chart = Columns {
        across: "votes on a task".into(),
        up: "tasks".into(),
        bins: all.iter().map(|bin| Bin { name: bin.votes.to_string(), count: bin.tasks as f64 }).collect(),
    };
    let single: u64 = all.iter().filter(|bin| bin.votes == 1).map(|bin| bin.tasks).sum();
    let title = match single {
        _ if all.len() == 1 => format!("Every task has {}", mean_of(mean, "vote")),
        0 => format!("A task has {} on average", mean_of(mean, "vote")),
        n => format!(
            "A task has {} on average; {} {} one only",
            mean_of(mean, "vote"),
            whole(n as usize),
            form(n as usize, "has", "have")
        ),
    };
    let table = Table::new(&["votes", "tasks"], all.iter().map(|bin| row![bin.votes as usize, bin.tasks as usize]));
    let meaning = match single {
        0 => "Every task has votes to compare with one another: that is what shows how far workers agree.",
        _ => "A task with one vote tells nothing of how far its worker can be trusted.",
    };
    Figure::new("votes", title, chart, meaning, table)
}

/// How far a worker agrees with the others.
struct Agreeing<'a> {
    worker: &'a str,
    /// How many labels or judgments they gave.
    given: u64,
    agreement: Option<f64>,
    interval: Option<(f64, f64)>,
}

fn agreement(mut workers: Vec<Agreeing<'_>>, what: &str, axis: &str, in_percent: bool) -> Option<Figure> {
    // By what is sure: a few labels that happen to differ make nobody the last.
    let at_most = |worker: &Agreeing<'_>| {
        let value = worker.agreement.unwrap_or(f64::INFINITY);
        worker.interval.filter(|_| worker.agreement.is_some()).map_or(value, |(_, high)| high)
    };
    let agreement = |worker: &Agreeing<'_>| worker.agreement.unwrap_or(f64::INFINITY);
    workers.sort_by(|a, b| {
        at_most(a).total_cmp(&at_most(b)).then(agreement(a).total_cmp(&agreement(b))).then(a.worker.cmp(b.worker))
    });
    let known: Vec<(usize, f64)> =
        workers.iter().enumerate().filter_map(|(i, worker)| Some((i, worker.agreement?))).collect();
    let &(least, lowest) = known.first()?;
    let shown = |value: f64| if in_percent { percent(value) } else { short(value) };
    let rows = known.iter().take(MOST).map(|&(i, value)| Row {
        name: workers[i].worker.to_owned(),
        value,
        interval: workers[i].interval,
        note: whole(workers[i].given as usize),
        filled: true,
        row: i,
    });
    let chart = RowChart {
        shape: Shape::Dot,
        axis: axis.into(),
        rows: rows.collect(),
        percent: in_percent,
        reference: None,
        slides: false,
    };
    let mean = known.iter().map(|(_, value)| value).sum::<f64>() / known.len() as f64;
    let at_best = workers[least].interval.map_or(String::new(), |(_, high)| format!(", at best {}", shown(high)));
    let title = format!(
        "{} agrees least with the others: {}{at_best}; the average worker {}",
        quoted(workers[least].worker),
        shown(lowest),
        shown(mean)
    );
    let mut meaning =
        format!("At the right: how many {what}. Who agrees least may be careless, or the only one who looks.");
    meaning += " Whose agreement is at best the lowest comes first.";
    meaning += &drawn(MOST, known.len(), "first");
    let row = |w: &Agreeing<'_>| {
        let (low, high) = w.interval.unzip();
        row![w.worker, w.agreement, low, high, w.given as usize]
    };
    let table = Table::new(&["worker", "agreement", "low", "high", what], workers.iter().map(row));
    Some(Figure::new("worker-agreement", title, chart, meaning, table))
}
