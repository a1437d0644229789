//! How hyperparameters, inducing inputs and parameters of the observation model are learned.
//!
//! *Outer*: EP comes to rest for every value and gradient that L-BFGS asks for. *Inner* (Hernández-Lobato &
//! Hernández-Lobato 2016 §3.2): the parameters move by one step of a first-order method between sweeps, so that both
//! arrive together. *In mini-batches*: a step for every batch.

use super::batch::{BatchEp, Convergence};
use super::gradient::GradientKind;
use super::minibatch::{MiniBatchEp, MiniBatchMemory, Sharing, check_options};
use super::model::PowerEp;
use super::rules::EpOptions;
use super::site::Site;
use crate::error::InferenceError;
use crate::inference::Trained;
use gp_kernels::data::{DataError, DataSource};
use gp_optim::{
    Batch, Batches, Companion, Control, Descended, DescentOptions, DescentPlan, MinimiseOptions,
    ParameterSet, Training, TrainingProgress, UpdateRule, train_beside, train_by_descent,
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
    /// Who may end it, and the file from which it goes on.
    pub control: Control,
}

impl Default for InnerOptions {
    /// 250 steps after one sweep each, half steps of sites, as in Hernández-Lobato & Hernández-Lobato 2016.
    fn default() -> Self {
        let ep = EpOptions::default();
        let descent = DescentOptions { drifting: true, ..DescentOptions::default() };
        let control = Control::new();
        Self { steps: 250, sweeps: 1, gradient: GradientKind::AtRest, ep, descent, control }
    }
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
    /// [`InferenceError::Optim`] when the start cannot be evaluated or an option is out of range, otherwise as
    /// [`BatchEp::new`]. The model is then as it was.
    pub fn train_outer(
        &mut self,
        data: &dyn DataSource,
        ep: &EpOptions,
        options: &MinimiseOptions,
        progress: impl FnMut(TrainingProgress),
    ) -> Result<Trained<(Training, Convergence), BatchEp>, InferenceError> {
        let mut state = Outer(BatchEp::new(self, data)?);
        let options = MinimiseOptions { control: options.control.begun(), ..options.clone() };
        state.0.set_brake(options.control.brake());
        let evaluate = |model: &PowerEp, Outer(state): &mut Outer, natural: &mut [f64]| {
            come_to_rest(state, model, ep)?;
            state.log_z_gradient(model, GradientKind::AtRest, natural)
        };
        let training = train_beside(self, &mut state, &options, evaluate, progress)?;
        let Outer(mut state) = state;
        let convergence = come_to_rest(&mut state, self, ep)?;
        Ok(Trained { run: (training, convergence), state })
    }

    /// Trains by a first-order method, one step after every few sweeps, sites being as far as they are. `watch` is called
    /// after every evaluation that succeeds.
    ///
    /// # Errors
    /// [`InferenceError::Optim`] when the start cannot be evaluated, otherwise as [`BatchEp::new`]. Evaluations that fail
    /// later are stepped back from and counted.
    pub fn train_inner<R: UpdateRule>(
        &mut self,
        data: &dyn DataSource,
        rule: R,
        options: &InnerOptions,
        mut watch: impl FnMut(Moment<'_, BatchEp>),
    ) -> Result<Trained<Descended, BatchEp>, InferenceError> {
        let mut inner = Inner { state: BatchEp::new(self, data)?, evaluations: 0 };
        let ep = EpOptions { max_sweeps: options.sweeps, ..options.ep };
        let evaluate = |model: &PowerEp, inner: &mut Inner, _: Batch<'_>, natural: &mut [f64]| {
            let Inner { state, evaluations } = inner;
            refresh_or_reset(state, model)?;
            state.converge(model, &ep)?;
            let log_z = state.log_z_gradient(model, options.gradient, natural)?;
            *evaluations += 1;
            watch(Moment::of(*evaluations, log_z, model, state));
            Ok::<f64, InferenceError>(log_z)
        };
        let plan = options.plan(Batches::whole(data.count())?, rule);
        inner.state.set_brake(plan.control.brake());
        let run = train_by_descent(self, &mut inner, plan, evaluate, |_| {})?;
        refresh_or_reset(&mut inner.state, self)?;
        Ok(Trained { run, state: inner.state })
    }

