//! Registry of placements.

use std::sync::Arc;

use super::{Greedy, KMeans, Placement, RandomSubset};
use crate::error::KernelError;

/// List of placements by name. Other crates can add theirs.
#[derive(Clone, Debug)]
pub struct Placements {
    known: Vec<Arc<dyn Placement>>,
}

impl Placements {
    /// Placements of this crate: `kmeans`, `greedy` and `random`.
    pub fn built_in() -> Self {
        Self { known: vec![Arc::new(KMeans::new()), Arc::new(Greedy::new()), Arc::new(RandomSubset)] }
    }

    /// Adds a placement or replaces the one of the same name.
    #[must_use]
    pub fn with(mut self, placement: Box<dyn Placement>) -> Self {
        self.known.retain(|known| known.name() != placement.name());
        self.known.push(Arc::from(placement));
        self
    }

    /// Placements in listing order.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Placement> {
        self.known.iter().map(AsRef::as_ref)
    }

    /// Names in listing order.
    pub fn names(&self) -> Vec<&str> {
        self.iter().map(Placement::name).collect()
    }

    /// Placement with this name.
    ///
    /// # Errors
    /// [`KernelError::UnknownName`] with the available names.
    pub fn find(&self, name: &str) -> Result<&dyn Placement, KernelError> {
        self.iter().find(|placement| placement.name() == name).ok_or_else(|| KernelError::UnknownName {
            kind: "placement",
            name: name.to_owned(),
            available: self.names().join(", "),
        })
    }
}

impl Default for Placements {
    fn default() -> Self {
        Self::built_in()
    }
}
