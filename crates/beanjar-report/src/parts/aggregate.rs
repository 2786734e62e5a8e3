use super::calibration::reliability;
use super::confusion::{Worker, confusion};
use super::pairs::agreement;
use super::{drawn, ends};
use crate::columns::{Bin, Columns};
use crate::figure::Figure;
use crate::number::{count, form, mean_of, percent, points, short, whole};
use crate::page::Part;
use crate::rows::{Row, RowChart, Shape};
use crate::table::{Cell, Table, row};
use crate::text::{distinct, plain, quoted, shortened};
use beanjar::AggregateOutcome;
use beanjar::Warning;
use beanjar::truth::{AggregatedWorker, AutoSummary, TaskInDoubt, TaskState};

/// The label of each task, how sure, and how good each worker is.
pub fn aggregate(outcome: &AggregateOutcome) -> Part {
    let mut part = Part::new("aggregate", "The labels, and how sure they are");
    part.lead = lead(outcome);
    part.figures = confidence(outcome).into_iter().chain([classes(outcome)]).collect();
    part.figures.extend(outcome.in_doubt.as_deref().and_then(in_doubt));
    part.figures.extend(workers(outcome));
    let families: Vec<Vec<String>> =
        outcome.families().map(|family| family.into_iter().map(str::to_owned).collect()).collect();
    part.figures.extend(outcome.agreement.as_ref().and_then(|map| agreement(map, &families)));
    let known = [("gold", outcome.gold.as_ref()), ("truth", outcome.truth.as_ref())];
    part.figures.extend(known.into_iter().filter_map(|(name, found)| Some(reliability(name, found?))));
    part.with_warnings(&outcome.warnings)
}

