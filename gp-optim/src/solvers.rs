//! Solvers run by argmin's executor, and what they need around them.

mod cached;
mod error;
mod history;
mod lbfgs;
mod line_search;
mod minimise;
mod vector;

pub use cached::{CachedObjective, EvaluationFailed};
pub use error::{BadEvaluation, OptimError};
pub use history::{History, Record};
pub use lbfgs::{Lbfgs, LbfgsOptions, LbfgsState, StopReason};
pub use minimise::{MinimiseOptions, Minimum, Run, minimise, minimise_with};
