//! Inducing inputs: where the pseudo-points stand, and what a GP prior looks like through them.

mod inputs;
mod projection;
mod windows;

pub use inputs::InducingInputs;
pub use windows::{Windowed, WindowedGradients, WindowedPair};
