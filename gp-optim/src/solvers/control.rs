//! Checkpoint, interrupt and time limit of a run.

use super::checkpoint::CheckpointFile;
use super::error::OptimError;
use super::history::Record;
use super::interrupt::Interrupt;
use crate::stop_signal::StopSignal;
use crate::team::Team;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Checkpoint, interrupt and time limit of a run, the same for every kind of training.
///
/// - *Checkpoint file.* If it exists, the run resumes, and its result has the same bits as that of an
///   uninterrupted run. It is written after every iteration, or at intervals set by
///   [`with_spacing`](Control::with_spacing), and at an interrupt or the time limit. It contains parameters,
///   solver state, batches and the [`Companion`](super::Companion).
/// - *Interrupt.* After the current iteration, a run with a checkpoint file returns
///   [`OptimError::Interrupted`](super::OptimError::Interrupted). A run without one ends at the best point
///   with [`StopReason::Interrupted`](super::StopReason::Interrupted).
/// - *Time limit.* No new iteration starts, and evaluations with a [`stop_signal`](Control::stop_signal) stop. The run
///   ends at the best point with [`StopReason::TimeLimit`](super::StopReason::TimeLimit). A resumed run has
///   the full time again.
///
/// With several processes ([`with_team`](Control::with_team)), process 0 decides for all when to stop, and
/// all resume from its checkpoint.
///
/// ```
/// use gp_optim::{CheckpointFile, Control, Interrupt, MinimiseOptions, OptimError, minimise};
/// use std::convert::Infallible;
///
/// let valley = |x: &[f64], gradient: &mut [f64]| {
///     let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
///     (gradient[0], gradient[1]) = (-2.0 * a - 400.0 * b * x[0], 200.0 * b);
///     Ok::<f64, Infallible>(a * a + 100.0 * b * b)
/// };
/// let folder = tempfile::tempdir()?;
/// let (file, interrupt) = (CheckpointFile::new(folder.path().join("run"), "valley"), Interrupt::new());
/// let control = Control::new().with_checkpoint(file.clone()).with_interrupt(interrupt.clone());
/// let options = MinimiseOptions { control, ..MinimiseOptions::default() };
///
/// interrupt.request();
/// let end = minimise(valley, &[-1.2, 1.0], &options);
/// assert!(matches!(end, Err(OptimError::Interrupted { iteration: 1, .. })));
///
/// let options = MinimiseOptions { control: Control::new().with_checkpoint(file), ..options };
/// let resumed = minimise(valley, &[-1.2, 1.0], &options)?;
/// assert_eq!(resumed, minimise(valley, &[-1.2, 1.0], &MinimiseOptions::default())?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Control {
    checkpoint: Option<CheckpointFile>,
    spacing: Option<Duration>,
    interrupt: Interrupt,
    clock: Clock,
    /// True to replace an existing file instead of resuming from it.
    anew: bool,
    watcher: Option<Watcher>,
    lever: Lever,
    team: Team,
}

/// State shared by a run and its stop signals.
#[derive(Clone, Debug, Default)]
struct Lever(Arc<LeverState>);

#[derive(Debug, Default)]
struct LeverState {
    /// Evaluations may be stopped by the time limit, or by an interrupt.
    keeps_to_time: AtomicBool,
    ends_on_interrupt: AtomicBool,
    /// An evaluation was stopped.
    pulled: AtomicBool,
}

/// Always equal: not a setting.
impl PartialEq for Lever {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[derive(Clone)]
struct Watcher(Arc<Mutex<OnIteration>>);

type OnIteration = dyn FnMut(&Record) -> Result<(), String> + Send;

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watcher")
    }
}

/// Equality by identity.
impl PartialEq for Watcher {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Time after which no iteration starts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Clock {
    #[default]
    Never,
    /// Time after the start of the run.
    After(Duration),
    At(Instant),
}

impl Control {
    /// No interrupt, no time limit, no checkpoint.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stores the state of the run in a file, and resumes from it.
    #[must_use]
    pub fn with_checkpoint(self, file: CheckpointFile) -> Self {
        Self { checkpoint: Some(file), ..self }
    }

    /// Sets the minimum time between checkpoints; results do not depend on it.
    #[must_use]
    pub fn with_spacing(self, spacing: Duration) -> Self {
        Self { spacing: Some(spacing), ..self }
    }

    /// Ends the run when the interrupt is requested.
    #[must_use]
    pub fn with_interrupt(self, interrupt: Interrupt) -> Self {
        Self { interrupt, ..self }
    }

    /// Ends the run after this time; None: no limit.
    #[must_use]
    pub fn with_time_limit(self, limit: Option<Duration>) -> Self {
        Self { clock: limit.map_or(Clock::Never, Clock::After), ..self }
    }

    /// Runs in step with the processes of a team. Clock, interrupt and file are those of process 0; a
    /// [`stop_signal`](Self::stop_signal) stops between passes over the data.
    #[must_use]
    pub fn with_team(self, team: Team) -> Self {
        Self { team, ..self }
    }

    /// Team of processes that run in step.
    #[must_use]
    pub fn team(&self) -> &Team {
        &self.team
    }

