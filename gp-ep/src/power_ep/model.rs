//! Model: latent functions, likelihood, and member of the Power EP family.

use super::rules::Level;
use crate::error::InferenceError;
use crate::latent_model::LatentModel;
use crate::powers::Powers;
use gp_kernels::data::Reduction;
use gp_kernels::inducing::SparseProcess;
use gp_likelihoods::Likelihood;
use gp_linalg::{JitterPolicy, Threading};
use gp_optim::{Parameter, ParameterSet, ParameterSetMut};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// [Latent model](LatentModel) approximated by Power EP.
#[derive(Clone, Debug)]
pub struct PowerEp {
    latent: LatentModel,
    powers: Powers,
    level: Level,
}

impl PowerEp {
    /// One process per latent of the likelihood, or one for all, with α = 1 (EP) at the level of
    /// projections; every [piece](gp_likelihoods::Pieces) of the likelihood has own sites.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] for another number of processes.
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

    /// Sets the jitter policy of `K_zz`.
    #[must_use]
    pub fn with_jitter(mut self, jitter: JitterPolicy) -> Self {
        self.set_jitter(jitter);
        self
    }

    /// Sets the threading policy; results do not change.
    #[must_use]
    pub fn with_threading(mut self, threading: Threading) -> Self {
        self.set_threading(threading);
        self
    }

    /// The same model on data that several processes share. The numbers do not change.
    #[must_use]
    pub fn with_reduction(mut self, reduction: Option<Arc<dyn Reduction>>) -> Self {
        self.set_reduction(reduction);
        self
    }

    /// Powers α.
    #[must_use]
    pub fn powers(&self) -> &Powers {
        &self.powers
    }

    /// Level of the sites.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    pub(crate) fn sites_per_observation(&self) -> usize {
        self.likelihood().touched_total()
    }
}

impl Deref for PowerEp {
    type Target = LatentModel;

    fn deref(&self) -> &LatentModel {
        &self.latent
    }
}

impl DerefMut for PowerEp {
    fn deref_mut(&mut self) -> &mut LatentModel {
        &mut self.latent
    }
}

impl ParameterSet for PowerEp {
    fn visit(&self, visit: &mut dyn FnMut(&Parameter)) {
        self.latent.visit(visit);
    }
}

impl ParameterSetMut for PowerEp {
    fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter)) {
        self.latent.visit_mut(visit);
    }
}
