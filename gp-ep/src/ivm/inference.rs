//! The verbs of every method.

use super::model::Ivm;
use super::options::IvmOptions;
use super::posterior::IvmPosterior;
use crate::error::InferenceError;
use crate::inference::{EvidenceKind, Inference, LogEvidence};
use crate::posterior::Predictor;
use gp_kernels::data::DataSource;
use gp_optim::{MinimiseOptions, Training};

/// Active sets that parameters are learned with, unless more are asked for.
const ROUNDS: usize = 6;

/// An active set is chosen with the usual options; [`Ivm::build`] takes others. The evidence is that of the criterion.
impl Inference for Ivm {
    type Posterior = IvmPosterior;

    fn log_evidence(&self, data: &dyn DataSource) -> Result<LogEvidence, InferenceError> {
        let run = self.build(data, &IvmOptions::default())?;
        let value = -self.criterion(data, &run.posterior)?;
        Ok(LogEvidence { value, kind: EvidenceKind::LowerBound })
    }

    fn posterior(&self, data: &dyn DataSource) -> Result<Predictor<IvmPosterior>, InferenceError> {
        self.build(data, &IvmOptions::default())?.posterior.predictor()
    }

    fn learn(
        &mut self,
        data: &dyn DataSource,
        options: &MinimiseOptions,
    ) -> Result<Training, InferenceError> {
        let training = self.train(data, &IvmOptions::default(), ROUNDS, options)?;
        Ok(training.summary(self, ROUNDS))
    }
}
