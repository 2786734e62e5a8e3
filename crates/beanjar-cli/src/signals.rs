//! A program that is stopped takes its temporary files with it, and says by which signal it ended.

/// Has the signals that stop a program remove its temporary files first. Without that, all else works as well.
#[cfg(unix)]
pub(crate) fn clear_up_when_stopped() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    // What was ignored when the program began, as by nohup, stays ignored.
    let ignored = ignored();
    let heard = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let Ok(mut signals) = signal_hook::iterator::Signals::new(heard) else { return };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            beanjar_io::remove_unfinished();
            std::process::exit(128 + signal);
        }
    });
}

/// The signals that are ignored, a bit each.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let bits = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    bits.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0)
}

/// The same where there is only Ctrl-C.
#[cfg(not(unix))]
pub(crate) fn clear_up_when_stopped() {
    let _ = ctrlc::set_handler(|| {
        beanjar_io::remove_unfinished();
        std::process::exit(130);
    });
}
