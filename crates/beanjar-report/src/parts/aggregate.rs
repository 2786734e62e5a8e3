use super::pairs::agreement;
use crate::chart::{Chart, Series};
use crate::columns::{Bin, Columns};
use crate::figure::Figure;
use crate::number::{count, percent, short, whole};
use crate::page::Part;
use crate::rows::{Row, RowChart, Shape};
use crate::table::{Table, row};
use crate::text::{escaped, plain, quoted, shortened};
use beanjar::AggregateOutcome;
use beanjar::truth::{AggregatedWorker, AutoSummary, Calibration, TaskInDoubt};

/// The label of each task, how sure, and how good each worker is.
pub fn aggregate(outcome: &AggregateOutcome) -> Part {
    let mut part = Part::new("aggregate", "The labels, and how sure they are");
    part.lead = lead(outcome);
    part.figures = vec![confidence(outcome), classes(outcome)];
    part.figures.extend(outcome.in_doubt.as_deref().and_then(in_doubt));
    part.figures.extend(workers(outcome));
    let families: Vec<Vec<String>> =
        outcome.families().map(|family| family.into_iter().map(str::to_owned).collect()).collect();
    part.figures.extend(outcome.agreement.as_ref().and_then(|map| agreement(map, &families)));
    let known = [("gold", outcome.gold.as_ref()), ("truth", outcome.truth.as_ref())];
    part.figures.extend(known.into_iter().filter_map(|(name, found)| Some(reliability(name, found?))));
    part.with_warnings(&outcome.warnings)
}

/// Confidence from which a task counts as settled.
const SETTLED: f64 = 0.95;

fn lead(outcome: &AggregateOutcome) -> Vec<String> {
    let tasks = outcome.task_ids.len();
    let settled = outcome.tasks().filter(|task| task.confidence >= SETTLED).count();
    let mut lead = vec![format!(
        "{} of {} ({}) are settled: their label has a probability of {} or more. It took {} by {}.",
        whole(settled),
        count(tasks, "task"),
        percent(settled as f64 / tasks.max(1) as f64),
        percent(SETTLED),
        count(outcome.labels, "label"),
        count(outcome.worker_ids.len(), "worker"),
    )];
    if let Some(auto) = outcome.fit.as_ref().and_then(|fit| fit.auto.as_ref()) {
        lead.push(trust(auto));
    }
    if let Some(gold) = &outcome.gold {
        lead.push(format!(
            "On {} whose answer is known, {} of the labels are right when the answers are not used; confidence and accuracy differ by {} on average.",
            count(gold.tasks, "task"),
            percent(gold.accuracy),
            percent(gold.ece),
        ));
    }
    if let Some(truth) = &outcome.truth {
        lead.push(format!(
            "By the truth of {}, {} of the labels are right.",
            count(truth.tasks, "task"),
            percent(truth.accuracy)
        ));
    }
    for family in outcome.families() {
        let names: Vec<String> = family.iter().map(|name| quoted(name)).collect();
        lead.push(format!("These are copies of one another and vote as one: {}.", names.join(", ")));
    }
    lead
}

/// How far the default can be trusted here.
fn trust(auto: &AutoSummary) -> String {
    let mut text = match (auto.plain_vote, auto.gain) {
        (true, None) => "No label could be held out to compare methods, so the answer is the plain vote.".to_owned(),
        (true, _) => format!(
            "Nothing predicts {} held-out labels better than the plain vote, so that is the answer.",
            whole(auto.held_out)
        ),
        (false, Some(gain)) => format!(
            "The models predict {} held-out labels better than the plain vote by {} standard errors.",
            whole(auto.held_out),
            short((10.0 * gain).round() / 10.0)
        ),
        (false, None) => "There are too many classes to learn who confuses what, so votes count by how often their worker agrees with the others.".to_owned(),
    };
    text += &format!(" A task's votes are worth {} independent ones on average.", short(auto.effective_votes));
    if let Some(known) = &auto.known {
        text += &format!(" {} taught how sure to be.", count(known.answers, "known answer"));
    }
    text
}

