//! Runs of a solver under a control.

use super::checkpoint::{CheckpointFile, RunMemory};
use super::control::Control;
use super::error::OptimError;
use super::history::{History, Record};
use super::state::GradientState;
use crate::stochastic::StochasticObjective;
use argmin::core::checkpointing::Checkpoint;
use argmin::core::observers::{Observe, ObserverMode, Observers};
use argmin::core::{KV, OptimizationResult, Problem, Solver, State, TerminationReason, TerminationStatus};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::ops::Deref;
use std::time::Instant;

/// Problem with checkpointed state.
pub trait Remembers {
    /// `true` with state besides the point.
    fn has_memory(&self) -> bool;

    /// State besides the point.
    ///
    /// # Errors
    /// Reason, in words.
    fn memory(&self) -> Result<Vec<u8>, String>;

    /// Restores a stored state.
    ///
    /// # Errors
    /// Reason, in words.
    fn recall(&mut self, memory: &[u8]) -> Result<(), String>;
}

impl<O: StochasticObjective> Remembers for O {
    fn has_memory(&self) -> bool {
        StochasticObjective::memory(self).is_ok_and(|memory| !memory.is_empty())
    }

    fn memory(&self) -> Result<Vec<u8>, String> {
        StochasticObjective::memory(self)
    }

    fn recall(&mut self, memory: &[u8]) -> Result<(), String> {
        StochasticObjective::recall(self, memory)
    }
}

/// argmin [`Solver`] under a [`Control`]; problems may have state.
pub struct ControlledRun<O, S, P> {
    problem: Problem<O>,
    solver: S,
    state: GradientState<P>,
    observers: Observers<GradientState<P>>,
    attached: Option<Box<dyn Checkpoint<S, GradientState<P>>>>,
    history: Option<History>,
    control: Control,
    written: Option<(Instant, u64)>,
    /// `true` if the last iteration was stopped: its state is invalid.
    cut: bool,
}

impl<O, S, P> fmt::Debug for ControlledRun<O, S, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControlledRun").field("control", &self.control).finish_non_exhaustive()
    }
}

