//! Power EP: one update, four knobs.

mod batch;
mod factors;
mod gradient;
mod minibatch;
mod model;
mod passes;
mod point;
mod posterior;
mod rules;
mod sequential;
mod shard;
mod site;
mod sums;
mod surrogate;
mod train;

pub use batch::{BatchEp, Convergence, Sweep};
pub use factors::Factors;
pub use gradient::GradientKind;
pub use minibatch::{BatchStep, MiniBatchEp, Sharing};
pub use model::PowerEp;
pub use rules::{EpOptions, Level, NegativePrecision, Schedule};
pub use site::Site;
pub use surrogate::SurrogateRegression;
pub use train::{InnerOptions, Trained};
