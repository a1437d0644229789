//! Learning of all parameters.
//!
//! *Outer*: EP converges at every evaluation of L-BFGS. *Inner* (Hernández-Lobato & Hernández-Lobato 2016 §3.2):
//! first-order parameter steps between sweeps; all converge together. *In mini-batches*: one step per batch.

use super::batch::BatchEp;
use super::converge::Convergence;
use super::gradient::GradientKind;
use super::minibatch::{MiniBatchEp, MiniBatchMemory, Sharing, check_options};
use super::model::PowerEp;
use super::rules::EpOptions;
use super::settle::Settled;
use super::site::Site;
use crate::error::InferenceError;
use crate::learning::{EvaluationState, LearningRecord, OnEvaluation, Steps, Trained};
use crate::posterior::Predictor;
use gp_kernels::data::{DataError, DataSource};
use gp_kernels::posterior::{InducingPosterior, MixturePosterior};
use gp_optim::{
    Batch, Batches, Companion, MinimiseOptions, TrainingProgress, train_by_descent, train_with_companion,
};

/// Training passes per final pass over own sites.
const PASSES_BESIDE: usize = 5;

/// Settings of EP during learning.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct EpLearning {
    /// Convergence in outer learning, site steps otherwise.
    pub ep: EpOptions,
    /// Inner learning: maximum sweeps per parameter step. Mini-batches: site updates per batch.
    pub sweeps: usize,
    /// Gradient of parameter steps; only [`GradientKind::Converged`] in mini-batches.
    pub gradient: GradientKind,
    /// Own or tied sites in mini-batches.
    pub sharing: Sharing,
}

impl Default for EpLearning {
    /// One sweep of half steps (Hernández-Lobato & Hernández-Lobato 2016); own sites.
    fn default() -> Self {
        Self { ep: EpOptions::default(), sweeps: 1, gradient: GradientKind::Converged, sharing: Sharing::Own }
    }
}

impl EpLearning {
    /// Sets EP options.
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

/// State of EP after learning.
#[derive(Debug)]
pub enum EpState {
    /// Outer learning, with convergence of the sites.
    Converged(BatchEp, Convergence),
    /// Inner learning: sites from before the last parameter step.
    Inner(BatchEp),
    /// Mini-batches, with an estimate for own sites if time allowed.
    InBatches(MiniBatchEp, Option<Settled>),
}

impl EpState {
    /// EP on all observations; None after mini-batches.
    #[must_use]
    pub fn batch(&mut self) -> Option<&mut BatchEp> {
        match self {
            Self::Converged(state, _) | Self::Inner(state) => Some(state),
            Self::InBatches(..) => None,
        }
    }

    /// Posterior of one latent, as [`BatchEp::posterior`].
    pub fn posterior(&self, model: &PowerEp, latent: usize) -> Result<InducingPosterior, InferenceError> {
        match self {
            Self::Converged(state, _) | Self::Inner(state) => state.posterior(model, latent),
            Self::InBatches(state, _) => state.posterior(model, latent),
        }
    }

    /// Predictor of learned parameters and sites.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] without factor of `K_zz`.
    pub fn predictor(&self, model: &PowerEp) -> Result<Predictor, InferenceError> {
        match self {
            Self::Converged(state, _) | Self::Inner(state) => state.predictor(model),
            Self::InBatches(state, _) => state.predictor(model),
        }
    }
}

type Outer = Whole<true>;
type Inner = Whole<false>;

type Watching<'a> = OnEvaluation<'a, MixturePosterior<InducingPosterior>>;

impl PowerEp {
    pub(super) fn learn_outside(
        &mut self,
        data: &dyn DataSource,
        options: &MinimiseOptions,
        ep: &EpOptions,
        watch: Watching<'_>,
    ) -> Result<Trained<EpState>, InferenceError> {
        let mut state: Outer = Whole(BatchEp::new(self, data)?);
        state.0.set_stop_signal(options.control.stop_signal());
        let is_short = || options.control.is_short();
        let evaluate = |model: &Self, Whole(state): &mut Outer, natural: &mut [f64]| {
            converge(state, model, ep, &is_short)?;
            state.log_z_gradient(model, GradientKind::Converged, natural)
        };
        let watch = |model: &Self, Whole(state): &Outer, now| {
            watch(EvaluationState::new(now, &|| state.predictor(model)));
        };
        let training = train_with_companion(self, &mut state, options, evaluate, watch)?;
        let Whole(mut state) = state;
        let convergence = converge(&mut state, self, ep, &is_short)?;
        Ok(Trained {
            run: LearningRecord::Minimised(training),
            state: EpState::Converged(state, convergence),
        })
    }

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
            watch(EvaluationState::new(now, &|| state.predictor(model)));
        };
        let plan = steps.plan(Batches::whole(data.count())?);
        state.0.set_stop_signal(plan.control.stop_signal());
        let run = train_by_descent(self, &mut state, plan, evaluate, watch)?;
        let Whole(mut state) = state;
        refresh_or_reset(&mut state, self)?;
        Ok(Trained { run: LearningRecord::Descended(run), state: EpState::Inner(state) })
    }

    /// One parameter step per batch; finally own sites converge.
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
            watch(EvaluationState::new(now, &|| inner.0.predictor(model)));
        };
        let before = self.clone();
        let plan = steps.plan(batches);
        let control = plan.control.clone();
        inner.0.set_stop_signal(plan.control.stop_signal());
        let run = train_by_descent(self, &mut inner, plan, evaluate, watch);
        // Data faults end learning; failures of one step do not.
        if let Some(fault) = fault.filter(|fault| *fault != DataError::Stopped.into()) {
            return Err(fault);
        }
        let (run, mut state) = (run?, inner.0);
        // Few final passes relative to training.
        let worth = run.iterations as usize * size / (PASSES_BESIDE * data.count().max(1));
        let how = (worth, || control.wants_end());
        let settled = state
            .refresh(self)
            .and_then(|()| state.settle(self, data, &settings.ep, how))
            .inspect_err(|_| *self = before)?;
        Ok(Trained { run: LearningRecord::Descended(run), state: EpState::InBatches(state, settled) })
    }
}

/// Sites of all observations, for outer (`true`) or inner learning.
struct Whole<const CONVERGED: bool>(BatchEp);

impl<const CONVERGED: bool> Companion for Whole<CONVERGED> {
    type Memory = Vec<Site>;
    const KIND: &'static str =
        if CONVERGED { "converged EP" } else { "EP on all observations beside a descent" };

    fn memory(&self) -> Vec<Site> {
        // A checkpoint without other processes' sites cannot be resumed; the next run reports that.
        self.0.all_sites().unwrap_or_default()
    }

    fn recall(&mut self, sites: Vec<Site>) -> Result<(), String> {
        self.0.recall(&sites)
    }
}

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

/// Refreshes the state; resets sites without proper posterior.
pub(super) fn refresh_or_reset(state: &mut BatchEp, model: &PowerEp) -> Result<(), InferenceError> {
    match state.refresh(model) {
        Err(InferenceError::Linalg(_) | InferenceError::ImproperPosterior) => state.reset(model),
        other => other,
    }
}

fn converge(
    state: &mut BatchEp,
    model: &PowerEp,
    ep: &EpOptions,
    is_short: &dyn Fn() -> bool,
) -> Result<Convergence, InferenceError> {
    refresh_or_reset(state, model)?;
    state.converge_within(model, ep, is_short)
}
