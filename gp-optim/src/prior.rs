//! Prior densities of single numbers.

mod text;

use crate::error::ParameterError;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_2_PI, TAU};

/// Prior density of a natural value θ.
///
/// Serialised as text (`gamma(2, 1)`) with all bits; [`Prior::validate`] checks fields.
///
/// ```
/// use gp_optim::Prior;
/// let prior: Prior = "gamma(2, 1)".parse()?;
/// assert_eq!(prior, Prior::Gamma { shape: 2.0, rate: 1.0 });
/// assert_eq!(prior.log_density(1.0), -1.0);
/// assert_eq!(prior.derivative(1.0), 0.0);
/// # Ok::<(), gp_optim::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum Prior {
    /// Normal on all numbers.
    Normal {
        /// Mean and mode.
        mean: f64,
        /// Standard deviation, positive.
        sd: f64,
    },
    /// Normal ln θ, θ > 0.
    LogNormal {
        /// Mean of ln θ.
        mu: f64,
        /// Standard deviation of ln θ, positive.
        sigma: f64,
    },
    /// Density ∝ `θ^(shape − 1) exp(−rate θ)`, θ > 0.
    Gamma {
        /// Shape, positive.
        shape: f64,
        /// Rate (inverse scale), positive.
        rate: f64,
    },
    /// Density ∝ `θ^(−shape − 1) exp(−scale / θ)`, θ > 0.
    InverseGamma {
        /// Shape, positive.
        shape: f64,
        /// Scale, positive.
        scale: f64,
    },
    /// Absolute value of centred normal, θ > 0.
    HalfNormal {
        /// Standard deviation of the normal, positive.
        sd: f64,
    },
    /// Absolute value of centred Cauchy, θ > 0.
    HalfCauchy {
        /// Median, positive.
        scale: f64,
    },
    /// Density ∝ `exp(−rate θ)`, θ > 0.
    Exponential {
        /// Rate (inverse mean), positive.
        rate: f64,
    },
    /// Constant density between `lo` and `hi`.
    Uniform {
        /// Lower end.
        lo: f64,
        /// Upper end, above `lo`.
        hi: f64,
    },
    /// Constant density of ln θ, `lo` < θ < `hi`.
    LogUniform {
        /// Lower end, positive.
        lo: f64,
        /// Upper end, above `lo`.
        hi: f64,
    },
}

impl Prior {
    /// Open support, possibly infinite.
    #[must_use]
    pub fn support(&self) -> (f64, f64) {
        match *self {
            Self::Normal { .. } => (f64::NEG_INFINITY, f64::INFINITY),
            Self::LogNormal { .. }
            | Self::Gamma { .. }
            | Self::InverseGamma { .. }
            | Self::HalfNormal { .. }
            | Self::HalfCauchy { .. }
            | Self::Exponential { .. } => (0.0, f64::INFINITY),
            Self::Uniform { lo, hi } | Self::LogUniform { lo, hi } => (lo, hi),
        }
    }

    /// `ln p(θ)`, normalised; −∞ outside, NaN for NaN.
    #[must_use]
    pub fn log_density(&self, theta: f64) -> f64 {
        if !self.supports(theta) {
            return if theta.is_nan() { theta } else { f64::NEG_INFINITY };
        }
        match *self {
            Self::Normal { mean, sd } => standard_normal((theta - mean) / sd) - sd.ln(),
            Self::LogNormal { mu, sigma } => {
                let log = theta.ln();
                standard_normal((log - mu) / sigma) - sigma.ln() - log
            }
            Self::Gamma { shape, rate } => {
                shape * rate.ln() - libm::lgamma(shape) + (shape - 1.0) * theta.ln() - rate * theta
            }
            Self::InverseGamma { shape, scale } => {
                shape * scale.ln() - libm::lgamma(shape) - (shape + 1.0) * theta.ln() - scale / theta
            }
            Self::HalfNormal { sd } => 2f64.ln() + standard_normal(theta / sd) - sd.ln(),
            Self::HalfCauchy { scale } => FRAC_2_PI.ln() - scale.ln() - (theta / scale).powi(2).ln_1p(),
            Self::Exponential { rate } => rate.ln() - rate * theta,
            Self::Uniform { lo, hi } => -(hi - lo).ln(),
            Self::LogUniform { lo, hi } => -theta.ln() - (hi / lo).ln().ln(),
        }
    }

    /// `d ln p / dθ`; 0 outside, NaN for NaN.
    #[must_use]
    pub fn derivative(&self, theta: f64) -> f64 {
        if !self.supports(theta) {
            return if theta.is_nan() { theta } else { 0.0 };
        }
        match *self {
            Self::Normal { mean, sd } => -((theta - mean) / sd) / sd,
            Self::LogNormal { mu, sigma } => -(1.0 + (theta.ln() - mu) / sigma / sigma) / theta,
            Self::Gamma { shape, rate } => (shape - 1.0) / theta - rate,
            Self::InverseGamma { shape, scale } => (scale / theta - (shape + 1.0)) / theta,
            Self::HalfNormal { sd } => -(theta / sd) / sd,
            Self::HalfCauchy { scale } => {
                let ratio = theta / scale;
                -2.0 * ratio / scale / (1.0 + ratio * ratio)
            }
            Self::Exponential { rate } => -rate,
            Self::Uniform { .. } => 0.0,
            Self::LogUniform { .. } => -1.0 / theta,
        }
    }

    /// Prior of `factor · θ`, `factor` > 0.
    ///
    /// ```
    /// use gp_optim::Prior;
    /// let weeks = Prior::Gamma { shape: 2.0, rate: 0.7 };
    /// let days = weeks.scaled(7.0);
    /// assert!((days.log_density(14.0) - (weeks.log_density(2.0) - 7f64.ln())).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        match self {
            Self::Normal { mean, sd } => Self::Normal { mean: mean * factor, sd: sd * factor },
            Self::LogNormal { mu, sigma } => Self::LogNormal { mu: mu + factor.ln(), sigma },
            Self::Gamma { shape, rate } => Self::Gamma { shape, rate: rate / factor },
            Self::InverseGamma { shape, scale } => Self::InverseGamma { shape, scale: scale * factor },
            Self::HalfNormal { sd } => Self::HalfNormal { sd: sd * factor },
            Self::HalfCauchy { scale } => Self::HalfCauchy { scale: scale * factor },
            Self::Exponential { rate } => Self::Exponential { rate: rate / factor },
            Self::Uniform { lo, hi } => Self::Uniform { lo: lo * factor, hi: hi * factor },
            Self::LogUniform { lo, hi } => Self::LogUniform { lo: lo * factor, hi: hi * factor },
        }
    }

    /// Checks all fields.
    ///
    /// # Errors
    /// [`ParameterError::PriorArgument`].
    pub fn validate(&self) -> Result<(), ParameterError> {
        self.family().check(&self.arguments())
    }

    fn supports(&self, theta: f64) -> bool {
        let (lower, upper) = self.support();
        theta.is_finite() && lower < theta && theta < upper
    }
}

/// ln N(z | 0, 1).
fn standard_normal(z: f64) -> f64 {
    -0.5 * (z * z + TAU.ln())
}
