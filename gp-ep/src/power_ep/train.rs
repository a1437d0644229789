//! Learning of hyperparameters, inducing inputs and likelihood parameters.
//!
//! *Outer*: EP converges at every value and gradient of L-BFGS. *Inner* (Hernández-Lobato &
//! Hernández-Lobato 2016 §3.2): a first-order step of the parameters between sweeps, so that both converge
//! together. *In mini-batches*: a step per batch.

use super::batch::BatchEp;
use super::converge::Convergence;
use super::gradient::GradientKind;
use super::minibatch::{MiniBatchEp, MiniBatchMemory, Sharing, check_options};
use super::model::PowerEp;
use super::rules::EpOptions;
use super::settle::Settled;
use super::site::Site;
use crate::error::InferenceError;
use crate::learning::{Course, Moment, Steps, Trained, Watch};
use crate::posterior::Predictor;
use gp_kernels::data::{DataError, DataSource};
use gp_kernels::posterior::{InducingPosterior, MixturePosterior};
use gp_optim::{
    Batch, Batches, Companion, MinimiseOptions, TrainingProgress, train_beside, train_by_descent,
};

/// Passes of training per final pass over own sites.
const PASSES_BESIDE: usize = 5;

/// Settings of sites during learning.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct EpLearning {
    /// Convergence of sites outside, and their steps inside and in batches.
    pub ep: EpOptions,
    /// Most sweeps before each step, inside and in batches; fewer once sites converge, so many of them
    /// amount to the outer scheme.
    pub sweeps: usize,
    /// Gradient used by steps.
    pub gradient: GradientKind,
    /// Ownership of sites in batches.
    pub sharing: Sharing,
}

impl Default for EpLearning {
    /// One sweep, half steps of sites, as in Hernández-Lobato & Hernández-Lobato 2016; own sites in
    /// batches.
    fn default() -> Self {
        Self { ep: EpOptions::default(), sweeps: 1, gradient: GradientKind::AtRest, sharing: Sharing::Own }
    }
}

impl EpLearning {
    /// Sets the options of EP.
    #[must_use]
    pub fn with_ep(self, ep: EpOptions) -> Self {
        Self { ep, ..self }
    }

    /// Sets own or tied sites.
    #[must_use]
    pub fn with_sharing(self, sharing: Sharing) -> Self {
        Self { sharing, ..self }
    }
}

/// EP under the learned parameters.
#[derive(Debug)]
pub enum EpState {
    /// Outside: converged sites, and their convergence.
    AtRest(BatchEp, Convergence),
    /// Inside: sites one sweep behind the last step.
    Beside(BatchEp),
    /// In batches, with the final own sites.
    InBatches(MiniBatchEp, Option<Settled>),
}

impl EpState {
    /// State of EP on all observations, unless learned in batches.
    #[must_use]
    pub fn batch(&mut self) -> Option<&mut BatchEp> {
        match self {
            Self::AtRest(state, _) | Self::Beside(state) => Some(state),
            Self::InBatches(..) => None,
        }
    }

    /// Posterior of one latent function.
    ///
    /// # Errors
    /// As [`BatchEp::posterior`].
    pub fn posterior(&self, model: &PowerEp, latent: usize) -> Result<InducingPosterior, InferenceError> {
        match self {
            Self::AtRest(state, _) | Self::Beside(state) => state.posterior(model, latent),
            Self::InBatches(state, _) => state.posterior(model, latent),
        }
    }

    /// Predictor.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] for a `K_zz` that cannot be factored.
    pub fn predictor(&self, model: &PowerEp) -> Result<Predictor, InferenceError> {
        match self {
            Self::AtRest(state, _) | Self::Beside(state) => state.predictor(model),
            Self::InBatches(state, _) => state.predictor(model),
        }
    }
}

type Outer = Whole<true>;
type Inner = Whole<false>;

/// Callback during learning of EP, with a mixture of one Gaussian.
type Watching<'a> = Watch<'a, MixturePosterior<InducingPosterior>>;

impl PowerEp {
    /// EP converges at every evaluation, from the last sites.
    pub(super) fn learn_outside(
        &mut self,
        data: &dyn DataSource,
        options: &MinimiseOptions,
        ep: &EpOptions,
        watch: Watching<'_>,
    ) -> Result<Trained<EpState>, InferenceError> {
        let mut state: Outer = Whole(BatchEp::new(self, data)?);
        state.0.set_brake(options.control.brake());
        let is_short = || options.control.is_short();
        let evaluate = |model: &Self, Whole(state): &mut Outer, natural: &mut [f64]| {
            come_to_rest(state, model, ep, &is_short)?;
            state.log_z_gradient(model, GradientKind::AtRest, natural)
        };
        let watch = |model: &Self, Whole(state): &Outer, now| {
            watch(Moment::new(now, &|| state.predictor(model)));
        };
        let training = train_beside(self, &mut state, options, evaluate, watch)?;
        let Whole(mut state) = state;
        let convergence = come_to_rest(&mut state, self, ep, &is_short)?;
        Ok(Trained { run: Course::Minimised(training), state: EpState::AtRest(state, convergence) })
    }

