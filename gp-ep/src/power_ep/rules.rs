//! Knobs of an update.

use crate::error::InferenceError;
use serde::{Deserialize, Serialize};

/// Argument of a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Level {
    /// Projection `φᵀv` of the inducing values: scalable EP (Hernández-Lobato & Hernández-Lobato 2016),
    /// Power EP (Bui et al. 2017).
    #[default]
    Projection,
    /// Latent value f under the FITC prior: generalised FITC.
    Latent,
}

/// Treatment of sites of negative precision, which arise for likelihoods that are not log-concave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum NegativePrecision {
    /// Accept it. A sweep that makes the posterior improper is halved.
    #[default]
    Keep,
    /// Set precision 0, with a shift that matches means.
    Bound,
    /// Leave the site unchanged.
    Skip,
}

/// Order of site updates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SiteOrder {
    /// All at once, from the same posterior.
    #[default]
    Parallel,
    /// One after the other, each seeing earlier changes.
    InTurn,
}

/// Settings of iterations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EpOptions {
    /// Step of sites towards a full update of power 1/α, in (0, 1]. Fixed points do not depend on it.
    pub step: f64,
    /// Most sweeps over all observations.
    pub max_sweeps: usize,
    /// Convergence: the root mean square change of sites by a full update is below this, in units of their
    /// marginals,
    pub tolerance: f64,
    /// and the last sweep changed log Z by less than this times 1 + |log Z|.
    pub log_z_tolerance: f64,
    /// Treatment of negative precisions.
    pub negative: NegativePrecision,
    /// Order of site updates.
    pub schedule: SiteOrder,
    /// Sweeps remembered for Anderson mixing; 0 for plain sweeps. A mixture farther from convergence is
    /// replaced by the last plain sweep, and the memory cleared. For sites on projections, updated at once.
    pub memory: usize,
}

impl Default for EpOptions {
    /// Half steps as in Hernández-Lobato & Hernández-Lobato 2016, five remembered, tolerance 1e-6.
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
