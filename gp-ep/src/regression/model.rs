//! The model: a latent function seen through inducing inputs, Gaussian noise, and how both are approximated.

use super::blocks::Blocks;
use crate::powers::Powers;
use gp_kernels::inducing::SparseProcess;
use gp_likelihoods::Gaussian;
use gp_linalg::{JitterPolicy, Threading};
use gp_optim::{Parameter, ParameterSet, ParameterSetMut};

/// A Gaussian process with zero mean, seen through M inducing inputs and observed under Gaussian noise.
///
/// Its parameters are those of the process, then the noise variance.
#[derive(Clone, Debug)]
pub struct SparseRegression {
    process: SparseProcess,
    noise: Gaussian,
    powers: Powers,
    blocks: Option<Blocks>,
    jitter: JitterPolicy,
    threading: Threading,
}

impl SparseRegression {
    /// A model in which every observation is a factor. Work is done on rayon's current pool, and jitter is added by
    /// [`JitterPolicy::ladder`].
    #[must_use]
    pub fn new(process: SparseProcess, noise: Gaussian, powers: Powers) -> Self {
        let (jitter, threading) = (JitterPolicy::ladder(), Threading::Pool);
        Self { process, noise, powers, blocks: None, jitter, threading }
    }

    /// The same model with other powers.
    #[must_use]
    pub fn with_powers(self, powers: Powers) -> Self {
        Self { powers, ..self }
    }

    /// The same model with blocks of observations as factors.
    #[must_use]
    pub fn with_blocks(self, blocks: Blocks) -> Self {
        Self { blocks: Some(blocks), ..self }
    }

    /// The same model with another rule for matrices that have no numerical Cholesky factor.
    #[must_use]
    pub fn with_jitter(self, jitter: JitterPolicy) -> Self {
        Self { jitter, ..self }
    }

    /// The same model, computed elsewhere. The numbers do not change.
    #[must_use]
    pub fn with_threading(self, threading: Threading) -> Self {
        Self { threading, ..self }
    }

    /// The latent function and its inducing inputs.
    #[must_use]
    pub fn process(&self) -> &SparseProcess {
        &self.process
    }

    /// The latent function, to set, fix, bound or give priors to the parameters of its kernel.
    pub fn process_mut(&mut self) -> &mut SparseProcess {
        &mut self.process
    }

    /// The observation noise.
    #[must_use]
    pub fn noise(&self) -> &Gaussian {
        &self.noise
    }

    /// The observation noise, to set, fix, bound or give a prior to its variance.
    pub fn noise_mut(&mut self) -> &mut Gaussian {
        &mut self.noise
    }

    /// The powers of the factors.
    #[must_use]
    pub fn powers(&self) -> &Powers {
        &self.powers
    }

    /// The blocks of observations, where those are the factors.
    #[must_use]
    pub fn blocks(&self) -> Option<&Blocks> {
        self.blocks.as_ref()
    }

    /// How matrices are factored.
    #[must_use]
    pub fn jitter(&self) -> &JitterPolicy {
        &self.jitter
    }

    /// Where work is done.
    #[must_use]
    pub fn threading(&self) -> Threading {
        self.threading
    }

    /// The name of every value: those of the process and, at the end, `noise.variance`.
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