    /// Same control without a team, for work of one process.
    #[must_use]
    pub fn alone(&self) -> Self {
        Self { team: Team::default(), ..self.clone() }
    }

    /// Calls `watch` after every iteration, with number 0 for the start; its error ends the run. A resumed
    /// run does not repeat earlier iterations.
    #[must_use]
    pub fn with_watcher(self, watch: impl FnMut(&Record) -> Result<(), String> + Send + 'static) -> Self {
        Self { watcher: Some(Watcher(Arc::new(Mutex::new(watch)))), ..self }
    }

    pub(super) fn show(&self, record: impl FnOnce() -> Record) -> Result<(), OptimError> {
        let Some(Watcher(watch)) = &self.watcher else { return Ok(()) };
        let mut watch = watch.lock().unwrap_or_else(PoisonError::into_inner);
        watch(&record()).map_err(|message| OptimError::Watcher { message })
    }

    /// Starts the clock, for several runs under one time limit.
    #[must_use]
    pub fn begun(&self) -> Self {
        let clock = match self.clock {
            // A limit beyond the range of the clock is no limit.
            Clock::After(limit) => Instant::now().checked_add(limit).map_or(Clock::Never, Clock::At),
            other => other,
        };
        Self { clock, ..self.clone() }
    }

    /// Control of an auxiliary run: same time limit and interrupt, no watcher, no checkpoint.
    #[must_use]
    pub fn aside(&self) -> Self {
        let (interrupt, team) = (self.interrupt.clone(), self.team.clone());
        Self { clock: self.clock, interrupt, team, ..Self::default() }
    }

    /// Control that replaces an existing checkpoint file instead of resuming from it.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self { anew: true, ..self.clone() }
    }

    /// Control whose checkpoint label includes the kind of run. [`train_beside`](super::train_beside) adds
    /// the kind of its companion.
    #[must_use]
    pub fn about(&self, kind: &str) -> Self {
        let checkpoint = self.checkpoint.clone().map(|file| file.about(kind));
        Self { checkpoint, ..self.clone() }
    }

    /// Checkpoint file.
    #[must_use]
    pub fn checkpoint(&self) -> Option<&CheckpointFile> {
        self.checkpoint.as_ref()
    }

    /// Returns `true` after the time limit; `false` before [`begun`](Self::begun).
    #[must_use]
    pub fn is_over(&self) -> bool {
        match self.clock {
            Clock::At(end) => self.team.decide(Instant::now() >= end),
            Clock::Never | Clock::After(_) => false,
        }
    }

    /// Returns `true` if iterations within an evaluation should stop, even in the first evaluation: the time
    /// limit is reached and there is no checkpoint, whose content must not depend on the time limit.
    #[must_use]
    pub fn is_short(&self) -> bool {
        self.checkpoint.is_none() && self.is_over()
    }

    /// Returns `true` if an interrupt was requested.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.team.decide(self.interrupt.is_requested())
    }

    /// Returns `true` if work should stop: time limit reached or interrupt requested.
    #[must_use]
    pub fn wants_end(&self) -> bool {
        self.is_over() || self.is_interrupted()
    }

    /// Stop signal that stops evaluations at the time limit or interrupt. The run must have something to return, so
    /// the evaluation of the start is never stopped; an interrupt stops evaluations only once a required
    /// checkpoint exists, and not if it is older than the run. Requires [`begun`](Self::begun).
    #[must_use]
    pub fn stop_signal(&self) -> StopSignal {
        let control = self.clone();
        let stops = move || {
            let LeverState { keeps_to_time, ends_on_interrupt, pulled } = &*control.lever.0;
            let over = keeps_to_time.load(Ordering::Relaxed) && control.is_over();
            let stops = over || ends_on_interrupt.load(Ordering::Relaxed) && control.is_interrupted();
            if stops {
                pulled.store(true, Ordering::Relaxed);
            }
            stops
        };
        if self.team.is_alone() { StopSignal::new(stops) } else { StopSignal::together(stops) }
    }

    /// Enables the causes that stop [`stop_signal`](Self::stop_signal).
    pub(super) fn arm(&self, time: bool, interrupt: bool) {
        self.lever.0.keeps_to_time.store(time, Ordering::Relaxed);
        self.lever.0.ends_on_interrupt.store(interrupt, Ordering::Relaxed);
    }

    /// Returns `true` if a stop signal stopped an evaluation since the last call.
    pub(super) fn was_pulled(&self) -> bool {
        self.lever.0.pulled.swap(false, Ordering::Relaxed)
    }

    pub(super) fn resumes_from(&self) -> Option<&CheckpointFile> {
        self.checkpoint.as_ref().filter(|_| !self.anew)
    }

    /// Returns `true` if a checkpoint is due after an iteration; the last was written at `written`.
    pub(super) fn is_due(&self, iteration: u64, written: Option<Instant>) -> bool {
        let spaced = match (self.spacing, written) {
            (Some(spacing), Some(last)) => self.team.decide(last.elapsed() >= spacing),
            _ => true,
        };
        spaced && self.checkpoint.as_ref().is_some_and(|file| file.is_due(iteration))
    }
}
