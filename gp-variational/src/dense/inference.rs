//! [`Inference`] of the dense model.

use super::model::DenseVariational;
use super::state::DenseState;
use crate::ascent::{Ascent, NaturalOptions};
use gp_ep::{
    EvaluationState, EvidenceKind, Inference, InferenceError, Learning, LearningRecord, LogEvidence,
    OnEvaluation, Predictor, Trained,
};
use gp_kernels::data::DataSource;
use gp_kernels::posterior::{DensePosterior, MixturePosterior};
use gp_optim::train_with_companion;

/// Evaluates at converged λ and ν.
impl Inference for DenseVariational {
    type Posterior = MixturePosterior<DensePosterior>;
    type Settings = NaturalOptions;
    type State = (DenseState, Ascent);

    fn log_evidence(&self, data: &dyn DataSource) -> Result<LogEvidence, InferenceError> {
        let mut state = DenseState::new(self, data)?;
        let value = state.converge(self, &NaturalOptions::default())?.bound;
        Ok(LogEvidence { value, kind: EvidenceKind::LowerBound })
    }

    fn posterior(&self, data: &dyn DataSource) -> Result<Predictor<Self::Posterior>, InferenceError> {
        let mut state = DenseState::new(self, data)?;
        state.converge(self, &NaturalOptions::default())?;
        state.predictor(self)
    }

    /// Converges λ and ν at every evaluation.
    fn learn_with(
        &mut self,
        data: &dyn DataSource,
        how: Learning,
        natural: &NaturalOptions,
        watch: OnEvaluation<'_, Self::Posterior>,
    ) -> Result<Trained<(DenseState, Ascent)>, InferenceError> {
        let options = how.outer_only()?;
        let mut state = DenseState::new(self, data)?;
        state.set_stop_signal(options.control.stop_signal());
        let is_short = || options.control.is_short();
        let evaluate = |model: &Self, state: &mut DenseState, gradient: &mut [f64]| {
            state.converge_or_restart(model, natural, &is_short)?;
            state.gradient(model, gradient)
        };
        let watch =
            |model: &Self, _: &DenseState, now| watch(EvaluationState::new(now, &|| model.posterior(data)));
        let run =
            LearningRecord::Minimised(train_with_companion(self, &mut state, &options, evaluate, watch)?);
        let ascent = state.converge_or_restart(self, natural, &is_short)?;
        Ok(Trained { run, state: (state, ascent) })
    }
}
