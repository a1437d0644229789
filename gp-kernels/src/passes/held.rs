//! Stored parts of a block of observations.

use crate::inducing::{Projection, SharedPoints};

/// Inputs of a block and their projections on each process.
#[derive(Debug, Default)]
pub(super) struct Held {
    pub(super) points: SharedPoints,
    pub(super) projections: Vec<Option<Projection>>,
}

impl Held {
    /// Drops projections, keeping memory.
    pub(super) fn forget(&mut self) {
        self.projections.iter_mut().for_each(|projection| *projection = None);
    }
}

/// Projection of a latent function: on its own process or the shared one.
pub(super) fn of(projections: &[Option<Projection>], latent: usize) -> Option<&Projection> {
    projections.get(if projections.len() == 1 { 0 } else { latent })?.as_ref()
}
