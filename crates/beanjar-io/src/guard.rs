//! Readers of others that panic on damaged files.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is in a reader whose panics are caught and become errors: a program's panic hook can then be silent.
pub fn expects_panic() -> bool {
    GUARDED.get()
}

/// What `work` returns; none if it panics.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    let before = GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work)).ok();
    GUARDED.set(before);
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught_and_expected() {
        assert_eq!(guarded(|| 3), Some(3));
        assert!(!expects_panic());
        std::panic::set_hook(Box::new(|_| assert!(expects_panic())));
        assert_eq!(guarded(|| -> u8 { panic!("damaged") }), None);
        let _ = std::panic::take_hook();
        assert!(!expects_panic());
    }
}
