//! What may end a run before its time, and what it leaves behind then.

use super::checkpoint::CheckpointFile;
use super::error::OptimError;
use super::history::Record;
use super::interrupt::Interrupt;
use crate::brake::Brake;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Who may end a run from outside, and the file from which it goes on afterwards: one and the same for every kind of
/// training.
///
/// - *A checkpoint file.* If it exists, the run goes on from what it holds and ends with the same bits as one that was
///   never interrupted. It is replaced after every iteration, unless [`with_spacing`](Control::with_spacing) says
///   otherwise, and whenever the run is interrupted or its time is over. Everything that training changes is in it:
///   parameters, the memory of the solver, batches, and whatever learns beside them (a
///   [`Companion`](super::Companion)).
/// - *An interrupt.* After the iteration it is in, a run with a checkpoint file returns
///   [`OptimError::Interrupted`](super::OptimError::Interrupted); one without ends with the best point so far and
///   [`StopReason::Interrupted`](super::StopReason::Interrupted).
/// - *A limit on time*, after which no iteration begins, and evaluations that ask a [`brake`](Control::brake) end. The run ends with the best point so far and
///   [`StopReason::TimeLimit`](super::StopReason::TimeLimit). A run that goes on from a checkpoint has all of the time
///   again.
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
    /// Whether what the file holds is of no concern: it will be replaced.
    anew: bool,
    watcher: Option<Watcher>,
    lever: Lever,
}

/// What a run and the brakes of its evaluations share.
#[derive(Clone, Debug, Default)]
struct Lever(Arc<LeverState>);

#[derive(Debug, Default)]
struct LeverState {
    /// Whether the end of the time, or an interrupt, ends an evaluation.
    heeds_time: AtomicBool,
    heeds_interrupt: AtomicBool,
    /// Whether it did.
    pulled: AtomicBool,
}

/// It is no setting.
impl PartialEq for Lever {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Somebody who is shown every iteration.
#[derive(Clone)]
struct Watcher(Arc<Mutex<Watch>>);

type Watch = dyn FnMut(&Record) -> Result<(), String> + Send;

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watcher")
    }
}

/// Two are equal if they are one.
impl PartialEq for Watcher {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// When no further iteration begins.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Clock {
    #[default]
    Never,
    /// So long after the beginning.
    After(Duration),
    At(Instant),
}

impl Control {
    /// Nobody ends the run, and it leaves nothing behind.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps the state of the run in a file, and goes on from what it holds.
    #[must_use]
    pub fn with_checkpoint(self, file: CheckpointFile) -> Self {
        Self { checkpoint: Some(file), ..self }
    }

    /// Leaves at least so much time between two checkpoints. Where they are, the result does not know.
    #[must_use]
    pub fn with_spacing(self, spacing: Duration) -> Self {
        Self { spacing: Some(spacing), ..self }
    }

    /// Ends the run when that is requested.
    #[must_use]
    pub fn with_interrupt(self, interrupt: Interrupt) -> Self {
        Self { interrupt, ..self }
    }

    /// Ends the run when it has taken so long; nothing, and it may take any time.
    #[must_use]
    pub fn with_time_limit(self, limit: Option<Duration>) -> Self {
        Self { clock: limit.map_or(Clock::Never, Clock::After), ..self }
    }

    /// Shows every iteration of the run, the start as number 0, to somebody whose error ends it. Iterations before a
    /// checkpoint that it goes on from are not shown again.
    #[must_use]
    pub fn with_watcher(self, watch: impl FnMut(&Record) -> Result<(), String> + Send + 'static) -> Self {
        Self { watcher: Some(Watcher(Arc::new(Mutex::new(watch)))), ..self }
    }

    /// Shows an iteration to whoever wants to see it.
    pub(super) fn show(&self, record: impl FnOnce() -> Record) -> Result<(), OptimError> {
        let Some(Watcher(watch)) = &self.watcher else { return Ok(()) };
        let mut watch = watch.lock().unwrap_or_else(PoisonError::into_inner);
        watch(&record()).map_err(|message| OptimError::Watcher { message })
    }

