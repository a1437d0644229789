//! What is kept of a run, as argmin has it.

use argmin::core::IterState;

/// argmin's state of a gradient method whose parameters are kept as `P`.
pub type GradientState<P> = IterState<P, Vec<f64>, (), (), (), f64>;
