//! Cost of messages between processes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Messages and time of communication.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Messages sent.
    pub messages: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// Time of communication, including waits.
    pub time: Duration,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    messages: AtomicU64,
    bytes: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Counters {
    pub(super) fn so_far(&self) -> Traffic {
        Traffic {
            messages: self.messages.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            time: Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed)),
        }
    }

    pub(super) fn sending<T>(&self, numbers: usize, send: impl FnOnce() -> T) -> T {
        self.messages.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add((numbers * size_of::<f64>()) as u64, Ordering::Relaxed);
        self.waiting(send)
    }

    pub(super) fn waiting<T>(&self, wait: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let done = wait();
        let nanoseconds = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
        done
    }
}
