//! Thread pool of all computations.

use crate::error::{CliError, ErrorKind};
use crate::memory::threads_with_room;
use gp_optim::Team;
use rayon::ThreadPoolBuilder;
use std::error::Error as _;
use std::thread::available_parallelism;

pub(crate) const MAX_THREADS: u16 = 1024;

/// Bytes of stack, equal to the main thread's.
const STACK: usize = 8 << 20;

/// Runs on a pool thread, to avoid wake-ups per parallel part. Processes of a team keep their threads: they
/// wait for each other and may share a program.
pub(crate) fn within<R: Send>(team: &Team, work: impl FnOnce() -> R + Send) -> R {
    if team.is_alone() { rayon::scope(|_| work()) } else { work() }
}

/// Starts the pool: one thread per processor, fewer under an address-space limit, where refused threads would
/// panic later.
pub(crate) fn start(asked: Option<u16>) -> Result<(), CliError> {
    let default =
        || available_parallelism().map_or(1, usize::from).min(threads_with_room().unwrap_or(usize::MAX));
    let count = asked.map_or_else(default, usize::from);
    let builder = ThreadPoolBuilder::new().num_threads(count).stack_size(STACK);
    let Err(refused) = builder.build_global() else { return Ok(()) };
    // No cause: an embedding program has started a pool.
    if refused.source().is_none() {
        return Ok(());
    }
    let kind = if asked.is_some() { ErrorKind::Usage } else { ErrorKind::Numerical };
    let what = asked.map_or_else(String::new, |count| format!("{count} "));
    let message = format!("cannot start {what}threads; ask for fewer with --threads");
    Err(CliError::caused(kind, message, refused))
}
