//! Locks that the system drops with the process.

use std::fs::{File, TryLockError};
use std::io;
use std::thread::sleep;
use std::time::Duration;

/// Somebody who only looks holds a lock for moments: so often is it tried again.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(10);

/// What came of trying to lock a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lock {
    /// It is ours.
    Taken,
    /// Another process has it.
    Busy,
    /// The file system has no locks.
    Unknown,
}

/// Tries once.
pub(super) fn try_lock(file: &File) -> Lock {
    match file.try_lock() {
        Ok(()) => Lock::Taken,
        Err(TryLockError::WouldBlock) => Lock::Busy,
        Err(TryLockError::Error(_)) => Lock::Unknown,
    }
}

/// Tries again while the lock may be that of a process that only looks.
pub(super) fn lock_soon(file: &File) -> Lock {
    for _ in 0..TRIES {
        match try_lock(file) {
            Lock::Busy => sleep(PAUSE),
            other => return other,
        }
    }
    Lock::Busy
}

/// The error of a file or folder that another process works on.
pub(super) fn busy() -> io::Error {
    io::Error::new(io::ErrorKind::ResourceBusy, "another process is working on it; let that end first")
}
