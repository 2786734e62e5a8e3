//! How far a call is: a bar on standard error, if that is a terminal.

use crate::Common;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;

/// The bar. It appears with the first report of the library.
pub(crate) fn working(common: &Common) -> ProgressBar {
    if common.quiet || common.caller.is_some() || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg} {bar:30} {percent}% {eta} left");
    ProgressBar::new(SHARES).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// The share done, in the steps of the bar.
const SHARES: u64 = 1000;

/// Moves the bar to where the library is.
pub(crate) fn moved(bar: &ProgressBar, progress: beanjar::Progress) {
    // It was taken off the terminal for a warning, or for the result of an earlier call.
    if bar.is_finished() {
        bar.reset();
    }
    bar.set_message(progress.stage);
    // A stage within a stage may begin anew; a bar that runs backwards only confuses.
    let at = (progress.done * SHARES as f64) as u64;
    if at > bar.position() {
        bar.set_position(at);
    }
}
