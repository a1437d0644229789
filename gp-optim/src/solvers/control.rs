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

/// Checkpoint, interrupt and time limit of a run.
///
/// - *Checkpoint file*: if existing, resumes the run with the same bits. Written every iteration or [less
///   often](Control::with_spacing), and at interrupt or time limit.
/// - *Interrupt*, after the iteration: [`OptimError::Interrupted`](super::OptimError::Interrupted) with a
///   checkpoint file, otherwise best point and [`StopReason::Interrupted`](super::StopReason::Interrupted).
/// - *Time limit*, full again when resumed: best point and [`StopReason::TimeLimit`](super::StopReason::TimeLimit).
///
/// Process 0 of a [team](Control::with_team) decides.
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
    anew: bool,
    watcher: Option<Watcher>,
    lever: Lever,
    team: Team,
}

#[derive(Clone, Debug, Default)]
struct Lever(Arc<LeverState>);

#[derive(Debug, Default)]
struct LeverState {
    /// Time limit, interrupt may stop evaluations.
    keeps_to_time: AtomicBool,
    ends_on_interrupt: AtomicBool,
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

impl PartialEq for Watcher {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Clock {
    #[default]
    Never,
    After(Duration),
    At(Instant),
}

impl Control {
    /// No interrupt, time limit or checkpoint.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stores or resumes a run.
    #[must_use]
    pub fn with_checkpoint(self, file: CheckpointFile) -> Self {
        Self { checkpoint: Some(file), ..self }
    }

    /// Sets the minimum time between checkpoints.
    #[must_use]
    pub fn with_spacing(self, spacing: Duration) -> Self {
        Self { spacing: Some(spacing), ..self }
    }

    /// Ends the run at an interrupt.
    #[must_use]
    pub fn with_interrupt(self, interrupt: Interrupt) -> Self {
        Self { interrupt, ..self }
    }

    /// Ends the run after this time.
    #[must_use]
    pub fn with_time_limit(self, limit: Option<Duration>) -> Self {
        Self { clock: limit.map_or(Clock::Never, Clock::After), ..self }
    }

    /// Runs in step, by clock, interrupt and file of process 0; a [`stop_signal`](Self::stop_signal) acts
    /// between passes.
    #[must_use]
    pub fn with_team(self, team: Team) -> Self {
        Self { team, ..self }
    }

    /// Processes that run in step.
    #[must_use]
    pub fn team(&self) -> &Team {
        &self.team
    }

    /// Control without a team.
    #[must_use]
    pub fn alone(&self) -> Self {
        Self { team: Team::default(), ..self.clone() }
    }

    /// Calls `watch` after iterations, from 0; errors end the run.
    #[must_use]
    pub fn with_watcher(self, watch: impl FnMut(&Record) -> Result<(), String> + Send + 'static) -> Self {
        Self { watcher: Some(Watcher(Arc::new(Mutex::new(watch)))), ..self }
    }

    pub(super) fn show(&self, record: impl FnOnce() -> Record) -> Result<(), OptimError> {
        let Some(Watcher(watch)) = &self.watcher else { return Ok(()) };
        let mut watch = watch.lock().unwrap_or_else(PoisonError::into_inner);
        watch(&record()).map_err(|message| OptimError::Watcher { message })
    }

    /// Starts the clock, for several runs.
    #[must_use]
    pub fn begun(&self) -> Self {
        let clock = match self.clock {
            // Beyond the clock's range: no limit.
            Clock::After(limit) => Instant::now().checked_add(limit).map_or(Clock::Never, Clock::At),
            other => other,
        };
        Self { clock, ..self.clone() }
    }

    /// Control for auxiliary runs, without checkpoint or watcher.
    #[must_use]
    pub fn aside(&self) -> Self {
        let (interrupt, team) = (self.interrupt.clone(), self.team.clone());
        Self { clock: self.clock, interrupt, team, ..Self::default() }
    }

    /// Overwrites an existing checkpoint.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self { anew: true, ..self.clone() }
    }

    /// Adds `kind` to the checkpoint label.
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

    /// `true` after the time limit; `false` before [`begun`](Self::begun).
    #[must_use]
    pub fn is_over(&self) -> bool {
        match self.clock {
            Clock::At(end) => self.team.decide(Instant::now() >= end),
            Clock::Never | Clock::After(_) => false,
        }
    }

    /// `true` to stop within evaluations: after the time limit, without checkpoint.
    #[must_use]
    pub fn is_short(&self) -> bool {
        self.checkpoint.is_none() && self.is_over()
    }

    /// `true` if an interrupt was requested.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.team.decide(self.interrupt.is_requested())
    }

    /// `true` after time limit or interrupt.
    #[must_use]
    pub fn wants_end(&self) -> bool {
        self.is_over() || self.is_interrupted()
    }

    /// Stops evaluations at time limit or interrupt; requires [`begun`](Self::begun).
    ///
    /// The first evaluation is not stopped. Interrupts act only if they come during the run and a required checkpoint
    /// exists.
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

    pub(super) fn arm(&self, time: bool, interrupt: bool) {
        self.lever.0.keeps_to_time.store(time, Ordering::Relaxed);
        self.lever.0.ends_on_interrupt.store(interrupt, Ordering::Relaxed);
    }

    pub(super) fn was_pulled(&self) -> bool {
        self.lever.0.pulled.swap(false, Ordering::Relaxed)
    }

    pub(super) fn resumes_from(&self) -> Option<&CheckpointFile> {
        self.checkpoint.as_ref().filter(|_| !self.anew)
    }

    pub(super) fn is_due(&self, iteration: u64, written: Option<Instant>) -> bool {
        let spaced = match (self.spacing, written) {
            (Some(spacing), Some(last)) => self.team.decide(last.elapsed() >= spacing),
            _ => true,
        };
        spaced && self.checkpoint.as_ref().is_some_and(|file| file.is_due(iteration))
    }
}
