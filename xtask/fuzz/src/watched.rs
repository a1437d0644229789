//! Runs a reader on one input; detects panics and long times.

use crate::error::FuzzError;
use cpu_time::ThreadTime;
use gp_cli::fuzzing::{Readers, Reading};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// Memory limit of readers, in bytes.
const BUDGET: u64 = 64 << 20;
/// Maximum processor time.
const LONGEST: Duration = Duration::from_secs(2);
/// Prefix of crates whose caught panics are failures.
const OURS: &str = "gp-";

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

pub(crate) struct Watched {
    readers: Readers,
    pub(crate) name: String,
}

impl Watched {
    /// Named reader; sets a silent panic hook.
    pub(crate) fn new(name: &str) -> Result<Self, FuzzError> {
        std::panic::set_hook(Box::new(|info| {
            let place = info.location().map_or_else(String::new, |at| format!("{}:{}", at.file(), at.line()));
            PANIC.with(|last| *last.borrow_mut() = Some(format!("panic at {place}: {}", said(info))));
        }));
        Ok(Self { readers: Readers::new(BUDGET)?, name: name.to_owned() })
    }

    /// Result for an input; errors are failures.
    pub(crate) fn read(&self, bytes: &[u8]) -> Result<Reading, String> {
        PANIC.with(|last| *last.borrow_mut() = None);
        let start = ThreadTime::now();
        let read = catch_unwind(AssertUnwindSafe(|| self.readers.read(&self.name, bytes)));
        let elapsed = start.elapsed();
        let panic = PANIC.with(|last| last.borrow_mut().take());
        match (read, panic) {
            (Err(_), panic) => Err(panic.unwrap_or_else(|| "panic".to_owned())),
            (_, Some(panic)) if panic.contains(OURS) => Err(format!("{panic} (caught)")),
            (Ok(_), _) if elapsed > LONGEST => Err(format!("it took {:.1} s", elapsed.as_secs_f64())),
            (Ok(read), _) => read,
        }
    }
}

fn said(info: &std::panic::PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let words = payload.downcast_ref::<String>().map(String::as_str);
    words.or(payload.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
}
