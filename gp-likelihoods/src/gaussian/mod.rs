//! Gaussian noise.

mod observed;
pub(crate) mod outputs;
mod predictive;

use crate::error::{LikelihoodError, check};
use crate::latent::Latent;
use crate::scalar::Scalar;
use crate::special::HALF_LN_TAU;
use gp_optim::{Parameter, Transform};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Noise `p(y | f) = N(y; f, σ²)`, parameter `variance`. Inherent functions do not check y: NaN gives NaN.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gaussian {
    params: [Parameter; 1],
}

/// `ln p(y | f)` and its derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogDensity {
    /// `ln N(y; f, σ²)`
    pub value: f64,
    /// First derivative by f.
    pub by_latent: f64,
    /// Second derivative by f.
    pub by_latent_twice: f64,
    /// Derivative by σ².
    pub by_variance: f64,
}

/// `E[ln p(y | f)]`, `f ~ N(m, v)`, with derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpectedLogDensity {
    /// Expected log density.
    pub value: f64,
    /// Derivative by m.
    pub by_mean: f64,
    /// Derivative by v.
    pub by_latent_variance: f64,
    /// Derivative by σ².
    pub by_variance: f64,
}

/// `ln Z = ln ∫ N(f; m, v) p(y | f)^α df`, with derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tilted {
    /// `ln Z`
    pub log_z: f64,
    /// Derivative by m.
    pub by_mean: f64,
    /// Derivative by v.
    pub by_latent_variance: f64,
    /// Derivative by σ².
    pub by_variance: f64,
}

impl Gaussian {
    /// Noise with this variance.
    ///
    /// # Errors
    /// [`LikelihoodError::Parameter`] unless positive and finite.
    pub fn new(variance: f64) -> Result<Self, LikelihoodError> {
        Ok(Self { params: [Parameter::scalar("variance", variance, Transform::Positive)?] })
    }

    /// Noise variance σ².
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.params[0].value()
    }

    /// Parameter `variance`.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.params
    }

    /// Parameter `variance`, mutable.
    pub fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut self.params
    }

    /// `ln N(y; f, σ²)`.
    #[must_use]
    pub fn log_density(&self, y: f64, f: f64) -> LogDensity {
        log_density(y, f, self.variance())
    }

    /// `E[ln N(y; f, σ²)]`, `f ~ N(m, v)`: log density at m less `v / 2σ²`.
    #[must_use]
    pub fn expected_log_density(&self, y: f64, latent: Latent) -> ExpectedLogDensity {
        expected_log_density(y, latent, self.variance())
    }

    /// `ln ∫ N(f; m, v) N(y; f, σ²)^α df`, `0 < α ≤ 1`.
    ///
    /// Equals `−½ (α ln 2πσ² + ln(w/σ²) + α (y − m)²/w)`, `w = σ² + α v`; for α = 1, `ln N(y; m, σ² + v)`.
    ///
    /// # Errors
    /// [`LikelihoodError::Argument`] for α outside (0, 1].
    pub fn tilted(&self, y: f64, cavity: Latent, power: f64) -> Result<Tilted, LikelihoodError> {
        check("power", power, power > 0.0 && power <= 1.0, "above 0 and at most 1")?;
        Ok(tilted(y - cavity.mean(), cavity.variance(), self.variance(), power))
    }
}

pub(crate) fn log_density(y: f64, f: f64, variance: f64) -> LogDensity {
    let residual = y - f;
    LogDensity {
        value: log_normal(residual, variance),
        by_latent: residual / variance,
        by_latent_twice: -1.0 / variance,
        by_variance: log_normal_by_variance(residual * residual, variance),
    }
}

pub(crate) fn expected_log_density(y: f64, latent: Latent, variance: f64) -> ExpectedLogDensity {
    let residual = y - latent.mean();
    let expected_square = residual * residual + latent.variance();
    ExpectedLogDensity {
        value: log_normal(residual, variance) - 0.5 * latent.variance() / variance,
        by_mean: residual / variance,
        by_latent_variance: -0.5 / variance,
        by_variance: log_normal_by_variance(expected_square, variance),
    }
}

pub(crate) fn tilted(residual: f64, v: f64, variance: f64, power: f64) -> Tilted {
    let w = variance + power * v;
    // α (y − m)²/w, for the derivatives by both variances.
    let quadratic = power * residual * (residual / w);
    let spread = power * v / variance;
    Tilted {
        log_z: -0.5 * (power * (TAU * variance).ln() + spread.ln_1p() + quadratic),
        by_mean: power * residual / w,
        by_latent_variance: 0.5 * power * (quadratic - 1.0) / w,
        by_variance: 0.5 * (quadratic + spread) / w - 0.5 * power / variance,
    }
}

pub(crate) fn log_tilted<S: Scalar>(residual: S, v: S, log_variance: S, power: f64) -> S {
    let w = log_variance.exp() + v * power;
    // ln(1 + α v/σ²), even if the quotient overflows.
    let spread = if v.value() > 0.0 {
        ((v * power).ln() - log_variance).log1p_exp()
    } else {
        (v * power * (-log_variance).exp()).ln_1p()
    };
    let quadratic = residual * (residual / w) * power;
    -(log_variance * power + spread + quadratic) * 0.5 - power * HALF_LN_TAU
}

fn log_normal(residual: f64, variance: f64) -> f64 {
    // Divides first, because r² may overflow or underflow.
    -0.5 * ((TAU * variance).ln() + residual * (residual / variance))
}

/// `∂ ln N(r; 0, s) / ∂s` for squared r.
fn log_normal_by_variance(squared: f64, variance: f64) -> f64 {
    0.5 * (squared / variance - 1.0) / variance
}
