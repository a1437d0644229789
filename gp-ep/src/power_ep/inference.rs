//! The verbs of every method, by EP on all observations.

use super::batch::BatchEp;
use super::model::PowerEp;
use super::rules::EpOptions;
use crate::error::InferenceError;
use crate::inference::{Inference, LogEvidence};
use crate::posterior::Predictor;
use gp_kernels::data::DataSource;
use gp_kernels::posterior::{InducingPosterior, MixturePosterior};
use gp_optim::{MinimiseOptions, Training};

impl PowerEp {
    /// EP at rest, or as near as it gets in the usual number of sweeps.
    fn at_rest(&self, data: &dyn DataSource) -> Result<BatchEp, InferenceError> {
        let mut state = BatchEp::new(self, data)?;
        state.converge(self, &EpOptions::default())?;
        Ok(state)
    }
}

/// EP on all observations, with the usual options; [`BatchEp`] says how it came to rest.
impl Inference for PowerEp {
    type Posterior = MixturePosterior<InducingPosterior>;

    fn log_evidence(&self, data: &dyn DataSource) -> Result<LogEvidence, InferenceError> {
        let value = self.at_rest(data)?.log_z(self)?;
        Ok(LogEvidence { value, kind: self.powers().evidence_kind() })
    }

    fn posterior(&self, data: &dyn DataSource) -> Result<Predictor, InferenceError> {
        self.at_rest(data)?.predictor(self)
    }

    fn learn(
        &mut self,
        data: &dyn DataSource,
        options: &MinimiseOptions,
    ) -> Result<Training, InferenceError> {
        Ok(self.train_outer(data, &EpOptions::default(), options, |_| {})?.run.0)
    }
}