    /// The same with the clock running, for what consists of several runs: their time is then limited together.
    #[must_use]
    pub fn begun(&self) -> Self {
        let clock = match self.clock {
            // A limit beyond what the clock can show is none.
            Clock::After(limit) => Instant::now().checked_add(limit).map_or(Clock::Never, Clock::At),
            other => other,
        };
        Self { clock, ..self.clone() }
    }

    /// The same time and the same interrupt for a run beside the one that matters: nobody watches it, and nothing of it is
    /// kept.
    #[must_use]
    pub fn aside(&self) -> Self {
        Self { clock: self.clock, interrupt: self.interrupt.clone(), ..Self::default() }
    }

    /// The same for a run that does not go on from what the file holds, but replaces it.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self { anew: true, ..self.clone() }
    }

    /// The same with a file that is about one kind of run, in words that become part of its label: other kinds refuse
    /// it. [`train_beside`](super::train_beside) says so of its companion's kind.
    #[must_use]
    pub fn about(&self, kind: &str) -> Self {
        let checkpoint = self.checkpoint.clone().map(|file| file.about(kind));
        Self { checkpoint, ..self.clone() }
    }

    /// The file that the state of the run is kept in.
    #[must_use]
    pub fn checkpoint(&self) -> Option<&CheckpointFile> {
        self.checkpoint.as_ref()
    }

    /// Whether the time is over. Before [`begun`](Self::begun), it is not.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.clock, Clock::At(end) if Instant::now() >= end)
    }

    /// Whether somebody asked for an end.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.is_requested()
    }

    /// Whether work has to stop: the time is over, or an end was requested.
    #[must_use]
    pub fn wants_end(&self) -> bool {
        self.is_over() || self.is_interrupted()
    }

    /// A brake for evaluations of the run, which ends them when its time is over or its end was requested. It does so
    /// while the run is going on and has something to end with: never in the evaluation of its start, nor, where an
    /// interrupted run is to go on from a checkpoint, before there is one; nor for an interrupt that is older than the
    /// run. The control has to have [`begun`](Self::begun).
    #[must_use]
    pub fn brake(&self) -> Brake {
        let control = self.clone();
        Brake::new(move || {
            let LeverState { heeds_time, heeds_interrupt, pulled } = &*control.lever.0;
            let over = heeds_time.load(Ordering::Relaxed) && control.is_over();
            let stops = over || heeds_interrupt.load(Ordering::Relaxed) && control.is_interrupted();
            if stops {
                pulled.store(true, Ordering::Relaxed);
            }
            stops
        })
    }

    /// Says what [`brake`](Self::brake) heeds from now on.
    pub(super) fn arm(&self, time: bool, interrupt: bool) {
        self.lever.0.heeds_time.store(time, Ordering::Relaxed);
        self.lever.0.heeds_interrupt.store(interrupt, Ordering::Relaxed);
    }

    /// Whether a brake has ended an evaluation since this was asked last.
    pub(super) fn was_pulled(&self) -> bool {
        self.lever.0.pulled.swap(false, Ordering::Relaxed)
    }

    /// The file to go on from.
    pub(super) fn resumes_from(&self) -> Option<&CheckpointFile> {
        self.checkpoint.as_ref().filter(|_| !self.anew)
    }

    /// Whether a checkpoint is due at an iteration, the last one having been written at `written`.
    pub(super) fn is_due(&self, iteration: u64, written: Option<Instant>) -> bool {
        let spaced = match (self.spacing, written) {
            (Some(spacing), Some(last)) => last.elapsed() >= spacing,
            _ => true,
        };
        spaced && self.checkpoint.as_ref().is_some_and(|file| file.is_due(iteration))
    }
}
