//! Files of every format and model files of every kind, changed at random: whatever comes, an answer or one sentence.
//!
//! `cargo test` tries 24,000 of them. `bench/fuzz` goes on for as long as one likes. Files that once went wrong are in
//! `kept`, and are tried each time.

#![allow(clippy::unwrap_used)]

mod columnar_files;
mod corpus;
mod exports;
mod json;
mod models;
mod numpy_files;
mod old_workbook;
mod random;
mod readers;
mod sheets;
mod text;

use random::Random;
use std::path::Path;
use std::time::{Duration, Instant};

/// A file: how its name ends, and what is in it.
#[derive(Clone, Debug)]
pub struct Case {
    pub ending: &'static str,
    pub bytes: Vec<u8>,
}

/// Tries changed cases: `usual` of them, or for as many seconds as `BEANJAR_FUZZ_SECONDS` says.
fn try_many(name: &str, usual: u64, mut change: impl FnMut(&mut Random) -> Case, try_one: impl Fn(&Path)) {
    silence_expected_panics();
    let folder = tempfile::tempdir().unwrap();
    let seconds: Option<u64> = std::env::var("BEANJAR_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    let first: u64 = std::env::var("BEANJAR_FUZZ_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let begin = Instant::now();
    let mut tried = 0;
    while match seconds {
        Some(seconds) => begin.elapsed() < Duration::from_secs(seconds),
        None => tried < usual,
    } {
        let case = change(&mut Random::new(first.wrapping_add(tried).wrapping_mul(0x9e37_79b9)));
        let path = folder.path().join(format!("f.{}", case.ending));
        std::fs::write(&path, &case.bytes).unwrap();
        let (started, used) = (Instant::now(), processor_time());
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| try_one(&path)));
        // Both: waiting for a busy machine is not slow, nor is the work of the tests beside this one.
        let slow = started.elapsed() > SLOW && processor_time().is_none_or(|now| now - used.unwrap_or_default() > SLOW);
        if done.is_err() || slow || peak_memory() > MOST_MEMORY {
            let kept = std::env::temp_dir().join(format!("beanjar-fuzz-{name}-{first}-{tried}.{}", case.ending));
            std::fs::write(&kept, &case.bytes).unwrap();
            let what = if done.is_err() {
                "fails"
            } else if slow {
                "takes too long"
            } else {
                "takes too much memory"
            };
            panic!("{name}, case {tried} of seed {first} {what}; it is in {}", kept.display());
        }
        tried += 1;
    }
    println!("{name}: {tried} cases in {:.0} s", begin.elapsed().as_secs_f64());
}

/// Readers of others panic about damaged files, which is caught and no news.
fn silence_expected_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !beanjar_io::expects_panic() {
                usual(panic);
            }
        }));
    });
}

/// No small file may take longer.
const SLOW: Duration = Duration::from_secs(20);

/// The processor time that this process has had; none where the system does not say.
fn processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the name, which is in brackets: the 12th and 13th are its own ticks and those of the system for it, of which a
    // second has 100.
    let (_, after) = stat.rsplit_once(')')?;
    let ticks = after.split_whitespace().skip(11).take(2).map(|text| text.parse::<u64>().ok()).sum::<Option<u64>>()?;
    Some(Duration::from_millis(10 * ticks))
}

/// In bytes: no small file may take more, whatever it says of itself.
const MOST_MEMORY: u64 = 3 << 30;

/// The most memory that this process has had, in bytes; 0 where the system does not say.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) << 10
}

#[test]
fn text_files() {
    let corpus = corpus::text();
    try_many("text", 5000, |random| text::changed(&corpus, random), readers::try_file);
}

#[test]
fn exports_and_other_json() {
    let corpus = exports::all();
    try_many("json", 5000, |random| json::changed(&corpus, random), readers::try_file);
}

#[test]
fn parquet_and_arrow_files() {
    let corpus = columnar_files::all();
    try_many("columnar", 4000, |random| columnar_files::changed(&corpus, random), readers::try_file);
}

#[test]
fn spreadsheets() {
    let corpus = sheets::all();
    try_many("sheets", 2000, |random| sheets::changed(&corpus, random), readers::try_file);
}

#[test]
fn numpy_files() {
    let corpus = numpy_files::all();
    try_many("numpy", 4000, |random| numpy_files::changed(&corpus, random), numpy_files::try_file);
}

#[test]
fn model_files() {
    let corpus = models::all();
    try_many("models", 4000, |random| models::changed(&corpus, random), models::try_file);
}

#[test]
fn files_that_once_went_wrong() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/kept");
    for file in std::fs::read_dir(kept).unwrap() {
        let path = file.unwrap().path();
        match path.to_string_lossy() {
            name if name.ends_with(".model.json") => models::try_file(&path),
            name if name.ends_with(".npy") || name.ends_with(".npz") => numpy_files::try_file(&path),
            _ => readers::try_file(&path),
        }
    }
}

#[test]
fn what_is_in_the_corpus_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    for cases in [corpus::text(), exports::all(), columnar_files::all(), sheets::all()] {
        for (number, case) in cases.iter().enumerate() {
            let path = folder.path().join(format!("f.{}", case.ending));
            std::fs::write(&path, &case.bytes).unwrap();
            let read = readers::read_any(&path);
            assert!(read.is_ok(), "{number}, {}: {}", case.ending, read.unwrap_err());
        }
    }
    let arrays = numpy_files::all();
    let read = |case: &&Case| {
        let path = folder.path().join(format!("f.{}", case.ending));
        std::fs::write(&path, &case.bytes).unwrap();
        numpy_files::read_any(&path)
    };
    // Three dimensions, objects, records and two matrices are refused on purpose.
    assert_eq!(arrays.len() - arrays.iter().filter(read).count(), 4);
}
