//! What becomes of a signal that asks the process to end: Ctrl-C, or the polite one of `kill`.
//!
//! Signals are the process's, so this is the one place that is too.

use crate::line::Line;
use gp_optim::Interrupt;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The exit code of a process that was interrupted.
pub(crate) const EXIT_CODE: u8 = 130;

/// Held while a file takes its name, so that nothing half-written is left behind.
static WRITING: Mutex<()> = Mutex::new(());
/// The training that a signal ends, where there is one that leaves a checkpoint.
static TRAINING: Mutex<Option<Interrupt>> = Mutex::new(None);

/// A file on its way to its name over a long time, which has to go where the process does.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Whether training is under way that leaves no checkpoint.
static WITHOUT_CHECKPOINT: AtomicBool = AtomicBool::new(false);

/// Listens to signals from now on, in a thread, and ends the line on the terminal before the process. A process that cannot
/// is ended by signals as any other.
#[cfg(unix)]
pub(crate) fn listen(line: Line) {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else { return };
    std::thread::spawn(move || signals.forever().for_each(|_| heed(&line)));
}

/// Where there are no such signals, the system ends the process in its own way.
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
            let _whole = locked(&WRITING);
            if let Some(path) = locked(&UNFINISHED).take() {
                let _ = std::fs::remove_file(path);
            }
            line.end();
            let _ = writeln!(std::io::stderr(), "{}", last_words());
            std::process::exit(i32::from(EXIT_CODE));
        }
    }
}

/// What is said of an end at once.
#[cfg(unix)]
fn last_words() -> &'static str {
    if WITHOUT_CHECKPOINT.load(Ordering::Relaxed) {
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

/// Runs training that ends, with a checkpoint, when a signal asks for it.
pub(crate) fn while_training<T>(train: impl FnOnce(&Interrupt) -> T) -> T {
    let interrupt = Interrupt::new();
    *locked(&TRAINING) = Some(interrupt.clone());
    let trained = train(&interrupt);
    *locked(&TRAINING) = None;
    trained
}

/// Says which file is to go if a signal ends the process; none any more, once it has its name.
pub(crate) fn set_unfinished(path: Option<PathBuf>) {
    *locked(&UNFINISHED) = path;
}

/// Runs what no signal should cut in two.
pub(crate) fn while_writing<T>(write: impl FnOnce() -> T) -> T {
    let _whole = locked(&WRITING);
    write()
}

/// What is behind the locks is whole at any time, also after a panic elsewhere.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
