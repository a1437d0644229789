//! Log marginal likelihood, gradient and posterior of exact regression.

use super::model::ExactGp;
use super::posterior::ExactPosterior;
use super::workspace::ExactWorkspace;
use crate::error::{InferenceError, check_count};
use crate::inference::{EvidenceKind, Inference, LogEvidence};
use crate::learning::{Course, Learning, Moment, Trained, Watch};
use crate::posterior::Predictor;
use crate::uncertain::{ParameterDraws, over_parameters};
use gp_kernels::data::DataSource;
use gp_kernels::posterior::MixturePosterior;
use gp_optim::{ParameterSet, train};

impl ExactGp {
    /// Posterior given observations (targets, then optional columns of known noise and weights) at the
    /// current parameters.
    ///
    /// # Errors
    /// [`InferenceError::Data`] for no or unreadable data, [`InferenceError::TargetNotFinite`],
    /// [`InferenceError::KnownNoise`], [`InferenceError::Weight`], [`InferenceError::Kernel`] for inputs
    /// the kernel refuses, [`InferenceError::Linalg`] for a covariance matrix that is not positive definite
    /// with the largest jitter.
    pub fn condition(&self, data: &dyn DataSource) -> Result<ExactPosterior, InferenceError> {
        let mut workspace = ExactWorkspace::new(self.threading);
        workspace.factor(self, data)?;
        Ok(ExactPosterior::new(self, workspace))
    }

    /// `ln p(y)` at the current parameters, in nats.
    ///
    /// # Errors
    /// As [`condition`](Self::condition), and [`InferenceError::Overflow`].
    pub fn log_marginal_likelihood(
        &self,
        data: &dyn DataSource,
        workspace: &mut ExactWorkspace,
    ) -> Result<f64, InferenceError> {
        workspace.factor(self, data)?;
        Ok(workspace.solution().log_marginal_likelihood)
    }

    /// `ln p(y)` and, in `gradient`, its gradient in natural units: one number per parameter in the order
    /// of [`parameter_names`](Self::parameter_names), fixed ones included, without priors.
    ///
    /// Jitter is held constant.
    ///
    /// # Errors
    /// As [`log_marginal_likelihood`](Self::log_marginal_likelihood), and [`InferenceError::Shape`] for a
    /// gradient of wrong length.
    pub fn log_marginal_likelihood_gradient(
        &self,
        data: &dyn DataSource,
        workspace: &mut ExactWorkspace,
        gradient: &mut [f64],
    ) -> Result<f64, InferenceError> {
        check_count("gradient", "entries", self.parameter_count(), gradient.len())?;
        workspace.factor(self, data)?;
        workspace.add_up_gradient(self, gradient)?;
        Ok(workspace.solution().log_marginal_likelihood)
    }

    /// Posterior with uncertain parameters: a mixture of posteriors at parameters drawn around the optimum,
    /// where the free ones have to be.
    ///
    /// # Errors
    /// As [`condition`](Self::condition), at parameters near the current ones.
    pub fn posterior_over_parameters(
        &self,
        data: &dyn DataSource,
        draws: &ParameterDraws,
    ) -> Result<Predictor<MixturePosterior<ExactPosterior>>, InferenceError> {
        over_parameters(
            self,
            draws,
            &mut ExactWorkspace::new(self.threading),
            |model, workspace, gradient| model.log_marginal_likelihood_gradient(data, workspace, gradient),
            |model, workspace| Ok((model.log_marginal_likelihood(data, workspace)?, model.posterior(data)?)),
        )
    }
}

impl Inference for ExactGp {
    type Posterior = MixturePosterior<ExactPosterior>;
    type Settings = ();
    type State = ();

    fn log_evidence(&self, data: &dyn DataSource) -> Result<LogEvidence, InferenceError> {
        let value = self.log_marginal_likelihood(data, &mut ExactWorkspace::new(self.threading))?;
        Ok(LogEvidence { value, kind: EvidenceKind::Exact })
    }

    fn posterior(&self, data: &dyn DataSource) -> Result<Predictor<Self::Posterior>, InferenceError> {
        self.condition(data)?.into_predictor()
    }

    fn learn_with(
        &mut self,
        data: &dyn DataSource,
        how: Learning,
        (): &(),
        watch: Watch<'_, Self::Posterior>,
    ) -> Result<Trained<()>, InferenceError> {
        let options = how.outer_only()?;
        let mut workspace = ExactWorkspace::new(self.threading).with_brake(options.control.brake());
        let evaluate = |model: &Self, gradient: &mut [f64]| {
            model.log_marginal_likelihood_gradient(data, &mut workspace, gradient)
        };
        let watch = |model: &Self, now| watch(Moment::new(now, &|| model.posterior(data)));
        Ok(Trained { run: Course::Minimised(train(self, &options, evaluate, watch)?), state: () })
    }
}
