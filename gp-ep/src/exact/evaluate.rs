//! Evidence, gradient and posterior of exact regression.

use super::model::ExactGp;
use super::posterior::ExactPosterior;
use super::workspace::ExactWorkspace;
use crate::closed_evidence::ClosedEvidence;
use crate::error::InferenceError;
use crate::inference::EvidenceKind;
use crate::posterior::Predictor;
use gp_kernels::data::DataSource;
use gp_kernels::posterior::MixturePosterior;
use gp_optim::StopSignal;

impl ExactGp {
    /// Posterior given targets, optional known noise and weights; errors as [`evaluate`](ClosedEvidence::evaluate).
    pub fn condition(&self, data: &dyn DataSource) -> Result<ExactPosterior, InferenceError> {
        let mut workspace = ExactWorkspace::new(self.threading);
        workspace.factor(self, data)?;
        ExactPosterior::new(self, &mut workspace)
    }
}

impl ClosedEvidence for ExactGp {
    type Part = ExactPosterior;
    type Workspace = ExactWorkspace;

    fn workspace(&self, stop_signal: StopSignal) -> ExactWorkspace {
        ExactWorkspace::new(self.threading).with_stop_signal(stop_signal)
    }

    fn evidence_kind(&self) -> EvidenceKind {
        EvidenceKind::Exact
    }

    fn evaluate(
        &self,
        data: &dyn DataSource,
        workspace: &mut ExactWorkspace,
        gradient: Option<&mut [f64]>,
    ) -> Result<f64, InferenceError> {
        workspace.factor(self, data)?;
        gradient.map_or(Ok(()), |gradient| workspace.add_up_gradient(self, gradient))?;
        Ok(workspace.solution().log_marginal_likelihood)
    }

    fn conditioned(
        &self,
        workspace: &mut ExactWorkspace,
    ) -> Result<Predictor<MixturePosterior<ExactPosterior>>, InferenceError> {
        ExactPosterior::new(self, workspace)?.into_predictor()
    }
}
