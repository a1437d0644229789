//! Locks that end with the process.

use std::fs::{File, TryLockError};
use std::io;
use std::thread::sleep;
use std::time::Duration;

const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lock {
    Taken,
    /// Locked by another process.
    Busy,
    /// Unsupported by the file system.
    Unknown,
}

pub(super) fn try_lock(file: &File) -> Lock {
    match file.try_lock() {
        Ok(()) => Lock::Taken,
        Err(TryLockError::WouldBlock) => Lock::Busy,
        Err(TryLockError::Error(_)) => Lock::Unknown,
    }
}

pub(super) fn lock_soon(file: &File) -> Lock {
    for _ in 0..TRIES {
        match try_lock(file) {
            Lock::Busy => sleep(PAUSE),
            other => return other,
        }
    }
    Lock::Busy
}

pub(super) fn busy() -> io::Error {
    io::Error::new(io::ErrorKind::ResourceBusy, "another process is working on it; let that end first")
}
