//! The model: latent functions, a likelihood, and an approximate posterior over their inducing values.

use super::entropy::EntropyBound;
use super::mixture::{Covariance, Mixture};
use crate::error::{VariationalError, check_count};
use crate::expectation::Expectation;
use crate::posterior::{Part, VariationalPosterior};
use gp_kernels::inducing::SparseProcess;
use gp_kernels::posterior::{InducingPosterior, MixturePosterior, PosteriorFactor};
use gp_likelihoods::Likelihood;
use gp_linalg::{JitterPolicy, Threading};
use gp_optim::{Parameter, ParameterSet, ParameterSetMut};

/// A latent Gaussian-process model with inducing inputs, its posterior approximated by a Gaussian or a mixture of
/// Gaussians.
///
/// Its parameters are those of each latent function, then those of the likelihood, then those of the posterior.
#[derive(Clone, Debug)]
pub struct Savigp {
    processes: Vec<SparseProcess>,
    likelihood: Box<dyn Likelihood>,
    posterior: Mixture,
    expectation: Expectation,
    entropy: EntropyBound,
    jitter: JitterPolicy,
    threading: Threading,
}

impl Savigp {
    /// One process for each latent of the likelihood, or one for all of them, which then is projected on and
    /// differentiated once, with one full Gaussian as posterior, which starts as
    /// the prior, and expected log densities in closed form or by quadrature: SVGP.
    ///
    /// # Errors
    /// [`VariationalError::Shape`] for another number of latent functions than the likelihood has.
    pub fn new(
        processes: Vec<SparseProcess>,
        likelihood: Box<dyn Likelihood>,
    ) -> Result<Self, VariationalError> {
        if processes.len() != 1 {
            check_count("model", "latent functions", likelihood.latents(), processes.len())?;
        }
        let posterior = Mixture::prior(&counts(&processes, likelihood.latents()), Covariance::Full)?;
        Ok(Self {
            processes,
            likelihood,
            posterior,
            expectation: Expectation::Exact,
            entropy: EntropyBound::default(),
            jitter: JitterPolicy::ladder(),
            threading: Threading::Pool,
        })
    }

    /// The same model with another posterior.
    ///
    /// # Errors
    /// [`VariationalError::Shape`] for a posterior over other numbers of inducing values.
    pub fn with_posterior(mut self, posterior: Mixture) -> Result<Self, VariationalError> {
        self.set_posterior(posterior)?;
        Ok(self)
    }

    /// The same model with other estimates of expected log densities.
    ///
    /// # Errors
    /// [`VariationalError::Option`] for settings out of range; [`VariationalError::Unsupported`] for derivatives of
    /// samples of a likelihood that has none.
    pub fn with_expectation(self, expectation: Expectation) -> Result<Self, VariationalError> {
        expectation.check(self.likelihood.as_ref())?;
        Ok(Self { expectation, ..self })
    }

    /// The same model with another bound on the entropy of a mixture.
    #[must_use]
    pub fn with_entropy(self, entropy: EntropyBound) -> Self {
        Self { entropy, ..self }
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

    /// What ties an observation to its latent values.
    #[must_use]
    pub fn likelihood(&self) -> &dyn Likelihood {
        self.likelihood.as_ref()
    }

    /// The likelihood, to set, fix, bound or give priors to its parameters.
    pub fn likelihood_mut(&mut self) -> &mut dyn Likelihood {
        self.likelihood.as_mut()
    }

    /// The approximate posterior over whitened inducing values.
    #[must_use]
    pub fn posterior(&self) -> &Mixture {
        &self.posterior
    }

    /// Replaces the posterior.
    ///
    /// # Errors
    /// [`VariationalError::Shape`] for a posterior over other numbers of inducing values.
    pub fn set_posterior(&mut self, posterior: Mixture) -> Result<(), VariationalError> {
        let counts = counts(&self.processes, self.likelihood.latents());
        check_count("posterior", "latent functions", counts.len(), posterior.counts().len())?;
        for (expected, found) in counts.iter().zip(posterior.counts()) {
            check_count("posterior", "inducing values", *expected, *found)?;
        }
        self.posterior = posterior;
        Ok(())
    }

    /// Moves the posterior out, to be worked on beside the model; what is left has no parts.
    pub(super) fn take_posterior(&mut self) -> Mixture {
        std::mem::replace(&mut self.posterior, Mixture::nothing())
    }

    /// Moves it in again.
    pub(super) fn restore_posterior(&mut self, posterior: Mixture) {
        self.posterior = posterior;
    }

    /// How expected log densities are found.
    #[must_use]
    pub fn expectation(&self) -> &Expectation {
        &self.expectation
    }

    /// The bound on the entropy of a mixture.
    #[must_use]
    pub fn entropy(&self) -> EntropyBound {
        self.entropy
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

    /// The posterior as it stands, for predictions.
    ///
    /// # Errors
    /// [`VariationalError::Kernel`] for a `K_zz` that cannot be factored.
    pub fn predictor(&self) -> Result<VariationalPosterior, VariationalError> {
        let mut parts = Vec::new();
        for k in 0..self.posterior.components() {
            for q in 0..self.likelihood.latents() {
                let process = process_of(&self.processes, q);
                parts.push(Part::Inducing(Box::new(InducingPosterior::new(
                    process.kernel().clone_box(),
                    process.inputs().clone(),
                    self.jitter,
                    self.posterior.mean(k, q).to_vec(),
                    PosteriorFactor::Covariance(self.posterior.factor(k, q)),
                )?)));
            }
        }
        Ok(VariationalPosterior::new(
            self.likelihood.clone(),
            MixturePosterior::new(self.posterior.weights(), parts)?,
        ))
    }

    /// The name of every value, such as `kernel.rbf.lengthscale[1]`, `z[3,0]`, `likelihood.scale` and
    /// `posterior[0].mean[5]`; with several latent functions those of the first are `latent[0].kernel…`.
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
        names.extend(self.posterior.parameter_names());
        names
    }

    /// The number of values of the posterior, which are the last ones.
    pub(super) fn posterior_values(&self) -> usize {
        self.posterior.parameter_count()
    }
}

/// The process of a latent.
fn process_of(processes: &[SparseProcess], latent: usize) -> &SparseProcess {
    &processes[if processes.len() == 1 { 0 } else { latent }]
}

/// M of every latent.
fn counts(processes: &[SparseProcess], latents: usize) -> Vec<usize> {
    (0..latents).map(|latent| process_of(processes, latent).inputs().count()).collect()
}

impl Savigp {
    /// The parameters of latent functions and likelihood.
    pub(super) fn visit_outer(&self, visit: &mut dyn FnMut(&Parameter)) {
        self.processes.iter().for_each(|process| process.visit(visit));
        self.likelihood.parameters().iter().for_each(visit);
    }

    /// The same, to be changed.
    pub(super) fn visit_outer_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter)) {
        self.processes.iter_mut().for_each(|process| process.visit_mut(visit));
        self.likelihood.parameters_mut().iter_mut().for_each(visit);
    }
}

impl ParameterSet for Savigp {
    fn visit(&self, visit: &mut dyn FnMut(&Parameter)) {
        self.visit_outer(visit);
        self.posterior.visit(visit);
    }
}

impl ParameterSetMut for Savigp {
    fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter)) {
        self.visit_outer_mut(visit);
        self.posterior.visit_mut(visit);
    }
}
