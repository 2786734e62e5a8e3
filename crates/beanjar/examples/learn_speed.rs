//! Seconds and results of `Learn` on simulated embeddings of any size, for docs/many-experts.md.
//!
//! `cargo run --release -p beanjar --example learn_speed -- UNITS FEATURES CLASSES WORKERS [key=value ...]`, with keys `votes`
//! (3 or 1-4), `from` (experts, majority, aggregate), `kind` (l1, l2), `penalty`, `restarts`, `experts` (skill, rows), `separation`,
//! `crowd` (coin, pairs), `seed`, `threads`.

use beanjar::experts::{ErrorModel, Learn, LearnData, LearnFrom, PenaltyKind};
use beanjar::simulate::{Crowd, Embeddings, WorkerModel};
use beanjar::{Context, Error, Result};
use std::num::NonZeroUsize;
use std::time::Instant;

/// Units without labels, to predict.
const NEW: usize = 1000;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let sizes: Vec<usize> = arguments.iter().take(4).filter_map(|text| text.parse().ok()).collect();
    let [units, features, classes, workers] = sizes[..] else { return Err(Error::Empty("size")) };
    let value = |key: &str| {
        arguments.iter().filter_map(|text| text.split_once('=')).find(|pair| pair.0 == key).map(|pair| pair.1)
    };
    let number = |key: &str| value(key).and_then(|text| text.parse::<f64>().ok());
    let (from, to) = value("votes")
        .unwrap_or("1-4")
        .split_once('-')
        .unwrap_or_else(|| (value("votes").unwrap_or("1"), value("votes").unwrap_or("1")));
    let votes = (from.parse().unwrap_or(1), to.parse().unwrap_or(1));
    let model = if value("crowd") == Some("pairs") { WorkerModel::Pairs } else { WorkerModel::OneCoin };
    let crowd = Crowd { tasks: units, workers, classes, votes, model, ..Crowd::default() };
    let embeddings = Embeddings {
        crowd,
        unlabelled: NEW,
        features,
        separation: number("separation").unwrap_or(3.0),
        ..Embeddings::default()
    };
    let threads = number("threads").map_or(2, |threads| threads as usize);
    let context = Context::new().with_seed(number("seed").unwrap_or(0.0) as u64);
    let context = context.with_threads(NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN))?;
    let drawn = embeddings.draw(&context)?;
    let (table, labels) = (drawn.table()?, drawn.to_labels()?);
    let learn = Learn {
        from: match value("from") {
            Some("majority") => LearnFrom::Majority,
            Some("aggregate") => LearnFrom::Aggregate,
            _ => LearnFrom::Experts,
        },
        penalty: number("penalty"),
        penalty_kind: Some(if value("kind") == Some("l2") { PenaltyKind::L2 } else { PenaltyKind::L1 }),
        restarts: number("restarts").map_or(Learn::default().restarts, |restarts| restarts as usize),
        error_model: match value("experts") {
            Some("skill") => Some(ErrorModel::Skill),
            Some("rows") => Some(ErrorModel::Rows),
            _ => None,
        },
        ..Learn::default()
    };
    let (begun, before) = (Instant::now(), cpu());
    let outcome = learn.fit(&LearnData::new(&table, &labels), &context)?;
    let (wall, cpu) = (begun.elapsed().as_secs_f64(), cpu() - before);
    let predicted = outcome.model.predict(&table, None, &context)?;
    let right = |unit: &usize| predicted.label(*unit) == format!("c{}", drawn.labels.truth[*unit] + 1);
    let accuracy = (units..units + NEW).filter(right).count() as f64 / NEW as f64;
    println!(
        "{} | wall {wall:.1} cpu {cpu:.1} | penalty {:.4} objective {:.4} S {:?} accuracy {accuracy:.3} | {:?} {:?} | {} steps | {} penalties{}",
        arguments.join(" "),
        outcome.penalty,
        outcome.objective,
        outcome.surrogate,
        outcome.error_model,
        outcome.error_models.map(|found| (found.difference, found.difference_se)),
        outcome.iterations,
        outcome.path.len(),
        outcome.warnings.iter().map(|warning| format!("\n  {warning}")).collect::<String>(),
    );
    Ok(())
}

/// Seconds of processor time so far, where the system says.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit_once(')').map_or("", |pair| pair.1);
    let ticks: f64 = after.split_whitespace().skip(11).take(2).filter_map(|text| text.parse::<f64>().ok()).sum();
    ticks / 100.0
}
