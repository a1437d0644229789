//! The model: a latent function seen through inducing inputs, Gaussian noise, and how both are approximated.

use super::blocks::Blocks;
use super::workspace::RegressionWorkspace;
use crate::error::{InferenceError, check_count};
use crate::inference::{Inference, LogEvidence};
use crate::posterior::Predictor;
use crate::powers::Powers;
use gp_kernels::data::{DataError, DataSource};
use gp_kernels::inducing::SparseProcess;
use gp_kernels::posterior::{InducingPosterior, MixturePosterior, PosteriorFactor};
use gp_likelihoods::Gaussian;
use gp_linalg::{JitterPolicy, Threading};
use gp_optim::{
    MinimiseOptions, Parameter, ParameterSet, ParameterSetMut, Training, TrainingProgress, train,
};

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

    /// The approximation of `ln p(y)` at the present parameters, in nats; a lower bound where all powers are 0.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] for inputs the kernel cannot take and for a `K_zz` that all the jitter allowed does not make
    /// positive definite, [`InferenceError::Linalg`] for such a matrix of observations, [`InferenceError::Shape`] for blocks or
    /// powers of other data, [`InferenceError::Overflow`].
    pub fn log_marginal_likelihood(
        &self,
        data: &dyn DataSource,
        workspace: &mut RegressionWorkspace,
    ) -> Result<f64, InferenceError> {
        workspace.evaluate(self, data)
    }

    /// [`log_marginal_likelihood`](Self::log_marginal_likelihood), and its gradient in natural units over `gradient`:
    /// one number per parameter in the order of [`parameter_names`](Self::parameter_names), fixed ones included, priors
    /// left out.
    ///
    /// Where jitter had to be added it is held constant.
    ///
    /// # Errors
    /// As [`log_marginal_likelihood`](Self::log_marginal_likelihood), and [`InferenceError::Shape`] for a gradient of the
    /// wrong length.
    pub fn log_marginal_likelihood_gradient(
        &self,
        data: &dyn DataSource,
        workspace: &mut RegressionWorkspace,
        gradient: &mut [f64],
    ) -> Result<f64, InferenceError> {
        check_count("gradient", "entries", self.parameter_count(), gradient.len())?;
        let value = workspace.evaluate(self, data)?;
        workspace.add_up_gradient(self, gradient)?;
        Ok(value)
    }

    /// Moves the free parameters to a maximum of `ln p(y) + ln p(parameters)`, the density of priors being that of the
    /// natural values.
    ///
    /// # Errors
    /// As [`train`].
    pub fn train(
        &mut self,
        data: &dyn DataSource,
        options: &MinimiseOptions,
    ) -> Result<Training, InferenceError> {
        self.train_with(data, options, |_| {})
    }

    /// [`train`](Self::train), calling `progress` after every evaluation that succeeds.
    ///
    /// # Errors
    /// As [`train`].
    pub fn train_with(
        &mut self,
        data: &dyn DataSource,
        options: &MinimiseOptions,
        progress: impl FnMut(TrainingProgress),
    ) -> Result<Training, InferenceError> {
        let mut workspace = RegressionWorkspace::new();
        let options = MinimiseOptions { control: options.control.begun(), ..options.clone() };
        workspace.set_brake(options.control.brake());
        let evaluate = |model: &Self, gradient: &mut [f64]| {
            model.log_marginal_likelihood_gradient(data, &mut workspace, gradient)
        };
        train(self, &options, evaluate, progress)
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

impl Inference for SparseRegression {
    type Posterior = MixturePosterior<InducingPosterior>;

    fn log_evidence(&self, data: &dyn DataSource) -> Result<LogEvidence, InferenceError> {
        let value = self.log_marginal_likelihood(data, &mut RegressionWorkspace::new())?;
        Ok(LogEvidence { value, kind: self.powers.evidence_kind() })
    }

    fn posterior(&self, data: &dyn DataSource) -> Result<Predictor, InferenceError> {
        let mut workspace = RegressionWorkspace::new();
        workspace.evaluate(self, data)?;
        let (mean, precision) = workspace.into_posterior().ok_or(DataError::NoData)?;
        let (kernel, inputs) = (self.process.kernel().clone_box(), self.process.inputs().clone());
        let factor = PosteriorFactor::Precision(precision);
        let latent = InducingPosterior::new(kernel, inputs, self.jitter, mean, factor)?;
        Predictor::new(MixturePosterior::single(vec![latent]), Box::new(self.noise.clone()), self.threading)
    }

    fn learn(
        &mut self,
        data: &dyn DataSource,
        options: &MinimiseOptions,
    ) -> Result<Training, InferenceError> {
        self.train(data, options)
    }
}