fn confidence(outcome: &AggregateOutcome) -> Figure {
    const BINS: usize = 20;
    let mut bins = [0usize; BINS];
    outcome.tasks().for_each(|task| bins[((task.confidence * BINS as f64) as usize).min(BINS - 1)] += 1);
    // Nothing can be less sure than all classes alike.
    let first = bins.iter().position(|n| *n > 0).unwrap_or(0);
    let edge = |bin: usize| bin as f64 / BINS as f64;
    let shown = || (first..BINS).map(|bin| (edge(bin), edge(bin + 1), bins[bin]));
    let chart = Columns {
        across: "confidence: the probability that the label is right".into(),
        up: "tasks".into(),
        bins: shown().map(|(from, _, n)| Bin { name: percent(from), count: n as f64 }).collect(),
    };
    let tasks = outcome.task_ids.len();
    let doubtful = outcome.tasks().filter(|task| task.confidence < 0.75).count();
    let title = format!(
        "{} of {} have a confidence below 75%",
        if doubtful == 0 { "None".into() } else { whole(doubtful) },
        count(tasks, "task")
    );
    let meaning = "Tasks at the right need no more votes. Those at the left are worth another vote, or an expert.";
    let table = Table::new(&["from", "to", "tasks"], shown().map(|(from, to, n)| row![from, to, n]));
    Figure::new("confidence", title, chart, meaning, table)
}

/// Rows that fit on a screen.
const MOST: usize = 30;

fn classes(outcome: &AggregateOutcome) -> Figure {
    let mut given = vec![0usize; outcome.classes.len()];
    outcome.given().iter().for_each(|&class| given[usize::from(class)] += 1);
    let tasks = outcome.task_ids.len().max(1) as f64;
    let mut shares: Vec<(&str, usize, f64)> =
        outcome.classes.iter().zip(&given).map(|(name, &n)| (name, n, n as f64 / tasks)).collect();
    shares.sort_by_key(|(_, n, _)| std::cmp::Reverse(*n));
    let drawn = shares.iter().take(MOST).map(|(name, _, share)| (*name, *share));
    let chart = RowChart::of_shares("share of tasks", drawn);
    let title = match shares.first() {
        Some((name, _, share)) => format!("{} is the label of {} of tasks", quoted(name), percent(*share)),
        None => "No task has a label".into(),
    };
    let table = Table::new(&["class", "tasks", "share"], shares.iter().map(|(name, n, share)| row![*name, *n, *share]));
    Figure::new("classes", title, chart, "How the labels are shared out over the classes.", table)
}

fn in_doubt(tasks: &[TaskInDoubt]) -> Option<Figure> {
    let first = tasks.first()?;
    let votes = |task: &TaskInDoubt| {
        let mut counts: Vec<(&str, Vec<String>)> = Vec::new();
        for vote in &task.votes {
            let worker = shortened(&plain(&vote.worker), 20);
            match counts.iter_mut().find(|(label, _)| *label == vote.label) {
                Some((_, workers)) => workers.push(worker),
                None => counts.push((&vote.label, vec![worker])),
            }
        }
        counts.sort_by_key(|(_, workers)| std::cmp::Reverse(workers.len()));
        let one = |(label, workers): &(&str, Vec<String>)| {
            let some: Vec<&str> = workers.iter().take(5).map(String::as_str).collect();
            let more = if workers.len() > 5 { ", \u{2026}" } else { "" };
            format!("{} \u{d7} {} ({}{more})", workers.len(), shortened(&plain(label), 30), some.join(", "))
        };
        counts.iter().map(one).collect::<Vec<_>>().join("; ")
    };
    let title = format!(
        "{} is the most doubtful task: {} has a probability of {}",
        quoted(&first.task),
        quoted(&first.label),
        percent(first.confidence)
    );
    // The cells are made of ids that were cut one by one.
    let rows = tasks.iter().map(|task| row![task.task.as_str(), task.label.as_str(), task.confidence, votes(task)]);
    let table = Table::new(&["task", "label", "confidence", "votes"], rows);
    let meaning = "Look at these first: one more vote, or a word with those who disagree, settles most here.";
    Some(Figure::of_table("in-doubt", title, meaning, table))
}

