//! Options of site updates.

use crate::error::InferenceError;
use serde::{Deserialize, Serialize};

/// Argument of a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Level {
    /// Projection `φᵀv`: scalable EP (Hernández-Lobato & Hernández-Lobato 2016), Power EP (Bui et al. 2017).
    #[default]
    Projection,
    /// Latent value f under the FITC prior: generalised FITC.
    Latent,
}

/// Treatment of negative precisions, absent for log-concave likelihoods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum NegativePrecision {
    /// Allowed; improper posteriors halve the step.
    #[default]
    Keep,
    /// Precision 0, with shift that matches the mean.
    Bound,
    /// Site unchanged.
    Skip,
}

/// Order of site updates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SiteOrder {
    /// All at once, from one posterior.
    #[default]
    Parallel,
    /// One after the other.
    InTurn,
}

/// Options of EP iterations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EpOptions {
    /// Fraction of a full update, in (0, 1].
    pub step: f64,
    /// Maximum number of sweeps.
    pub max_sweeps: usize,
    /// Root mean square change by a full update, in units of marginals; required with `log_z_tolerance`.
    pub tolerance: f64,
    /// Change by the last sweep, relative to 1 + |log Z|.
    pub log_z_tolerance: f64,
    /// Treatment of negative precisions.
    pub negative: NegativePrecision,
    /// Order of site updates.
    pub schedule: SiteOrder,
    /// Sweeps combined by Anderson mixing, 0: none; for parallel sites on projections. The last plain sweep
    /// replaces worse mixtures.
    pub memory: usize,
}

impl Default for EpOptions {
    /// Half steps (Hernández-Lobato & Hernández-Lobato 2016), mixing of five sweeps, tolerance 1e-6.
    fn default() -> Self {
        Self {
            step: 0.5,
            max_sweeps: 500,
            tolerance: 1e-6,
            log_z_tolerance: 1e-8,
            negative: NegativePrecision::default(),
            schedule: SiteOrder::default(),
            memory: 5,
        }
    }
}

impl EpOptions {
    pub(crate) fn check(&self) -> Result<(), InferenceError> {
        let fault = |what, value, allowed| Err(InferenceError::Option { what, value, allowed });
        if !(self.step > 0.0 && self.step <= 1.0) {
            return fault("step", self.step, "above 0 and at most 1");
        }
        for (what, value) in [("tolerance", self.tolerance), ("log Z tolerance", self.log_z_tolerance)] {
            if value.is_nan() || value < 0.0 {
                return fault(what, value, "not negative");
            }
        }
        Ok(())
    }
}
