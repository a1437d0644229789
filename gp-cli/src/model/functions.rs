//! The posterior over all latent functions: independent ones, a mixture of such, or the active points of an informative
//! vector machine.

use super::latents::Latents;
use super::posterior::{Posterior, StoredLatent};
use super::vocabulary::Vocabulary;
use crate::error::{CliError, ErrorKind};
use faer::{Mat, MatRef};
use gp_ep::ivm::{IvmPosterior, StoredIvm};
use gp_kernels::Evaluator;
use gp_kernels::Kernel;
use gp_kernels::posterior::MixturePosterior;
use serde::{Deserialize, Serialize};

/// Proportions may differ from a sum of 1 by rounding.
const ROUNDING: f64 = 1e-9;

/// How beliefs about latent functions are held.
#[derive(Clone, Debug)]
pub(super) enum Functions {
    /// Functions that are independent in each component of a mixture; one component is no mixture.
    Components(MixturePosterior<Posterior>),
    /// Active points with their sites.
    Active(Box<IvmPosterior>),
}

/// The same as text and numbers. What has one component is written as the first version did.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StoredFunctions {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    latents: Vec<StoredLatent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ivm: Option<Box<StoredIvm>>,
}

/// One latent function, as reports speak of it.
#[derive(Clone, Copy, Debug)]
pub struct LatentFunction<'a> {
    /// The prior covariance, as it was learned.
    pub kernel: &'a dyn Kernel,
    /// The points it is seen through, a row each: inducing inputs or active points.
    pub seen_through: Option<MatRef<'a, f64>>,
    /// What those points are called.
    pub seen_as: &'static str,
    /// What was added to the diagonal of a matrix that was factored.
    pub jitter: f64,
}

impl Functions {
    pub(super) fn weights(&self) -> &[f64] {
        match self {
            Self::Components(mixture) => mixture.weights(),
            Self::Active(_) => &[1.0],
        }
    }

    /// One latent function, in the first component of a mixture: all components share kernel and inducing inputs.
    pub(super) fn describe(&self, latent: usize) -> LatentFunction<'_> {
        match self {
            Self::Components(mixture) => {
                let part = &mixture.parts()[latent];
                LatentFunction {
                    kernel: part.kernel(),
                    seen_through: part.inducing_inputs().map(|inputs| inputs.z().as_dyn_stride()),
                    seen_as: "inducing inputs",
                    jitter: part.jitter(),
                }
            }
            Self::Active(found) => LatentFunction {
                kernel: found.model().kernels()[latent].as_ref(),
                seen_through: Some(found.active_inputs(latent)),
                seen_as: "active points",
                jitter: found.jitter(),
            },
        }
    }

    pub(super) fn predict(&self, points: MatRef<'_, f64>) -> Result<Latents, CliError> {
        match self {
            Self::Active(found) => Ok(Latents::correlated(found.model().classes(), found.latents(points)?)),
            Self::Components(mixture) => {
                let components = mixture.components(points, &Evaluator::default())?;
                if mixture.weights().len() == 1 {
                    return Ok(Latents::gaussian(components));
                }
                Ok(Latents::mixture(mixture.combine(components.clone()), components))
            }
        }
    }

    /// Of the first latent function.
    pub(super) fn predict_joint(&self, points: MatRef<'_, f64>) -> Result<(Vec<f64>, Mat<f64>), CliError> {
        match self {
            Self::Active(found) => Ok(found.joint(0, points)?),
            Self::Components(mixture) => Ok(mixture.joint(0, points, &Evaluator::default())?),
        }
    }

    /// The first version of the format knows neither mixtures nor active points.
    pub(super) fn version(&self) -> u32 {
        match self {
            Self::Components(mixture) if mixture.weights().len() == 1 => 1,
            Self::Components(_) | Self::Active(_) => 2,
        }
    }

    pub(super) fn to_stored(&self) -> Result<StoredFunctions, CliError> {
        Ok(match self {
            Self::Components(mixture) => StoredFunctions {
                weights: (mixture.weights().len() > 1).then(|| mixture.weights().to_vec()),
                latents: mixture.parts().iter().map(Posterior::to_stored).collect::<Result<_, _>>()?,
                ivm: None,
            },
            Self::Active(found) => StoredFunctions {
                weights: None,
                latents: Vec::new(),
                ivm: Some(Box::new(found.to_stored()?)),
            },
        })
    }
}

impl StoredFunctions {
    /// The posterior over this many latent functions.
    pub(super) fn restore(self, wanted: usize, names: &dyn Vocabulary) -> Result<Functions, CliError> {
        let wrong = |message: String| Err(CliError::new(ErrorKind::Model, message));
        if let Some(stored) = self.ivm {
            let found = stored.restore(names.kernels(), names.likelihoods())?;
            let latents = found.model().classes();
            if latents != wanted {
                return wrong(format!("{latents} latent functions, and the likelihood has {wanted}"));
            }
            return Ok(Functions::Active(Box::new(found)));
        }
        let weights = self.weights.unwrap_or_else(|| vec![1.0]);
        let sum: f64 = weights.iter().sum();
        if weights.iter().any(|weight| !(0.0..=1.0).contains(weight)) || (sum - 1.0).abs() > ROUNDING {
            return wrong("proportions of a mixture that are none".to_owned());
        }
        let (found, wanted) = (self.latents.len(), wanted * weights.len());
        if found != wanted {
            return wrong(format!(
                "{found} latent functions, and the likelihood has {wanted} in {} components",
                weights.len()
            ));
        }
        let parts = self.latents.into_iter().map(|latent| latent.restore(names.kernels()));
        Ok(Functions::Components(MixturePosterior::new(weights, parts.collect::<Result<_, _>>()?)?))
    }
}