impl<O, S, P> ControlledRun<O, S, P>
where
    O: Remembers,
    S: Solver<O, GradientState<P>> + Serialize + DeserializeOwned,
    P: Clone + Deref<Target = [f64]> + Serialize + DeserializeOwned,
{
    /// Run without a control.
    pub fn new(problem: O, solver: S) -> Self {
        Self {
            problem: Problem::new(problem),
            solver,
            state: GradientState::new(),
            observers: Observers::new(),
            attached: None,
            history: None,
            control: Control::new(),
            written: None,
            cut: false,
        }
    }

    /// Configures the state: start and limits.
    #[must_use]
    pub fn configure(mut self, set: impl FnOnce(GradientState<P>) -> GradientState<P>) -> Self {
        self.state = set(self.state);
        self
    }

    /// Adds an observer.
    #[must_use]
    pub fn add_observer<B>(mut self, observer: B, mode: ObserverMode) -> Self
    where
        B: Observe<GradientState<P>> + 'static,
    {
        self.observers.push(observer, mode);
        self
    }

    /// Attaches an argmin checkpoint; problems with state then fail.
    #[must_use]
    pub fn checkpointing<C: Checkpoint<S, GradientState<P>> + 'static>(mut self, checkpoint: C) -> Self {
        self.attached = Some(Box::new(checkpoint));
        self
    }

    /// Sets the control.
    #[must_use]
    pub fn under(mut self, control: &Control) -> Self {
        self.control = control.clone();
        self
    }

    pub(super) fn recording(mut self, history: History) -> Self {
        self.history = Some(history);
        self
    }

    /// Runs until solver, limit or control stop.
    ///
    /// # Errors
    /// [`OptimError`]; [`OptimError::Interrupted`] if resumable.
    pub fn run(mut self) -> Result<OptimizationResult<O, S, GradientState<P>>, OptimError> {
        self.control = self.control.begun();
        self.refuse_memory()?;
        self.control.arm(false, false);
        let resumed = self.resume()?;
        if !resumed {
            self.start()?;
        }
        let done = self.iterate_until_over(resumed);
        self.control.arm(false, false);
        done?;
        if self.state.get_termination_reason() == Some(&TerminationReason::Timeout) && !self.cut {
            self.write_unless_written()?;
        }
        if !self.observers.is_empty() {
            self.observers.observe_final(&self.state).map_err(OptimError::from_argmin)?;
        }
        Ok(OptimizationResult::new(self.problem, self.solver, self.state))
    }

    /// Iterates. Interrupts stop evaluations if a checkpoint exists or none is required; interrupts from before the run
    /// end it after one iteration.
    fn iterate_until_over(&mut self, resumed: bool) -> Result<(), OptimError> {
        let early = self.control.is_interrupted();
        while !self.is_over() {
            let has_file = resumed || self.written.is_some() || self.control.checkpoint().is_none();
            self.control.arm(true, has_file && !early);
            self.iterate()?;
        }
        Ok(())
    }

    fn refuse_memory(&self) -> Result<(), OptimError> {
        let has_memory = self.problem.problem.as_ref().is_some_and(Remembers::has_memory);
        if self.attached.is_none() || !has_memory {
            return Ok(());
        }
        let message = "the objective has a memory, which only the checkpoint of a control holds".to_owned();
        Err(OptimError::BrokenOff { message })
    }

    fn resume(&mut self) -> Result<bool, OptimError> {
        if let Some(file) = self.control.resumes_from()
            && let Some((solver, state, kept)) = file.read_with_memory(self.control.team())?
        {
            self.check_size(&state).map_err(|what| file.unfit(what))?;
            if let Some(problem) = &mut self.problem.problem {
                problem.recall(&kept.memory).map_err(|what| file.unfit(what))?;
            }
            if let Some(history) = &self.history {
                history.set(kept.records);
            }
            (self.solver, self.state) = (solver, state);
            // The stored reason to stop no longer holds.
            self.state.termination_status = TerminationStatus::NotTerminated;
            return Ok(true);
        }
        let attached = self.attached.as_ref().map(|checkpoint| checkpoint.load()).transpose();
        let Some((solver, state)) = attached.map_err(OptimError::from_argmin)?.flatten() else {
            return Ok(false);
        };
        self.check_size(&state).map_err(|what| OptimError::BrokenOff {
            message: format!("the checkpoint does not fit this run: {what}"),
        })?;
        (self.solver, self.state) = (solver, state);
        Ok(true)
    }

    fn check_size(&self, stored: &GradientState<P>) -> Result<(), String> {
        let size = |state: &GradientState<P>| state.get_param().map(|point| point.len());
        // Runs always store a point.
        match (size(stored).unwrap_or(0), size(&self.state)) {
            (found, Some(expected)) if found != expected => Err(format!(
                "its point has {}, the start of this run {expected}",
                if found == 1 { "1 coordinate".to_owned() } else { format!("{found} coordinates") }
            )),
            _ => Ok(()),
        }
    }

    fn start(&mut self) -> Result<(), OptimError> {
        let state = std::mem::replace(&mut self.state, GradientState::new());
        let begun = self.solver.init(&mut self.problem, state).map_err(OptimError::from_argmin)?;
        let (mut state, told) = begun;
        state.update();
        let told = told.unwrap_or_default();
        let observed = self.observers.observe_init(self.solver.name(), &state, &told);
        observed.map_err(OptimError::from_argmin)?;
        state.func_counts(&self.problem);
        self.state = state;
        self.record(0, &told)
    }

    fn is_over(&mut self) -> bool {
        if !self.state.terminated() {
            let over = self.control.is_over().then_some(TerminationReason::Timeout);
            let status = match (self.solver.terminate_internal(&self.state), over) {
                (TerminationStatus::NotTerminated, Some(reason)) => TerminationStatus::Terminated(reason),
                // The solver's reason is invalid if its evaluation was stopped.
                (TerminationStatus::Terminated(_), Some(reason)) if self.cut => {
                    TerminationStatus::Terminated(reason)
                }
                (status, _) => status,
            };
            if let TerminationStatus::Terminated(reason) = status {
                self.terminate(reason);
            }
        }
        self.state.terminated()
    }

    fn terminate(&mut self, reason: TerminationReason) {
        let state = std::mem::replace(&mut self.state, GradientState::new());
        self.state = state.terminate_with(reason);
    }

    fn iterate(&mut self) -> Result<(), OptimError> {
        let state = std::mem::replace(&mut self.state, GradientState::new());
        let stepped = self.solver.next_iter(&mut self.problem, state).map_err(OptimError::from_argmin)?;
        let (mut state, told) = stepped;
        state.func_counts(&self.problem);
        state.update();
        let told = told.unwrap_or_default();
        self.observers.observe_iter(&state, &told).map_err(OptimError::from_argmin)?;
        state.increment_iter();
        self.state = state;
        let iteration = self.state.get_iter();
        self.cut = self.control.was_pulled();
        if self.cut {
            return self.look_up(iteration);
        }
        self.record(iteration, &told)?;
        if let Some(checkpoint) = &self.attached {
            let saved = checkpoint.save_cond(&self.solver, &self.state, iteration);
            saved.map_err(OptimError::from_argmin)?;
        }
        self.look_up(iteration)
    }

    fn record(&self, iteration: u64, told: &KV) -> Result<(), OptimError> {
        if let Some(history) = &self.history {
            history.note(iteration, &self.state, told);
        }
        self.control.show(|| Record::of(iteration, &self.state, told))
    }

    fn look_up(&mut self, iteration: u64) -> Result<(), OptimError> {
        let interrupted = self.control.is_interrupted();
        // After a stopped evaluation, the state is invalid and not stored.
        let due = interrupted || self.control.is_due(iteration, self.written.map(|(at, _)| at));
        if due && !self.cut {
            self.write_unless_written()?;
        }
        if !interrupted {
            return Ok(());
        }
        match self.control.checkpoint().map(CheckpointFile::path) {
            Some(path) => Err(OptimError::Interrupted { iteration, path: path.to_owned() }),
            None => {
                let reason = match self.solver.terminate_internal(&self.state) {
                    // The solver itself stopped in this iteration.
                    TerminationStatus::Terminated(reason) if !self.cut => reason,
                    _ => TerminationReason::Interrupt,
                };
                self.terminate(reason);
                Ok(())
            }
        }
    }

    fn write_unless_written(&mut self) -> Result<(), OptimError> {
        let iteration = self.state.get_iter();
        let (Some(file), Some(problem)) = (self.control.checkpoint(), &self.problem.problem) else {
            return Ok(());
        };
        if iteration == 0 || self.written.is_some_and(|(_, last)| last == iteration) {
            return Ok(());
        }
        let memory = problem.memory().map_err(|message| OptimError::BrokenOff { message })?;
        let records = self.history.as_ref().map(History::records).unwrap_or_default();
        file.write_with_memory(&self.solver, &self.state, &RunMemory { memory, records })?;
        self.written = Some((Instant::now(), iteration));
        Ok(())
    }
}
