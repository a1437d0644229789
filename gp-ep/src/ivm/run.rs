//! Schedule of a run (Seeger & Jordan 2004 §D.1).

use super::active_set::ActiveSet;
use super::classes::{Classes, EpCounts, Task};
use super::coupled::CoupledClasses;
use super::data::Labelled;
use super::independent::IndependentClasses;
use super::memory::MemoryEstimate;
use super::model::Ivm;
use super::options::{Coupling, FinalSites, IvmOptions, Selection};
use super::posterior::IvmPosterior;
use super::select::{Reason, Selector, ranked};
use crate::error::InferenceError;
use gp_kernels::data::DataSource;
use gp_optim::{Control, StopReason};

/// Included point, with the reason.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inclusion {
    /// Data row.
    pub row: usize,
    /// Latent of its active set; None if shared.
    pub latent: Option<usize>,
    /// Reason for the choice.
    pub reason: Reason,
    /// Score in nats, if any.
    pub score: Option<f64>,
    /// Number of scored points.
    pub scored: usize,
}

/// Result of a run.
#[derive(Clone, Debug)]
pub struct IvmRun {
    /// Posterior with final sites.
    pub posterior: IvmPosterior,
    /// Active points in order; fewer than requested after a stop, or if no usable ones are left.
    pub inclusions: Vec<Inclusion>,
    /// Rows rejected for invalid moments or factors.
    pub refused: Vec<usize>,
    /// Counts of EP.
    pub ep: EpCounts,
    /// Estimate in bytes.
    pub memory: MemoryEstimate,
    /// Time limit or interrupt, if any.
    pub ended: Option<StopReason>,
}

/// Phases of an inclusion, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepPhase {
    /// Scoring and choice.
    Selection,
    /// Site of the chosen point.
    Inclusion,
    /// Factor update for the final site; if independent, stubs.
    StubUpdate,
    /// EP sweeps over the liquid set.
    Ep,
}

/// State passed to callbacks.
pub struct IvmStage<'a> {
    /// Phase just ended.
    pub phase: StepPhase,
    /// Number of active points.
    pub active: usize,
    model: &'a Ivm,
    set: &'a dyn Fn() -> ActiveSet,
}

impl IvmStage<'_> {
    /// Posterior of present sites, `O(C d³)`.
    ///
    /// # Errors
    /// [`InferenceError::Linalg`] if jitter does not suffice.
    pub fn posterior(&self) -> Result<IvmPosterior, InferenceError> {
        IvmPosterior::new(self.model, (self.set)())
    }
}

impl std::fmt::Debug for IvmStage<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("IvmStage").field("phase", &self.phase).field("active", &self.active).finish()
    }
}

impl Ivm {
    /// Active set and sites at the current parameters; loads all data, in [`memory`](Self::memory) bytes.
    ///
    /// Cost: `O(s C d³ + d L³ C²)` if coupled, s candidates; `O(N C d²)` if independent.
    ///
    /// # Errors
    /// [`InferenceError::Observation`] for unknown labels, [`InferenceError::ImproperPosterior`] without usable points,
    /// [`InferenceError::Option`], [`InferenceError::Kernel`], [`InferenceError::Data`].
    pub fn build(&self, data: &dyn DataSource, options: &IvmOptions) -> Result<IvmRun, InferenceError> {
        self.build_with(data, options, |_| Ok(()))
    }

    /// [`build`](Self::build) that calls `watch` after every phase, and ends at its errors.
    pub fn build_with(
        &self,
        data: &dyn DataSource,
        options: &IvmOptions,
        watch: impl FnMut(&IvmStage<'_>) -> Result<(), InferenceError>,
    ) -> Result<IvmRun, InferenceError> {
        self.build_under(&Control::new(), data, options, watch)
    }

    /// [`build_with`](Self::build_with) under a control, checked after inclusions and EP updates; at least one point,
    /// no checkpoints.
    pub fn build_under(
        &self,
        control: &Control,
        data: &dyn DataSource,
        options: &IvmOptions,
        mut watch: impl FnMut(&IvmStage<'_>) -> Result<(), InferenceError>,
    ) -> Result<IvmRun, InferenceError> {
        options.check()?;
        self.build_of(&control.begun(), &Labelled::read(self, data)?, options, &mut watch)
    }

    pub(super) fn build_of(
        &self,
        control: &Control,
        data: &Labelled,
        options: &IvmOptions,
        watch: &mut StageWatch<'_>,
    ) -> Result<IvmRun, InferenceError> {
        let task = Task::new(self, control, data, options)?;
        let mut run = match self.coupling() {
            Coupling::Coupled => Run::new(&task, CoupledClasses::new(&task)).finish(watch),
            Coupling::Independent => Run::new(&task, IndependentClasses::new(&task)).finish(watch),
        }?;
        if options.sites == FinalSites::Converged && run.ended.is_none() {
            let (active, is_whole) = self.rest(control, data, run.posterior.active_set().clone())?;
            run.posterior = IvmPosterior::new(self, active)?;
            // A run resumed from a checkpoint would find other sites.
            run.ended = (!is_whole).then_some(StopReason::Interrupted);
        }
        Ok(run)
    }
}

pub(super) type StageWatch<'w> = dyn FnMut(&IvmStage<'_>) -> Result<(), InferenceError> + 'w;

pub(super) struct Run<'a, C> {
    task: &'a Task<'a>,
    pub(super) classes: C,
    pub(super) selector: Selector,
    pub(super) inclusions: Vec<Inclusion>,
    refused: Vec<usize>,
}

