//! `gp` in several processes connected by MPI: [`team`] gives gp-cli the processes of an MPI program.
#![doc = ""]
#![doc = include_str!("../README.md")]

use gp_optim::{Processes, Team};
use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Equivalence, Source};

/// Maximum numbers per message; MPI counts in 32 bits.
const AT_ONCE: usize = 1 << 28;

struct World {
    rank: usize,
    count: usize,
    /// Finalises MPI when dropped.
    _universe: Universe,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "World(process {} of {})", self.rank, self.count)
    }
}

impl Processes for World {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.count
    }

    fn send(&self, to: usize, numbers: &[f64]) -> Result<(), String> {
        let world = SimpleCommunicator::world();
        let other = world.process_at_rank(number(to)?);
        numbers.chunks(AT_ONCE).for_each(|part| other.send(part));
        Ok(())
    }

    fn receive(&self, from: usize, numbers: &mut [f64]) -> Result<(), String> {
        let world = SimpleCommunicator::world();
        let other = world.process_at_rank(number(from)?);
        for part in numbers.chunks_mut(AT_ONCE) {
            let expected = part.len();
            let found = other.receive_into(part).count(f64::equivalent_datatype());
            if usize::try_from(found) != Ok(expected) {
                return Err(format!("{found} numbers from process {from}, not {expected}"));
            }
        }
        Ok(())
    }

    fn end_all(&self, code: u8) {
        SimpleCommunicator::world().abort(i32::from(code));
    }
}

fn number(process: usize) -> Result<i32, String> {
    i32::try_from(process).map_err(|_| format!("process {process} is beyond what MPI counts"))
}

/// Starts MPI, at most once per program, and returns its processes.
///
/// # Errors
/// If MPI was already started, supports one thread only, or reports no number of processes.
pub fn team() -> Result<Team, &'static str> {
    // Any thread may send or receive, but only one at a time.
    let (universe, provided) =
        mpi::initialize_with_threading(Threading::Serialized).ok_or("MPI was started before")?;
    if provided < Threading::Serialized {
        return Err("this MPI takes calls from one thread alone; build it with support for threads");
    }
    let world = universe.world();
    let (rank, count) = (usize::try_from(world.rank()), usize::try_from(world.size()));
    let (Ok(rank), Ok(count)) = (rank, count) else { return Err("MPI tells no number of processes") };
    Ok(Team::of(World { rank, count, _universe: universe }))
}
