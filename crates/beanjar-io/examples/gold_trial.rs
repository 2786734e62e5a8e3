//! How often the interval of `score --gold` has the true risk, on folders that hold labels.csv and truth.csv: each of some
//! workers in turn is the model, and the others' labels are what it is scored on. Tasks are drawn with replacement, so that
//! the folder's tasks are the population, and the first ones have a known answer. For docs/many-experts.md.
//!
//! `cargo run --release -p beanjar-io --example gold_trial FOLDERS`

use beanjar::judgments::Column;
use beanjar::{Context, Labels, Score};
use beanjar_io::{Data, ReadOptions, Source, read_table};
use std::collections::HashMap;
use std::path::Path;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Workers that are models, those with the most labels; tasks in a draw, and draws for each.
const MODELS: usize = 4;
const TASKS: usize = 1000;
const DRAWS: u64 = 100;

fn main() -> Outcome<()> {
    let folders: Vec<String> = std::env::args().skip(1).collect();
    println!(
        "{:<12} {:>6} {:>6} {:>6} | known 50: covered alone width | known 200: covered alone width",
        "folder", "tasks", "models", "risk"
    );
    for folder in &folders {
        trial(Path::new(folder))?;
    }
    Ok(())
}

fn trial(folder: &Path) -> Outcome<()> {
    let context = Context::new();
    let Data::Labels(labels) =
        beanjar_io::read(&Source::from(folder.join("labels.csv")), &ReadOptions::default(), &context)?.data
    else {
        return Err("not labels".into());
    };
    let table = read_table(&Source::from(folder.join("truth.csv")))?;
    let truth = table.classes(0).ok_or("no truth")?;
    let truth: HashMap<&str, &str> = truth.ids().iter().zip(truth.values().iter().map(String::as_str)).collect();
    let mut busiest: Vec<usize> = (0..labels.workers.len()).collect();
    let counts = labels.ballots().per_worker();
    busiest.sort_by_key(|&worker| std::cmp::Reverse(counts[worker]));
    let (mut sums, mut models, mut tasks, mut risks) = ([[0.0; 4]; 2], 0.0, 0, 0.0);
    for &model in busiest.iter().take(MODELS) {
        // What this worker says, and what the others say of these tasks.
        let mut said: Vec<(&str, &str)> = Vec::new();
        let mut others: Vec<Vec<(&str, &str)>> = Vec::new();
        for (task, id) in labels.tasks.iter().enumerate().filter(|(_, id)| truth.contains_key(id)) {
            let votes = labels.votes(task);
            let Some((_, label)) = votes.iter().find(|vote| vote.0 == model) else { continue };
            said.push((id, labels.classes.get(label)));
            let row = |(worker, label): (usize, usize)| (labels.workers.get(worker), labels.classes.get(label));
            others.push(votes.iter().filter(|vote| vote.0 != model).map(row).collect());
        }
        if said.len() < 100 {
            continue;
        }
        let risk = said.iter().filter(|(task, label)| truth[task] != *label).count() as f64 / said.len() as f64;
        (models, tasks, risks) = (models + 1.0, said.len(), risks + risk);
        for draw in 0..DRAWS {
            let drawn: Vec<usize> =
                (0..TASKS).map(|at| (shuffled(draw, at as u64) % said.len() as u64) as usize).collect();
            let ids: Vec<String> = (0..TASKS).map(|at| at.to_string()).collect();
            let rows = drawn
                .iter()
                .zip(&ids)
                .flat_map(|(&at, id)| others[at].iter().map(move |(worker, label)| (&id[..], *worker, *label)));
            let drawn_labels = Labels::from_rows(rows)?;
            let column = Column::from_rows("model", drawn.iter().zip(&ids).map(|(&at, id)| (&id[..], said[at].1)))?;
            for (sums, known) in sums.iter_mut().zip([50, 200]) {
                let gold = drawn.iter().zip(&ids).take(known).map(|(&at, id)| (&id[..], truth[said[at].0]));
                let score = Score { gold: Some(Column::from_rows("label", gold)?), ..Score::default() };
                let found = score.run(std::slice::from_ref(&column), &drawn_labels, &context)?;
                let Some(found) = found.models[0].gold else { continue };
                let inside = |low: f64, high: f64| f64::from(u8::from(low <= risk && risk <= high));
                let widths = [found.high - found.low, found.alone_high - found.alone_low];
                let row =
                    [inside(found.low, found.high), inside(found.alone_low, found.alone_high), widths[0], widths[1]];
                sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value / DRAWS as f64);
            }
        }
    }
    if models > 0.0 {
        let part = |sums: [f64; 4]| format!("{:.3} {:.3} {:.2}", sums[0] / models, sums[1] / models, sums[2] / sums[3]);
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        println!("{name:<12} {tasks:>6} {models:>6} {:>6.3} | {} | {}", risks / models, part(sums[0]), part(sums[1]));
    }
    Ok(())
}

fn shuffled(draw: u64, at: u64) -> u64 {
    let mut mixed = (draw << 32 ^ at).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
