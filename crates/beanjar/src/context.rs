//! What every call may use, and whom it keeps informed: threads, a seed, and progress that can say stop.

use crate::{Error, Result};
use std::fmt;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The threads, the seed and the progress callback of a call. An argument, never a global.
///
/// | part | meaning | default |
/// |---|---|---|
/// | threads | how many may work; no result depends on it | 1 |
/// | seed | of every random choice | 0 |
/// | progress | is called with the stage and the share done; may stop the call | none |
///
/// ```
/// use beanjar::Context;
/// use std::num::NonZeroUsize;
/// use std::ops::ControlFlow;
///
/// let context = Context::new()
///     .with_threads(NonZeroUsize::new(2).unwrap())?
///     .with_seed(7)
///     .with_progress(|progress| {
///         eprintln!("{}: {:.0}%", progress.stage, 100.0 * progress.done);
///         ControlFlow::Continue(())
///     });
/// assert_eq!((context.threads(), context.seed()), (2, 7));
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone)]
pub struct Context {
    pool: Option<Arc<rayon::ThreadPool>>,
    threads: usize,
    seed: u64,
    monitor: Option<Arc<Monitor>>,
    /// Which part of the whole call this context stands for.
    part: (f64, f64),
    /// Whether this context only listens for stop.
    silent: bool,
}

/// How far a call has come.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// What is being done, as a participle: "aggregating".
    pub stage: &'static str,
    /// The share of the call that is done, from 0 to 1.
    pub done: f64,
}

struct Monitor {
    callback: Box<Callback>,
    stopped: AtomicBool,
    /// What was last reported.
    last: Mutex<Progress>,
    /// Products computed since the callback was last called from [`Context::worked`].
    products: AtomicUsize,
}

/// After this many products, a few hundredths of a second, the callback is asked again.
const PRODUCTS_BETWEEN_CALLS: usize = 50_000_000;

impl Monitor {
    fn call(&self, progress: Progress) -> Result<()> {
        if !self.stopped.load(Ordering::Relaxed) && (self.callback)(progress).is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.go_on()
    }

    fn go_on(&self) -> Result<()> {
        if self.stopped.load(Ordering::Relaxed) { Err(Error::Stopped) } else { Ok(()) }
    }
}

type Callback = dyn Fn(Progress) -> ControlFlow<()> + Send + Sync;

/// More are a slip of the finger.
const MOST_THREADS: usize = 1024;

impl Context {
    /// One thread, seed 0, no progress.
    #[must_use]
    pub fn new() -> Self {
        Context { pool: None, threads: 1, seed: 0, monitor: None, part: (0.0, 1.0), silent: false }
    }

    /// The same with a pool of `count` threads, to be shared by all calls of a program.
    pub fn with_threads(self, count: NonZeroUsize) -> Result<Self> {
        let count = count.get();
        if count > MOST_THREADS {
            let value = count.to_string();
            return Err(Error::OutOfRange { name: "the number of threads", value, range: "at most 1024" });
        }
        let pool = match count {
            1 => None,
            _ => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
                Some(Arc::new(pool.map_err(|_| Error::Threads(count))?))
            }
        };
        Ok(Context { pool, threads: count, ..self })
    }

    /// The same with this seed.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Context { seed, ..self }
    }

    /// The same with a callback that hears how far the call is. Once it answers [`ControlFlow::Break`], the call ends
    /// with [`Error::Stopped`]. It may be called from any thread.
    #[must_use]
    pub fn with_progress(self, callback: impl Fn(Progress) -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        let monitor = Monitor {
            callback: Box::new(callback),
            stopped: AtomicBool::new(false),
            last: Mutex::new(Progress { stage: "starting", done: 0.0 }),
            products: AtomicUsize::new(0),
        };
        Context { monitor: Some(Arc::new(monitor)), part: (0.0, 1.0), ..self }
    }

    /// The number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The seed of every random choice.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// For a piece of the work, from one share of the whole to another: what it reports is scaled to that.
    pub(crate) fn part(&self, from: f64, to: f64) -> Self {
        let (start, end) = self.part;
        let at = |share: f64| start + share * (end - start);
        Context { part: (at(from), at(to)), ..self.clone() }
    }

    /// For one of several pieces that run side by side: one thread, the same seed, and no reports; it still hears stop.
    pub(crate) fn alone(&self) -> Self {
        Context { pool: None, threads: 1, silent: true, ..self.clone() }
    }

    /// Reports to the callback that `done` (0 to 1) of this context's part is done. An error if the call is to stop.
    pub fn report(&self, stage: &'static str, done: f64) -> Result<()> {
        let Some(monitor) = &self.monitor else { return Ok(()) };
        if self.silent {
            return monitor.go_on();
        }
        let (start, end) = self.part;
        let progress = Progress { stage, done: start + done.clamp(0.0, 1.0) * (end - start) };
        *monitor.last.lock().unwrap_or_else(PoisonError::into_inner) = progress;
        monitor.call(progress)
    }

    /// Counts work within a step, in products of two numbers. Once in a while the callback hears again what was last
    /// reported, so that a long step can be stopped too. An error if the call is to stop.
    pub(crate) fn worked(&self, products: usize) -> Result<()> {
        let Some(monitor) = &self.monitor else { return Ok(()) };
        if monitor.products.fetch_add(products, Ordering::Relaxed).saturating_add(products) < PRODUCTS_BETWEEN_CALLS {
            return monitor.go_on();
        }
        monitor.products.store(0, Ordering::Relaxed);
        let last = *monitor.last.lock().unwrap_or_else(PoisonError::into_inner);
        monitor.call(last)
    }

    /// A counter of equal steps, which any thread may advance.
    pub(crate) fn steps(&self, stage: &'static str, total: usize) -> Steps<'_> {
        Steps { context: self, stage, total: total.max(1), done: AtomicUsize::new(0) }
    }

    /// Runs `work`, in whose calls of [`join`](Self::join) and [`map`](Self::map) all threads take part.
    pub(crate) fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => {
                let (mut work, mut result) = (Some(work), None);
                install(pool, &mut || result = work.take().map(|work| work()));
                done(result)
            }
            None => work(),
        }
    }

    /// Does both, side by side if there are threads for it.
    pub(crate) fn join<A: Send, B: Send>(
        &self,
        left: impl FnOnce() -> A + Send,
        right: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        if self.pool.is_none() {
            return (left(), right());
        }
        let (mut left, mut right) = (Some(left), Some(right));
        let (mut a, mut b) = (None, None);
        both(&mut || a = left.take().map(|left| left()), &mut || b = right.take().map(|right| right()));
        (done(a), done(b))
    }

    /// `work` of each item, in the order of the items.
    pub fn map<I: Send, T: Send>(&self, items: Vec<I>, work: impl Fn(I) -> T + Sync + Send) -> Vec<T> {
        let Some(pool) = &self.pool else { return items.into_iter().map(work).collect() };
        let slots: Vec<Mutex<(Option<I>, Option<T>)>> =
            items.into_iter().map(|item| Mutex::new((Some(item), None))).collect();
        each(pool, slots.len(), &|number| {
            // Nobody else has this slot: the lock is never waited for.
            let mut slot = slots[number].lock().unwrap_or_else(PoisonError::into_inner);
            slot.1 = slot.0.take().map(&work);
        });
        slots.into_iter().map(|slot| done(slot.into_inner().unwrap_or_else(PoisonError::into_inner).1)).collect()
    }
}

