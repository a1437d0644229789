//! Training steps on many nodes.

use super::cases::of_parameters;
use gp_ep::operations::{Extents, SharedWork};

pub(super) const CORES: usize = 32;
const DIM: usize = 8;
/// Minimum rows per lane.
const OF_A_LANE: usize = 96;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Functions {
    pub(super) latents: usize,
    pub(super) processes: usize,
}

impl Functions {
    pub(super) const ALL: [Self; 3] = [
        Self { latents: 1, processes: 1 },
        Self { latents: 10, processes: 1 },
        Self { latents: 10, processes: 10 },
    ];

    pub(super) fn name(self) -> &'static str {
        match (self.latents, self.processes) {
            (1, _) => "1",
            (_, 1) => "10, shared",
            _ => "10, own",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dealing {
    /// Number in the code.
    AsNow,
    /// One per thread with enough rows.
    Enough,
}

/// Step over a batch or all rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) rows: f64,
    pub(super) inducing: usize,
    pub(super) functions: Functions,
    pub(super) dealing: Dealing,
}

impl Plan {
    pub(super) fn work(&self, nodes: usize) -> SharedWork {
        let Functions { latents, processes } = self.functions;
        let rows = self.rows as usize;
        let sizes = Extents { rows, inducing: self.inducing, dim: DIM, latents, processes };
        let mut work = SharedWork::step(&sizes, of_parameters(DIM));
        if self.dealing == Dealing::Enough {
            let threads = nodes * CORES;
            work.lanes = work.lanes.next_multiple_of(threads).min(rows / OF_A_LANE);
        }
        work
    }
}
