//! State of a run in argmin's terms.

use argmin::core::IterState;

/// argmin's state with parameters `P`.
pub type GradientState<P> = IterState<P, Vec<f64>, (), (), (), f64>;
