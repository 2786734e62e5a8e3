//! Memory that cannot be had ends the program with a sentence and exit code 2.

/// Has a failed allocation end the program as any other error does, and one that the machine has no memory for fail.
///
/// The standard library says how many bytes could not be had, and aborts; the signal of the abort becomes the exit code.
#[cfg(unix)]
pub(crate) fn end_with_a_sentence() {
    use signal_hook::consts::SIGABRT;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    let always = Arc::new(AtomicBool::new(true));
    let _ = signal_hook::flag::register_conditional_shutdown(SIGABRT, 2, always);
    limit_to_what_there_is();
}

#[cfg(not(unix))]
pub(crate) fn end_with_a_sentence() {}

/// Linux promises more memory than there is, and then ends whoever uses it. Asked for what there is, it says no.
#[cfg(target_os = "linux")]
fn limit_to_what_there_is() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    // Some systems have the entry and write zero.
    const LEAST: u64 = 1 << 28;
    let Some(bytes) = available().map(|bytes| bytes.max(LEAST)) else { return };
    let mut limit = getrlimit(Resource::Data);
    let most = [limit.current, limit.maximum, Some(bytes)].into_iter().flatten().min();
    limit.current = most;
    let _ = setrlimit(Resource::Data, limit);
}

#[cfg(all(unix, not(target_os = "linux")))]
fn limit_to_what_there_is() {}

/// The memory that is free or can be made so, in bytes: that of the machine, or of the container.
#[cfg(target_os = "linux")]
fn available() -> Option<u64> {
    let of_machine = std::fs::read_to_string("/proc/meminfo").ok()?;
    let entry = |name: &str| {
        let line = of_machine.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
    };
    let machine = entry("MemAvailable:")?.saturating_add(entry("SwapFree:").unwrap_or(0));
    let container = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let container = container.and_then(|text| text.trim().parse().ok());
    Some(container.map_or(machine, |most: u64| most.min(machine)))
}
