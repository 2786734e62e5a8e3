//! Times the greedy path, and the moments of ten million judgments: for the benchmarks. Prints one line of JSON.
//!
//! `cargo run --release -p beanjar --example multiselect_speed path 48 100` (attributes and budget) or
//! `... moments 100000 50 2` (objects, attributes, judgments each).

use beanjar::judgments::{JudgmentColumns, JudgmentsPart};
use beanjar::multiselect::{Estimates, LabelledJudgments, Selector, Spending, Strategy};
use beanjar::{Context, Judgments};
use std::num::NonZeroUsize;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| arguments.get(i).ok_or("a number is missing")?.parse::<usize>().map_err(|_| "not a number");
    match arguments.first().map(String::as_str) {
        Some("path") => {
            let (d, budget) = (number(1)?, number(2)?);
            let (judgments, labels) = data((d + 100).min(600), d, 2)?;
            let labelled = LabelledJudgments::new(&judgments, &labels)?;
            let estimates = Estimates::new(labelled, 0.0, &Context::new())?;
            let selector = Selector { strategy: Strategy::Full, spending: Spending::judgments(budget as u32, d) };
            let start = Instant::now();
            // What the path explains at its end; the bound is not part of it.
            let explained = selector.path(&estimates, labelled)?.last().map_or(0.0, |step| step.explained);
            println!("{{\"seconds\": {}, \"explained\": {explained}}}", start.elapsed().as_secs_f64());
        }
        Some("moments") => {
            let (judgments, labels) = data(number(1)?, number(2)?, number(3)?)?;
            let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
            let context = Context::new().with_threads(threads)?;
            let start = Instant::now();
            let estimates = Estimates::new(LabelledJudgments::new(&judgments, &labels)?, 0.0, &context)?;
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "{{\"seconds\": {seconds}, \"judgments\": {}, \"noise\": {}}}",
                judgments.len(),
                estimates.noise[0]
            );
        }
        _ => return Err("say path or moments".into()),
    }
    Ok(())
}

/// Judgments that correlate with each other and the label, the same every time.
fn data(objects: usize, attributes: usize, each: usize) -> beanjar::Result<(Judgments, Vec<f64>)> {
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1u32 << 31) - 0.5
    };
    let names: Vec<String> = (0..attributes).map(|a| format!("a{a}")).collect();
    let mut labels = Vec::with_capacity(objects);
    let mut part = JudgmentsPart::default();
    for (block, start) in (0..objects).step_by(1000).enumerate() {
        let (mut ids, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for object in start..objects.min(start + 1000) {
            let common = random();
            labels.push(common + 0.3 * random());
            for (a, name) in names.iter().enumerate() {
                let truth = common * ((a % 7) as f64 / 7.0) + random();
                for _ in 0..each {
                    ids.push(format!("o{object}"));
                    columns.push(name.as_str());
                    values.push(truth + (0.2 + (a % 5) as f64 / 3.0) * random());
                }
            }
        }
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        part.push(block as u32, JudgmentColumns { objects: &ids, attributes: &columns, workers: &[], values })?;
    }
    Ok((Judgments::from_parts(vec![part], &Context::new())?, labels))
}
