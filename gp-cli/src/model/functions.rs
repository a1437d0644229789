//! Posterior over all latents, of any kind.

use super::held::Held;
use crate::error::CliError;
use gp_ep::{Posterior, Predictor, WrapsPosterior};
use gp_kernels::posterior::MixturePosterior;
use serde_json::Value;

/// First version with posteriors of other crates.
const OPEN: u32 = 6;

/// Posterior and likelihood, in model units.
pub type Approximation = Predictor<Functions>;

/// Posterior for model files; its [`PosteriorEntry`](super::PosteriorEntry) has the same name.
pub trait Storable: Posterior {
    /// Name in model files.
    fn name(&self) -> &'static str;

    /// Stored form without [weights](Posterior::weights). Keys `kernel` and `likelihood` hold expressions, so
    /// that programs can name unknown ones.
    ///
    /// # Errors
    /// [`Model`](crate::ErrorKind::Model) if it cannot be stored.
    fn to_stored(&self) -> Result<Value, CliError>;

    /// Boxed copy.
    fn clone_box(&self) -> Box<dyn Storable>;

    /// Independent posteriors or mixture; otherwise `None`.
    fn mixture(&self) -> Option<&MixturePosterior<Held>> {
        None
    }

    /// One latent's posterior, if separate.
    fn of_latent(&self, latent: usize) -> Option<Functions> {
        (self.latent_count() == 1 && latent == 0).then(|| Functions(self.clone_box()))
    }

    /// Oldest sufficient format version; other crates keep the default.
    fn format_version(&self) -> u32 {
        OPEN
    }
}

/// Storable posterior over all latents.
#[derive(Debug)]
pub struct Functions(Box<dyn Storable>);

impl Clone for Functions {
    fn clone(&self) -> Self {
        Self(self.0.clone_box())
    }
}

impl WrapsPosterior for Functions {
    fn inner(&self) -> &dyn Posterior {
        self.0.as_ref()
    }
}

impl Functions {
    /// Wraps a storable posterior.
    pub fn new(posterior: impl Storable + 'static) -> Self {
        Self(Box::new(posterior))
    }

    /// Wrapped posterior.
    #[must_use]
    pub fn stored(&self) -> &dyn Storable {
        self.0.as_ref()
    }

    /// Independent posteriors or mixture; otherwise `None`.
    #[must_use]
    pub fn mixture(&self) -> Option<&MixturePosterior<Held>> {
        self.0.mixture()
    }

    /// Posteriors by component and latent; empty if dependent.
    #[must_use]
    pub fn parts(&self) -> &[Held] {
        self.mixture().map_or(&[], MixturePosterior::parts)
    }
}
