//! A run: points are looked at, chosen and taken in, one after the other (Seeger & Jordan 2004 §D.1). How classes hang
//! together is left to [`Classes`].

use super::classes::{Classes, EpCounts, Task};
use super::coupled::CoupledClasses;
use super::data::Labelled;
use super::independent::IndependentClasses;
use super::memory::MemoryEstimate;
use super::model::Ivm;
use super::options::{Coupling, FinalSites, IvmOptions, Selection};
use super::posterior::IvmPosterior;
use super::representation::ActiveSet;
use super::select::{Reason, Selector, ranked};
use crate::error::InferenceError;
use gp_kernels::data::DataSource;
use gp_optim::{Control, StopReason};

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

/// What a run has found.
#[derive(Clone, Debug)]
pub struct IvmRun {
    /// Beliefs about all latent functions, with the final sites.
    pub posterior: IvmPosterior,
    /// The active set, in the order in which it came about. It is smaller than asked for only if no usable point was
    /// left, or the run was ended.
    pub inclusions: Vec<Inclusion>,
    /// Rows that were chosen and could not be included: their tilted moments were no moments, or a factor broke down.
    pub refused: Vec<usize>,
    /// What EP did.
    pub ep: EpCounts,
    /// What the run was estimated to need before it began.
    pub memory: MemoryEstimate,
    /// What ended the run before it was done: the time limit or an interrupt.
    pub ended: Option<StopReason>,
}

/// The parts of a step, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Points were scored, and one was chosen.
    Selection,
    /// Covariances with the chosen point were computed, and its site was found.
    Inclusion,
    /// The stubs of all points were brought up to date with a point whose site is final: the new one, or the oldest of a
    /// full liquid set, which the new one has joined.
    StubUpdate,
    /// Sites of the liquid set were moved.
    Ep,
}

/// Where a run stands, for those who watch it.
pub struct Stage<'a> {
    /// What has just been done.
    pub phase: Phase,
    /// Inclusions so far.
    pub active: usize,
    model: &'a Ivm,
    set: &'a dyn Fn() -> ActiveSet,
}

impl Stage<'_> {
    /// The posterior with the points and sites there are: O(C d³).
    ///
    /// # Errors
    /// [`InferenceError::Linalg`] for a factor that all the jitter allowed does not make.
    pub fn posterior(&self) -> Result<IvmPosterior, InferenceError> {
        IvmPosterior::new(self.model, (self.set)())
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
    /// beforehand what it will need. The data are read once and held in memory.
    ///
    /// # Errors
    /// [`InferenceError::Observation`] for a label the likelihood does not know, [`InferenceError::Option`], [`InferenceError::Kernel`] for
    /// inputs that a kernel cannot take, [`InferenceError::ImproperPosterior`] if not one point can be included,
    /// [`InferenceError::Data`].
    pub fn build(&self, data: &dyn DataSource, options: &IvmOptions) -> Result<IvmRun, InferenceError> {
        self.build_with(data, options, |_| Ok(()))
    }

    /// [`build`](Self::build), and `watch` is shown the run after every phase of every step.
    ///
    /// # Errors
    /// As [`build`](Self::build), and what `watch` returns.
    pub fn build_with(
        &self,
        data: &dyn DataSource,
        options: &IvmOptions,
        watch: impl FnMut(&Stage<'_>) -> Result<(), InferenceError>,
    ) -> Result<IvmRun, InferenceError> {
        self.build_under(&Control::new(), data, options, watch)
    }

    /// [`build_with`](Self::build_with) under a control that may end the run: it is asked after every inclusion and every
    /// site that EP looks at. The posterior is then that of the points so far, at least one. Checkpoints are not written.
    ///
    /// # Errors
    /// As [`build_with`](Self::build_with).
    pub fn build_under(
        &self,
        control: &Control,
        data: &dyn DataSource,
        options: &IvmOptions,
        mut watch: impl FnMut(&Stage<'_>) -> Result<(), InferenceError>,
    ) -> Result<IvmRun, InferenceError> {
        options.check()?;
        self.build_of(&control.begun(), &Labelled::read(self, data)?, options, &mut watch)
    }

    pub(super) fn build_of(
        &self,
        control: &Control,
        data: &Labelled,
        options: &IvmOptions,
        watch: &mut Watch<'_>,
    ) -> Result<IvmRun, InferenceError> {
        let task = Task::new(self, control, data, options)?;
        let mut run = match self.coupling() {
            Coupling::Coupled => Run::new(&task, CoupledClasses::new(&task)).finish(watch),
            Coupling::Independent => Run::new(&task, IndependentClasses::new(&task)).finish(watch),
        }?;
        if options.sites == FinalSites::AtRest && run.ended.is_none() {
            let active = self.rest(control, data, run.posterior.active_set().clone())?;
            run.posterior = IvmPosterior::new(self, active)?;
        }
        Ok(run)
    }
}

pub(super) type Watch<'w> = dyn FnMut(&Stage<'_>) -> Result<(), InferenceError> + 'w;

/// The schedule of a run.
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

    fn finish(mut self, watch: &mut Watch<'_>) -> Result<IvmRun, InferenceError> {
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

    /// One point looked for and taken in, or sorted out; false when there is none.
    pub(super) fn step(&mut self, watch: &mut Watch<'_>) -> Result<bool, InferenceError> {
        let Some(choice) = self.choose()? else {
            return Ok(false);
        };
        self.show(Phase::Selection, watch)?;
        let Inclusion { row, latent, .. } = choice;
        if self.classes.take(row, latent) {
            self.selector.remove(row);
        }
        let Some(site) = self.classes.site(row, latent)? else {
            self.refused.push(row);
            return Ok(true);
        };
        self.show(Phase::Inclusion, watch)?;
        self.inclusions.push(choice);
        if let Some(broken) = self.classes.include(row, latent, site)? {
            self.refused.push(broken);
            self.inclusions.retain(|other| other.row != broken || other.latent != latent);
        }
        self.show(Phase::StubUpdate, watch)?;
        if self.classes.settle(&mut self.selector.rng)? {
            self.show(Phase::Ep, watch)?;
        }
        Ok(true)
    }

    fn show(&self, phase: Phase, watch: &mut Watch<'_>) -> Result<(), InferenceError> {
        let set = || self.classes.active_set();
        watch(&Stage { phase, active: self.inclusions.len(), model: self.task.model, set: &set })
    }

    /// The next point: one of each class first, then by the rule. Active sets take turns where nothing is scored.
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