impl<'a, C: Classes> Run<'a, C> {
    pub(super) fn new(task: &'a Task<'a>, classes: C) -> Self {
        let (model, points) = (task.model, task.data.len());
        let count = task.options.candidate_count(points, model.classes(), model.coupling());
        let selector = Selector::new(task.options, points, count);
        Self { task, classes, selector, inclusions: Vec::new(), refused: Vec::new() }
    }

    fn finish(mut self, watch: &mut StageWatch<'_>) -> Result<IvmRun, InferenceError> {
        let mut ended = None;
        while ended.is_none() && self.step(watch)? {
            ended = if self.inclusions.is_empty() { None } else { self.task.ended() };
        }
        if self.inclusions.is_empty() {
            return Err(InferenceError::ImproperPosterior);
        }
        self.classes.complete(&mut self.selector.rng)?;
        let posterior = IvmPosterior::new(self.task.model, self.classes.active_set())?;
        let memory = self.task.model.memory(self.task.data.len(), self.task.options);
        let Self { inclusions, refused, classes, .. } = self;
        Ok(IvmRun { posterior, inclusions, refused, ep: classes.ep(), memory, ended })
    }

    pub(super) fn step(&mut self, watch: &mut StageWatch<'_>) -> Result<bool, InferenceError> {
        let Some(choice) = self.choose()? else {
            return Ok(false);
        };
        self.show(StepPhase::Selection, watch)?;
        let Inclusion { row, latent, .. } = choice;
        if self.classes.take(row, latent) {
            self.selector.remove(row);
        }
        let Some(site) = self.classes.site(row, latent)? else {
            self.refused.push(row);
            return Ok(true);
        };
        self.show(StepPhase::Inclusion, watch)?;
        self.inclusions.push(choice);
        if let Some(broken) = self.classes.include(row, latent, site)? {
            self.refused.push(broken);
            self.inclusions.retain(|other| other.row != broken || other.latent != latent);
        }
        self.show(StepPhase::StubUpdate, watch)?;
        if self.classes.settle(&mut self.selector.rng)? {
            self.show(StepPhase::Ep, watch)?;
        }
        Ok(true)
    }

    fn show(&self, phase: StepPhase, watch: &mut StageWatch<'_>) -> Result<(), InferenceError> {
        let set = || self.classes.active_set();
        watch(&IvmStage { phase, active: self.inclusions.len(), model: self.task.model, set: &set })
    }

    /// Next point: one per class first, then by score; or drawn.
    fn choose(&mut self) -> Result<Option<Inclusion>, InferenceError> {
        let open = self.classes.open();
        if open.is_empty() {
            return Ok(None);
        }
        let turn = self.inclusions.len() + self.refused.len();
        let drawn = |row, latent, reason| Inclusion { row, latent, reason, score: None, scored: 0 };
        if self.task.options.selection == Selection::Random {
            return Ok((0..open.len()).map(|k| open[(turn + k) % open.len()]).find_map(|target| {
                let row = self.selector.draw(|row| self.classes.is_free(row, target))?;
                Some(drawn(row, target, Reason::Drawn))
            }));
        }
        let (labels, target) = (&self.task.data.classes, open[turn % open.len()]);
        let mut seen = vec![false; self.task.observed.classes()];
        self.inclusions.iter().for_each(|inclusion| seen[labels[inclusion.row]] = true);
        if seen.contains(&false)
            && let Some(row) =
                self.selector.draw(|row| !seen[labels[row]] && self.classes.is_free(row, target))
        {
            return Ok(Some(drawn(row, target, Reason::First)));
        }
        let rows = self.selector.candidates();
        let ranking = ranked(&rows, &self.classes.scores(&rows, &open)?);
        self.selector.retain(ranking.iter().map(|(row, ..)| *row));
        Ok(ranking.first().map(|&(row, latent, score)| Inclusion {
            row,
            latent,
            reason: Reason::Score,
            score: Some(score),
            scored: rows.len(),
        }))
    }
}
