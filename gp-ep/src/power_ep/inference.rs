//! The verbs of every method, by EP on all observations.

use super::batch::BatchEp;
use super::model::PowerEp;
use super::rules::EpOptions;
use super::train::{EpLearning, EpState};
use crate::error::InferenceError;
use crate::inference::{Inference, LogEvidence};
use crate::learning::{Learning, Trained, Watch};
use crate::posterior::Predictor;
use gp_kernels::data::DataSource;
use gp_kernels::posterior::{InducingPosterior, MixturePosterior};

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
    type Settings = EpLearning;
    type State = EpState;

    fn log_evidence(&self, data: &dyn DataSource) -> Result<LogEvidence, InferenceError> {
        let value = self.at_rest(data)?.log_z(self)?;
        Ok(LogEvidence { value, kind: self.powers().evidence_kind() })
    }

    fn posterior(&self, data: &dyn DataSource) -> Result<Predictor, InferenceError> {
        self.at_rest(data)?.predictor(self)
    }

    fn learn_with(
        &mut self,
        data: &dyn DataSource,
        how: Learning,
        settings: &EpLearning,
        watch: Watch<'_, Self::Posterior>,
    ) -> Result<Trained<EpState>, InferenceError> {
        match how {
            Learning::Inner(steps) => self.learn_inside(data, steps, settings, watch),
            Learning::Batches(batches, steps) => {
                self.learn_in_batches(data, (batches, steps), settings, watch)
            }
            Learning::Outer(_) => self.learn_outside(data, &how.outer_only()?, &settings.ep, watch),
        }
    }
}
