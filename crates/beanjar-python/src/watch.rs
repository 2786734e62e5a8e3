//! Long work, with the interpreter free for others, a progress bar, and an ear for Ctrl-C.

use beanjar::Context;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

create_exception!(
    beanjar,
    BeanjarError,
    PyValueError,
    "What is wrong with the data or the arguments, in one sentence."
);

/// What the work tells of itself, and whether it is to stop.
#[derive(Default)]
struct Watch {
    last: Mutex<Option<(&'static str, f64)>>,
    stop: AtomicBool,
}

/// Hears how far the work is, and says whether to go on.
#[derive(Clone)]
pub(crate) struct Ear(Arc<Watch>);

impl Ear {
    pub(crate) fn hear(&self, stage: &'static str, done: f64) -> ControlFlow<()> {
        *self.0.last.lock().unwrap_or_else(PoisonError::into_inner) = Some((stage, done));
        if self.0.stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// A context of the library that reports to it.
    pub(crate) fn context(&self) -> Context {
        let ear = self.clone();
        Context::new().with_progress(move |progress| ear.hear(progress.stage, progress.done))
    }
}

/// How often Python is asked whether it was interrupted. A tenth of a second feels prompt.
const INTERVAL: Duration = Duration::from_millis(50);

/// The interpreter's own threads have as much on Linux.
const STACK: usize = 8 << 20;

/// Does `work` on a thread of its own, without the interpreter's lock. Meanwhile this thread, which is the one that
/// hears of signals, shows progress with `show(stage, done)`. An exception there, or Ctrl-C, stops the work.
pub(crate) fn watched<'py, T: Send>(
    py: Python<'py>,
    show: Option<Bound<'py, PyAny>>,
    work: impl FnOnce(Ear) -> T + Send,
) -> PyResult<T> {
    let watch = Arc::new(Watch::default());
    let show = show.map(Bound::unbind);
    let look = |py: Python<'_>| -> PyResult<()> {
        py.check_signals()?;
        let last = watch.last.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (&show, last) {
            (Some(show), Some(last)) => show.call1(py, last).map(drop),
            _ => Ok(()),
        }
    };
    let ear = Ear(watch.clone());
    py.detach(|| {
        std::thread::scope(|scope| {
            let (done, finished) = channel::<()>();
            let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || {
                // Dropped when the work is done, or has panicked.
                let _done = done;
                work(ear)
            })?;
            let mut interrupted = None;
            while let Err(RecvTimeoutError::Timeout) = finished.recv_timeout(INTERVAL) {
                if interrupted.is_none() {
                    interrupted = Python::attach(look).err();
                    watch.stop.store(interrupted.is_some(), Ordering::Relaxed);
                }
            }
            match (worker.join(), interrupted) {
                (Err(panic), _) => std::panic::resume_unwind(panic),
                (Ok(_), Some(interruption)) => Err(interruption),
                (Ok(result), None) => Ok(result),
            }
        })
    })
}
