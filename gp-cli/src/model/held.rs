//! Posterior of one latent.

use crate::error::CliError;
use gp_ep::{ExactGp, ExactPosterior, Observations};
use gp_kernels::inducing::InducingInputs;
use gp_kernels::posterior::{HoldsLatent, InducingPosterior, LatentPosterior, StoredPosterior};
use gp_kernels::{KernelExt as _, Registry};
use gp_likelihoods::Gaussian;
use serde::{Deserialize, Serialize};

/// Exact or inducing posterior.
#[derive(Clone, Debug)]
pub enum Held {
    /// Exact, with all observations.
    Exact(Box<ExactPosterior>),
    /// With inducing inputs.
    Inducing(Box<InducingPosterior>),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StoredLatent {
    Exact(StoredExact),
    Inducing(StoredPosterior),
}

/// Stored exact posterior: loading conditions again, with equal bits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StoredExact {
    kernel: String,
    noise_variance: f64,
    inputs: InducingInputs,
    targets: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    known_noise: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<Vec<f64>>,
}

impl Held {
    pub(super) fn has_windows(&self) -> bool {
        matches!(self, Self::Inducing(inducing) if inducing.inputs().windows().is_some())
    }

    pub(super) fn to_stored(&self) -> Result<StoredLatent, CliError> {
        match self {
            Self::Exact(exact) => Ok(StoredLatent::Exact(StoredExact {
                kernel: exact.kernel().expression(),
                noise_variance: exact.noise().variance(),
                inputs: InducingInputs::points(exact.inputs())?,
                targets: exact.targets().to_vec(),
                known_noise: unless_all(exact.known_noise(), 0.0),
                weights: unless_all(exact.weights(), 1.0),
            })),
            Self::Inducing(inducing) => Ok(StoredLatent::Inducing(inducing.to_stored())),
        }
    }
}

impl From<ExactPosterior> for Held {
    fn from(exact: ExactPosterior) -> Self {
        Self::Exact(Box::new(exact))
    }
}

impl From<InducingPosterior> for Held {
    fn from(inducing: InducingPosterior) -> Self {
        Self::Inducing(Box::new(inducing))
    }
}

impl HoldsLatent for Held {
    fn inner(&self) -> &dyn LatentPosterior {
        match self {
            Self::Exact(exact) => exact.as_ref(),
            Self::Inducing(inducing) => inducing.as_ref(),
        }
    }
}

fn unless_all(values: &[f64], default: f64) -> Option<Vec<f64>> {
    values.iter().any(|value| *value != default).then(|| values.to_vec())
}

impl StoredLatent {
    /// Shares data with previous posteriors if possible.
    pub(super) fn restore(self, kernels: &Registry, before: &[Held]) -> Result<Held, CliError> {
        match self {
            Self::Exact(stored) => {
                let (kernel, noise) = (kernels.parse(&stored.kernel)?, Gaussian::new(stored.noise_variance)?);
                let count = stored.targets.len();
                let known_noise = stored.known_noise.unwrap_or_else(|| vec![0.0; count]);
                let weights = stored.weights.unwrap_or_else(|| vec![1.0; count]);
                let data = Observations::new(stored.inputs.z().as_dyn_stride(), &stored.targets)?;
                let data = data.with_known_noise(&known_noise)?.with_weights(&weights)?;
                Ok(ExactGp::new(kernel, noise).condition(&data)?.into())
            }
            Self::Inducing(stored) => {
                Ok(stored.restore(kernels, before.iter().filter_map(Held::inducing))?.into())
            }
        }
    }
}
