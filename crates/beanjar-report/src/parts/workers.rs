use super::confusion::{Worker, confusion};
use super::ends;
use super::pairs::agreement;
use crate::chart::{Chart, Series};
use crate::figure::Figure;
use crate::number::{count, form, percent, short, whole};
use crate::page::Part;
use crate::rows::{Row, RowChart, Shape};
use crate::table::{Table, row};
use crate::text::quoted;
use beanjar::RankWorkersOutcome;
use beanjar::workers::{RankedWorker, SuspiciousPairs, Verdict};

/// What each worker is, and whom to keep.
pub fn workers(outcome: &RankWorkersOutcome) -> Part {
    let mut part = Part::new("workers", "Whom to trust");
    let (all, keep) = (outcome.workers.len(), outcome.keep);
    let judged = outcome.workers.iter().filter(|worker| is_judged(worker)).count();
    part.lead.push(match all - keep.min(all) {
        0 if judged == 0 => {
            "Nobody can be judged: there are too few tasks that several workers labelled. All are kept.".into()
        }
        0 if all == 1 => "The one worker is worth keeping.".into(),
        0 => format!("All {} are worth keeping.", count(all, "worker")),
        dropped => format!(
            "Keep {} of {}; the labels of the other{} are better left out.",
            whole(keep),
            count(all, "worker"),
            if dropped == 1 { String::new() } else { format!(" {}", whole(dropped)) }
        ),
    });
    if judged > 0 && judged < all {
        let (n, have) = (count(all - judged, "worker"), form(all - judged, "has", "have"));
        part.lead.push(format!("{n} {have} too few labels to be judged."));
    }
    for family in &outcome.families {
        let names: Vec<String> = family.iter().map(|name| quoted(name)).collect();
        part.lead.push(format!("These give the same answers: {}.", names.join(", ")));
    }
    part.figures.extend(accuracies(outcome));
    part.figures.push(verdicts(outcome));
    part.figures.push(information(outcome));
    part.figures.extend(outcome.agreement.as_ref().and_then(|map| agreement(map, &outcome.families)));
    part.figures.extend(outcome.suspicious.as_ref().map(|found| suspicious(found, !outcome.families.is_empty())));
    part.with_warnings(&outcome.warnings)
}

/// Whether there are labels enough to say what the worker is.
fn is_judged(worker: &RankedWorker) -> bool {
    worker.verdict != Verdict::TooFew.in_words(None)
}

/// Rows that fit on a screen.
const MOST: usize = 40;

