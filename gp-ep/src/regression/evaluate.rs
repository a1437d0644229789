//! Log marginal likelihood, gradient, training and posterior of sparse regression.

use super::model::SparseRegression;
use super::workspace::RegressionWorkspace;
use crate::error::{InferenceError, check_count};
use crate::inference::{Inference, LogEvidence};
use crate::learning::{Course, Learning, Moment, Trained, Watch};
use crate::posterior::Predictor;
use crate::uncertain::{ParameterDraws, over_parameters};
use gp_kernels::data::DataSource;
use gp_kernels::posterior::{InducingPosterior, MixturePosterior};
use gp_optim::{ParameterSet, train};

impl SparseRegression {
    /// Approximation of `ln p(y)` at the current parameters, in nats; a lower bound if all powers are 0.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] for inputs the kernel refuses and a `K_zz` not positive definite with the
    /// largest jitter, [`InferenceError::Linalg`] for such a matrix of observations,
    /// [`InferenceError::Shape`] for blocks or powers of other data, [`InferenceError::Overflow`].
    pub fn log_marginal_likelihood(
        &self,
        data: &dyn DataSource,
        workspace: &mut RegressionWorkspace,
    ) -> Result<f64, InferenceError> {
        workspace.evaluate(self, data)
    }

    /// [`log_marginal_likelihood`](Self::log_marginal_likelihood) and, in `gradient`, its gradient in
    /// natural units: one number per parameter in the order of
    /// [`parameter_names`](crate::LatentModel::parameter_names), fixed ones included, without priors.
    ///
    /// Jitter is held constant.
    ///
    /// # Errors
    /// As [`log_marginal_likelihood`](Self::log_marginal_likelihood), and [`InferenceError::Shape`] for a
    /// gradient of wrong length.
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

    /// Posterior with uncertain kernel and noise: a mixture of posteriors at parameters drawn around the
    /// optimum, where the free ones have to be. Inducing inputs stay.
    ///
    /// # Errors
    /// As [`log_marginal_likelihood_gradient`](Self::log_marginal_likelihood_gradient), at nearby
    /// parameters.
    pub fn posterior_over_parameters(
        &self,
        data: &dyn DataSource,
        draws: &ParameterDraws,
    ) -> Result<Predictor, InferenceError> {
        let mut model = self.clone();
        model.fix_inputs();
        over_parameters(
            &model,
            draws,
            &mut RegressionWorkspace::new(),
            |model, workspace, gradient| model.log_marginal_likelihood_gradient(data, workspace, gradient),
            |model, workspace| Ok((model.log_marginal_likelihood(data, workspace)?, model.posterior(data)?)),
        )
    }
}

impl Inference for SparseRegression {
    type Posterior = MixturePosterior<InducingPosterior>;
    type Settings = ();
    type State = ();

    fn log_evidence(&self, data: &dyn DataSource) -> Result<LogEvidence, InferenceError> {
        let value = self.log_marginal_likelihood(data, &mut RegressionWorkspace::new())?;
        Ok(LogEvidence { value, kind: self.powers().evidence_kind() })
    }

    fn posterior(&self, data: &dyn DataSource) -> Result<Predictor, InferenceError> {
        let mut workspace = RegressionWorkspace::new();
        workspace.evaluate(self, data)?;
        self.predictor_of(std::slice::from_ref(workspace.posterior()?))
    }

    fn learn_with(
        &mut self,
        data: &dyn DataSource,
        how: Learning,
        (): &(),
        watch: Watch<'_, Self::Posterior>,
    ) -> Result<Trained<()>, InferenceError> {
        let options = how.outer_only()?;
        let mut workspace = RegressionWorkspace::new();
        workspace.set_brake(options.control.brake());
        let evaluate = |model: &Self, gradient: &mut [f64]| {
            model.log_marginal_likelihood_gradient(data, &mut workspace, gradient)
        };
        let watch = |model: &Self, now| watch(Moment::new(now, &|| model.posterior(data)));
        Ok(Trained { run: Course::Minimised(train(self, &options, evaluate, watch)?), state: () })
    }
}
