//! Operations specific to coupled or independent classes.

use super::active_set::ActiveSet;
use super::data::Labelled;
use super::kernel_rows::KernelRows;
use super::model::Ivm;
use super::observation::ObservationModel;
use super::options::IvmOptions;
use crate::error::InferenceError;
use gp_optim::{Control, StopReason};
use rand_chacha::ChaCha8Rng;

/// Counts of EP updates over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EpCounts {
    /// Changed sites.
    pub updates: usize,
    /// Skipped updates of converged sites.
    pub converged: usize,
    /// Updates skipped: invalid cavity or tilted moments.
    pub skipped: usize,
    /// Changes undone after failed downdates.
    pub rolled_back: usize,
    /// Recomputations of the liquid belief.
    pub refreshes: usize,
}

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

    pub(super) fn full(&self) -> usize {
        self.options.active.min(self.data.len())
    }

    pub(super) fn ended(&self) -> Option<StopReason> {
        let interrupted = self.control.is_interrupted().then_some(StopReason::Interrupted);
        interrupted.or_else(|| self.control.is_over().then_some(StopReason::TimeLimit))
    }
}

/// Latent of an active set; None if shared.
pub(super) type Target = Option<usize>;

pub(super) trait Classes: Sync {
    type Site;

    fn open(&self) -> Vec<Target>;

    fn is_free(&self, row: usize, target: Target) -> bool;

    /// Best score per row with its active set.
    fn scores(
        &mut self,
        rows: &[usize],
        open: &[Target],
    ) -> Result<Vec<Option<(Target, f64)>>, InferenceError>;

    /// Marks a point; `true` if no active set can take it any more.
    fn take(&mut self, row: usize, target: Target) -> bool;

    /// Site of a point; None for unusable moments.
    fn site(&mut self, row: usize, target: Target) -> Result<Option<Self::Site>, InferenceError>;

    /// Includes a point; returns a row removed by breakdown.
    fn include(
        &mut self,
        row: usize,
        target: Target,
        site: Self::Site,
    ) -> Result<Option<usize>, InferenceError>;

    /// Updates sites by EP; `false` if sites are final at inclusion.
    fn settle(&mut self, rng: &mut ChaCha8Rng) -> Result<bool, InferenceError>;

    fn complete(&mut self, rng: &mut ChaCha8Rng) -> Result<(), InferenceError>;

    fn active_set(&self) -> ActiveSet;

    fn ep(&self) -> EpCounts;
}
