//! Stored data of a block.

use crate::inducing::{Projection, SharedPoints};

#[derive(Debug, Default)]
pub(super) struct Held {
    pub(super) points: SharedPoints,
    pub(super) projections: Vec<Option<Projection>>,
}

impl Held {
    /// Drops projections, keeps their memory.
    pub(super) fn forget(&mut self) {
        self.projections.iter_mut().for_each(|projection| *projection = None);
    }
}

/// Own or shared projection of a latent function.
pub(super) fn of(projections: &[Option<Projection>], latent: usize) -> Option<&Projection> {
    projections.get(if projections.len() == 1 { 0 } else { latent })?.as_ref()
}
