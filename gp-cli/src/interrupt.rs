//! Termination signals: Ctrl-C, SIGTERM, closed terminal. Static state: signals reach the process.

use crate::line::Line;
use gp_optim::Interrupt;
#[cfg(unix)]
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
#[cfg(unix)]
use std::time::Duration;

pub(crate) const EXIT_CODE: u8 = 130;

/// Waiting time for a last checkpoint, if an earlier one exists.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_millis(60);

static TRAINING: Mutex<Option<Training>> = Mutex::new(None);

struct Training {
    interrupt: Interrupt,
    state: TrainingState,
}

pub(crate) struct TrainingState {
    pub(crate) is_saved: Box<dyn Fn() -> bool + Send>,
    /// Final message with a checkpoint; `from_the_start` without.
    pub(crate) going_on: String,
    pub(crate) from_the_start: String,
}

static WITHOUT_CHECKPOINT: AtomicBool = AtomicBool::new(false);

static SILENT: AtomicBool = AtomicBool::new(false);

static WRITTEN: AtomicBool = AtomicBool::new(false);

/// `true` once done. Exiting signals keep the lock, so that nothing else exits.
static DONE: Mutex<bool> = Mutex::new(false);

static IS_DONE: Condvar = Condvar::new();

/// Listens in a thread; clears the progress line.
#[cfg(unix)]
pub(crate) fn listen(line: Line) {
    use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
    // With SIGXFSZ caught, exceeding a file size limit is an ordinary write error.
    let mut heeded = vec![SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGXCPU, SIGXFSZ];
    // Under `nohup` the process should outlive its terminal.
    if !is_ignored(SIGHUP) {
        heeded.push(SIGHUP);
    }
    let Ok(mut signals) = signal_hook::iterator::Signals::new(heeded) else { return };
    let listening =
        move || signals.forever().filter(|signal| *signal != SIGXFSZ).for_each(|_| handle_signal(&line));
    // If no thread can start, the computation will fail and report it.
    let _ = std::thread::Builder::new().spawn(listening);
}

/// `true` if ignored at start; `false` if unknown.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    ignored.is_some_and(|ignored| ignored >> (signal - 1) & 1 == 1)
}

/// Signals keep their default effect.
#[cfg(not(unix))]
pub(crate) fn listen(_line: Line) {}

/// Exits unless done; with a checkpoint, waits up to [`PATIENCE`].
#[cfg(unix)]
fn handle_signal(line: &Line) {
    let words = match locked(&TRAINING).as_ref() {
        Some(training) if (training.state.is_saved)() => {
            training.interrupt.request();
            training.state.going_on.clone()
        }
        Some(training) => return end(line, &training.state.from_the_start),
        None => return end(line, last_words()),
    };
    let waited = IS_DONE.wait_timeout_while(locked(&DONE), PATIENCE, |done| !*done);
    drop(waited);
    end(line, if WRITTEN.load(Ordering::Relaxed) { last_words() } else { &words });
}

#[cfg(unix)]
fn end(line: &Line, last_words: &str) {
    let done = locked(&DONE);
    if *done {
        return;
    }
    let _abandoned = gp_optim::files::abandon();
    line.end();
    if !SILENT.load(Ordering::Relaxed) {
        // A failure to print cannot be reported.
        let _ = std::io::stderr().write_all(format!("{last_words}\n").as_bytes());
    }
    std::process::exit(i32::from(EXIT_CODE));
}

/// Ends without a message: another process prints it.
pub(crate) fn end_silently() {
    SILENT.store(true, Ordering::Relaxed);
}

/// Stops signals from changing messages or exit code. Never returns while a signal ends the process.
pub(crate) fn command_is_done() {
    done_by(|| ());
}

/// [`command_is_done`] after the last message.
pub(crate) fn done_by<T>(last_words: impl FnOnce() -> T) -> T {
    let mut done = locked(&DONE);
    let said = last_words();
    *done = true;
    IS_DONE.notify_all();
    said
}

/// Prints; never returns while a signal ends the process.
pub(crate) fn before_the_end<T>(say: impl FnOnce() -> T) -> T {
    let _done = locked(&DONE);
    say()
}

#[cfg(unix)]
fn last_words() -> &'static str {
    if WRITTEN.load(Ordering::Relaxed) {
        "interrupted after the model was written"
    } else if WITHOUT_CHECKPOINT.load(Ordering::Relaxed) {
        "interrupted; nothing was written, and with --checkpoint DIR training could have gone on later"
    } else {
        "interrupted"
    }
}

/// Runs training that signals end at once.
pub(crate) fn without_checkpoint<T>(train: impl FnOnce() -> T) -> T {
    WITHOUT_CHECKPOINT.store(true, Ordering::Relaxed);
    let trained = train();
    WITHOUT_CHECKPOINT.store(false, Ordering::Relaxed);
    trained
}

pub(crate) fn model_is_written() {
    WRITTEN.store(true, Ordering::Relaxed);
}

/// Runs training that signals stop after an iteration, or at once without checkpoint.
pub(crate) fn while_training<T>(state: TrainingState, train: impl FnOnce(&Interrupt) -> T) -> T {
    let interrupt = Interrupt::new();
    *locked(&TRAINING) = Some(Training { interrupt: interrupt.clone(), state });
    let trained = train(&interrupt);
    *locked(&TRAINING) = None;
    trained
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_signal_after_the_command_is_done_does_not_end_the_process() {
        command_is_done();
        handle_signal(&Line::default());
    }
}