    /// One parameter step after every few sweeps.
    pub(super) fn learn_inside(
        &mut self,
        data: &dyn DataSource,
        steps: Steps,
        settings: &EpLearning,
        watch: Watching<'_>,
    ) -> Result<Trained<EpState>, InferenceError> {
        let mut state: Inner = Whole(BatchEp::new(self, data)?);
        let ep = EpOptions { max_sweeps: settings.sweeps, ..settings.ep };
        let evaluate = |model: &Self, Whole(state): &mut Inner, _: Batch<'_>, natural: &mut [f64]| {
            refresh_or_reset(state, model)?;
            state.converge(model, &ep)?;
            state.log_z_gradient(model, settings.gradient, natural)
        };
        let watch = |model: &Self, Whole(state): &Inner, now| {
            watch(Moment::new(now, &|| state.predictor(model)));
        };
        let plan = steps.plan(Batches::whole(data.count())?);
        state.0.set_brake(plan.control.brake());
        let run = train_by_descent(self, &mut state, plan, evaluate, watch)?;
        let Whole(mut state) = state;
        refresh_or_reset(&mut state, self)?;
        Ok(Trained { run: Course::Descended(run), state: EpState::Beside(state) })
    }

    /// One step after updating the (own or tied) sites of every batch. While parameters move, an epoch's
    /// sums replace the last one's; own sites are summed anew at the end and converge further.
    pub(super) fn learn_in_batches(
        &mut self,
        data: &dyn DataSource,
        (batches, steps): (Batches, Steps),
        settings: &EpLearning,
        watch: Watching<'_>,
    ) -> Result<Trained<EpState>, InferenceError> {
        if settings.gradient == GradientKind::OfEstimate {
            return Err(InferenceError::Unsupported { what: "the gradient of the estimate in mini-batches" });
        }
        let size = batches.size();
        let state = MiniBatchEp::new(self, data, settings.sharing, size)?;
        let (mut inner, mut fault) = (InnerBatches(state), None);
        let evaluate = |model: &Self, inner: &mut InnerBatches, batch: Batch<'_>, natural: &mut [f64]| {
            let InnerBatches(state) = inner;
            state.refresh(model)?;
            check_options(&settings.ep)?;
            if let Err(error) = state.load(model, data, batch.indices) {
                return Err(fault.get_or_insert(error).clone());
            }
            for _ in 0..settings.sweeps {
                state.step_loaded(model, &settings.ep)?;
            }
            state.log_z_gradient(model, natural)
        };
        let watch = |model: &Self, inner: &InnerBatches, now: TrainingProgress| {
            watch(Moment::new(now, &|| inner.0.predictor(model)));
        };
        let before = self.clone();
        let plan = steps.plan(batches);
        let control = plan.control.clone();
        inner.0.set_brake(plan.control.brake());
        let run = train_by_descent(self, &mut inner, plan, evaluate, watch);
        // A fault of the data is none of a place that can be stepped back from.
        if let Some(fault) = fault.filter(|fault| *fault != DataError::Stopped.into()) {
            return Err(fault);
        }
        let (run, mut state) = (run?, inner.0);
        // Passes over the data that are little beside those of training.
        let worth = run.iterations as usize * size / (PASSES_BESIDE * data.count().max(1));
        let how = (worth, || control.wants_end());
        let settled = state
            .refresh(self)
            .and_then(|()| state.settle(self, data, &settings.ep, how))
            .inspect_err(|_| *self = before)?;
        Ok(Trained { run: Course::Descended(run), state: EpState::InBatches(state, settled) })
    }
}

/// Sites of all observations, which converge at every evaluation or learn along with the parameters.
struct Whole<const AT_REST: bool>(BatchEp);

impl<const AT_REST: bool> Companion for Whole<AT_REST> {
    type Memory = Vec<Site>;
    const KIND: &'static str = if AT_REST { "EP at rest" } else { "EP on all observations beside a descent" };

    fn memory(&self) -> Vec<Site> {
        // Without the sites of other processes there is nothing to go on from, and the next run says so.
        self.0.all_sites().unwrap_or_default()
    }

    fn recall(&mut self, sites: Vec<Site>) -> Result<(), String> {
        self.0.recall(&sites)
    }
}

/// Sites that learn along in mini-batches.
struct InnerBatches(MiniBatchEp);

impl Companion for InnerBatches {
    type Memory = MiniBatchMemory;
    const KIND: &'static str = "EP in batches beside a descent, sums by epoch";

    fn memory(&self) -> MiniBatchMemory {
        self.0.memory()
    }

    fn recall(&mut self, memory: MiniBatchMemory) -> Result<(), String> {
        self.0.recall(memory)
    }
}

/// Projects anew; resets sites that leave no proper posterior under these parameters.
pub(super) fn refresh_or_reset(state: &mut BatchEp, model: &PowerEp) -> Result<(), InferenceError> {
    match state.refresh(model) {
        Err(InferenceError::Linalg(_) | InferenceError::ImproperPosterior) => state.reset(model),
        other => other,
    }
}

fn come_to_rest(
    state: &mut BatchEp,
    model: &PowerEp,
    ep: &EpOptions,
    is_short: &dyn Fn() -> bool,
) -> Result<Convergence, InferenceError> {
    refresh_or_reset(state, model)?;
    state.converge_within(model, ep, is_short)
}
