//! Power EP: one update, four knobs.

mod batch;
mod factors;
mod gradient;
mod model;
mod passes;
mod point;
mod posterior;
mod rules;
mod sequential;
mod shard;
mod site;
mod sums;

pub use batch::{BatchEp, Convergence, Sweep};
pub use factors::Factors;
pub use gradient::GradientKind;
pub use model::PowerEp;
pub use rules::{EpOptions, Level, NegativePrecision, Schedule};
pub use site::Site;
