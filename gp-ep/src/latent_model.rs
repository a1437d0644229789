//! Latent functions and likelihood of every method's models.

use crate::error::{InferenceError, check_count};
use gp_kernels::data::{DataError, DataSource, Reduction};
use gp_kernels::inducing::SparseProcess;
use gp_kernels::passes::{HELD, Setup};
use gp_likelihoods::Likelihood;
use gp_linalg::{JitterPolicy, Threading};
use gp_optim::{Parameter, ParameterSet, ParameterSetMut};
use std::sync::Arc;

/// Latent Gaussian-process model with inducing inputs, the base of methods.
///
/// Latent functions have one process each, or share one, projected on and differentiated once. Parameters:
/// those of each process, then of the likelihood.
#[derive(Clone, Debug)]
pub struct LatentModel {
    processes: Vec<SparseProcess>,
    likelihood: Box<dyn Likelihood>,
    jitter: JitterPolicy,
    threading: Threading,
    reduction: Option<Arc<dyn Reduction>>,
}

impl LatentModel {
    /// One process per latent of the likelihood, or one for all. Observations have the weights that the
    /// likelihood [gives](gp_likelihoods::Described::weight); work runs on rayon's current pool; jitter
    /// follows [`JitterPolicy::ladder`].
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
        let (jitter, threading) = (JitterPolicy::ladder(), Threading::Pool);
        Ok(Self { processes, likelihood, jitter, threading, reduction: None })
    }

    /// Sets the jitter policy of `K_zz`.
    pub fn set_jitter(&mut self, jitter: JitterPolicy) {
        self.jitter = jitter;
    }

    /// Sets the threading policy; results do not change.
    pub fn set_threading(&mut self, threading: Threading) {
        self.threading = threading;
    }

    /// Sets the reduction over several processes; none for one process. Results do not change.
    pub fn set_reduction(&mut self, reduction: Option<Arc<dyn Reduction>>) {
        self.reduction = reduction;
    }

    /// Latent functions, or the shared one.
    #[must_use]
    pub fn processes(&self) -> &[SparseProcess] {
        &self.processes
    }

    /// Latent functions, mutable: parameter values, fixed marks, bounds, priors.
    pub fn processes_mut(&mut self) -> &mut [SparseProcess] {
        &mut self.processes
    }

    /// Process of a latent.
    ///
    /// # Panics
    /// For a missing latent.
    #[must_use]
    pub fn process(&self, latent: usize) -> &SparseProcess {
        &self.processes[if self.processes.len() == 1 { 0 } else { latent }]
    }

    /// M per latent.
    #[must_use]
    pub fn counts(&self) -> Vec<usize> {
        (0..self.likelihood.latents()).map(|latent| self.process(latent).inputs().count()).collect()
    }

    /// Likelihood of the observations.
    #[must_use]
    pub fn likelihood(&self) -> &dyn Likelihood {
        self.likelihood.as_ref()
    }

    /// Likelihood, mutable: parameter values, fixed marks, bounds, priors.
    pub fn likelihood_mut(&mut self) -> &mut dyn Likelihood {
        self.likelihood.as_mut()
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

    /// Reduction over several processes; none for one process.
    #[must_use]
    pub fn reduction(&self) -> Option<Arc<dyn Reduction>> {
        self.reduction.clone()
    }

    /// Setup of passes over data that fit the model, with room for `capacity` observations at once; `reduction`
    /// replaces the model's own.
    ///
    /// # Errors
    /// [`InferenceError::Data`] for no observations; [`InferenceError::Shape`] for observations or inputs of another
    /// number of columns.
    pub fn passes_over<'a>(
        &'a self,
        data: &'a dyn DataSource,
        capacity: usize,
        reduction: Option<Arc<dyn Reduction>>,
    ) -> Result<Setup<'a>, InferenceError> {
        if data.count() == 0 {
            return Err(DataError::NoData.into());
        }
        check_count("targets", "columns", self.likelihood.outputs(), data.outputs())?;
        for process in &self.processes {
            check_count("inputs", "columns", process.inputs().dim(), data.dim())?;
        }
        Ok(Setup {
            processes: &self.processes,
            latents: self.likelihood.latents(),
            data,
            capacity,
            threading: self.threading,
            reduction: reduction.or_else(|| self.reduction()),
            records: capacity < data.count(),
            held: HELD,
        })
    }

    /// Name of every value, such as `kernel.rbf.lengthscale[1]`, `z[3,0]` and `likelihood.scale`; of the
    /// first of several latent functions `latent[0].kernel…`.
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
