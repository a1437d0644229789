//! Closed-form evidence: exact and sparse regression.

use crate::error::InferenceError;
use crate::inference::{EvidenceKind, Inference, LogEvidence};
use crate::learning::{EvaluationState, Learning, LearningRecord, OnEvaluation, Trained};
use crate::posterior::Predictor;
use crate::uncertain::{ParameterDraws, over_parameters};
use gp_kernels::data::DataSource;
use gp_kernels::posterior::{LatentPosterior, MixturePosterior};
use gp_optim::{ParameterSetMut, StopSignal, train};

/// Gaussian-noise model with closed-form log evidence.
///
/// Data columns: target, optional known noise and weight.
pub trait ClosedEvidence: ParameterSetMut + Clone {
    /// Posterior of the latent function.
    type Part: LatentPosterior + Clone;

    /// Reused memory; evaluations of equal size allocate nothing on the calling thread.
    type Workspace;

    /// Empty workspace; `stop_signal` ends evaluations early.
    fn workspace(&self, stop_signal: StopSignal) -> Self::Workspace;

    /// Exact, bound or estimate.
    fn evidence_kind(&self) -> EvidenceKind;

    /// `ln p(y)` or its approximation, in nats. `gradient`: by natural parameters, without priors, at constant jitter.
    ///
    /// # Errors
    /// [`InferenceError::Data`], [`InferenceError::TargetNotFinite`], [`InferenceError::KnownNoise`],
    /// [`InferenceError::Weight`], [`InferenceError::Kernel`], [`InferenceError::Linalg`] beyond the largest jitter,
    /// [`InferenceError::Shape`] of `gradient`, [`InferenceError::Overflow`].
    fn evaluate(
        &self,
        data: &dyn DataSource,
        workspace: &mut Self::Workspace,
        gradient: Option<&mut [f64]>,
    ) -> Result<f64, InferenceError>;

    /// Posterior of the last evaluation, at unchanged parameters. Can empty the workspace.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate); [`InferenceError::Data`] without an evaluation.
    fn conditioned(
        &self,
        workspace: &mut Self::Workspace,
    ) -> Result<Predictor<MixturePosterior<Self::Part>>, InferenceError>;

    /// Copy with the parameters fixed that [`posterior_over_parameters`](Self::posterior_over_parameters) does not
    /// draw.
    #[must_use]
    fn with_known_parts(&self) -> Self {
        self.clone()
    }

    /// [`evaluate`](Self::evaluate) without gradient.
    fn log_marginal_likelihood(
        &self,
        data: &dyn DataSource,
        workspace: &mut Self::Workspace,
    ) -> Result<f64, InferenceError> {
        self.evaluate(data, workspace, None)
    }

    /// [`evaluate`](Self::evaluate) with gradient.
    fn log_marginal_likelihood_gradient(
        &self,
        data: &dyn DataSource,
        workspace: &mut Self::Workspace,
        gradient: &mut [f64],
    ) -> Result<f64, InferenceError> {
        self.evaluate(data, workspace, Some(gradient))
    }

    /// Mixture of posteriors at draws around optimal parameters; inducing inputs stay fixed.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate), at nearby parameters.
    fn posterior_over_parameters(
        &self,
        data: &dyn DataSource,
        draws: &ParameterDraws,
    ) -> Result<Predictor<MixturePosterior<Self::Part>>, InferenceError> {
        over_parameters(
            &self.with_known_parts(),
            draws,
            &mut self.workspace(StopSignal::default()),
            |model, workspace, gradient| model.evaluate(data, workspace, Some(gradient)),
            |model, workspace| Ok((model.evaluate(data, workspace, None)?, model.conditioned(workspace)?)),
        )
    }
}

impl<M: ClosedEvidence> Inference for M {
    type Posterior = MixturePosterior<M::Part>;
    type Settings = ();
    type State = ();

    fn log_evidence(&self, data: &dyn DataSource) -> Result<LogEvidence, InferenceError> {
        let value = self.evaluate(data, &mut self.workspace(StopSignal::default()), None)?;
        Ok(LogEvidence { value, kind: self.evidence_kind() })
    }

    fn posterior(&self, data: &dyn DataSource) -> Result<Predictor<Self::Posterior>, InferenceError> {
        let mut workspace = self.workspace(StopSignal::default());
        self.evaluate(data, &mut workspace, None)?;
        self.conditioned(&mut workspace)
    }

    fn learn_with(
        &mut self,
        data: &dyn DataSource,
        how: Learning,
        (): &(),
        watch: OnEvaluation<'_, Self::Posterior>,
    ) -> Result<Trained<()>, InferenceError> {
        let options = how.outer_only()?;
        let mut workspace = self.workspace(options.control.stop_signal());
        let evaluate =
            |model: &Self, gradient: &mut [f64]| model.evaluate(data, &mut workspace, Some(gradient));
        let watch = |model: &Self, now| watch(EvaluationState::new(now, &|| model.posterior(data)));
        Ok(Trained { run: LearningRecord::Minimised(train(self, &options, evaluate, watch)?), state: () })
    }
}
