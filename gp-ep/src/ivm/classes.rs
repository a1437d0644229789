//! What a run asks of classes, however they hang together.

use super::data::Labelled;
use super::kernel_rows::KernelRows;
use super::model::Ivm;
use super::observation::ObservationModel;
use super::options::IvmOptions;
use super::representation::ActiveSet;
use crate::error::InferenceError;
use gp_optim::{Control, StopReason};
use rand_chacha::ChaCha8Rng;

/// What EP did to the liquid set, over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EpCounts {
    /// Sites that were changed.
    pub updates: usize,
    /// Sites left alone, because they would hardly have changed.
    pub at_rest: usize,
    /// Sites left alone, because their cavity or their tilted moments were not those of a Gaussian.
    pub skipped: usize,
    /// Changes that were taken back, because a downdate broke down.
    pub rolled_back: usize,
    /// Times the belief about the liquid set was computed from scratch within a phase.
    pub refreshes: usize,
}

/// What a run is given.
pub(super) struct Task<'a> {
    pub(super) model: &'a Ivm,
    pub(super) observed: ObservationModel<'a>,
    pub(super) data: &'a Labelled,
    pub(super) options: &'a IvmOptions,
    pub(super) kernels: KernelRows<'a>,
    control: &'a Control,
}

impl<'a> Task<'a> {
    pub(super) fn new(
        model: &'a Ivm,
        control: &'a Control,
        data: &'a Labelled,
        options: &'a IvmOptions,
    ) -> Result<Self, InferenceError> {
        let kernels = KernelRows::new(&model.kernels, data.inputs(), model.threading)?;
        Ok(Self { model, observed: model.observation_model(), data, options, kernels, control })
    }

    /// The size of a full active set.
    pub(super) fn full(&self) -> usize {
        self.options.active.min(self.data.len())
    }

    /// Why the run has to end now.
    pub(super) fn ended(&self) -> Option<StopReason> {
        let interrupted = self.control.is_interrupted().then_some(StopReason::Interrupted);
        interrupted.or_else(|| self.control.is_over().then_some(StopReason::TimeLimit))
    }
}

/// The latent whose active set is meant; nothing for one active set of all.
pub(super) type Target = Option<usize>;

/// Classes with their active sets, sites and beliefs.
pub(super) trait Classes: Sync {
    /// A site that has been found, with what its inclusion needs.
    type Site;

    /// Active sets that are not full.
    fn open(&self) -> Vec<Target>;

    /// Whether a point may still be chosen for an active set.
    fn is_free(&self, row: usize, target: Target) -> bool;

    /// For each row, the best of the open active sets and the score there.
    fn scores(&self, rows: &[usize], open: &[Target]) -> Result<Vec<Option<(Target, f64)>>, InferenceError>;

    /// Marks a point as chosen; true if there is nothing else it may be chosen for.
    fn take(&mut self, row: usize, target: Target) -> bool;

    /// The site of a chosen point; none where it has no usable moments.
    fn site(&mut self, row: usize, target: Target) -> Result<Option<Self::Site>, InferenceError>;

    /// Includes a point. Returns a row whose factor broke down on the way: it is not active any more.
    fn include(
        &mut self,
        row: usize,
        target: Target,
        site: Self::Site,
    ) -> Result<Option<usize>, InferenceError>;

    /// Moves sites after an inclusion, where they are not fixed; true if there is such a phase.
    fn settle(&mut self, rng: &mut ChaCha8Rng) -> Result<bool, InferenceError>;

    /// Moves sites after the last inclusion.
    fn complete(&mut self, rng: &mut ChaCha8Rng) -> Result<(), InferenceError>;

    fn active_set(&self) -> ActiveSet;

    fn ep(&self) -> EpCounts;
}
