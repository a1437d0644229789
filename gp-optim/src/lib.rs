//! How parameters move: named parameters with transforms and priors, and solvers that survive bad evaluations.

mod error;
mod number;
mod parameter;
mod prior;
mod transform;

pub use error::ParameterError;
pub use number::format_number;
pub use parameter::Parameter;
pub use prior::Prior;
pub use transform::Transform;
