//! The `beanjar` command: parse, call, print.
//!
//! [`main()`] is the whole program. [`call()`] is a command for other programs: with tables in place of files, for an answer
//! and not for a terminal.
#![warn(missing_docs)]

mod call;
mod commands;
mod failure;
mod memory;
mod output;
mod parsing;
mod progress;
mod signals;

pub use call::{Answer, call};

use call::Caller;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use commands::{
    aggregate, completions, convert, demo, fit, gold, inspect, learn, next, plan, predict, score, select, simulate,
    votes, workers,
};
use failure::Failure;
use parsing::parsed;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Once, OnceLock};

/// Learn from noisy, subjective judgments: what to ask, how many times, whom to trust.
///
/// Judgments are tables of object,attribute,worker,value; labels are tables of task,worker,label. Files may be .csv,
/// .tsv, .jsonl, .json (also with .gz or .zst), .parquet, .arrow or .xlsx, and exports of annotation tools; - is standard
/// input.
#[derive(Parser)]
#[command(
    name = "beanjar",
    version,
    after_help = "Begin with:\n  beanjar demo                      the whole story on simulated data\n  beanjar inspect labels.csv        how reliable is my data?\n  beanjar aggregate labels.csv      what are the true labels?"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    common: Common,
}

/// Flags that every command takes.
#[derive(Args)]
struct Common {
    /// How to print the result [default: table on a terminal, json elsewhere, or by the name of --out].
    #[arg(long, global = true, value_enum, value_name = "FORMAT", help_heading = "Common options")]
    format: Option<Format>,
    /// Write the result to this file (for simulate: to this folder) and not to standard output. Its name shows the format:
    /// .json, .txt, .md, a table as .csv, .tsv, .jsonl, .parquet, .arrow, .xlsx, or the report as .html where the command
    /// has --report.
    #[arg(long, short, global = true, value_name = "FILE", help_heading = "Common options")]
    out: Option<PathBuf>,
    /// The seed of every random choice: same input and seed, same output.
    #[arg(long, global = true, value_name = "N", default_value_t = 0, help_heading = "Common options")]
    seed: u64,
    /// How many threads to use [default: all cores]. No result depends on it.
    #[arg(long, global = true, value_name = "N", help_heading = "Common options")]
    threads: Option<NonZeroUsize>,
    /// No progress and no warnings.
    #[arg(long, short, global = true, help_heading = "Common options")]
    quiet: bool,
    /// In CSV and TSV, put ' before texts that a spreadsheet would take for a formula: those that begin with = + - @.
    #[arg(long, global = true, help_heading = "Common options")]
    safe_csv: bool,
    /// What a compressed file may unpack to, in GB [default: 1, or 100 times its size if that is more].
    #[arg(long, global = true, value_name = "GB", value_parser = gigabytes, help_heading = "Common options")]
    unpack_limit: Option<f64>,
    #[arg(skip)]
    started: OnceLock<(beanjar::Context, indicatif::ProgressBar)>,
    /// How true and false were first written.
    #[arg(skip)]
    yes_or_no: OnceLock<Vec<String>>,
    /// The program that wants an answer, if it is not for a terminal.
    #[arg(skip)]
    caller: Option<Caller>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Table,
    /// For programs, with everything in it.
    Json,
    /// For spreadsheets: the main table alone.
    Csv,
}

#[derive(Subcommand)]
enum Command {
    Inspect(inspect::Inspect),
    Select(select::Select),
    Plan(plan::Plan),
    Fit(fit::Fit),
    Workers(workers::Workers),
    Aggregate(Box<aggregate::Aggregate>),
    Gold(gold::Gold),
    Votes(votes::Votes),
    Next(Box<next::Next>),
    Learn(learn::Learn),
    Predict(predict::Predict),
    Score(score::Score),
    Simulate(simulate::Simulate),
    Convert(convert::Convert),
    Demo(demo::Demo),
    Completions(completions::Completions),
    Man(completions::Man),
}

/// Does what the command line asks for, its first word being the program's name. Gives the exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match parsed(arguments) {
        Ok(cli) => cli,
        Err(other) => {
            let _ = other.print();
            return other.exit_code() as u8;
        }
    };
    hush_expected_panics();
    signals::clear_up_when_stopped();
    memory::end_with_a_sentence();
    match cli.run() {
        Ok(()) => 0,
        // Whoever reads our output has had enough of it, as `head` has.
        Err(Failure::Closed) => 0,
        Err(failure) => {
            cli.common.clear_bar();
            output::say(&format!("error: {}\n", said(&failure)));
            2
        }
    }
}

/// A failure in one line.
fn said(failure: &Failure) -> String {
    /// Enough for any sentence; what stands in a file may be longer.
    const MOST: usize = 1200;
    let words = failure.to_string();
    let cut = if words.chars().nth(MOST).is_some() { "..." } else { "" };
    let words: String = words.chars().take(MOST).collect();
    output::one_line(&words) + cut
}

/// A damaged file that makes a reader panic is an error of one sentence; only our own mistakes show more.
fn hush_expected_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !beanjar_io::expects_panic() {
                usual(panic);
            }
        }));
    });
}

/// A size above 0.
fn gigabytes(text: &str) -> Result<f64, String> {
    let size = text.trim().parse().ok().filter(|size: &f64| *size > 0.0 && size.is_finite());
    size.ok_or_else(|| "it must be a number above 0".to_owned())
}

impl Cli {
    fn run(&self) -> failure::Result<()> {
        let Cli { command, common } = self;
        if let Some(limit) = common.unpack_limit {
            beanjar_io::set_unpack_limit((limit * 1e9) as u64);
        }
        match command {
            Command::Inspect(command) => command.run(common),
            Command::Select(command) => command.run(common),
            Command::Plan(command) => command.run(common),
            Command::Fit(command) => command.run(common),
            Command::Workers(command) => command.run(common),
            Command::Aggregate(command) => command.run(common),
            Command::Gold(command) => command.run(common),
            Command::Votes(command) => command.run(common),
            Command::Next(command) => command.run(common),
            Command::Learn(command) => command.run(common),
            Command::Predict(command) => command.run(common),
            Command::Score(command) => command.run(common),
            Command::Simulate(command) => command.run(common),
            Command::Convert(command) => command.run(common),
            Command::Demo(command) => command.run(common),
            Command::Completions(command) => command.run(common, Cli::command()),
            Command::Man(command) => command.run(common, Cli::command()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_of_help_can_be_pasted() {
        let mut seen = 0;
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in help.lines().map(str::trim).filter_map(|line| line.split_once("beanjar ")) {
                let (before, example) = line;
                // Sentences quote commands, and pipes come before them.
                if !before.is_empty() && !before.ends_with("| ") {
                    continue;
                }
                let example = example.split(" > ").next().unwrap_or_default();
                let words = std::iter::once("beanjar").chain(example.split_whitespace());
                assert!(parsed(words).is_ok(), "{}: {example}", command.get_name());
                seen += 1;
            }
        }
        assert!(seen > 20, "{seen}");
    }
}