// The thread pool's own code is long, and would be compiled for every closure that is handed to it: a quarter of the
// crate. So closures go through these three.

fn install(pool: &rayon::ThreadPool, work: &mut (dyn FnMut() + Send)) {
    pool.install(work);
}

fn both(left: &mut (dyn FnMut() + Send), right: &mut (dyn FnMut() + Send)) {
    rayon::join(left, right);
}

fn each(pool: &rayon::ThreadPool, count: usize, work: &(dyn Fn(usize) + Sync)) {
    use rayon::prelude::*;
    pool.install(|| (0..count).into_par_iter().for_each(work));
}

/// What was worked out. The pool comes back only when all is done, and hands on a panic.
fn done<T>(result: Option<T>) -> T {
    match result {
        Some(result) => result,
        None => unreachable!("the pool came back before its work was done"),
    }
}

impl Default for Context {
    fn default() -> Self {
        Context::new()
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Context { threads, seed, monitor, .. } = self;
        let progress = monitor.is_some();
        f.debug_struct("Context").field("threads", threads).field("seed", seed).field("progress", &progress).finish()
    }
}

/// Equal steps of one stage.
pub(crate) struct Steps<'a> {
    context: &'a Context,
    stage: &'static str,
    total: usize,
    done: AtomicUsize,
}

impl Steps<'_> {
    /// One more step is done. An error if the call is to stop.
    pub(crate) fn tick(&self) -> Result<()> {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.context.report(self.stage, done as f64 / self.total as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn progress_is_scaled_to_the_part_and_a_break_stops_for_good() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&heard);
        let context = Context::new().with_progress(move |progress| {
            log.lock().unwrap().push(progress.done);
            if progress.done < 0.7 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        let second = context.part(0.5, 1.0);
        let steps = second.steps("counting", 4);
        assert_eq!(context.report("first", 0.25), Ok(()));
        assert_eq!(steps.tick(), Ok(()));
        assert_eq!(context.alone().report("inner", 1.0), Ok(()));
        assert_eq!(steps.tick(), Err(Error::Stopped));
        assert_eq!(context.alone().report("inner", 0.0), Err(Error::Stopped));
        assert_eq!(context.report("first", 0.0), Err(Error::Stopped));
        // The callback is not asked again once it has said stop.
        assert_eq!(*heard.lock().unwrap(), [0.25, 0.625, 0.75]);
    }

    #[test]
    fn a_long_step_is_heard_of_and_can_be_stopped() {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        let context = Context::new().with_progress(move |progress| {
            assert_eq!((progress.stage, progress.done), ("counting", 0.5));
            if counted.fetch_add(1, Ordering::Relaxed) < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        context.report("counting", 0.5).unwrap();
        let inner = context.alone();
        assert_eq!(inner.worked(PRODUCTS_BETWEEN_CALLS / 2), Ok(()));
        assert_eq!(calls.load(Ordering::Relaxed), 1, "little work is not worth a call");
        assert_eq!(inner.worked(PRODUCTS_BETWEEN_CALLS), Ok(()));
        assert_eq!(inner.worked(PRODUCTS_BETWEEN_CALLS), Err(Error::Stopped));
        assert_eq!(inner.worked(1), Err(Error::Stopped));
        assert_eq!(calls.load(Ordering::Relaxed), 3);
        assert_eq!(Context::new().worked(usize::MAX), Ok(()));
    }

    #[test]
    fn more_threads_than_make_sense_are_refused() {
        assert!(Context::new().with_threads(NonZeroUsize::new(1025).unwrap()).is_err());
        assert_eq!(Context::new().with_threads(NonZeroUsize::MIN).unwrap().threads(), 1);
    }
}
