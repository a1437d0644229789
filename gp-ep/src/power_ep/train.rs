//! How hyperparameters, inducing inputs and parameters of the observation model are learned.
//!
//! *Outer*: EP comes to rest for every value and gradient that L-BFGS asks for. *Inner* (seed 003 §3.2): the parameters
//! move by one step of a first-order method between sweeps, so that both arrive together. *In mini-batches*: a step
//! for every batch.

use super::batch::{BatchEp, Convergence};
use super::gradient::GradientKind;
use super::minibatch::{MiniBatchEp, Sharing};
use super::model::PowerEp;
use super::rules::EpOptions;
use crate::error::EpError;
use gp_kernels::data::DataSource;
use gp_optim::{
    Batch, Batches, Descended, DescentOptions, MinimiseOptions, ParameterSet, Training, TrainingProgress,
    UpdateRule, train, train_by_descent,
};

/// How parameters and sites learn together.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InnerOptions {
    /// Steps of the parameters.
    pub steps: u64,
    /// Sweeps before each of them at most: fewer where sites come to rest before, so that many of them are the outer scheme.
    pub sweeps: usize,
    /// Which gradient they follow.
    pub gradient: GradientKind,
    /// How sites move.
    pub ep: EpOptions,
    /// When the descent stops before that.
    pub descent: DescentOptions,
}

impl Default for InnerOptions {
    /// 250 steps after one sweep each, half steps of sites, as in seed 003.
    fn default() -> Self {
        let ep = EpOptions::default();
        let descent = DescentOptions { drifting: true, ..DescentOptions::default() };
        Self { steps: 250, sweeps: 1, gradient: GradientKind::AtRest, ep, descent }
    }
}

/// How training went, and the state it left: sites and posterior under the parameters that were found.
#[derive(Debug)]
#[non_exhaustive]
pub struct Trained<R, S> {
    /// What the solver has to say.
    pub run: R,
    /// EP under the parameters found.
    pub state: S,
}

/// What there is to see after an evaluation during training.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Moment<'a, S> {
    /// How far it got.
    pub progress: TrainingProgress,
    /// The model with the parameters that were evaluated.
    pub model: &'a PowerEp,
    /// EP under these, to predict from, say.
    pub state: &'a S,
}

impl PowerEp {
    /// Trains by L-BFGS on the estimate of `ln p(y) + ln p(parameters)`, EP coming to rest at every evaluation. Sites
    /// start from where the last evaluation left them.
    ///
    /// # Errors
    /// [`EpError::Optim`] when the start cannot be evaluated or an option is out of range, otherwise as
    /// [`BatchEp::new`]. The model is then as it was.
    pub fn train_outer(
        &mut self,
        data: &dyn DataSource,
        ep: &EpOptions,
        options: &MinimiseOptions,
        progress: impl FnMut(TrainingProgress),
    ) -> Result<Trained<(Training, Convergence), BatchEp>, EpError> {
        let mut state = BatchEp::new(self, data)?;
        let evaluate = |model: &PowerEp, natural: &mut [f64]| {
            come_to_rest(&mut state, model, ep)?;
            state.log_z_gradient(model, GradientKind::AtRest, natural)
        };
        let training = train(self, options, evaluate, progress)?;
        let convergence = come_to_rest(&mut state, self, ep)?;
        Ok(Trained { run: (training, convergence), state })
    }

    /// Trains by a first-order method, one step after every few sweeps, sites being as far as they are. `watch` is called
    /// after every evaluation that succeeds.
    ///
    /// # Errors
    /// [`EpError::Optim`] when the start cannot be evaluated, otherwise as [`BatchEp::new`]. Evaluations that fail
    /// later are stepped back from and counted.
    pub fn train_inner<R: UpdateRule>(
        &mut self,
        data: &dyn DataSource,
        rule: R,
        options: &InnerOptions,
        mut watch: impl FnMut(Moment<'_, BatchEp>),
    ) -> Result<Trained<Descended, BatchEp>, EpError> {
        let mut state = BatchEp::new(self, data)?;
        let ep = EpOptions { max_sweeps: options.sweeps, ..options.ep };
        let mut evaluation = 0;
        let evaluate = |model: &PowerEp, _: Batch<'_>, natural: &mut [f64]| -> Result<f64, EpError> {
            refresh_or_reset(&mut state, model)?;
            state.converge(model, &ep)?;
            let log_z = state.log_z_gradient(model, options.gradient, natural)?;
            evaluation += 1;
            let log_posterior = log_z + model.log_prior();
            watch(Moment { progress: TrainingProgress { evaluation, log_posterior }, model, state: &state });
            Ok(log_z)
        };
        let descent = DescentOptions { drifting: true, ..options.descent.clone() };
        let how = (Batches::whole(data.count())?, rule, descent);
        let run = train_by_descent(self, how, options.steps, evaluate, |_| {})?;
        refresh_or_reset(&mut state, self)?;
        Ok(Trained { run, state })
    }

    /// Trains by a first-order method, one step after the sites (own or tied) of every batch were updated. `watch` is
    /// called after every evaluation that succeeds.
    ///
    /// Own sites are added up anew once an epoch, for the parameters have changed what they mean.
    ///
    /// # Errors
    /// As [`train_inner`](Self::train_inner), and those of [`MiniBatchEp::new`] and [`MiniBatchEp::step`];
    /// [`EpError::Unsupported`] for [`GradientKind::OfEstimate`].
    pub fn train_in_batches<R: UpdateRule>(
        &mut self,
        data: &dyn DataSource,
        sharing: Sharing,
        batches: Batches,
        rule: R,
        options: &InnerOptions,
        mut watch: impl FnMut(Moment<'_, MiniBatchEp>),
    ) -> Result<Trained<Descended, MiniBatchEp>, EpError> {
        if options.gradient == GradientKind::OfEstimate {
            return Err(EpError::Unsupported { what: "the gradient of the estimate in mini-batches" });
        }
        let size = batches.size();
        let mut state = MiniBatchEp::new(self, data, sharing, size)?;
        let (mut evaluation, epoch) = (0u64, data.count().div_ceil(size) as u64);
        let evaluate = |model: &PowerEp, batch: Batch<'_>, natural: &mut [f64]| -> Result<f64, EpError> {
            state.refresh(model)?;
            if evaluation % epoch == 0 && evaluation > 0 {
                state.rebuild(model, data)?;
            }
            evaluation += 1;
            for _ in 0..options.sweeps {
                state.step(model, data, batch.indices, &options.ep)?;
            }
            let log_z = state.log_z_gradient(model, natural)?;
            let log_posterior = log_z + model.log_prior();
            watch(Moment { progress: TrainingProgress { evaluation, log_posterior }, model, state: &state });
            Ok(log_z)
        };
        let descent = DescentOptions { drifting: true, ..options.descent.clone() };
        let run = train_by_descent(self, (batches, rule, descent), options.steps, evaluate, |_| {})?;
        state.refresh(self)?;
        state.rebuild(self, data)?;
        Ok(Trained { run, state })
    }
}

/// Projects anew; sites that under these parameters leave no proper posterior are forgotten.
fn refresh_or_reset(state: &mut BatchEp, model: &PowerEp) -> Result<(), EpError> {
    match state.refresh(model) {
        Err(EpError::Linalg(_) | EpError::ImproperPosterior) => state.reset(model),
        other => other,
    }
}

fn come_to_rest(state: &mut BatchEp, model: &PowerEp, ep: &EpOptions) -> Result<Convergence, EpError> {
    refresh_or_reset(state, model)?;
    state.converge(model, ep)
}
