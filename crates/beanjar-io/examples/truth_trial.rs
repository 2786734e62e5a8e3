//! Accuracy and calibration of aggregation on folders that hold labels.csv and truth.csv, with and without known answers.

use beanjar::truth::{AutoSummary, Majority, Method};
use beanjar::{Aggregate, AggregateOutcome, Column, Context, Dictionary, Labels, SuggestGold};
use beanjar_io::{Data, ReadOptions, Source};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Draws of known answers for each folder.
const DRAWS: u64 = 5;

fn main() -> Outcome<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    // `suggested 50 FOLDERS` takes the answers that are suggested, `50 FOLDERS` random ones, `FOLDERS` none.
    let suggested = arguments.first().is_some_and(|first| first == "suggested");
    arguments.drain(..usize::from(suggested));
    let known: usize = match arguments.first().map(|first| first.parse()) {
        Some(Ok(known)) => {
            arguments.remove(0);
            known
        }
        _ => 0,
    };
    let context = Context::new().with_threads(std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))?;
    println!("{:<14} {:>15} {:>15} {:>8} {:>7}", "folder", "plain vote", "auto", "seconds", "effect");
    let mut sums = [0.0; 4];
    for folder in &arguments {
        let found = trial(&PathBuf::from(folder), known, suggested, &context)?;
        sums.iter_mut().zip(found).for_each(|(sum, value)| *sum += value);
    }
    let n = arguments.len().max(1) as f64;
    let [plain, plain_ece, auto, auto_ece] = sums.map(|sum| sum / n);
    println!("{:<14} {plain:>7.4} {plain_ece:>7.4} {auto:>7.4} {auto_ece:>7.4}", "mean");
    Ok(())
}

/// Accuracy and calibration error of the plain vote and of auto.
fn trial(folder: &Path, known: usize, suggested: bool, context: &Context) -> Outcome<[f64; 4]> {
    let source = Source::from(folder.join("labels.csv").to_string_lossy().as_ref());
    let Data::Labels(labels) = beanjar_io::read(&source, &ReadOptions::default(), context)?.data else {
        return Err("not labels".into());
    };
    let truth = truth(folder)?;
    let classes = truth.classes_of(&labels)?.classes;
    let answers: Vec<usize> = (0..classes.len()).filter(|&task| classes[task].is_some()).collect();
    let fit = |method: Method, gold: Option<Column>| {
        Aggregate { method, gold, truth: Some(truth.clone()), ..Aggregate::default() }.fit(&labels, context)
    };
    let mut sums = [0.0; 4];
    let mut seconds = 0.0;
    let draws = if known == 0 { 1 } else { DRAWS };
    let mut correlation = 0.0;
    for draw in 0..draws {
        // Every draw takes other answers, wherever they stand in the file.
        let mut order = answers.clone();
        order.sort_by_cached_key(|&task| shuffled(draw, task as u64));
        if suggested && known > 0 {
            // Only tasks whose truth is known can be checked here.
            let mut rows = Vec::new();
            for &task in &answers {
                let votes = labels.votes(task);
                let row =
                    |(worker, label)| (labels.tasks.get(task), labels.workers.get(worker), labels.classes.get(label));
                rows.extend(votes.iter().map(row));
            }
            let known_tasks = Labels::from_rows(rows)?;
            let suggest = SuggestGold { n: known, known: None };
            let found = suggest.run(&known_tasks, &context.clone().with_seed(draw))?;
            let lookup = labels.tasks.lookup();
            order = found.tasks.iter().filter_map(|task| lookup.code(&task.task)).collect();
        }
        order.truncate(known);
        let gold = match known {
            0 => None,
            _ => {
                let ids: Dictionary = order.iter().map(|&task| labels.tasks.get(task)).collect();
                let class =
                    |&task: &usize| classes[task].map_or("", |class| labels.classes.get(class.into())).to_owned();
                Some(Column::new("gold", ids, order.iter().map(class).collect())?)
            }
        };
        let score = |outcome: &AggregateOutcome| outcome.truth.map_or((0.0, 0.0), |c| (c.accuracy, c.ece));
        let plain = fit(Method::Majority(Majority::default()), gold.clone())?;
        let begun = Instant::now();
        let auto = fit(Method::default(), gold)?;
        seconds += begun.elapsed().as_secs_f64();
        let summary = auto.fit.as_ref().and_then(|fit| fit.auto.as_ref());
        correlation = summary.map_or(0.0, |summary| summary.correlation);
        let ((a, b), (c, d)) = (score(&plain), score(&auto));
        sums.iter_mut().zip([a, b, c, d]).for_each(|(sum, value)| *sum += value / draws as f64);
        if draw == 0 && std::env::var_os("VERBOSE").is_some() {
            println!("   {}", summary.map_or(String::new(), AutoSummary::sentence));
        }
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let [a, b, c, d] = sums;
    println!("{name:<14} {a:>7.4} {b:>7.4} {c:>7.4} {d:>7.4} {:>8.2} {correlation:>7.3}", seconds / draws as f64);
    Ok(sums)
}

fn truth(folder: &Path) -> Outcome<Column> {
    let table = beanjar_io::read_table(&Source::from(folder.join("truth.csv").to_string_lossy().as_ref()))?;
    Ok(table.classes_named("label").ok_or("no column 'label'")?)
}

/// A random number for a draw and a task.
fn shuffled(draw: u64, task: u64) -> u64 {
    let mut x = (draw << 32) ^ task;
    for _ in 0..3 {
        x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93).wrapping_add(0x9e37_79b9_7f4a_7c15);
    }
    x ^ (x >> 32)
}
