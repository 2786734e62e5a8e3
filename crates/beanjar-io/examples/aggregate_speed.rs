//! Reads a label file, aggregates it several ways, and says what each took, as one line of JSON: for the benchmarks.
//!
//! `cargo run --release -p beanjar-io --example aggregate_speed labels.csv [10]`, the number being steps of EM.

use beanjar::judgments::{Sum, Votes, sum_over};
use beanjar::truth::{DawidSkene, Evidence, Majority, Stopping};
use beanjar::workers::{Information, Missing};
use beanjar::{Context, Labels};
use beanjar_io::{Data, ReadOptions, Source, read};
use std::num::NonZeroUsize;
use std::time::Instant;

/// Only looks at every label: what any pass must cost at least.
struct Look(u64);

impl Sum<Labels> for Look {
    fn observe(&mut self, votes: Votes<'_>) {
        let seen = votes.workers.iter().zip(votes.labels).map(|(&worker, &label)| u64::from(worker) ^ u64::from(label));
        self.0 = self.0.wrapping_add(seen.sum::<u64>());
    }

    fn merge(&mut self, later: Self) {
        self.0 = self.0.wrapping_add(later.0);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("name a label file")?;
    let iterations = std::env::args().nth(2).map_or(Ok(10), |text| text.parse())?;
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let context = Context::new().with_threads(threads)?;
    let (read, data) = timed(|| read(&Source::from(file), &ReadOptions::default(), &context));
    let Data::Labels(labels) = data?.data else { return Err("not labels".into()) };
    let (look, seen) = timed(|| sum_over(&labels, &context, || Look(0)).0);
    let evidence = Evidence::votes(labels.ballots())?;
    let (majority, voted) = timed(|| Majority::default().fit(&evidence, &context));
    let voted = voted?.posterior.answer(0, 0).class;
    let stopping = Stopping { iterations, tolerance: 0.0 };
    let method = DawidSkene { stopping, ..DawidSkene::default() };
    let (dawid_skene, fitted) = timed(|| method.fit(&evidence, &context));
    let log_likelihood = fitted?.log_likelihood.unwrap_or(f64::NAN);
    let (information, scores) =
        timed(|| Information::new(labels.ballots(), Missing::Paper, &context).map(|i| i.scores()));
    let best = scores?.into_iter().fold(f64::NEG_INFINITY, f64::max);
    println!(
        "{{\"read_wall\": {:.3}, \"read_cpu\": {:.3}, \"look_wall\": {:.5}, \"look_cpu\": {:.5}, \"majority_wall\": {:.4}, \
         \"majority_cpu\": {:.4}, \"dawid_skene_wall\": {:.3}, \"dawid_skene_cpu\": {:.3}, \"information_wall\": {:.3}, \
         \"information_cpu\": {:.3}, \"log_likelihood\": {log_likelihood}, \"first\": {voted}, \"best\": {best}, \"seen\": {}}}",
        read.0,
        read.1,
        look.0,
        look.1,
        majority.0,
        majority.1,
        dawid_skene.0,
        dawid_skene.1,
        information.0,
        information.1,
        seen % 1000
    );
    Ok(())
}

/// Wall and CPU seconds of some work; CPU seconds as the system counts them for this process, in hundredths.
fn timed<T>(work: impl FnOnce() -> T) -> ((f64, f64), T) {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let done = work();
    ((start.elapsed().as_secs_f64(), cpu_seconds() - cpu), done)
}

fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: u64 = after_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}
