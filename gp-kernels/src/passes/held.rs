//! Stored data of a block of observations.

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

/// Projection on the latent function's own sparse process or on the shared one.
pub(super) fn of(projections: &[Option<Projection>], latent: usize) -> Option<&Projection> {
    projections.get(if projections.len() == 1 { 0 } else { latent })?.as_ref()
}
