//! [`Inference`] by the informative vector machine.

use super::model::Ivm;
use super::options::IvmOptions;
use super::posterior::IvmPosterior;
use super::train::{IvmLearning, IvmTraining};
use crate::error::InferenceError;
use crate::inference::{EvidenceKind, Inference, LogEvidence};
use crate::learning::{Learning, LearningRecord, OnEvaluation, Trained};
use crate::posterior::Predictor;
use gp_kernels::data::DataSource;

/// Default options (others: [`Ivm::build`]); log evidence: minus criterion.
impl Inference for Ivm {
    type Posterior = IvmPosterior;
    type Settings = IvmLearning;
    type State = IvmTraining;

    fn log_evidence(&self, data: &dyn DataSource) -> Result<LogEvidence, InferenceError> {
        let run = self.build(data, &IvmOptions::default())?;
        let value = -self.criterion(data, &run.posterior)?;
        Ok(LogEvidence { value, kind: EvidenceKind::LowerBound })
    }

    fn posterior(&self, data: &dyn DataSource) -> Result<Predictor<IvmPosterior>, InferenceError> {
        self.build(data, &IvmOptions::default())?.posterior.predictor()
    }

    /// Learns in rounds; only [`Learning::Outer`].
    fn learn_with(
        &mut self,
        data: &dyn DataSource,
        how: Learning,
        settings: &IvmLearning,
        watch: OnEvaluation<'_, IvmPosterior>,
    ) -> Result<Trained<IvmTraining>, InferenceError> {
        let state = self.learn_in_rounds(data, settings, &how.outer_only()?, watch)?;
        Ok(Trained { run: LearningRecord::Minimised(state.summary(self, settings.rounds)), state })
    }
}
