//! [`Inference`] and uncertain parameters of [`PowerEp`].

use super::batch::BatchEp;
use super::converge::Convergence;
use super::gradient::GradientKind;
use super::model::PowerEp;
use super::rules::EpOptions;
use super::train::{EpLearning, EpState, refresh_or_reset};
use crate::error::InferenceError;
use crate::inference::{Inference, LogEvidence};
use crate::learning::{Learning, OnEvaluation, Trained};
use crate::posterior::Predictor;
use crate::uncertain::{ParameterDraws, over_parameters};
use gp_kernels::data::DataSource;
use gp_kernels::posterior::{InducingPosterior, MixturePosterior};

impl PowerEp {
    /// EP after convergence or the default number of sweeps.
    fn converged(&self, data: &dyn DataSource) -> Result<BatchEp, InferenceError> {
        let mut state = BatchEp::new(self, data)?;
        state.converge(self, &EpOptions::default())?;
        Ok(state)
    }

    /// Mixture of posteriors at draws around the current, optimal parameters. Inducing inputs and likelihood stay
    /// fixed, except Gaussian noise, which is drawn and replaced by its mean.
    ///
    /// # Errors
    /// As [`BatchEp::log_z_gradient`], at nearby parameters; [`InferenceError::NotConverged`] there;
    /// [`DataError::Stopped`](crate::DataError::Stopped) before the first draw.
    pub fn posterior_over_parameters(
        &self,
        data: &dyn DataSource,
        draws: &ParameterDraws,
    ) -> Result<Predictor, InferenceError> {
        let mut model = self.clone();
        model.fix_inputs();
        if model.likelihood().gaussian_noise().is_none() {
            // Drawn functions share the present likelihood: scales that move with it would count twice.
            model.likelihood_mut().parameters_mut().iter_mut().for_each(|parameter| parameter.fix_all(true));
        }
        over_parameters(
            &model,
            draws,
            &mut BatchEp::new(&model, data)?,
            |model, state, gradient| {
                settle_near(model, state)?;
                state.log_z_gradient(model, GradientKind::Converged, gradient)
            },
            |model, state| {
                settle_near(model, state)?;
                Ok((state.log_z(model)?, state.predictor(model)?))
            },
        )
    }
}

/// Change below which gradient differences are meaningful.
const TOLERANCE: f64 = 1e-7;

/// Converges from sites at nearby parameters.
fn settle_near(model: &PowerEp, state: &mut BatchEp) -> Result<(), InferenceError> {
    refresh_or_reset(state, model)?;
    let options = EpOptions { tolerance: TOLERANCE, ..EpOptions::default() };
    let Convergence { converged, sweeps, last, .. } = state.converge(model, &options)?;
    let impossible = model.likelihood().support().is_discrete() && last.log_z > 0.0;
    if converged && !impossible {
        return Ok(());
    }
    Err(InferenceError::NotConverged { sweeps, change: last.change })
}

/// EP with default options; [`BatchEp`] reports convergence.
impl Inference for PowerEp {
    type Posterior = MixturePosterior<InducingPosterior>;
    type Settings = EpLearning;
    type State = EpState;

    fn log_evidence(&self, data: &dyn DataSource) -> Result<LogEvidence, InferenceError> {
        let value = self.converged(data)?.log_z(self)?;
        Ok(LogEvidence { value, kind: self.powers().evidence_kind() })
    }

    fn posterior(&self, data: &dyn DataSource) -> Result<Predictor, InferenceError> {
        self.converged(data)?.predictor(self)
    }

    fn learn_with(
        &mut self,
        data: &dyn DataSource,
        how: Learning,
        settings: &EpLearning,
        watch: OnEvaluation<'_, Self::Posterior>,
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
