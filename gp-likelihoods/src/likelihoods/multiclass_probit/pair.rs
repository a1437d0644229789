//! Pairwise probit factor.

use crate::derivatives::LatentDerivatives;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::likelihoods::bernoulli_probit::BernoulliProbit;
use crate::special::{inverse_mills, inverse_mills_excess, log_normal_cdf};
use crate::workspace::Workspace;

/// Factor `Φ((f_y − f_c)/√noise)` (Villacampa-Calvo & Hernández-Lobato 2017, §2). The product is not the likelihood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairwiseProbit {
    noise: f64,
}

/// `ln Z` with derivatives, label's latent first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairTilted {
    /// `ln Z`
    pub log_z: f64,
    /// Derivatives by the means.
    pub by_mean: [f64; 2],
    /// Derivatives by the variances.
    pub by_variance: [f64; 2],
    /// `−∂² ln Z/∂m²` for either mean, accurate for improbable labels.
    pub curvature: f64,
}

impl PairwiseProbit {
    /// Factor with noise variance; 0: step function.
    ///
    /// # Errors
    /// [`LikelihoodError::Argument`] for negative or non-finite variance.
    pub fn new(noise: f64) -> Result<Self, LikelihoodError> {
        let sound = noise >= 0.0 && noise.is_finite();
        crate::error::check("noise variance", noise, sound, "finite and not negative")?;
        Ok(Self { noise })
    }

    /// `ln Φ(z)`, `z = (m_y − m_c)/√(v_y + v_c + noise)`, at power 1.
    ///
    /// # Errors
    /// [`LikelihoodError::Argument`] if all variances are 0.
    pub fn tilted(&self, label: Latent, other: Latent) -> Result<PairTilted, LikelihoodError> {
        let variance = label.variance() + other.variance() + self.noise;
        crate::error::check("variance of the difference", variance, variance > 0.0, "above 0")?;
        let z = (label.mean() - other.mean()) / variance.sqrt();
        let pull = inverse_mills(z) / variance.sqrt();
        Ok(PairTilted {
            log_z: log_normal_cdf(z),
            by_mean: [pull, -pull],
            by_variance: [-0.5 * pull * z / variance.sqrt(); 2],
            curvature: inverse_mills(z) * inverse_mills_excess(z) / variance,
        })
    }

    /// `ln ∫ Φ^α N N df` or, without power, `E[ln Φ]`; step functions need power 1.
    pub(super) fn integral(
        &self,
        [label, other]: [Latent; 2],
        power: Option<f64>,
        ws: &mut Workspace,
        scratch: &mut LatentDerivatives,
    ) -> Result<PairIntegral, LikelihoodError> {
        if power == Some(1.0) {
            let pair = self.tilted(label, other)?;
            let by_variance = pair.by_variance[0];
            let by_mean = pair.by_mean[0];
            return Ok(PairIntegral { value: pair.log_z, by_mean, by_variance, by_noise: by_variance });
        }
        let (noise, asked) = (self.noise, power.unwrap_or(0.0));
        crate::error::check("power of a step function", asked, noise > 0.0, "1; give the factors noise")?;
        let (mean, variance) = (label.mean() - other.mean(), label.variance() + other.variance());
        let root = noise.sqrt();
        let u = [Latent::new(mean / root, variance / noise)?];
        match power {
            Some(power) => BernoulliProbit.tilted(&[1.0], &u, power, ws, scratch)?,
            None => BernoulliProbit.expected_log_density(&[1.0], &u, ws, scratch)?,
        }
        let (by_mean, by_variance) = (scratch.by_mean[0] / root, scratch.by_variance[0] / noise);
        let by_noise = -(0.5 * mean * by_mean + variance * by_variance) / noise;
        Ok(PairIntegral { value: scratch.value, by_mean, by_variance, by_noise })
    }
}

pub(super) struct PairIntegral {
    pub(super) value: f64,
    /// Derivative by the label's mean; the other's is negative.
    pub(super) by_mean: f64,
    pub(super) by_variance: f64,
    pub(super) by_noise: f64,
}