fn lead(outcome: &AggregateOutcome) -> Vec<String> {
    let mut lead = vec![states(outcome), origin(outcome)];
    if let Some(auto) = outcome.fit.as_ref().and_then(|fit| fit.auto.as_ref()) {
        lead.push(trust(auto));
    }
    if let Some(gold) = &outcome.gold {
        lead.push(format!(
            "On {} whose answer is known, {} of the labels are right when the answers are not used; confidence is off by {} on average.",
            count(gold.tasks, "task"),
            percent(gold.accuracy),
            points(gold.ece),
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

/// More standard errors than this are all the same.
const MOST_GAIN: f64 = 10.0;

/// Whether confidence is no more than the share of a task's votes.
fn by_votes(outcome: &AggregateOutcome) -> bool {
    let auto = outcome.fit.as_ref().and_then(|fit| fit.auto.as_ref());
    outcome.method == "majority" || auto.is_some_and(|auto| auto.plain_vote && auto.gain.is_none())
}

/// How many tasks are settled, and how it stands with the others.
fn states(outcome: &AggregateOutcome) -> String {
    let states = outcome.states();
    let open = outcome.task_ids.len() - states.known;
    if open == 0 && states.known > 0 {
        return match states.known {
            1 => "The answer of the one task is known.".into(),
            n => format!("The answers of all {} are known: none is estimated.", count(n, "task")),
        };
    }
    let share = percent(states.settled as f64 / open.max(1) as f64);
    let (settled, of) = (whole(states.settled), count(open, "task"));
    let mut text = match by_votes(outcome) {
        true => format!(
            "{settled} of {of} ({share}) {} more than 95% of {} votes for one label: how often that is right is not known.",
            form(states.settled, "has", "have"),
            form(states.settled, "its", "their"),
        ),
        false => format!(
            "{settled} of {of} ({share}) {} settled: {} label is more than 95% probable.",
            form(states.settled, "is", "are"),
            form(states.settled, "its", "their"),
        ),
    };
    let mut more = Vec::new();
    if states.in_doubt > 0 {
        let them = form(states.in_doubt, "it", "them");
        more.push(format!(
            "{} {} in doubt, and more votes may settle {them}",
            whole(states.in_doubt),
            form(states.in_doubt, "is", "are")
        ));
    }
    if states.hopeless > 0 {
        let (n, are) = (whole(states.hopeless), form(states.hopeless, "is", "are"));
        more.push(format!("{n} {are} hopeless: more votes would hardly help, an expert would"));
    }
    if states.tied > 0 {
        more.push(format!("in {} of these, two labels are equally probable and one was drawn", whole(states.tied)));
    }
    if !more.is_empty() {
        text += &format!(" Of the others, {}.", more.join("; "));
    }
    if states.known > 0 {
        let (tasks, have) = (count(states.known, "more task"), form(states.known, "has", "have"));
        text += &format!(" {tasks} {have} a known answer.");
    }
    text
}

/// Whose labels these are made of.
fn origin(outcome: &AggregateOutcome) -> String {
    let (mut kept, mut labels) = (0, 0);
    for worker in outcome.workers().filter(|worker| worker.kept) {
        (kept, labels) = (kept + 1, labels + worker.labels as usize);
    }
    let all = outcome.worker_ids.len();
    let mut text = match kept < all {
        true => {
            let others = form(all - kept, "the other one was left out", "the others were left out");
            format!(
                "The labels come from {} by {} of {}; {others}.",
                count(labels, "vote"),
                whole(kept),
                count(all, "worker")
            )
        }
        false => format!("The labels come from {} by {}.", count(outcome.labels, "vote"), count(all, "worker")),
    };
    if outcome.warnings.iter().any(|warning| matches!(warning, Warning::Repeated { .. })) {
        text += " Answers that a worker repeated on the same task are counted once.";
    }
    if outcome.fit.as_ref().and_then(|fit| fit.auto.as_ref()).is_some_and(|auto| !auto.plain_vote) {
        text += " Each vote counts by how far its worker can be trusted.";
    }
    text
}

/// How far the default can be trusted here.
fn trust(auto: &AutoSummary) -> String {
    let mut text = match (auto.plain_vote, auto.gain) {
        (true, None) => {
            "Too few tasks have votes to spare to compare methods by, so the answer is the plain vote.".to_owned()
        }
        (true, _) => format!(
            "Nothing predicts {} that were held out better than the plain vote, so that is the answer.",
            count(auto.held_out, "vote")
        ),
        (false, Some(gain)) => format!(
            "Models of the workers predict {} that were held out better than the plain vote does, by {} standard errors.",
            count(auto.held_out, "vote"),
            if gain > MOST_GAIN { format!("more than {MOST_GAIN}") } else { short((10.0 * gain).round() / 10.0) }
        ),
        (false, None) => "There are too many classes to learn who confuses what, so votes count by how often their worker agrees with the others.".to_owned(),
    };
    let votes = mean_of((10.0 * auto.effective_votes).round() / 10.0, "independent vote");
    text += &format!(" The votes of a task are worth {votes} on average.");
    if let Some(known) = &auto.known {
        text += &format!(" {} taught how sure to be.", count(known.answers, "known answer"));
    }
    text
}

/// How sure the estimates are; none where all answers are known.
fn confidence(outcome: &AggregateOutcome) -> Option<Figure> {
    const BINS: usize = 20;
    let mut bins = [0usize; BINS];
    // Known answers are no estimates.
    let estimated = || outcome.tasks().filter(|task| task.state != TaskState::Known);
    estimated().for_each(|task| bins[((task.confidence * BINS as f64) as usize).min(BINS - 1)] += 1);
    // Nothing can be less sure than all classes alike.
    let first = bins.iter().position(|n| *n > 0).unwrap_or(0);
    let edge = |bin: usize| bin as f64 / BINS as f64;
    let shown = || (first..BINS).map(|bin| (edge(bin), edge(bin + 1), bins[bin]));
    let chart = Columns {
        across: match by_votes(outcome) {
            true => "confidence, from: the share of the task's votes for its label".into(),
            false => "confidence, from: the probability that the label is right".into(),
        },
        up: "tasks".into(),
        bins: shown().map(|(from, _, n)| Bin { name: percent(from), count: n as f64 }).collect(),
    };
    let tasks = estimated().count();
    let doubtful = estimated().filter(|task| task.confidence < 0.75).count();
    let title = format!(
        "{} of {} {} a confidence below 75%",
        if doubtful == 0 { "None".into() } else { whole(doubtful) },
        count(tasks, "task"),
        form(doubtful.max(1), "has", "have")
    );
    let meaning = match by_votes(outcome) {
        true => {
            "The further left, the more the votes of a task differ, and the more another vote, or an expert, is worth."
        }
        false => {
            "A task is settled above 95%, in the last column. The further left, the more another vote, or an expert, is worth."
        }
    };
    let table = Table::new(&["from", "to", "tasks"], shown().map(|(from, to, n)| row![from, to, n]));
    (tasks > 0).then(|| Figure::new("confidence", title, chart, meaning, table))
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
    let rows = shares.iter().take(MOST).map(|(name, _, share)| (*name, *share));
    let chart = RowChart::of_shares("share of tasks", rows);
    // As they are read: what differs in the digits that are not shown is alike.
    let alike = |(_, _, share): &&(&str, usize, f64)| percent(*share) == percent(shares[0].2);
    let first: Vec<&str> = shares.iter().take_while(alike).map(|(name, ..)| *name).collect();
    let title = match (&first[..], shares.first()) {
        ([name], Some((.., share))) => format!("{} is the label of {} of tasks", quoted(name), percent(*share)),
        ([one, other], Some((.., share))) => {
            format!("{} and {} are each the label of {} of tasks", quoted(one), quoted(other), percent(*share))
        }
        (all, Some((.., share))) => format!("{} classes are each the label of {} of tasks", all.len(), percent(*share)),
        _ => "No task has a label".into(),
    };
    let table = Table::new(&["class", "tasks", "share"], shares.iter().map(|(name, n, share)| row![*name, *n, *share]));
    let meaning = "How the labels are shared out over the classes.".to_owned();
    Figure::new("classes", title, chart, meaning + &drawn(MOST, shares.len(), "largest"), table)
}

fn in_doubt(tasks: &[TaskInDoubt]) -> Option<Figure> {
    let first = tasks.first()?;
    let votes = |task: &TaskInDoubt| {
        let mut counts: Vec<(&str, Vec<String>)> = Vec::new();
        let names = distinct(&task.votes.iter().map(|vote| vote.worker.as_str()).collect::<Vec<_>>(), 20);
        for (vote, worker) in task.votes.iter().zip(names) {
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
    let rows = tasks
        .iter()
        .map(|task| row![task.task.as_str(), task.label.as_str(), task.confidence, Cell::words(&votes(task))]);
    let table = Table::new(&["task", "label", "confidence", "votes"], rows);
    let meaning = "Look at these first: nowhere does another vote, or an expert, change more.";
    Some(Figure::of_table("in-doubt", title, meaning, table))
}

fn workers(outcome: &AggregateOutcome) -> Option<Figure> {
    let mut all: Vec<(usize, AggregatedWorker<'_>)> =
        outcome.workers().enumerate().filter(|(_, worker)| worker.accuracy.is_some()).collect();
    let accuracy = |worker: &AggregatedWorker<'_>| worker.accuracy.unwrap_or(0.0);
    all.sort_by(|(_, a), (_, b)| accuracy(a).total_cmp(&accuracy(b)).then(a.worker.cmp(b.worker)));
    let title = accuracy_title(outcome, &all)?;
    // The worst and the best of those who can be distinguished: those in the middle are alike, and a few labels are chance.
    let enough: Vec<usize> = (0..all.len()).filter(|&i| all[i].1.labels >= FEWEST).collect();
    let few = enough.is_empty() || all.len() <= MOST;
    let among = if few { (0..all.len()).collect() } else { enough };
    let shown: Vec<usize> = ends(MOST, among.len()).into_iter().map(|place| among[place]).collect();
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
    let mut meaning =
        "The further left, the less often a worker is right; a long line means too few labels to say how often."
            .to_owned();
    if all.iter().any(|(_, worker)| !worker.kept) {
        meaning += " Hollow squares are workers whose labels were not used.";
    }
    if shown.len() < all.len() {
        let with = if few { String::new() } else { format!(" of those with {FEWEST} labels or more") };
        let (some, half) = (shown.len(), MOST / 2);
        meaning += &match among.len() > MOST {
            true => format!(" Drawn are the {half} worst and the {half} best{with}; the table has all."),
            false => format!(" Drawn are the {some} with {FEWEST} labels or more; the table has all."),
        };
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
    let of = |&i: &usize| Worker { row: i, name: all[i].1.worker, matrix: outcome.confusion_of(all[i].0) };
    figure.more = confusion(outcome.classes.iter(), shown.iter().map(of), ["aggregate", "this method learns none"]);
    Some(figure)
}

/// Workers with fewer labels are not named as the best or the worst: their accuracy is chance.
const FEWEST: u64 = 10;

/// How good workers are; `all` are sorted by accuracy.
fn accuracy_title(outcome: &AggregateOutcome, all: &[(usize, AggregatedWorker<'_>)]) -> Option<String> {
    let auto = outcome.fit.as_ref().and_then(|fit| fit.auto.as_ref());
    if auto.is_some_and(|auto| auto.plain_vote && auto.gain.is_none()) {
        return Some("No worker can be checked: too few tasks have votes of others to compare with".into());
    }
    let with_enough: Vec<&AggregatedWorker<'_>> =
        all.iter().map(|(_, worker)| worker).filter(|worker| worker.labels >= FEWEST).collect();
    let (some, of) = match with_enough.is_empty() {
        true => (all.iter().map(|(_, worker)| worker).collect(), String::new()),
        false => (
            with_enough,
            if all.iter().any(|(_, worker)| worker.labels < FEWEST) {
                format!(" with {FEWEST} labels or more")
            } else {
                String::new()
            },
        ),
    };
    let share = |worker: &AggregatedWorker<'_>| percent(worker.accuracy.unwrap_or(0.0));
    let (least, most) = (some.first()?, some.last()?);
    Some(match some.len() {
        1 => format!("{} is right {} of the time", quoted(least.worker), share(least)),
        n if share(least) == share(most) => {
            format!("All {} workers{of} are right {} of the time", whole(n), share(least))
        }
        _ if share(least) == share(some[1]) => {
            let alike = some.iter().take_while(|worker| share(worker) == share(least)).count();
            format!(
                "Workers{of} are right {} to {} of the time; {} of them least",
                share(least),
                share(most),
                whole(alike)
            )
        }
        _ => format!(
            "Workers{of} are right {} to {} of the time; {} least",
            share(least),
            share(most),
            quoted(least.worker)
        ),
    })
}