fn workers(outcome: &AggregateOutcome) -> Option<Figure> {
    let mut all: Vec<(usize, AggregatedWorker<'_>)> =
        outcome.workers().enumerate().filter(|(_, worker)| worker.accuracy.is_some()).collect();
    let accuracy = |worker: &AggregatedWorker<'_>| worker.accuracy.unwrap_or(0.0);
    all.sort_by(|(_, a), (_, b)| accuracy(a).total_cmp(&accuracy(b)).then(a.worker.cmp(b.worker)));
    let (_, least) = all.first()?;
    let title = format!(
        "Workers are right {} to {} of the time; {} least",
        percent(accuracy(least)),
        percent(all.last().map_or(0.0, |(_, best)| accuracy(best))),
        quoted(least.worker),
    );
    // The worst and the best: of many workers, those in the middle are alike.
    let shown: Vec<usize> = match all.len() > MOST {
        true => (0..MOST / 2).chain(all.len() - MOST / 2..all.len()).collect(),
        false => (0..all.len()).collect(),
    };
    let rows = shown.iter().map(|&i| {
        let worker = &all[i].1;
        Row {
            name: worker.worker.to_owned(),
            value: accuracy(worker),
            interval: worker.accuracy_low.zip(worker.accuracy_high),
            note: count(worker.labels as usize, "label"),
            filled: worker.kept,
            row: i,
        }
    });
    let chart = RowChart {
        shape: Shape::Dot,
        axis: "share of the worker's labels that are right, with its 95% interval".into(),
        rows: rows.collect(),
        percent: true,
        reference: None,
        slides: false,
    };
    let mut meaning = "Who is far left costs more than they bring; a long line means too few labels to say.".to_owned();
    if all.iter().any(|(_, worker)| !worker.kept) {
        meaning += " Hollow squares are workers whose labels were not used.";
    }
    if all.len() > MOST {
        meaning += &format!(" Drawn are the {} worst and the {} best; the table has more.", MOST / 2, MOST / 2);
    }
    let header = ["worker", "accuracy", "low", "high", "labels", "used"];
    let rows = all.iter().map(|(_, worker)| {
        row![
            worker.worker,
            worker.accuracy,
            worker.accuracy_low,
            worker.accuracy_high,
            worker.labels as usize,
            worker.kept
        ]
    });
    let mut figure = Figure::new("workers", title, chart, meaning, Table::new(&header, rows));
    figure.more = confusion(outcome, &all, &shown);
    Some(figure)
}

/// Classes of a confusion matrix that can be read.
const MOST_CLASSES: usize = 12;

/// A list of workers to choose from, and their matrices.
fn confusion(outcome: &AggregateOutcome, all: &[(usize, AggregatedWorker<'_>)], shown: &[usize]) -> String {
    if outcome.classes.len() > MOST_CLASSES {
        return String::new();
    }
    let rounded = |matrix: Vec<Vec<f64>>| -> Vec<Vec<f64>> {
        matrix.into_iter().map(|row| row.into_iter().map(|share| (1e4 * share).round() / 1e4).collect()).collect()
    };
    let matrices: Vec<(usize, Vec<Vec<f64>>)> =
        shown.iter().filter_map(|&i| Some((i, rounded(outcome.confusion_of(all[i].0)?)))).collect();
    if matrices.is_empty() {
        return String::new();
    }
    let options: String = matrices
        .iter()
        .map(|(i, _)| format!("<option value=\"{i}\">{}</option>", escaped(&plain(all[*i].1.worker))))
        .collect();
    let classes: Vec<_> = outcome.classes.iter().map(|class| shortened(&plain(class), 30)).collect();
    let matrices: serde_json::Map<String, serde_json::Value> =
        matrices.into_iter().map(|(i, matrix)| (i.to_string(), matrix.into())).collect();
    let data = serde_json::json!({ "classes": classes, "matrices": matrices }).to_string().replace('<', "\\u003c");
    format!(
        "<div class=\"confusion\" hidden><label>What this worker says of tasks of each class: <select>{options}</select></label>\n<div class=\"matrix\" aria-live=\"polite\"></div><script type=\"application/json\">{data}</script></div>\n"
    )
}

fn reliability(name: &str, found: &Calibration) -> Figure {
    let bins = || found.bins.iter().filter_map(|bin| Some((bin.tasks, bin.confidence?, bin.accuracy?)));
    let chart = Chart::new("", "confidence", "share that is right")
        .with(Series::new("as it should be", [(0.0, 0.0), (1.0, 1.0)]).dashed())
        .with(
            Series::new(
                "as it is, with the number of tasks",
                bins().map(|(_, confidence, accuracy)| (confidence, accuracy)),
            )
            .marked()
            .with_spots()
            .with_notes(bins().map(|(tasks, ..)| whole(tasks)).collect()),
        )
        .in_percent(true, true);
    let by = if name == "gold" { "known answers, when they are not used" } else { "the truth" };
    let title = format!(
        "By {by}, {} are right; confidence is off by {} on average ({})",
        percent(found.accuracy),
        percent(found.ece),
        count(found.tasks, "task")
    );
    let meaning =
        "On the dashed line a confidence of 80% is right 8 times in 10; below it, labels are less sure than they say.";
    let rows = bins().map(|(tasks, confidence, accuracy)| row![confidence, accuracy, tasks]);
    let table = Table::new(&["confidence", "right", "tasks"], rows);
    Figure::new(&format!("reliability-{name}"), title, chart, meaning, table)
}
