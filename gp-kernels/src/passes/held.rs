//! What is held of a block of observations.

use crate::inducing::{Projection, SharedPoints};

/// The inputs of a block, and their projections on each process.
#[derive(Debug, Default)]
pub(super) struct Held {
    pub(super) points: SharedPoints,
    pub(super) projections: Vec<Option<Projection>>,
}

impl Held {
    /// Forgets projections; their memory is for those to come.
    pub(super) fn forget(&mut self) {
        self.projections.iter_mut().for_each(|projection| *projection = None);
    }
}

/// What a latent function is projected on: its own process, or the one that all share.
pub(super) fn of(projections: &[Option<Projection>], latent: usize) -> Option<&Projection> {
    projections.get(if projections.len() == 1 { 0 } else { latent })?.as_ref()
}
