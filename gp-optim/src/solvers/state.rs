//! State of a run in argmin's terms.

use argmin::core::IterState;

/// argmin's state of a gradient method with parameters `P`.
pub type GradientState<P> = IterState<P, Vec<f64>, (), (), (), f64>;
