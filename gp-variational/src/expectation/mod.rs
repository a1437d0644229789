//! Expected log densities `E[ln p(y | f)]` under the marginals of q.

mod draws;
mod estimate;
mod samples;

pub(crate) use draws::Nodes;
pub(crate) use estimate::{Estimates, Observed};

use gp_ep::InferenceError;
use gp_likelihoods::Likelihood;
use serde::{Deserialize, Serialize};

pub(crate) const MAX_SAMPLES: usize = 1 << 16;

/// Method for expected log densities and their derivatives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Expectation {
    /// Closed form of the likelihood, or quadrature: tens of density evaluations for one latent, hundreds to
    /// thousands for several.
    #[default]
    Exact,
    /// Samples of latent values, independent Gaussians given the component (Bonilla et al. 2019 Theorem 1).
    Sampled(Sampling),
}

/// Settings of sampling.
///
/// Samples depend on seed and observation only: the bound is smooth in all parameters (common random
/// numbers).
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

/// Estimator of derivatives by mean m and variance w of a latent value `f = m + √w t`, `t ~ N(0, 1)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Estimator {
    /// `E[∂ ln p]` and `E[t ∂ ln p]/2√w`, for differentiable likelihoods. Exact derivatives of the sampled
    /// bound, which line searches need.
    #[default]
    Reparameterised,
    /// `E[t ln p]/√w` and `E[(t² − 1) ln p]/2w` (Bonilla et al. 2019 eq. 25); needs only the density.
    Score,
    /// `Score` with the score as control variate (Bonilla et al. 2019 eq. 100–103). Unbiased: each sample's
    /// coefficient comes from the other samples.
    ControlledScore,
}

impl Estimator {
    /// `true` if only log densities are evaluated.
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
    /// One of 32 evenly spread sets of nodes ([`Cubature::quasi_random`]) per observation, with random
    /// signs; the number of samples is rounded up to even.
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
