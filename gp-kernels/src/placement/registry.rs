//! Registry of placements.

use std::sync::Arc;

use super::{Greedy, KMeans, Placement, RandomSubset};
use crate::error::KernelError;
use gp_optim::{did_you_mean, named};

/// Placements by name, extensible.
#[derive(Clone, Debug)]
pub struct Placements {
    known: Vec<Arc<dyn Placement>>,
}

impl Placements {
    /// `kmeans`, `greedy` and `random`.
    pub fn built_in() -> Self {
        Self { known: vec![Arc::new(KMeans::new()), Arc::new(Greedy::new()), Arc::new(RandomSubset)] }
    }

    /// Adds or replaces by name.
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

    /// Placement by name, in any case.
    ///
    /// # Errors
    /// [`KernelError::UnknownName`].
    pub fn find(&self, name: &str) -> Result<&dyn Placement, KernelError> {
        let places = named(name, self.names().into_iter().map(|known| (known, &[][..])));
        let found = places.first().and_then(|&place| self.known.get(place));
        found.map(AsRef::as_ref).ok_or_else(|| KernelError::UnknownName {
            kind: "placement",
            name: name.to_owned(),
            available: self.names().join(", "),
            meant: did_you_mean(name, self.names()),
        })
    }
}

impl Default for Placements {
    fn default() -> Self {
        Self::built_in()
    }
}
