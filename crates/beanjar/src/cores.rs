use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::{Error, Result};

/// How many threads a call may use. An argument, never a hidden global.
///
/// No result depends on it: work is cut by the data alone and put together in a fixed order.
#[derive(Clone, Debug)]
pub struct Cores {
    pool: Option<Arc<rayon::ThreadPool>>,
    count: usize,
}

/// More are a slip of the finger.
const MOST_THREADS: usize = 1024;

impl Cores {
    /// The calling thread and no other.
    pub fn one() -> Self {
        Cores { pool: None, count: 1 }
    }

    /// A pool of `count` threads, to be shared by all calls of a program.
    pub fn new(count: NonZeroUsize) -> Result<Self> {
        let count = count.get();
        if count > MOST_THREADS {
            let value = count.to_string();
            return Err(Error::OutOfRange { name: "the number of threads", value, range: "at most 1024" });
        }
        if count == 1 {
            return Ok(Cores::one());
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().map_err(|_| Error::Threads(count))?;
        Ok(Cores { pool: Some(Arc::new(pool)), count })
    }

    /// The number of threads.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Runs `work`, in whose calls of [`join`](Self::join) and [`map`](Self::map) all threads take part.
    pub(crate) fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Does both, side by side if there are threads for it.
    pub(crate) fn join<A: Send, B: Send>(
        &self,
        left: impl FnOnce() -> A + Send,
        right: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        match &self.pool {
            Some(_) => rayon::join(left, right),
            None => (left(), right()),
        }
    }

    /// `work` of each item, in the order of the items.
    pub fn map<I: Send, T: Send>(&self, items: Vec<I>, work: impl Fn(I) -> T + Sync + Send) -> Vec<T> {
        use rayon::prelude::*;
        match &self.pool {
            Some(pool) => pool.install(|| items.into_par_iter().map(work).collect()),
            None => items.into_iter().map(work).collect(),
        }
    }
}

impl Default for Cores {
    fn default() -> Self {
        Cores::one()
    }
}
