//! Model of Power EP.

use super::rules::Level;
use crate::error::InferenceError;
use crate::latent_model::LatentModel;
use crate::on_latent_model;
use crate::powers::Powers;
use gp_kernels::inducing::SparseProcess;
use gp_likelihoods::Likelihood;

/// [Latent model](LatentModel) approximated by Power EP.
#[derive(Clone, Debug)]
pub struct PowerEp {
    latent: LatentModel,
    powers: Powers,
    level: Level,
}

impl PowerEp {
    /// One process per latent, or one for all; α = 1 (EP), sites on projections, own per
    /// [piece](gp_likelihoods::Pieces).
    ///
    /// # Errors
    /// [`InferenceError::Shape`] of `processes`.
    pub fn new(
        processes: Vec<SparseProcess>,
        likelihood: Box<dyn Likelihood>,
    ) -> Result<Self, InferenceError> {
        let latent = LatentModel::new(processes, likelihood)?;
        Ok(Self { latent, powers: Powers::Same(1.0), level: Level::Projection })
    }

    /// Sets the powers α.
    #[must_use]
    pub fn with_powers(self, powers: Powers) -> Self {
        Self { powers, ..self }
    }

    /// Sets the level of sites.
    #[must_use]
    pub fn with_level(self, level: Level) -> Self {
        Self { level, ..self }
    }

    /// Powers α.
    #[must_use]
    pub fn powers(&self) -> &Powers {
        &self.powers
    }

    /// Level of sites.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    pub(crate) fn sites_per_observation(&self) -> usize {
        self.likelihood().touched_total()
    }
}

on_latent_model! { PowerEp: LatentModel { latent } }
