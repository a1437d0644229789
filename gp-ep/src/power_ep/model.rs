//! The model: latent functions, a likelihood, and which member of the family approximates it.

use super::rules::Level;
use crate::error::EpError;
use crate::powers::Powers;
use crate::weights::Weights;
use gp_kernels::inducing::SparseProcess;
use gp_likelihoods::Likelihood;
use gp_linalg::{JitterPolicy, Threading};
use gp_optim::{Parameter, ParameterSet, ParameterSetMut};

/// A latent Gaussian-process model with inducing inputs, approximated by Power EP.
///
/// Latent functions have a process each, or all share one: the same prior and inducing inputs, which then are projected
/// on and differentiated once. Parameters are those of each process, then those of the likelihood.
#[derive(Clone, Debug)]
pub struct PowerEp {
    processes: Vec<SparseProcess>,
    likelihood: Box<dyn Likelihood>,
    powers: Powers,
    weights: Weights,
    level: Level,
    jitter: JitterPolicy,
    threading: Threading,
}

impl PowerEp {
    /// One process for each latent of the likelihood, or one for all of them, with α = 1 (EP) at the level of projections.
    /// Every [piece](gp_likelihoods::Pieces) of the likelihood has sites of its own.
    ///
    /// # Errors
    /// [`EpError::Shape`] for another number of processes.
    pub fn new(processes: Vec<SparseProcess>, likelihood: Box<dyn Likelihood>) -> Result<Self, EpError> {
        if processes.len() != 1 {
            crate::error::check_count("model", "latent functions", likelihood.latents(), processes.len())?;
        }
        let (powers, weights, level) = (Powers::Same(1.0), Weights::Equal, Level::Projection);
        let (jitter, threading) = (JitterPolicy::ladder(), Threading::Pool);
        Ok(Self { processes, likelihood, powers, weights, level, jitter, threading })
    }

    /// The same model with other powers α.
    #[must_use]
    pub fn with_powers(self, powers: Powers) -> Self {
        Self { powers, ..self }
    }

    /// The same model with observations that count more or less than once.
    #[must_use]
    pub fn with_weights(self, weights: Weights) -> Self {
        Self { weights, ..self }
    }

    /// The same model with sites at another level.
    #[must_use]
    pub fn with_level(self, level: Level) -> Self {
        Self { level, ..self }
    }

    /// The same model with another rule for matrices `K_zz` without a numerical Cholesky factor.
    #[must_use]
    pub fn with_jitter(self, jitter: JitterPolicy) -> Self {
        Self { jitter, ..self }
    }

    /// The same model, computed elsewhere. The numbers do not change.
    #[must_use]
    pub fn with_threading(self, threading: Threading) -> Self {
        Self { threading, ..self }
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
    pub(crate) fn process_of(&self, latent: usize) -> usize {
        if self.processes.len() == 1 { 0 } else { latent }
    }

    /// M of every latent.
    pub(crate) fn counts(&self) -> Vec<usize> {
        let latents = 0..self.likelihood.latents();
        latents.map(|latent| self.processes[self.process_of(latent)].inputs().count()).collect()
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

    /// The powers α.
    #[must_use]
    pub fn powers(&self) -> &Powers {
        &self.powers
    }

    /// How much observations count.
    #[must_use]
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The level of the sites.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
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

    pub(crate) fn sites_per_observation(&self) -> usize {
        self.likelihood.touched_total()
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

impl ParameterSet for PowerEp {
    fn visit(&self, visit: &mut dyn FnMut(&Parameter)) {
        self.processes.iter().for_each(|process| process.visit(visit));
        self.likelihood.parameters().iter().for_each(visit);
    }
}

impl ParameterSetMut for PowerEp {
    fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter)) {
        self.processes.iter_mut().for_each(|process| process.visit_mut(visit));
        self.likelihood.parameters_mut().iter_mut().for_each(visit);
    }
}
