//! What models of every method have in common: latent functions and a likelihood.

use crate::error::{InferenceError, check_count};
use gp_kernels::inducing::SparseProcess;
use gp_likelihoods::Likelihood;
use gp_linalg::{JitterPolicy, Threading};
use gp_optim::{Parameter, ParameterSet, ParameterSetMut};

/// A latent Gaussian-process model with inducing inputs, to which a method adds its approximation.
///
/// Latent functions have a process each, or all share one: the same prior and inducing inputs, which then are projected
/// on and differentiated once. Parameters are those of each process, then those of the likelihood.
#[derive(Clone, Debug)]
pub struct LatentModel {
    processes: Vec<SparseProcess>,
    likelihood: Box<dyn Likelihood>,
    jitter: JitterPolicy,
    threading: Threading,
}

impl LatentModel {
    /// One process for each latent of the likelihood, or one for all of them. Observations count as often as the likelihood
    /// [says](gp_likelihoods::Described::weight), work is done on rayon's current pool, and jitter is added by
    /// [`JitterPolicy::ladder`].
    ///
    /// # Errors
    /// [`InferenceError::Shape`] for another number of processes.
    pub fn new(
        processes: Vec<SparseProcess>,
        likelihood: Box<dyn Likelihood>,
    ) -> Result<Self, InferenceError> {
        if processes.len() != 1 {
            check_count("model", "latent functions", likelihood.latents(), processes.len())?;
        }
        Ok(Self { processes, likelihood, jitter: JitterPolicy::ladder(), threading: Threading::Pool })
    }

    /// Replaces the rule for matrices `K_zz` without a numerical Cholesky factor.
    pub fn set_jitter(&mut self, jitter: JitterPolicy) {
        self.jitter = jitter;
    }

    /// Says who computes. The numbers do not change.
    pub fn set_threading(&mut self, threading: Threading) {
        self.threading = threading;
    }

    /// The latent functions, or the one prior that all of them share.
    #[must_use]
    pub fn processes(&self) -> &[SparseProcess] {
        &self.processes
    }

    /// The latent functions, to set, fix, bound or give priors to their parameters.
    pub fn processes_mut(&mut self) -> &mut [SparseProcess] {
        &mut self.processes
    }

    /// The process of a latent.
    ///
    /// # Panics
    /// Where there is no such latent.
    #[must_use]
    pub fn process(&self, latent: usize) -> &SparseProcess {
        &self.processes[if self.processes.len() == 1 { 0 } else { latent }]
    }

    /// M of every latent.
    #[must_use]
    pub fn counts(&self) -> Vec<usize> {
        (0..self.likelihood.latents()).map(|latent| self.process(latent).inputs().count()).collect()
    }

    /// What ties an observation to its latent values.
    #[must_use]
    pub fn likelihood(&self) -> &dyn Likelihood {
        self.likelihood.as_ref()
    }

    /// The likelihood, to set, fix, bound or give priors to its parameters.
    pub fn likelihood_mut(&mut self) -> &mut dyn Likelihood {
        self.likelihood.as_mut()
    }

    /// The rule for jitter.
    #[must_use]
    pub fn jitter(&self) -> &JitterPolicy {
        &self.jitter
    }

    /// Who computes.
    #[must_use]
    pub fn threading(&self) -> Threading {
        self.threading
    }

    /// The name of every value, such as `kernel.rbf.lengthscale[1]`, `z[3,0]` and `likelihood.scale`; with several latent
    /// functions those of the first are `latent[0].kernel…`.
    #[must_use]
    pub fn parameter_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for (q, process) in self.processes.iter().enumerate() {
            let several = self.processes.len() > 1;
            let front = if several { format!("latent[{q}].") } else { String::new() };
            names.extend(process.parameter_names().into_iter().map(|name| format!("{front}{name}")));
        }
        for parameter in self.likelihood.parameters() {
            for i in 0..parameter.len() {
                let element = if parameter.is_vector() { format!("[{i}]") } else { String::new() };
                names.push(format!("likelihood.{}{element}", parameter.name()));
            }
        }
        names
    }
}

impl ParameterSet for LatentModel {
    fn visit(&self, visit: &mut dyn FnMut(&Parameter)) {
        self.processes.iter().for_each(|process| process.visit(visit));
        self.likelihood.parameters().iter().for_each(visit);
    }
}

impl ParameterSetMut for LatentModel {
    fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter)) {
        self.processes.iter_mut().for_each(|process| process.visit_mut(visit));
        self.likelihood.parameters_mut().iter_mut().for_each(visit);
    }
}
