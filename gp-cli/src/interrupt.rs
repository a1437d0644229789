//! Signals that ask the process to end: Ctrl-C, SIGTERM, a closed terminal.
//!
//! Signals are per process, and so is this module.

use crate::line::Line;
use gp_optim::Interrupt;
#[cfg(unix)]
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The exit code of a process that was interrupted.
pub(crate) const EXIT_CODE: u8 = 130;

/// The training that a signal ends, where there is one that leaves a checkpoint.
static TRAINING: Mutex<Option<Interrupt>> = Mutex::new(None);

/// `true` during training without a checkpoint.
static WITHOUT_CHECKPOINT: AtomicBool = AtomicBool::new(false);

/// `true` once the model's file is whole.
static WRITTEN: AtomicBool = AtomicBool::new(false);

/// Listens to signals from now on, in a thread, and ends the line on the terminal before the process. A process that cannot
/// is ended by signals as any other.
#[cfg(unix)]
pub(crate) fn listen(line: Line) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    // A file that grows too large for a limit is then an error of writing, which is reported as others are.
    let mut heeded = vec![SIGINT, SIGTERM, SIGXFSZ];
    // `nohup` wants the process to outlive its terminal.
    if !is_ignored(SIGHUP) {
        heeded.push(SIGHUP);
    }
    let Ok(mut signals) = signal_hook::iterator::Signals::new(heeded) else { return };
    let listening = move || signals.forever().filter(|signal| *signal != SIGXFSZ).for_each(|_| heed(&line));
    // Where there is no room for a thread there is none for work either, which will say so.
    let _ = std::thread::Builder::new().spawn(listening);
}

/// `true` if the process was started with this signal ignored; false if the system does not tell.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    ignored.is_some_and(|ignored| ignored >> (signal - 1) & 1 == 1)
}

/// No effect: without such signals, the system ends the process in its own way.
#[cfg(not(unix))]
pub(crate) fn listen(_line: Line) {}

/// Training that leaves a checkpoint is asked to end after its iteration. Everything else, and training that is asked a
/// second time, ends at once.
#[cfg(unix)]
fn heed(line: &Line) {
    match locked(&TRAINING).as_ref() {
        Some(training) if !training.is_requested() => {
            training.request();
            if std::io::stderr().is_terminal() {
                let text = "finishing this iteration; again, and it ends at once without a checkpoint of it";
                let _ = line.aside(|| writeln!(std::io::stderr(), "{text}"));
            }
        }
        _ => {
            let _abandoned = gp_optim::files::abandon();
            line.end();
            let _ = writeln!(std::io::stderr(), "{}", last_words());
            std::process::exit(i32::from(EXIT_CODE));
        }
    }
}

/// Message of an immediate end.
#[cfg(unix)]
fn last_words() -> &'static str {
    if WRITTEN.load(Ordering::Relaxed) {
        "interrupted after the model was written"
    } else if WITHOUT_CHECKPOINT.load(Ordering::Relaxed) {
        "interrupted; no model was written, and with --checkpoint DIR training could have gone on later"
    } else {
        "interrupted"
    }
}

/// Runs training that a signal ends at once.
pub(crate) fn without_checkpoint<T>(train: impl FnOnce() -> T) -> T {
    WITHOUT_CHECKPOINT.store(true, Ordering::Relaxed);
    let trained = train();
    WITHOUT_CHECKPOINT.store(false, Ordering::Relaxed);
    trained
}

/// Tells that the model's file is whole: a signal that comes now takes nothing away.
pub(crate) fn model_is_written() {
    WRITTEN.store(true, Ordering::Relaxed);
}

/// Runs training that ends, with a checkpoint, when a signal asks for it.
pub(crate) fn while_training<T>(train: impl FnOnce(&Interrupt) -> T) -> T {
    let interrupt = Interrupt::new();
    *locked(&TRAINING) = Some(interrupt.clone());
    let trained = train(&interrupt);
    *locked(&TRAINING) = None;
    trained
}

/// Locked contents, valid even after a panic elsewhere.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
