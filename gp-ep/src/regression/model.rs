//! Model: latent function with inducing inputs, Gaussian noise, and their approximation.

use super::blocks::Blocks;
use crate::powers::Powers;
use gp_kernels::data::Reduction;
use gp_kernels::inducing::SparseProcess;
use gp_likelihoods::Gaussian;
use gp_linalg::{JitterPolicy, Threading};
use gp_optim::{Parameter, ParameterSet, ParameterSetMut};
use std::sync::Arc;

/// Gaussian process with zero mean, M inducing inputs and Gaussian noise.
///
/// Parameters: those of the process, then the noise variance.
#[derive(Clone, Debug)]
pub struct SparseRegression {
    process: SparseProcess,
    noise: Gaussian,
    powers: Powers,
    blocks: Option<Blocks>,
    jitter: JitterPolicy,
    threading: Threading,
    reduction: Option<Arc<dyn Reduction>>,
}

impl SparseRegression {
    /// Model with one factor per observation. Work runs on rayon's current pool; jitter follows
    /// [`JitterPolicy::ladder`].
    #[must_use]
    pub fn new(process: SparseProcess, noise: Gaussian, powers: Powers) -> Self {
        let (jitter, threading) = (JitterPolicy::ladder(), Threading::Pool);
        Self { process, noise, powers, blocks: None, jitter, threading, reduction: None }
    }

    /// Sets the powers α of the factors.
    #[must_use]
    pub fn with_powers(self, powers: Powers) -> Self {
        Self { powers, ..self }
    }

    /// Sets blocks of observations as factors.
    #[must_use]
    pub fn with_blocks(self, blocks: Blocks) -> Self {
        Self { blocks: Some(blocks), ..self }
    }

    /// Sets the jitter policy.
    #[must_use]
    pub fn with_jitter(self, jitter: JitterPolicy) -> Self {
        Self { jitter, ..self }
    }

    /// Sets the threading policy; results do not change.
    #[must_use]
    pub fn with_threading(self, threading: Threading) -> Self {
        Self { threading, ..self }
    }

    /// The same model on data that several processes share. The numbers do not change.
    #[must_use]
    pub fn with_reduction(self, reduction: Option<Arc<dyn Reduction>>) -> Self {
        Self { reduction, ..self }
    }

    /// Reduction over several processes; none for one process.
    #[must_use]
    pub fn reduction(&self) -> Option<Arc<dyn Reduction>> {
        self.reduction.clone()
    }

    /// Latent function with its inducing inputs.
    #[must_use]
    pub fn process(&self) -> &SparseProcess {
        &self.process
    }

    /// Latent function, mutable: parameter values, fixed marks, bounds, priors.
    pub fn process_mut(&mut self) -> &mut SparseProcess {
        &mut self.process
    }

    /// Observation noise.
    #[must_use]
    pub fn noise(&self) -> &Gaussian {
        &self.noise
    }

    /// Observation noise, mutable: variance, fixed mark, bounds, prior.
    pub fn noise_mut(&mut self) -> &mut Gaussian {
        &mut self.noise
    }

    /// Powers of the factors.
    #[must_use]
    pub fn powers(&self) -> &Powers {
        &self.powers
    }

    /// Blocks of observations, if they are the factors.
    #[must_use]
    pub fn blocks(&self) -> Option<&Blocks> {
        self.blocks.as_ref()
    }

    /// Jitter policy.
    #[must_use]
    pub fn jitter(&self) -> &JitterPolicy {
        &self.jitter
    }

    /// Threading policy.
    #[must_use]
    pub fn threading(&self) -> Threading {
        self.threading
    }

    /// Name of every value: those of the process, then `noise.variance`.
    #[must_use]
    pub fn parameter_names(&self) -> Vec<String> {
        let mut names = self.process.parameter_names();
        names.push("noise.variance".to_owned());
        names
    }
}

impl ParameterSet for SparseRegression {
    fn visit(&self, visit: &mut dyn FnMut(&Parameter)) {
        self.process.visit(visit);
        self.noise.parameters().iter().for_each(visit);
    }
}

impl ParameterSetMut for SparseRegression {
    fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter)) {
        self.process.visit_mut(visit);
        self.noise.parameters_mut().iter_mut().for_each(visit);
    }
}
