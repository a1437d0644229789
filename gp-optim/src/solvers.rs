//! Solvers for argmin, and functions that run them.

mod batches;
mod cached;
mod checkpoint;
mod companion;
mod control;
mod descent;
mod error;
mod groups;
mod history;
mod interrupt;
mod lbfgs;
mod line_search;
mod minimise;
mod mixing;
mod options;
mod point;
#[cfg(feature = "progress")]
mod progress;
mod run;
mod state;
mod stop;
mod trace;
mod train;
mod vector;

pub use batches::{Batch, Batches};
pub use cached::{CachedObjective, EvaluationFailed};
pub use checkpoint::CheckpointFile;
pub use companion::Companion;
pub use control::Control;
pub use descent::{
    Adadelta, Adam, Descended, Descent, DescentOptions, DescentRun, FirstOrder, Momentum, RateStage,
    SignAdaptive, UpdateRule, descend, descend_with,
};
pub use error::{BadEvaluation, CheckpointError, GroupError, OptimError};
pub use groups::{
    Groups, Schedule, Stage, Staged, StagedLbfgs, StagedRun, minimise_in_stages, minimise_in_stages_with,
};
pub use history::{History, Record};
pub use interrupt::Interrupt;
pub use lbfgs::{Lbfgs, LbfgsOptions, LbfgsState};
pub use minimise::{MinimiseOptions, Minimum, Run, minimise, minimise_with};
pub use mixing::Mixing;
pub use point::{DescentState, Point};
#[cfg(feature = "progress")]
pub use progress::Progress;
pub use run::{ControlledRun, Remembers};
pub use state::GradientState;
pub use stop::StopReason;
pub use trace::Trace;
pub use train::{
    DescentPlan, Training, TrainingError, TrainingProgress, TrainingStep, companion_memory, train,
    train_by_descent, train_with_companion,
};