fn accuracies(outcome: &RankWorkersOutcome) -> Option<Figure> {
    let all = &outcome.workers;
    // A few labels that happen to be right make nobody the best.
    let best = all.iter().filter(|worker| is_judged(worker)).max_by(|a, b| a.accuracy_low.total_cmp(&b.accuracy_low));
    // Who has too few labels to be judged is neither the best nor the worst.
    let judged: Vec<usize> = (0..all.len()).filter(|&i| is_judged(&all[i])).collect();
    let few = judged.is_empty() || all.len() <= MOST;
    let among = if few { (0..all.len()).collect() } else { judged };
    let shown: Vec<usize> = ends(MOST, among.len()).into_iter().map(|place| among[place]).collect();
    let row_of = |&i: &usize| Row {
        name: all[i].worker.clone(),
        value: all[i].accuracy,
        interval: Some((all[i].accuracy_low, all[i].accuracy_high)),
        note: format!("{} \u{b7} {}", brief(&all[i]), whole(all[i].labels)),
        filled: all[i].kept,
        row: i,
    };
    let chart = RowChart {
        shape: Shape::Dot,
        axis: "accuracy beyond chance, with its 95% interval".into(),
        rows: shown.iter().map(row_of).collect(),
        percent: false,
        reference: Some((0.0, "guessing".into())),
        slides: false,
    };
    let guessing = all.iter().filter(|w| w.accuracy_low <= 0.0 && w.accuracy_high >= 0.0).count();
    let contrary = all.iter().filter(|worker| worker.accuracy_high < 0.0).count();
    let worse = match contrary {
        0 => String::new(),
        n => format!(", {} {} worse than it", whole(n), form(n, "is", "are")),
    };
    let title = match best {
        Some(best) => format!(
            "{} is the best, with an accuracy beyond chance of {} ({} to {}); {} be distinguished from guessing{worse}",
            quoted(&best.worker),
            short(best.accuracy),
            short(best.accuracy_low),
            short(best.accuracy_high),
            if guessing == 0 { "all can".to_owned() } else { format!("{} cannot", whole(guessing)) },
        ),
        None => format!("None of {} has labels enough to be judged", count(all.len(), "worker")),
    };
    let mut meaning =
        "1 is always right, 0 is what guessing gives. At the right: the verdict, and the number of labels. \
         Hollow squares are better left out."
            .to_owned();
    if all.is_empty() {
        return None;
    }
    if shown.len() < all.len() {
        let which = if few { "" } else { " of those who can be judged" };
        let half = MOST / 2;
        meaning += &match among.len() > MOST {
            true => format!(" Drawn are the {half} best and the {half} worst{which}; the table has all."),
            false => " Drawn are those who can be judged; the table has all.".to_owned(),
        };
    }
    let header = ["worker", "accuracy", "low", "high", "labels", "verdict", "kept", "score", "rank", "most given"];
    let rows = all.iter().map(|w| {
        row![
            w.worker.as_str(),
            w.accuracy,
            w.accuracy_low,
            w.accuracy_high,
            w.labels,
            w.verdict.as_str(),
            w.kept,
            w.score,
            w.rank,
            w.most_given
        ]
    });
    let mut figure = Figure::new("accuracy", title, chart, meaning, Table::new(&header, rows));
    let of = |&i: &usize| Worker { row: i, name: &all[i].worker, matrix: all[i].confusion.clone() };
    let none = "there are too many classes or workers, or too few tasks in common, to learn them";
    figure.more = confusion(outcome.classes.iter().map(String::as_str), shown.iter().map(of), ["workers", none]);
    Some(figure)
}

/// The verdict in a word or two.
fn brief(worker: &RankedWorker) -> &str {
    match worker.verdict.as_str() {
        _ if worker.copies.is_some() => "copies",
        _ if !is_judged(worker) => "too few",
        "always the same answer" => "always same",
        verdict => verdict,
    }
}

fn verdicts(outcome: &RankWorkersOutcome) -> Figure {
    let mut counts: Vec<(&str, usize, usize)> = Vec::new();
    for worker in &outcome.workers {
        // Copies name whom they copy.
        let verdict = if worker.copies.is_some() { "copies another" } else { worker.verdict.as_str() };
        match counts.iter_mut().find(|(name, ..)| *name == verdict) {
            Some(found) => {
                found.1 += 1;
                found.2 += worker.labels;
            }
            None => counts.push((verdict, 1, worker.labels)),
        }
    }
    counts.sort_by_key(|(_, n, _)| std::cmp::Reverse(*n));
    let rows = counts.iter().enumerate().map(|(i, (name, n, _))| Row {
        name: (*name).to_owned(),
        value: *n as f64,
        interval: None,
        note: whole(*n),
        filled: true,
        row: i,
    });
    let chart = RowChart {
        shape: Shape::Bar,
        axis: "workers".into(),
        rows: rows.collect(),
        percent: false,
        reference: None,
        slides: false,
    };
    let title = match counts.first() {
        Some(_) => {
            let each: Vec<String> =
                counts.iter().map(|(name, n, _)| format!("{} {}", whole(*n), spoken(name, *n))).collect();
            format!("Of {}: {}", count(outcome.workers.len(), "worker"), each.join(", "))
        }
        None => "There are no workers".into(),
    };
    let table =
        Table::new(&["verdict", "workers", "labels"], counts.iter().map(|(name, n, labels)| row![*name, *n, *labels]));
    Figure::new(
        "verdicts",
        title,
        chart,
        "What the labels of each worker look like, held against what the others make of the same tasks.",
        table,
    )
}

