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

/// For so many passes of training one may follow that lets own sites rest.
const PASSES_BESIDE: usize = 5;

/// How sites move while parameters are learned.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct EpLearning {
    /// How sites come to rest outside, and move inside and in batches.
    pub ep: EpOptions,
    /// Sweeps before each step, inside and in batches, at most: fewer where sites come to rest before, so that many of
    /// them are the outer scheme.
    pub sweeps: usize,
    /// Which gradient steps follow.
    pub gradient: GradientKind,
    /// Who has a site in batches.
    pub sharing: Sharing,
}

impl Default for EpLearning {
    /// One sweep, half steps of sites, as in Hernández-Lobato & Hernández-Lobato 2016; in batches a site for each.
    fn default() -> Self {
        Self { ep: EpOptions::default(), sweeps: 1, gradient: GradientKind::AtRest, sharing: Sharing::Own }
    }
}

impl EpLearning {
    /// These settings with other options of EP.
    #[must_use]
    pub fn with_ep(self, ep: EpOptions) -> Self {
        Self { ep, ..self }
    }

    /// These settings with sites of their own or a tied one.
    #[must_use]
    pub fn with_sharing(self, sharing: Sharing) -> Self {
        Self { sharing, ..self }
    }
}

/// EP under the parameters that were learned.
#[derive(Debug)]
pub enum EpState {
    /// Learned outside: sites at rest, and how they came there.
    AtRest(BatchEp, Convergence),
    /// Learned inside: sites that are a sweep behind the last step.
    Beside(BatchEp),
    /// Learned in batches, and how own sites were found at the end.
    InBatches(MiniBatchEp, Option<Settled>),
}

impl EpState {
    /// The state of EP on all observations, unless it was learned in batches.
    #[must_use]
    pub fn batch(&mut self) -> Option<&mut BatchEp> {
        match self {
            Self::AtRest(state, _) | Self::Beside(state) => Some(state),
            Self::InBatches(..) => None,
        }
    }

    /// The posterior of one latent function.
    ///
    /// # Errors
    /// As [`BatchEp::posterior`].
    pub fn posterior(&self, model: &PowerEp, latent: usize) -> Result<InducingPosterior, InferenceError> {
        match self {
            Self::AtRest(state, _) | Self::Beside(state) => state.posterior(model, latent),
            Self::InBatches(state, _) => state.posterior(model, latent),
        }
    }

    /// What predictions need.
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

/// What keeps learning of EP under way: observers of a mixture of one Gaussian.
type Watching<'a> = Watch<'a, MixturePosterior<InducingPosterior>>;

impl PowerEp {
    /// EP comes to rest at every evaluation; sites start from where the last evaluation left them.
    pub(super) fn learn_outside(
        &mut self,
        data: &dyn DataSource,
        options: &MinimiseOptions,
        ep: &EpOptions,
        watch: Watching<'_>,
    ) -> Result<Trained<EpState>, InferenceError> {
        let mut state = Outer(BatchEp::new(self, data)?);
        state.0.set_brake(options.control.brake());
        let evaluate = |model: &Self, Outer(state): &mut Outer, natural: &mut [f64]| {
            come_to_rest(state, model, ep)?;
            state.log_z_gradient(model, GradientKind::AtRest, natural)
        };
        let watch = |model: &Self, Outer(state): &Outer, now| {
            watch(Moment::new(now, &|| state.predictor(model)));
        };
        let training = train_beside(self, &mut state, options, evaluate, watch)?;
        let Outer(mut state) = state;
        let convergence = come_to_rest(&mut state, self, ep)?;
        Ok(Trained { run: Course::Minimised(training), state: EpState::AtRest(state, convergence) })
    }

    /// One step after every few sweeps, sites being as far as they are.
    pub(super) fn learn_inside(
        &mut self,
        data: &dyn DataSource,
        steps: Steps,
        settings: &EpLearning,
        watch: Watching<'_>,
    ) -> Result<Trained<EpState>, InferenceError> {
        let mut state = Inner(BatchEp::new(self, data)?);
        let ep = EpOptions { max_sweeps: settings.sweeps, ..settings.ep };
        let evaluate = |model: &Self, Inner(state): &mut Inner, _: Batch<'_>, natural: &mut [f64]| {
            refresh_or_reset(state, model)?;
            state.converge(model, &ep)?;
            state.log_z_gradient(model, settings.gradient, natural)
        };
        let watch = |model: &Self, Inner(state): &Inner, now| {
            watch(Moment::new(now, &|| state.predictor(model)));
        };
        let plan = steps.plan(Batches::whole(data.count())?);
        state.0.set_brake(plan.control.brake());
        let run = train_by_descent(self, &mut state, plan, evaluate, watch)?;
        let Inner(mut state) = state;
        refresh_or_reset(&mut state, self)?;
        Ok(Trained { run: Course::Descended(run), state: EpState::Beside(state) })
    }

    /// One step after the sites (own or tied) of every batch were updated. Own sites are added up anew at the end, and come
    /// nearer to rest; until then the sums of an epoch replace those of the one before, for the parameters change what sites mean.
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

/// Sites that learn together with the parameters.
struct Inner(BatchEp);

impl Companion for Inner {
    type Memory = Vec<Site>;
    const KIND: &'static str = "EP on all observations beside a descent";

    fn memory(&self) -> Vec<Site> {
        self.0.sites().collect()
    }

    fn recall(&mut self, sites: Vec<Site>) -> Result<(), String> {
        self.0.recall(&sites)
    }
}

/// The same in mini-batches.
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

/// Projects anew; sites that under these parameters leave no proper posterior are forgotten.
pub(super) fn refresh_or_reset(state: &mut BatchEp, model: &PowerEp) -> Result<(), InferenceError> {
    match state.refresh(model) {
        Err(InferenceError::Linalg(_) | InferenceError::ImproperPosterior) => state.reset(model),
        other => other,
    }
}

fn come_to_rest(state: &mut BatchEp, model: &PowerEp, ep: &EpOptions) -> Result<Convergence, InferenceError> {
    refresh_or_reset(state, model)?;
    state.converge(model, ep)
}
