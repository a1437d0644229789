//! The knobs of an update.

use crate::error::InferenceError;
use serde::{Deserialize, Serialize};

/// What a site is a function of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Level {
    /// Of the projection `φᵀv` of the inducing values: scalable EP (Hernández-Lobato & Hernández-Lobato 2016), Power EP
    /// (Bui et al. 2017).
    #[default]
    Projection,
    /// Of the latent value f itself, under the FITC prior: generalised FITC.
    Latent,
}

/// What is done about a site of negative precision, which moments ask for where a likelihood is not log-concave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum NegativePrecision {
    /// It is taken as it comes. A sweep after which the posterior would be improper is taken by half, and by half
    /// again.
    #[default]
    Keep,
    /// Its precision is 0 and its shift such that means match.
    Bound,
    /// The site stays what it was.
    Skip,
}

/// In which order sites are updated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Schedule {
    /// All at once, from the same posterior.
    #[default]
    Parallel,
    /// One after the other; each sees what those before it changed.
    InTurn,
}

/// How iterations go.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EpOptions {
    /// How far sites move towards where a full update of power 1/α would put them, in (0, 1]. Fixed points do not
    /// depend on it.
    pub step: f64,
    /// Sweeps over all observations at most.
    pub max_sweeps: usize,
    /// Sites are at rest when, in the root mean square, a full update would change them by less than this, in units
    /// of the marginals they act on.
    pub tolerance: f64,
    /// ... and the last sweep changed log Z by less than this times 1 + |log Z|.
    pub log_z_tolerance: f64,
    /// What is done about negative precisions.
    pub negative: NegativePrecision,
    /// In which order sites are updated.
    pub schedule: Schedule,
    /// How many sweeps are remembered, to set out from where they lead to together (Anderson's mixing); 0 for plain
    /// sweeps. Where that leads away from rest, the last plain sweep counts and the others are forgotten. It is for
    /// sites on projections that are updated all at once.
    pub memory: usize,
}

impl Default for EpOptions {
    /// Half steps as in Hernández-Lobato & Hernández-Lobato 2016, five of which are remembered, to 1e-6.
    fn default() -> Self {
        Self {
            step: 0.5,
            max_sweeps: 500,
            tolerance: 1e-6,
            log_z_tolerance: 1e-8,
            negative: NegativePrecision::default(),
            schedule: Schedule::default(),
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
