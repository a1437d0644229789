//! Expected log densities `E[ln p(y | f)]` under the marginals of q.

mod draws;
mod estimate;
mod samples;

pub(crate) use draws::Nodes;
pub(crate) use estimate::{Estimates, Observed};

use gp_ep::InferenceError;
use gp_likelihoods::Likelihood;
use serde::{Deserialize, Serialize};

/// Maximum number of samples per expectation.
pub const MAX_SAMPLES: usize = 1 << 16;

/// Method for expected log densities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Expectation {
    /// Closed form or quadrature: tens of evaluations (several latents: thousands).
    #[default]
    Exact,
    /// Samples of latent values (Bonilla et al. 2019 Theorem 1).
    Sampled(Sampling),
}

/// Settings of sampling.
///
/// Common random numbers: fixed by seed and observation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sampling {
    /// Estimator of derivatives.
    pub estimator: Estimator,
    /// Source of samples.
    pub draws: Draws,
    /// Samples S per observation and component.
    pub samples: usize,
    /// Random seed.
    pub seed: u64,
}

/// Derivatives by m and w of `f = m + √w t`, `t ~ N(0, 1)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Estimator {
    /// `E[∂ ln p]` and `E[t ∂ ln p]/2√w`, exact for the sampled bound; for differentiable likelihoods.
    #[default]
    Reparameterised,
    /// `E[t ln p]/√w` and `E[(t² − 1) ln p]/2w` (Bonilla et al. 2019 eq. 25), from densities only.
    Score,
    /// `Score` with unbiased control variates (Bonilla et al. 2019 eq. 100–103).
    ControlledScore,
}

impl Estimator {
    /// `true` if only densities are evaluated.
    pub(crate) fn is_score(self) -> bool {
        self != Self::Reparameterised
    }
}

/// Source of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Draws {
    /// Independent draws per observation.
    #[default]
    Random,
    /// One of 32 [`Cubature::quasi_random`] sets per observation, random signs; S is rounded up to even.
    ///
    /// [`Cubature::quasi_random`]: gp_likelihoods::quadrature::Cubature::quasi_random
    QuasiRandom,
}

impl Default for Sampling {
    fn default() -> Self {
        Self { estimator: Estimator::default(), draws: Draws::default(), samples: 100, seed: 0 }
    }
}

impl Expectation {
    pub(crate) fn check(&self, likelihood: &dyn Likelihood) -> Result<(), InferenceError> {
        let Self::Sampled(sampling) = self else { return Ok(()) };
        if !(1..=MAX_SAMPLES).contains(&sampling.samples) {
            let (what, allowed) = ("number of samples", "from 1 to 2^16");
            return Err(InferenceError::Option { what, value: sampling.samples as f64, allowed });
        }
        if sampling.estimator == Estimator::Reparameterised && !likelihood.is_smooth() {
            return Err(InferenceError::Unsupported {
                what: "derivatives of samples of a likelihood that is not smooth",
            });
        }
        Ok(())
    }
}
