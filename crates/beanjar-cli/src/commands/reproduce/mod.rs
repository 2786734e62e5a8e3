//! The papers' experiments, with their published figures beside ours.

mod many_experts;
mod multi_selection;
mod worker_selection;

use crate::Common;
use crate::failure::{Failure, Result};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Run a paper's experiments and set its published figures beside ours.
///
/// Prints tables; with --out FOLDER the figures are written there as SVG.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  beanjar reproduce multi-selection --data data --out figures\n  beanjar reproduce worker-selection --data data --out figures\n  beanjar reproduce many-experts --data data --out figures"
)]
pub(crate) struct Reproduce {
    #[command(subcommand)]
    paper: Paper,
}

#[derive(Subcommand)]
enum Paper {
    /// Sabato and Kalai (2013): which attributes to judge, and how often.
    ///
    /// Needs slices/slice_localization_data.csv.gz and affect/judgments.csv with affect/truth.csv in the data folder; what
    /// is not there is left out, and said so. The photos are simulated.
    MultiSelection {
        /// The folder with the data sets.
        #[arg(long, value_name = "FOLDER")]
        data: PathBuf,
        /// How many random splits into training and test objects.
        #[arg(long, value_name = "N", default_value_t = 50)]
        splits: u64,
    },
    /// Zhao and Zucker: which workers to trust, and the true labels, with no truth at hand.
    ///
    /// Needs labels.csv and truth.csv in crowd/bird, rte, trec, dog and web of the data folder; what is not there is left
    /// out, and said so.
    WorkerSelection {
        /// The folder with the data sets.
        #[arg(long, value_name = "FOLDER")]
        data: PathBuf,
        /// How many runs of the spectral method.
        #[arg(long, value_name = "N", default_value_t = 20)]
        runs: usize,
        /// Only these sets, by name.
        #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
        sets: Vec<String>,
    },
    /// Izbicki and Stern (2014): a sparse classifier from noisy experts, and the choice among models without truth.
    ///
    /// Needs features.csv and truth.csv in experts/ionosphere and experts/wine, and labels.csv, truth.csv and
    /// features.csv.gz in music, of the data folder; what is not there is left out, and said so. The labels of experts are
    /// drawn anew for each run; the first set is simulated. The astronomers' labels of galaxies are not public.
    ManyExperts {
        /// The folder with the data sets.
        #[arg(long, value_name = "FOLDER")]
        data: PathBuf,
        /// How many runs of each case.
        #[arg(long, value_name = "N", default_value_t = 20)]
        runs: u64,
        /// Only these sets, by name: simulated, ionosphere, wine, music.
        #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
        sets: Vec<String>,
    },
}

impl Reproduce {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let figures = Figures::new(common)?;
        let (Paper::MultiSelection { data, .. }
        | Paper::WorkerSelection { data, .. }
        | Paper::ManyExperts { data, .. }) = &self.paper;
        if !data.is_dir() {
            return Err(Failure::Words(format!(
                "{}: there is no such folder; name the one with the data sets",
                data.display()
            )));
        }
        let text = match &self.paper {
            Paper::MultiSelection { splits: 0, .. } => {
                return Err(Failure::Words("--splits: at least one split is needed".into()));
            }
            Paper::WorkerSelection { runs: 0, .. } | Paper::ManyExperts { runs: 0, .. } => {
                return Err(Failure::Words("--runs: at least one run is needed".into()));
            }
            Paper::MultiSelection { data, splits } => multi_selection::run(data, *splits, &figures, common)?,
            Paper::ManyExperts { data, runs, sets } => many_experts::run(data, *runs, sets, &figures, common)?,
            Paper::WorkerSelection { data, runs, sets } => worker_selection::run(data, *runs, sets, &figures, common)?,
        };
        use std::io::Write;
        Ok(std::io::stdout().lock().write_all(text.as_bytes())?)
    }
}

/// Where figures go, if anywhere.
struct Figures {
    folder: Option<PathBuf>,
}

impl Figures {
    fn new(common: &Common) -> Result<Figures> {
        if let Some(folder) = &common.out {
            let refused = |error| Failure::Words(format!("{}: cannot be made a folder: {error}", folder.display()));
            std::fs::create_dir_all(folder).map_err(refused)?;
        }
        Ok(Figures { folder: common.out.clone() })
    }

    /// Writes a figure, and says where it is.
    fn write(&self, name: &str, chart: &beanjar_report::Chart) -> Result<String> {
        self.write_svg(name, &chart.svg())
    }

    /// Writes a drawing, and says where it is.
    fn write_svg(&self, name: &str, svg: &str) -> Result<String> {
        let Some(folder) = &self.folder else { return Ok(String::new()) };
        let path = folder.join(name);
        let mut output = beanjar_io::Output::create(&path, &[])?;
        output.write_text(svg)?;
        output.finish()?;
        Ok(format!("  figure: {}\n", path.display()))
    }
}
