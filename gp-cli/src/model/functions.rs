//! Posterior over all latents, of any storable kind.

use super::held::Held;
use crate::error::CliError;
use gp_ep::{Posterior, Predictor, WrapsPosterior};
use gp_kernels::posterior::MixturePosterior;
use serde_json::Value;

/// First format version with posteriors of other crates.
const OPEN: u32 = 6;

/// Posterior and likelihood, in model units.
pub type Approximation = Predictor<Functions>;

/// Posterior for model files. Its reader is a [`PosteriorEntry`](super::PosteriorEntry) of the same name.
pub trait Storable: Posterior {
    /// Name in model files.
    fn name(&self) -> &'static str;

    /// Stored form without [weights](Posterior::weights). Kernels and likelihoods are expressions under the
    /// keys `kernel` and `likelihood`, so that a program can name those it lacks.
    ///
    /// # Errors
    /// [`Model`](crate::ErrorKind::Model) for a posterior that cannot be stored.
    fn to_stored(&self) -> Result<Value, CliError>;

    /// Boxed copy.
    fn clone_box(&self) -> Box<dyn Storable>;

    /// Independent posteriors or their mixture; `None` for other kinds.
    fn mixture(&self) -> Option<&MixturePosterior<Held>> {
        None
    }

    /// One latent's posterior, if known separately.
    fn of_latent(&self, latent: usize) -> Option<Functions> {
        (self.latent_count() == 1 && latent == 0).then(|| Functions(self.clone_box()))
    }

    /// Oldest format version for the posterior. Other crates keep the default.
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

    /// Independent posteriors or their mixture; `None` for other kinds.
    #[must_use]
    pub fn mixture(&self) -> Option<&MixturePosterior<Held>> {
        self.0.mixture()
    }

    /// Posteriors by component and latent; empty unless latents are independent.
    #[must_use]
    pub fn parts(&self) -> &[Held] {
        self.mixture().map_or(&[], MixturePosterior::parts)
    }
}
