//! What a run reports, and where it begins.

use super::coupled::CoupledRun;
use super::independent::IndependentRun;
use super::memory::MemoryEstimate;
use super::model::Ivm;
use super::options::{Coupling, IvmOptions};
use super::posterior::IvmPosterior;
use super::representation::ActiveSet;
use super::select::Reason;
use crate::error::EpError;
use crate::exact::Observations;
use faer::MatRef;

/// One point that came into the active set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inclusion {
    /// Row of the data.
    pub row: usize,
    /// The latent whose active set it came into; nothing where it came into those of all.
    pub latent: Option<usize>,
    /// Why.
    pub reason: Reason,
    /// Its score, in nats, where it had one.
    pub score: Option<f64>,
    /// How many points were scored.
    pub scored: usize,
}

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

/// What a run has found.
#[derive(Clone, Debug)]
pub struct IvmRun {
    /// Beliefs about all latent functions, with the final sites.
    pub posterior: IvmPosterior,
    /// The active set, in the order in which it came about. It is smaller than asked for only if no usable point was
    /// left.
    pub inclusions: Vec<Inclusion>,
    /// Rows that were chosen and could not be included: their tilted moments were no moments, or a factor broke down.
    pub refused: Vec<usize>,
    /// What EP did.
    pub ep: EpCounts,
    /// What the run was estimated to need before it began.
    pub memory: MemoryEstimate,
}

/// The parts of a step, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Points were scored, and one was chosen.
    Selection,
    /// Covariances with the chosen point were computed, and its site was found.
    Inclusion,
    /// The stubs of all points were brought up to date with a point whose site is final: the new one, or the oldest of a
    /// full liquid set.
    StubUpdate,
    /// The point joined the liquid set, and sites there were moved.
    Ep,
}

/// Where a run stands, for who watches it.
pub struct Stage<'a> {
    /// What has just been done.
    pub phase: Phase,
    /// Inclusions so far.
    pub active: usize,
    pub(super) model: &'a Ivm,
    pub(super) inputs: MatRef<'a, f64>,
    pub(super) set: &'a dyn Fn() -> ActiveSet,
}

impl Stage<'_> {
    /// The posterior with the points and sites there are: O(C d³).
    ///
    /// # Errors
    /// [`EpError::Linalg`] for a factor that all the jitter allowed does not make.
    pub fn posterior(&self) -> Result<IvmPosterior, EpError> {
        IvmPosterior::new(self.model, self.inputs, (self.set)())
    }
}

impl std::fmt::Debug for Stage<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Stage").field("phase", &self.phase).field("active", &self.active).finish()
    }
}

impl Ivm {
    /// Chooses an active set and its sites, at the present parameters.
    ///
    /// Time is O(N C² d²) for the stubs and their rotations, whose C rotations a component are hidden behind memory
    /// traffic of O(N C d²) for few classes; and O(d (C L)³) for EP on the liquid set. [`memory`](Self::memory) says
    /// beforehand what it will need.
    ///
    /// # Errors
    /// [`EpError::Observation`] for a label the likelihood does not know, [`EpError::Option`], [`EpError::Kernel`] for
    /// inputs that a kernel cannot take, [`EpError::ImproperPosterior`] if not one point can be included.
    pub fn build(&self, data: &Observations<'_>, options: &IvmOptions) -> Result<IvmRun, EpError> {
        self.build_with(data, options, |_| Ok(()))
    }

    /// [`build`](Self::build), and `watch` is shown the run after every phase of every step.
    ///
    /// # Errors
    /// As [`build`](Self::build), and what `watch` returns.
    pub fn build_with(
        &self,
        data: &Observations<'_>,
        options: &IvmOptions,
        mut watch: impl FnMut(&Stage<'_>) -> Result<(), EpError>,
    ) -> Result<IvmRun, EpError> {
        options.check()?;
        let labels = self.labels(data)?;
        match self.coupling() {
            Coupling::Coupled => CoupledRun::new(self, data, &labels, options)?.run(&mut watch),
            Coupling::Independent => IndependentRun::new(self, data, &labels, options)?.run(&mut watch),
        }
    }
}
