//! Evidence, gradient and posterior of sparse regression.

use super::model::SparseRegression;
use super::workspace::RegressionWorkspace;
use crate::closed_evidence::ClosedEvidence;
use crate::error::InferenceError;
use crate::inference::EvidenceKind;
use crate::posterior::Predictor;
use gp_kernels::data::DataSource;
use gp_kernels::posterior::InducingPosterior;
use gp_optim::StopSignal;

/// Lower bound if all powers are 0. [`InferenceError::Shape`] for blocks or powers of other sizes.
impl ClosedEvidence for SparseRegression {
    type Part = InducingPosterior;
    type Workspace = RegressionWorkspace;

    fn workspace(&self, stop_signal: StopSignal) -> RegressionWorkspace {
        RegressionWorkspace::new().with_stop_signal(stop_signal)
    }

    fn evidence_kind(&self) -> EvidenceKind {
        self.powers().evidence_kind()
    }

    fn evaluate(
        &self,
        data: &dyn DataSource,
        workspace: &mut RegressionWorkspace,
        gradient: Option<&mut [f64]>,
    ) -> Result<f64, InferenceError> {
        let value = workspace.evaluate(self, data)?;
        gradient.map_or(Ok(()), |gradient| workspace.add_up_gradient(self, gradient))?;
        Ok(value)
    }

    fn conditioned(&self, workspace: &mut RegressionWorkspace) -> Result<Predictor, InferenceError> {
        self.predictor_of(std::slice::from_ref(workspace.posterior()?))
    }

    fn with_known_parts(&self) -> Self {
        let mut model = self.clone();
        model.fix_inputs();
        model
    }
}
