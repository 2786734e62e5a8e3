use crate::Common;
use beanjar::Context;
use beanjar_report::Chart;
use std::path::PathBuf;

/// Any error ends the program with one sentence.
pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// What all papers' experiments share: where the data are, where figures go, threads and seed.
pub(crate) struct Settings {
    /// The folder with the data sets.
    pub(crate) data: PathBuf,
    /// Threads and seed.
    pub(crate) context: Context,
    figures: Option<PathBuf>,
    quiet: bool,
}

impl Settings {
    pub(crate) fn new(common: &Common) -> Result<Settings> {
        let Common { data, out, seed, threads, quiet } = common;
        if !data.is_dir() {
            return Err(format!("{}: no such folder; --data names the one with the data sets", data.display()).into());
        }
        if let Some(folder) = out {
            let refused = |error| format!("{}: the folder cannot be created: {error}", folder.display());
            std::fs::create_dir_all(folder).map_err(refused)?;
        }
        let all = || std::thread::available_parallelism().unwrap_or(std::num::NonZeroUsize::MIN);
        let context = Context::new().with_threads(threads.unwrap_or_else(all))?.with_seed(*seed);
        Ok(Settings { data: data.clone(), context, figures: out.clone(), quiet: *quiet })
    }

    /// Names the step that begins now, on standard error.
    pub(crate) fn say(&self, step: &str) {
        if !self.quiet {
            eprintln!("{step} ...");
        }
    }

    /// Writes a chart, and returns a line with its path.
    pub(crate) fn write(&self, name: &str, chart: &Chart) -> Result<String> {
        self.write_svg(name, &chart.svg())
    }

    /// Writes a drawing, and returns a line with its path.
    pub(crate) fn write_svg(&self, name: &str, svg: &str) -> Result<String> {
        let Some(folder) = &self.figures else { return Ok(String::new()) };
        let path = folder.join(name);
        let mut output = beanjar_io::Output::create(&path, &[])?;
        output.write_text(svg)?;
        output.finish()?;
        Ok(format!("  figure: {}\n", path.display()))
    }
}
