//! Threads whose files another process writes.

use std::cell::Cell;
use std::fs::{File, OpenOptions};
use std::io;

thread_local! {
    static ONLOOKERS: Cell<usize> = const { Cell::new(0) };
}

/// Guard: this module writes, locks, removes nothing in its thread.
///
/// ```
/// use gp_optim::files::{DiscardedWrites, replace};
///
/// let folder = tempfile::tempdir()?;
/// let onlooker = DiscardedWrites::new();
/// replace(&folder.path().join("a.txt"), b"text")?;
/// drop(onlooker);
/// assert!(!folder.path().join("a.txt").exists());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct DiscardedWrites {
    _private: (),
}

impl DiscardedWrites {
    /// Takes effect until dropped.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "it does something")]
    pub fn new() -> Self {
        ONLOOKERS.set(ONLOOKERS.get() + 1);
        Self { _private: () }
    }

    /// `true` under a guard.
    #[must_use]
    pub fn is_here() -> bool {
        ONLOOKERS.get() > 0
    }
}

impl Drop for DiscardedWrites {
    fn drop(&mut self) {
        ONLOOKERS.set(ONLOOKERS.get() - 1);
    }
}

pub(super) fn nowhere() -> io::Result<File> {
    OpenOptions::new().write(true).open(if cfg!(windows) { "NUL" } else { "/dev/null" })
}
