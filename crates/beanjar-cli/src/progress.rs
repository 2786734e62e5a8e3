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

/// That something is being worked on, on standard error if that is a terminal; gone when it goes out of scope.
pub(crate) fn working(what: &str, common: &Common) -> Working {
    if common.quiet || !std::io::stderr().is_terminal() {
        return Working(ProgressBar::hidden());
    }
    let bar = ProgressBar::new_spinner().with_style(style("{spinner} {msg} {elapsed}"));
    bar.set_message(what.to_owned());
    bar.enable_steady_tick(std::time::Duration::from_millis(100));
    Working(bar)
}

/// A sign of life.
pub(crate) struct Working(ProgressBar);

impl Drop for Working {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
