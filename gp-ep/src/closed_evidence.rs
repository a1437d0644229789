//! Models whose evidence has a closed form: exact and sparse regression.

use crate::error::InferenceError;
use crate::inference::{EvidenceKind, Inference, LogEvidence};
use crate::learning::{EvaluationState, Learning, LearningRecord, OnEvaluation, Trained};
use crate::posterior::Predictor;
use crate::uncertain::{ParameterDraws, over_parameters};
use gp_kernels::data::DataSource;
use gp_kernels::posterior::{LatentPosterior, MixturePosterior};
use gp_optim::{ParameterSetMut, StopSignal, train};

/// Gaussian-noise model whose log evidence has a closed form.
///
/// Data columns: target, then optionally known noise and weights.
pub trait ClosedEvidence: ParameterSetMut + Clone {
    /// Posterior of the latent function.
    type Part: LatentPosterior + Clone;

    /// Reusable memory; no allocation for repeated sizes on the calling thread.
    type Workspace;

    /// Empty workspace; `stop_signal` can stop evaluations early.
    fn workspace(&self, stop_signal: StopSignal) -> Self::Workspace;

    /// Meaning of the log evidence: exact, bound or estimate.
    fn evidence_kind(&self) -> EvidenceKind;

    /// `ln p(y)` or its approximation, in nats. `gradient`, if given, receives one derivative per parameter
    /// in natural units, fixed ones included, without priors and at constant jitter.
    ///
    /// # Errors
    /// [`InferenceError::Data`] for no or unreadable data, [`InferenceError::TargetNotFinite`],
    /// [`InferenceError::KnownNoise`], [`InferenceError::Weight`], [`InferenceError::Kernel`],
    /// [`InferenceError::Linalg`] if the largest jitter does not suffice, [`InferenceError::Shape`] for the
    /// gradient's length, [`InferenceError::Overflow`].
    fn evaluate(
        &self,
        data: &dyn DataSource,
        workspace: &mut Self::Workspace,
        gradient: Option<&mut [f64]>,
    ) -> Result<f64, InferenceError>;

    /// Posterior for the last evaluation, which must be at the current parameters. May move results out of
    /// the workspace.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate); [`InferenceError::Data`] without an evaluation.
    fn conditioned(
        &self,
        workspace: &mut Self::Workspace,
    ) -> Result<Predictor<MixturePosterior<Self::Part>>, InferenceError>;

    /// Copy with the parameters fixed that [`posterior_over_parameters`](Self::posterior_over_parameters)
    /// takes as known.
    #[must_use]
    fn with_known_parts(&self) -> Self {
        self.clone()
    }

    /// Log evidence at the current parameters.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    fn log_marginal_likelihood(
        &self,
        data: &dyn DataSource,
        workspace: &mut Self::Workspace,
    ) -> Result<f64, InferenceError> {
        self.evaluate(data, workspace, None)
    }

    /// Log evidence with its gradient.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    fn log_marginal_likelihood_gradient(
        &self,
        data: &dyn DataSource,
        workspace: &mut Self::Workspace,
        gradient: &mut [f64],
    ) -> Result<f64, InferenceError> {
        self.evaluate(data, workspace, Some(gradient))
    }

    /// Mixture of posteriors at parameters drawn around the optimum, where the free parameters must be.
    /// Inducing inputs stay fixed.
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
