//! Power EP: one update, four knobs.

mod batch;
mod factors;
mod gradient;
mod model;
mod point;
mod posterior;
mod rules;
mod shard;
mod site;
mod sums;

pub use batch::{BatchEp, Convergence, Sweep};
pub use factors::Factors;
pub use gradient::GradientKind;
pub use model::PowerEp;
pub use rules::{EpOptions, Level, NegativePrecision};
pub use site::Site;