    /// Trains by a first-order method, one step after the sites (own or tied) of every batch were updated. `watch` is
    /// called after every evaluation that succeeds.
    ///
    /// Own sites are added up anew once an epoch, for the parameters have changed what they mean.
    ///
    /// # Errors
    /// As [`train_inner`](Self::train_inner), and those of [`MiniBatchEp::new`] and [`MiniBatchEp::step`];
    /// [`InferenceError::Unsupported`] for [`GradientKind::OfEstimate`].
    pub fn train_in_batches<R: UpdateRule>(
        &mut self,
        data: &dyn DataSource,
        sharing: Sharing,
        batches: Batches,
        rule: R,
        options: &InnerOptions,
        mut watch: impl FnMut(Moment<'_, MiniBatchEp>),
    ) -> Result<Trained<Descended, MiniBatchEp>, InferenceError> {
        if options.gradient == GradientKind::OfEstimate {
            return Err(InferenceError::Unsupported { what: "the gradient of the estimate in mini-batches" });
        }
        let size = batches.size();
        let state = MiniBatchEp::new(self, data, sharing, size)?;
        let (mut inner, mut fault) = (InnerBatches { state, evaluations: 0 }, None);
        let epoch = data.count().div_ceil(size) as u64;
        let evaluate = |model: &PowerEp, inner: &mut InnerBatches, batch: Batch<'_>, natural: &mut [f64]| {
            let InnerBatches { state, evaluations } = inner;
            state.refresh(model)?;
            if *evaluations % epoch == 0 && *evaluations > 0 {
                state.rebuild(model, data)?;
            }
            *evaluations += 1;
            check_options(&options.ep)?;
            if let Err(error) = state.load(model, data, batch.indices) {
                return Err(fault.get_or_insert(error).clone());
            }
            for _ in 0..options.sweeps {
                state.step_loaded(model, &options.ep)?;
            }
            let log_z = state.log_z_gradient(model, natural)?;
            watch(Moment::of(*evaluations, log_z, model, state));
            Ok::<f64, InferenceError>(log_z)
        };
        let plan = options.plan(batches, rule);
        inner.state.set_brake(plan.control.brake());
        let run = train_by_descent(self, &mut inner, plan, evaluate, |_| {});
        // A fault of the data is none of a place that can be stepped back from.
        if let Some(fault) = fault.filter(|fault| *fault != DataError::Stopped.into()) {
            return Err(fault);
        }
        let (run, mut state) = (run?, inner.state);
        state.refresh(self)?;
        state.rebuild(self, data)?;
        Ok(Trained { run, state })
    }
}

impl InnerOptions {
    fn plan<R>(&self, batches: Batches, rule: R) -> DescentPlan<R> {
        let options = DescentOptions { drifting: true, ..self.descent.clone() };
        DescentPlan { batches, rule, options, steps: self.steps, control: self.control.begun() }
    }
}

impl<'a, S> Moment<'a, S> {
    fn of(evaluation: u64, log_z: f64, model: &'a PowerEp, state: &'a S) -> Self {
        let log_posterior = log_z + model.log_prior();
        Self { progress: TrainingProgress { evaluation, log_posterior }, model, state }
    }
}

/// Sites that come to rest at every evaluation: everything else follows from them and the parameters.
struct Outer(BatchEp);

impl Companion for Outer {
    type Memory = Vec<Site>;
    const KIND: &'static str = "EP at rest";

    fn memory(&self) -> Vec<Site> {
        self.0.sites().collect()
    }

    fn recall(&mut self, sites: Vec<Site>) -> Result<(), String> {
        self.0.recall(&sites)
    }
}

/// Sites that learn together with the parameters, and how often these were evaluated.
struct Inner {
    state: BatchEp,
    evaluations: u64,
}

impl Companion for Inner {
    type Memory = (Vec<Site>, u64);
    const KIND: &'static str = "EP on all observations beside a descent";

    fn memory(&self) -> Self::Memory {
        (self.state.sites().collect(), self.evaluations)
    }

    fn recall(&mut self, (sites, evaluations): Self::Memory) -> Result<(), String> {
        self.evaluations = evaluations;
        self.state.recall(&sites)
    }
}

/// The same in mini-batches.
struct InnerBatches {
    state: MiniBatchEp,
    evaluations: u64,
}

impl Companion for InnerBatches {
    type Memory = (MiniBatchMemory, u64);
    const KIND: &'static str = "EP in batches beside a descent, weights of sites behind their sums";

    fn memory(&self) -> Self::Memory {
        (self.state.memory(), self.evaluations)
    }

    fn recall(&mut self, (memory, evaluations): Self::Memory) -> Result<(), String> {
        self.evaluations = evaluations;
        self.state.recall(memory)
    }
}

/// Projects anew; sites that under these parameters leave no proper posterior are forgotten.
fn refresh_or_reset(state: &mut BatchEp, model: &PowerEp) -> Result<(), InferenceError> {
    match state.refresh(model) {
        Err(InferenceError::Linalg(_) | InferenceError::ImproperPosterior) => state.reset(model),
        other => other,
    }
}

fn come_to_rest(state: &mut BatchEp, model: &PowerEp, ep: &EpOptions) -> Result<Convergence, InferenceError> {
    refresh_or_reset(state, model)?;
    state.converge(model, ep)
}
