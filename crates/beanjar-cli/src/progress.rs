use crate::Common;
use beanjar_io::{Progress, Source};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Arc;

/// How far the reading of a file is, on standard error if that is a terminal.
pub(crate) fn reading(source: &Source, common: &Common) -> (Option<Progress>, ProgressBar) {
    if common.quiet || !std::io::stderr().is_terminal() {
        return (None, ProgressBar::hidden());
    }
    let bar = match source.size() {
        Some(size) => ProgressBar::new(size).with_style(style("reading {msg} {bar:30} {bytes} of {total_bytes}")),
        None => ProgressBar::new_spinner().with_style(style("reading {msg} {bytes}")),
    };
    bar.set_message(source.name());
    let told = bar.clone();
    (Some(Arc::new(move |bytes| told.inc(bytes))), bar)
}

/// A bar for how far the library is, on standard error if that is a terminal. It shows itself with the first report.
pub(crate) fn working(common: &Common) -> ProgressBar {
    if common.quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    ProgressBar::new(SHARES).with_style(style("{msg} {bar:30} {percent}% {eta} left"))
}

/// The share done, in the steps of the bar.
const SHARES: u64 = 1000;

/// Moves the bar to where the library is.
pub(crate) fn moved(bar: &ProgressBar, progress: beanjar::Progress) {
    bar.set_message(progress.stage);
    // A stage within a stage may begin anew; a bar that runs backwards only confuses.
    let at = (progress.done * SHARES as f64) as u64;
    if at > bar.position() {
        bar.set_position(at);
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
