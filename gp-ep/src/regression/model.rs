//! Model of sparse regression.

use super::blocks::Blocks;
use crate::latent_model::LatentModel;
use crate::on_latent_model;
use crate::powers::Powers;
use gp_kernels::inducing::SparseProcess;
use gp_likelihoods::Gaussian;

/// [Latent model](LatentModel) of one zero-mean function with Gaussian noise.
#[derive(Clone, Debug)]
pub struct SparseRegression {
    latent: LatentModel<Gaussian>,
    powers: Powers,
    blocks: Option<Blocks>,
}

impl SparseRegression {
    /// One factor per observation; [`JitterPolicy::ladder`](gp_linalg::JitterPolicy::ladder), rayon's current
    /// pool.
    #[must_use]
    pub fn new(process: SparseProcess, noise: Gaussian, powers: Powers) -> Self {
        Self { latent: LatentModel::of(vec![process], Box::new(noise)), powers, blocks: None }
    }

    /// Sets the powers α.
    #[must_use]
    pub fn with_powers(self, powers: Powers) -> Self {
        Self { powers, ..self }
    }

    /// Sets blocks as factors.
    #[must_use]
    pub fn with_blocks(self, blocks: Blocks) -> Self {
        Self { blocks: Some(blocks), ..self }
    }

    /// Observation noise.
    #[must_use]
    pub fn noise(&self) -> &Gaussian {
        self.likelihood()
    }

    /// Powers α.
    #[must_use]
    pub fn powers(&self) -> &Powers {
        &self.powers
    }

    /// Blocks; None for single observations.
    #[must_use]
    pub fn blocks(&self) -> Option<&Blocks> {
        self.blocks.as_ref()
    }
}

on_latent_model! { SparseRegression: LatentModel<Gaussian> { latent } }
