//! Independent posteriors of latents, or mixtures.

use super::functions::{Approximation, Functions, Storable};
use super::held::{Held, StoredLatent};
use super::posteriors::{PosteriorEntry, Stored};
use crate::error::{CliError, ErrorKind};
use gp_ep::Predictor;
use gp_kernels::Evaluator;
use gp_kernels::posterior::{LatentPosterior, MixturePosterior};
use gp_likelihoods::Likelihood;
use serde_json::Value;

const NAME: &str = "latents";

pub(super) const ENTRY: PosteriorEntry = PosteriorEntry::new(NAME, read);

impl<P: LatentPosterior + Into<Held>> From<MixturePosterior<P>> for Functions {
    fn from(mixture: MixturePosterior<P>) -> Self {
        Self::new(mixture.map(Into::into))
    }
}

impl Storable for MixturePosterior<Held> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn to_stored(&self) -> Result<Value, CliError> {
        let latents = self.parts().iter().map(Held::to_stored).collect::<Result<Vec<_>, _>>()?;
        serde_json::to_value(latents)
            .map_err(|cause| CliError::caused(ErrorKind::Model, "a posterior that cannot be written", cause))
    }

    fn clone_box(&self) -> Box<dyn Storable> {
        Box::new(self.clone())
    }

    fn mixture(&self) -> Option<&MixturePosterior<Held>> {
        Some(self)
    }

    fn of_latent(&self, latent: usize) -> Option<Functions> {
        let parts: Vec<Held> =
            self.parts().iter().skip(latent).step_by(self.latent_count()).cloned().collect();
        MixturePosterior::new(self.weights().to_vec(), parts).ok().map(Functions::new)
    }

    /// Version 2 for mixtures, 3 for windows.
    fn format_version(&self) -> u32 {
        match self.weights().len() {
            _ if self.parts().iter().any(Held::has_windows) => 3,
            1 => 1,
            _ => 2,
        }
    }
}

fn read(stored: Stored<'_>) -> Result<Functions, CliError> {
    let (wanted, components, kernels) = (stored.latents, stored.weights.len(), stored.kernels);
    let weights = stored.weights.clone();
    let latents: Vec<StoredLatent> = stored.read()?;
    let (found, wanted) = (latents.len(), wanted * components);
    if found != wanted {
        let what =
            format!("{found} latent functions, and the likelihood has {wanted} in {components} components");
        return Err(CliError::new(ErrorKind::Model, what));
    }
    let mut parts: Vec<Held> = Vec::with_capacity(latents.len());
    for latent in latents {
        parts.push(latent.restore(kernels, &parts)?);
    }
    Ok(Functions::new(MixturePosterior::new(weights, parts)?))
}

/// One independent posterior per latent.
///
/// # Errors
/// [`Numerical`](ErrorKind::Numerical) for another number of posteriors.
pub fn approximation(latents: Vec<Held>, likelihood: Box<dyn Likelihood>) -> Result<Approximation, CliError> {
    let functions = Functions::new(MixturePosterior::single(latents));
    Ok(Predictor::new(functions, likelihood, Evaluator::default().threading())?)
}
