//! Memory pool of projections.

use std::sync::{Mutex, PoisonError};

use crate::workspace::Workspace;

#[derive(Debug, Default)]
pub(super) struct ProjectionMemory(Mutex<Workspace>);

impl ProjectionMemory {
    pub(super) fn with<R>(&self, body: impl FnOnce(&mut Workspace) -> R) -> R {
        body(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
