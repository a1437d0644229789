//! Training, and the verbs of every method, with λ and ν at rest.

use super::model::DenseVariational;
use super::predict::DensePosterior;
use super::state::DenseState;
use crate::ascent::{Ascent, NaturalOptions};
use gp_ep::{EvidenceKind, Inference, InferenceError, LogEvidence, Predictor, Trained};
use gp_kernels::data::DataSource;
use gp_kernels::posterior::MixturePosterior;
use gp_optim::{MinimiseOptions, Training, TrainingProgress, train_beside};

impl DenseVariational {
    /// Trains kernels and likelihood by L-BFGS on the largest bound that a Gaussian reaches: λ and ν come to rest for
    /// every value and gradient, from where they were.
    ///
    /// # Errors
    /// [`InferenceError::Optim`] when the start cannot be evaluated or an option is out of range, otherwise as
    /// [`DenseState::new`] and [`DenseState::come_to_rest`]. The model is then as it was.
    pub fn train(
        &mut self,
        data: &dyn DataSource,
        natural: &NaturalOptions,
        options: &MinimiseOptions,
        progress: impl FnMut(TrainingProgress),
    ) -> Result<Trained<(Training, Ascent), DenseState>, InferenceError> {
        let mut state = DenseState::new(self, data)?;
        let options = MinimiseOptions { control: options.control.begun(), ..options.clone() };
        state.set_brake(options.control.brake());
        let evaluate = |model: &Self, state: &mut DenseState, gradient: &mut [f64]| {
            state.come_to_rest_or_restart(model, natural)?;
            state.gradient(model, gradient)
        };
        let training = train_beside(self, &mut state, &options, evaluate, progress)?;
        let ascent = state.come_to_rest_or_restart(self, natural)?;
        Ok(Trained { run: (training, ascent), state })
    }
}

/// With λ and ν at rest.
impl Inference for DenseVariational {
    type Posterior = MixturePosterior<DensePosterior>;

    fn log_evidence(&self, data: &dyn DataSource) -> Result<LogEvidence, InferenceError> {
        let mut state = DenseState::new(self, data)?;
        let value = state.come_to_rest(self, &NaturalOptions::default())?.bound;
        Ok(LogEvidence { value, kind: EvidenceKind::LowerBound })
    }

    fn posterior(&self, data: &dyn DataSource) -> Result<Predictor<Self::Posterior>, InferenceError> {
        let mut state = DenseState::new(self, data)?;
        state.come_to_rest(self, &NaturalOptions::default())?;
        state.predictor(self)
    }

    fn learn(
        &mut self,
        data: &dyn DataSource,
        options: &MinimiseOptions,
    ) -> Result<Training, InferenceError> {
        Ok(self.train(data, &NaturalOptions::default(), options, |_| {})?.run.0)
    }
}
