//! How expected log densities `E[ln p(y | f)]` under the marginals of q are found.

mod draws;
mod estimate;

pub(crate) use draws::Nodes;
pub(crate) use estimate::{Estimates, Observed};

use gp_ep::InferenceError;
use gp_likelihoods::Likelihood;
use serde::{Deserialize, Serialize};

/// The most samples of one expectation.
pub(crate) const MOST_SAMPLES: usize = 1 << 16;

/// Where expected log densities and their derivatives come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Expectation {
    /// The likelihood's closed form where it has one, and its quadrature where it has none. Quadrature costs tens of
    /// evaluations of the density for one latent, hundreds to thousands for several.
    #[default]
    Exact,
    /// Samples of the latent values, which under q are independent Gaussians given the component (Bonilla et al. 2019
    /// Theorem 1).
    Sampled(Sampling),
}

/// How samples are drawn, and what is made of them.
///
/// The same seed gives the same samples for the same observation, wherever and whenever it is looked at, so that the
/// bound is a smooth function of all parameters: common random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sampling {
    /// Where derivatives come from.
    pub estimator: Estimator,
    /// Where samples come from.
    pub draws: Draws,
    /// S, samples for each observation and component.
    pub samples: usize,
    /// What all randomness flows from.
    pub seed: u64,
}

/// An estimator of derivatives by mean m and variance w of a latent value `f = m + √w t`, `t ~ N(0, 1)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Estimator {
    /// `E[∂ ln p]` and `E[t ∂ ln p]/2√w`: for likelihoods with derivatives. These are the derivatives of the sampled
    /// bound itself, which line searches ask for.
    #[default]
    Reparameterised,
    /// `E[t ln p]/√w` and `E[(t² − 1) ln p]/2w` (Bonilla et al. 2019 eq. 25): asks for nothing but the density.
    Score,
    /// The same with the score as control variate (Bonilla et al. 2019 eq. 100–103), its coefficient for each sample
    /// taken from all others, which leaves the estimate unbiased.
    ControlledScore,
}

/// Where samples come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Draws {
    /// Independent for each observation.
    #[default]
    Random,
    /// One of 32 sets of nodes that fill space evenly ([`Cubature::quasi_random`]), with signs of its coordinates
    /// turned at random, for each observation. An odd number of samples becomes the next even one.
    ///
    /// [`Cubature::quasi_random`]: gp_likelihoods::quadrature::Cubature::quasi_random
    QuasiRandom,
}

impl Default for Sampling {
    /// 100 random samples and derivatives of the density.
    fn default() -> Self {
        Self { estimator: Estimator::default(), draws: Draws::default(), samples: 100, seed: 0 }
    }
}

impl Expectation {
    /// Whether these settings make sense, and for this likelihood.
    pub(crate) fn check(&self, likelihood: &dyn Likelihood) -> Result<(), InferenceError> {
        let Self::Sampled(sampling) = self else { return Ok(()) };
        if !(1..=MOST_SAMPLES).contains(&sampling.samples) {
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
