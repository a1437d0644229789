//! Readers of this crate's posteriors.

use super::posteriors::Posteriors;
use super::{active, components, separate};

impl Posteriors {
    /// Readers for independent latents, mixtures, active points, separate targets.
    #[must_use]
    pub fn built_in() -> Self {
        Self::new(vec![components::ENTRY, active::ENTRY, separate::ENTRY])
    }
}
