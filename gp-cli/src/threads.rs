//! Thread pool of all computations.

use crate::error::{CliError, ErrorKind};
use crate::memory::threads_with_room;
use gp_optim::Team;
use rayon::ThreadPoolBuilder;
use std::error::Error as _;
use std::thread::available_parallelism;

pub(crate) const MOST_THREADS: u16 = 1024;

/// Bytes of a thread's stack, as of the main thread.
const STACK: usize = 8 << 20;

/// Does the work of a command on a thread of the pool, which shares it out without waking the pool anew for each part.
/// Processes of a team stay on their own threads: they wait for each other, and may be threads of one program.
pub(crate) fn within<R: Send>(team: &Team, work: impl FnOnce() -> R + Send) -> R {
    if team.is_alone() { rayon::scope(|_| work()) } else { work() }
}

/// Starts this many threads, by default one per processor as far as they fit. Without it, a system that allows no more
/// threads would end a later computation in a panic.
///
/// # Errors
/// [`Usage`](ErrorKind::Usage) if the system refuses the requested threads, [`Numerical`](ErrorKind::Numerical) if it
/// refuses the default ones.
pub(crate) fn start(asked: Option<u16>) -> Result<(), CliError> {
    let usual =
        || available_parallelism().map_or(1, usize::from).min(threads_with_room().unwrap_or(usize::MAX));
    let count = asked.map_or_else(usual, usize::from);
    let builder = ThreadPoolBuilder::new().num_threads(count).stack_size(STACK);
    let Err(refused) = builder.build_global() else { return Ok(()) };
    // An existing pool belongs to a program that embeds the command.
    if refused.source().is_none() {
        return Ok(());
    }
    let kind = if asked.is_some() { ErrorKind::Usage } else { ErrorKind::Numerical };
    let what = asked.map_or_else(String::new, |count| format!("{count} "));
    let message = format!("cannot start {what}threads; ask for fewer with --threads");
    Err(CliError::caused(kind, message, refused))
}
