//! Operations of a run on coupled or independent classes.

use super::active_set::ActiveSet;
use super::data::Labelled;
use super::kernel_rows::KernelRows;
use super::model::Ivm;
use super::observation::ObservationModel;
use super::options::IvmOptions;
use crate::error::InferenceError;
use gp_optim::{Control, StopReason};
use rand_chacha::ChaCha8Rng;

/// Counts of EP on the liquid set, over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EpCounts {
    /// Changed sites.
    pub updates: usize,
    /// Sites left alone because they had converged.
    pub at_rest: usize,
    /// Sites left alone because cavity or tilted moments were not Gaussian.
    pub skipped: usize,
    /// Changes undone because a downdate broke down.
    pub rolled_back: usize,
    /// Recomputations of the belief about the liquid set within a phase.
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

    /// Reason to end now, if any.
    pub(super) fn ended(&self) -> Option<StopReason> {
        let interrupted = self.control.is_interrupted().then_some(StopReason::Interrupted);
        interrupted.or_else(|| self.control.is_over().then_some(StopReason::TimeLimit))
    }
}

/// Latent of an active set; None for one active set of all.
pub(super) type Target = Option<usize>;

/// Classes with active sets, sites and beliefs.
pub(super) trait Classes: Sync {
    /// New site with the data for its inclusion.
    type Site;

    /// Active sets that are not full.
    fn open(&self) -> Vec<Target>;

    /// `true` if a point may still be chosen for an active set.
    fn is_free(&self, row: usize, target: Target) -> bool;

    /// Best open active set of each row, with its score.
    fn scores(
        &mut self,
        rows: &[usize],
        open: &[Target],
    ) -> Result<Vec<Option<(Target, f64)>>, InferenceError>;

    /// Marks a point as chosen; true if it cannot be chosen again.
    fn take(&mut self, row: usize, target: Target) -> bool;

    /// Site of a chosen point; None without usable moments.
    fn site(&mut self, row: usize, target: Target) -> Result<Option<Self::Site>, InferenceError>;

    /// Includes a point. Returns a row whose factor broke down and which is no longer active.
    fn include(
        &mut self,
        row: usize,
        target: Target,
        site: Self::Site,
    ) -> Result<Option<usize>, InferenceError>;

    /// Updates sites after an inclusion, if not fixed; true if there is such a phase.
    fn settle(&mut self, rng: &mut ChaCha8Rng) -> Result<bool, InferenceError>;

    /// Updates sites after the last inclusion.
    fn complete(&mut self, rng: &mut ChaCha8Rng) -> Result<(), InferenceError>;

    fn active_set(&self) -> ActiveSet;

    fn ep(&self) -> EpCounts;
}
