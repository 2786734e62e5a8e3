//! Learns from experts along a path of penalties with one thread, and says what it took and where it came to, as one
//! line of JSON: for the benchmarks. Seconds are of CPU.
//!
//! `cargo run --release -p beanjar-io --example experts_speed features.csv labels.csv [50] [30]`, the numbers being
//! penalties and random starts at the first of them. Each later penalty starts where the one before ended.

use beanjar::Context;
use beanjar::experts::{ExpertsFit, Labelled, ManyExperts};
use beanjar_io::{Data, Gaps, ReadOptions, Source, UnitIds, Wanted, read, read_features};
use serde_json::json;

const LEAST: f64 = 0.01;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (features, labels) =
        arguments.next().zip(arguments.next()).ok_or("name a file of features and one of labels")?;
    let count = arguments.next().map_or(Ok(50), |text| text.parse::<usize>())?.max(2);
    let restarts = arguments.next().map_or(Ok(30), |text| text.parse())?;
    let table =
        read_features(&Source::from(features), &UnitIds::default(), Wanted::AllBut(&[]), &Gaps::default())?.table;
    let Data::Labels(labels) = read(&Source::from(labels), &ReadOptions::default(), &Context::new())?.data else {
        return Err("not labels".into());
    };
    let lookup = table.units().lookup();
    let pairs = labels.tasks.iter().enumerate().filter_map(|(task, id)| Some((lookup.code(id)?, task)));
    let (rows, tasks): (Vec<usize>, Vec<usize>) = pairs.unzip();
    let (features, ballots) = (table.features().of_units(&rows)?, labels.ballots().of_tasks(&tasks)?);
    let data = Labelled::new(&features, &ballots)?;

    let mut marks = vec![cpu_seconds()];
    let method = ManyExperts { restarts, ..ManyExperts::default() };
    let most = method.largest_penalty(&data, &Context::new())?;
    marks.push(cpu_seconds());
    let penalty = |i: usize| most * LEAST.powf(i as f64 / (count - 1) as f64);
    let mut fits: Vec<ExpertsFit> = Vec::new();
    for penalty in (0..count).map(penalty) {
        let method = ManyExperts { penalty, ..method.clone() };
        let fit = match fits.last() {
            None => method.fit(&data, &Context::new())?,
            Some(last) => method.fit_from(&data, last, &Context::new())?,
        };
        fits.push(fit);
        if fits.len() == 1 {
            marks.push(cpu_seconds());
        }
    }
    marks.push(cpu_seconds());
    let nonzero = |fit: &ExpertsFit| {
        let both = fit.model.classifier().coefficients().iter().chain(fit.model.ease());
        both.filter(|b| **b != 0.0).count()
    };
    let written = |fit: &ExpertsFit| {
        json!({
            "intercept": fit.model.classifier().intercepts()[0],
            "truth": fit.model.classifier().coefficients(),
            "skills": fit.model.skills(),
            "difficulty": fit.model.ease(),
        })
    };
    let said = json!({
        "largest_seconds": marks[1] - marks[0],
        "first_seconds": marks[2] - marks[1],
        "path_seconds": marks[3] - marks[2],
        "seconds": marks[3] - marks[0],
        "peak_megabytes": peak_megabytes(),
        "penalties": (0..count).map(penalty).collect::<Vec<_>>(),
        "objectives": fits.iter().map(|fit| fit.objective).collect::<Vec<_>>(),
        "nonzero": fits.iter().map(nonzero).collect::<Vec<_>>(),
        "steps": fits.iter().map(|fit| fit.iterations).collect::<Vec<_>>(),
        "experts": labels.workers.iter().collect::<Vec<_>>(),
        "fits": fits.iter().map(written).collect::<Vec<_>>(),
    });
    println!("{said}");
    Ok(())
}

fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<f64>().ok()).unwrap_or(f64::NAN) / 1024.0
}

/// Of this thread, which does all the work.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split_whitespace().next().and_then(|text| text.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1e9
}
