//! The pool of threads that everything is computed by.

use crate::error::{CliError, ErrorKind};
use crate::memory::threads_with_room;
use rayon::ThreadPoolBuilder;
use std::error::Error as _;
use std::thread::available_parallelism;

/// Threads that can be asked for.
pub(crate) const MOST_THREADS: u16 = 1024;

/// Starts so many threads, or as many as there are processors and room for. Where that was not done before anything is computed, a
/// system that allows no more threads would end the process in a panic.
///
/// # Errors
/// Of kind [`Usage`](ErrorKind::Usage) where the system does not allow the threads that were asked for, and of kind
/// [`Numerical`](ErrorKind::Numerical) where it does not allow the usual ones.
pub(crate) fn start(asked: Option<u16>) -> Result<(), CliError> {
    let usual =
        || available_parallelism().map_or(1, usize::from).min(threads_with_room().unwrap_or(usize::MAX));
    let count = asked.map_or_else(usual, usize::from);
    let Err(refused) = ThreadPoolBuilder::new().num_threads(count).build_global() else { return Ok(()) };
    // A pool that is there already was made by whoever runs commands in a process of their own.
    if refused.source().is_none() {
        return Ok(());
    }
    let kind = if asked.is_some() { ErrorKind::Usage } else { ErrorKind::Numerical };
    let what = asked.map_or_else(String::new, |count| format!("{count} "));
    let message = format!("cannot start {what}threads; ask for fewer with --threads");
    Err(CliError::caused(kind, message, refused))
}
