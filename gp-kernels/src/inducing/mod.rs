//! Inducing inputs: where the pseudo-points stand, and what a GP prior looks like through them.

mod covariance;
mod coverage;
mod inputs;
mod process;
mod projection;
mod windows;

pub use coverage::Coverage;
pub use inputs::InducingInputs;
pub use process::SparseProcess;
pub use projection::{InducingPrior, PriorGradients};
pub use windows::{Windowed, WindowedGradients, WindowedPair};