/// A verdict after the number of those whom it is of.
fn spoken(verdict: &str, n: usize) -> &str {
    match verdict {
        "copies another" => form(n, "copies another", "copy another"),
        "always the same answer" => form(n, "always says the same", "always say the same"),
        "too few labels to say" => form(n, "has too few labels to say", "have too few labels to say"),
        verdict => verdict,
    }
}

fn information(outcome: &RankWorkersOutcome) -> Figure {
    let mut ranked: Vec<&RankedWorker> = outcome.workers.iter().collect();
    ranked.sort_by_key(|worker| worker.rank);
    // What is below 0 is chance: information is never less than none.
    let score = |worker: &&RankedWorker| worker.score.max(0.0);
    let total: f64 = ranked.iter().map(score).sum();
    let first: f64 = ranked.iter().take(outcome.elbow).map(score).sum();
    let mut chart = Chart::new("", "rank of the worker", "mutual information with the others, nats")
        .with(Series::new("score", ranked.iter().map(|worker| (worker.rank as f64, worker.score))).with_spots())
        .including((1.0, 0.0))
        .with_marker(outcome.elbow as f64, format!("elbow: {}", outcome.elbow));
    if !matches!(outcome.rule, "verdict" | "all") && outcome.keep != outcome.elbow {
        chart = chart.with_marker(outcome.keep as f64, format!("kept: {}", outcome.keep));
    }
    let title = match outcome.elbow {
        _ if total <= 0.0 => "No two workers have information in common".to_owned(),
        n => format!(
            "The first {} by score {} {} of all information between workers",
            if n == 1 { "worker".to_owned() } else { count(n, "worker") },
            form(n, "holds", "hold"),
            percent(first / total),
        ),
    };
    let meaning = "Workers who look at the tasks have information in common, those who guess have none: about 0, or below it by \
                   chance. At the elbow the curve turns flat. Busy workers score higher, for they meet the others more often.";
    let rows =
        ranked.iter().map(|worker| row![worker.worker.as_str(), worker.rank, worker.score, worker.labels, worker.kept]);
    Figure::new("information", title, chart, meaning, Table::new(&["worker", "rank", "score", "labels", "kept"], rows))
}

fn suspicious(found: &SuspiciousPairs, families: bool) -> Figure {
    let title = match found.pairs.len() {
        _ if found.looked_at == 0 => "No two workers have tasks enough in common to look at".to_owned(),
        0 => format!(
            "In none of {} do the two depend on one another beyond what the tasks explain",
            count(found.looked_at, "pair")
        ),
        n => format!(
            "In {} of {} the two depend on one another beyond what the tasks explain",
            whole(n),
            count(found.looked_at, "pair")
        ),
    };
    let rows = found.pairs.iter().map(|suspicious| {
        let [one, other] = &suspicious.workers;
        let pair = &suspicious.pair;
        row![one.as_str(), other.as_str(), pair.shared, pair.agreement, pair.expected, pair.p_value, pair.adjusted]
    });
    let header = ["worker", "other worker", "tasks in common", "agree", "expected", "p", "adjusted p"];
    let meaning = match (found.pairs.is_empty(), families) {
        _ if found.looked_at == 0 => "Whether workers depend on one another cannot be said here.",
        (false, _) => "They copy, talk, or share a misunderstanding: count their votes as fewer, or ask others.",
        (true, false) => "Nothing here speaks against counting each worker's votes as their own.",
        (true, true) => {
            "This looks at the labels of two workers within each class, where those who copy good work hardly differ; the \
             copies named above were found by how seldom they disagree."
        }
    };
    Figure::of_table("suspicious", title, meaning, Table::new(&header, rows))
}
