//! Posterior over all latents, of any kind that a model file can hold.

use super::held::Held;
use crate::error::CliError;
use gp_ep::{HoldsPosterior, Posterior, Predictor};
use gp_kernels::posterior::MixturePosterior;
use serde_json::Value;

/// First version of the format with posteriors of other crates.
const OPEN: u32 = 6;

/// Posteriors of the latents and the likelihood, in model units.
pub type Approximation = Predictor<Functions>;

/// A posterior that a model file can hold. Its reader is a [`PosteriorEntry`](super::PosteriorEntry) of the same name.
pub trait Storable: Posterior {
    /// Name in model files.
    fn name(&self) -> &'static str;

    /// Stored form, without [weights](Posterior::weights). Kernels and likelihoods are expressions under the keys `kernel`
    /// and `likelihood`, so that a program without them names what it lacks.
    ///
    /// # Errors
    /// [`Model`](crate::ErrorKind::Model) for what cannot be written.
    fn to_stored(&self) -> Result<Value, CliError>;

    /// A copy.
    fn clone_box(&self) -> Box<dyn Storable>;

    /// The same as independent posteriors of latents, or a mixture of these, if it is one.
    fn mixture(&self) -> Option<&MixturePosterior<Held>> {
        None
    }

    /// Posterior of one latent that is known apart from the others, if it is.
    fn of_latent(&self, latent: usize) -> Option<Functions> {
        (self.latent_count() == 1 && latent == 0).then(|| Functions(self.clone_box()))
    }

    /// Oldest version of the format that can hold it; posteriors of other crates leave it as it is.
    fn format_version(&self) -> u32 {
        OPEN
    }
}

/// Posterior over all latents.
#[derive(Debug)]
pub struct Functions(Box<dyn Storable>);

impl Clone for Functions {
    fn clone(&self) -> Self {
        Self(self.0.clone_box())
    }
}

impl HoldsPosterior for Functions {
    fn inner(&self) -> &dyn Posterior {
        self.0.as_ref()
    }
}

impl Functions {
    /// Any posterior that a model file can hold.
    pub fn new(posterior: impl Storable + 'static) -> Self {
        Self(Box::new(posterior))
    }

    /// Posterior as a model file can hold it.
    #[must_use]
    pub fn stored(&self) -> &dyn Storable {
        self.0.as_ref()
    }

    /// Independent posteriors, or a mixture of these; None for other kinds.
    #[must_use]
    pub fn mixture(&self) -> Option<&MixturePosterior<Held>> {
        self.0.mixture()
    }

    /// Posteriors by component, one per latent; empty unless latents are independent.
    #[must_use]
    pub fn parts(&self) -> &[Held] {
        self.mixture().map_or(&[], MixturePosterior::parts)
    }
}
