//! Runs a paper's experiments and sets its published figures beside ours.

mod many_experts;
mod multi_selection;
mod settings;
mod table;
mod votes;
mod worker_selection;

use clap::{Args, Parser, Subcommand};
use settings::{Result, Settings};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Run a paper's experiments and set its published figures beside ours.
///
/// Prints tables; with --out FOLDER the figures are written there as SVG.
#[derive(Parser)]
#[command(
    name = "beanjar-papers",
    version,
    max_term_width = 100,
    after_help = "Examples:\n  beanjar-papers multi-selection --data data --out figures\n  beanjar-papers worker-selection --data data --out figures\n  beanjar-papers many-experts --data data --out figures\n  beanjar-papers votes --data data --out figures"
)]
struct Cli {
    #[command(subcommand)]
    paper: Paper,
}

#[derive(Subcommand)]
enum Paper {
    /// Sabato and Kalai (2013): which attributes to judge, and how often.
    ///
    /// Needs slices/slice_localization_data.csv.gz and affect/judgments.csv with affect/truth.csv in the data folder. A
    /// set that is not there is named and left out. The photos are simulated.
    MultiSelection {
        #[command(flatten)]
        common: Common,
        /// The number of random splits into training and test objects.
        #[arg(long, value_name = "N", default_value = "50")]
        splits: NonZeroUsize,
    },
    /// Zhao and Zucker: which workers to trust, and the true labels, with no truth at hand.
    ///
    /// Needs labels.csv and truth.csv in crowd/bird, rte, trec, dog and web of the data folder. A set that is not there is
    /// named and left out.
    WorkerSelection {
        #[command(flatten)]
        common: Common,
        /// The number of runs of the spectral method.
        #[arg(long, value_name = "N", default_value = "20")]
        runs: NonZeroUsize,
        /// Only these sets, by name.
        #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
        sets: Vec<String>,
    },
    /// Izbicki and Stern (2014): a sparse classifier from noisy experts, and the choice among models without truth.
    ///
    /// Needs features.csv and truth.csv in experts/ionosphere and experts/wine, and labels.csv, truth.csv and
    /// features.csv.gz in music, of the data folder. A set that is not there is named and left out. The labels of experts
    /// are drawn anew for each run; the first set is simulated. The astronomers' labels of galaxies are not public.
    ManyExperts {
        #[command(flatten)]
        common: Common,
        /// The number of runs of each case.
        #[arg(long, value_name = "N", default_value = "20")]
        runs: NonZeroUsize,
        /// Only these sets, by name: simulated, ionosphere, wine, music.
        #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
        sets: Vec<String>,
    },
    /// How many votes, and whose: `beanjar votes` and `beanjar next` on sets whose truth is known.
    ///
    /// From half the votes of each task, what all of them will be worth; and votes revealed on request, beside random order
    /// and the least sure first. Takes every folder with labels.csv and truth.csv in the data folder.
    Votes {
        #[command(flatten)]
        common: Common,
        /// The number of random halves of each set; 0 leaves the halves out.
        #[arg(long, value_name = "N", default_value_t = 1)]
        draws: u64,
        /// In how many random orders votes are revealed on request, which takes most of the time; 0 leaves it out.
        #[arg(long, value_name = "N", default_value_t = 1)]
        orders: u64,
        /// In place of the data: this many simulated crowds of each of ten kinds, and how often the bands hold.
        #[arg(long, value_name = "N", default_value_t = 0)]
        simulated: u64,
        /// Only these sets, by name.
        #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
        sets: Vec<String>,
    },
}

/// Flags that every paper takes.
#[derive(Args)]
struct Common {
    /// The folder with the data sets.
    #[arg(long, value_name = "FOLDER")]
    data: PathBuf,
    /// Write the figures to this folder, as SVG.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// The seed of every random choice.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// The number of threads [default: all cores]. No result depends on it.
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// No progress on standard error.
    #[arg(long, short)]
    quiet: bool,
}

fn main() -> ExitCode {
    match run(&Cli::parse().paper) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(paper: &Paper) -> Result<()> {
    let text = match paper {
        Paper::MultiSelection { common, splits } => multi_selection::run(&Settings::new(common)?, splits.get() as u64)?,
        Paper::WorkerSelection { common, runs, sets } => {
            worker_selection::run(&Settings::new(common)?, runs.get(), sets)?
        }
        Paper::ManyExperts { common, runs, sets } => {
            many_experts::run(&Settings::new(common)?, runs.get() as u64, sets)?
        }
        Paper::Votes { common, draws, orders, simulated, sets } => {
            let parts = votes::Parts { draws: *draws, orders: *orders, simulated: *simulated };
            votes::run(&Settings::new(common)?, sets, &parts)?
        }
    };
    Ok(std::io::stdout().lock().write_all(text.as_bytes())?)
}
