//! Reads a label file and computes alpha, and says what each took, as one line of JSON: for the benchmarks.
//!
//! `cargo run --release -p beanjar-io --example read_and_alpha labels.csv`

use beanjar::InspectLabels;
use beanjar_io::{Data, ReadOptions, Source, read};
use std::num::NonZeroUsize;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("name a label file")?;
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let context = beanjar::Context::new().with_threads(threads)?;
    let start = Instant::now();
    let Data::Labels(labels) = read(&Source::from(file), &ReadOptions::default(), &context)?.data else {
        return Err("not labels".into());
    };
    let reading = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let found = InspectLabels { bootstrap: 0, ..Default::default() }.run(&labels, &beanjar::Context::new())?;
    let alpha = start.elapsed().as_secs_f64();
    println!(
        "{{\"labels\": {}, \"tasks\": {}, \"read_seconds\": {reading:.3}, \"alpha_cpu_seconds\": {alpha:.3}, \"alpha\": {}}}",
        labels.len(),
        labels.tasks.len(),
        found.alpha.unwrap_or(f64::NAN)
    );
    Ok(())
}
