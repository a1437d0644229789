//! Operations of a run that differ between coupled and independent classes.

use super::active_set::ActiveSet;
use super::data::Labelled;
use super::kernel_rows::KernelRows;
use super::model::Ivm;
use super::observation::ObservationModel;
use super::options::IvmOptions;
use crate::error::InferenceError;
use gp_optim::{Control, StopReason};
use rand_chacha::ChaCha8Rng;

/// Counts of EP updates on the liquid set, over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EpCounts {
    /// Number of changed sites.
    pub updates: usize,
    /// Number of updates skipped because the site had converged.
    pub at_rest: usize,
    /// Number of updates skipped because cavity or tilted moments were not Gaussian.
    pub skipped: usize,
    /// Number of changes undone because a downdate broke down.
    pub rolled_back: usize,
    /// Number of recomputations of the belief about the liquid set during EP.
    pub refreshes: usize,
}

/// Inputs of a run.
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

    /// Size of a full active set.
    pub(super) fn full(&self) -> usize {
        self.options.active.min(self.data.len())
    }

    /// Reason to stop now, if any.
    pub(super) fn ended(&self) -> Option<StopReason> {
        let interrupted = self.control.is_interrupted().then_some(StopReason::Interrupted);
        interrupted.or_else(|| self.control.is_over().then_some(StopReason::TimeLimit))
    }
}

/// Active set by latent; None for the one of all latents.
pub(super) type Target = Option<usize>;

/// Classes with active sets, sites and beliefs.
pub(super) trait Classes: Sync {
    /// New site, with the data for its inclusion.
    type Site;

    fn open(&self) -> Vec<Target>;

    /// `true` if a point can still be chosen for an active set.
    fn is_free(&self, row: usize, target: Target) -> bool;

    /// Score of each row with the open active set that gives the best one; None if it has none.
    fn scores(
        &mut self,
        rows: &[usize],
        open: &[Target],
    ) -> Result<Vec<Option<(Target, f64)>>, InferenceError>;

    /// Marks a point as chosen; returns `true` if it cannot be chosen again.
    fn take(&mut self, row: usize, target: Target) -> bool;

    /// Site of a chosen point; None if its tilted moments are unusable.
    fn site(&mut self, row: usize, target: Target) -> Result<Option<Self::Site>, InferenceError>;

    /// Includes a point. If a factor breaks down, returns the row that is no longer active.
    fn include(
        &mut self,
        row: usize,
        target: Target,
        site: Self::Site,
    ) -> Result<Option<usize>, InferenceError>;

    /// Updates sites after an inclusion; returns `false` if sites are final at inclusion.
    fn settle(&mut self, rng: &mut ChaCha8Rng) -> Result<bool, InferenceError>;

    fn complete(&mut self, rng: &mut ChaCha8Rng) -> Result<(), InferenceError>;

    fn active_set(&self) -> ActiveSet;

    fn ep(&self) -> EpCounts;
}
