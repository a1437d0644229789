//! Inducing inputs and their prior.

mod covariance;
mod coverage;
mod gradients;
mod inputs;
mod points;
mod pool;
mod prior;
mod process;
mod projection;
mod windowed;
mod windows;

pub use coverage::Coverage;
pub use gradients::PriorGradients;
pub use inputs::InducingInputs;
pub use points::SharedPoints;
pub use prior::InducingPrior;
pub use process::SparseProcess;
pub use projection::Projection;
pub use windowed::{Windowed, WindowedGradients, WindowedPair};
