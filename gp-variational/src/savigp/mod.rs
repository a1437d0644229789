//! Variational inference with Gaussian and mixture posteriors, for any likelihood.

mod bound;
mod entropy;
mod mixture;
mod model;
mod natural;
mod shard;
mod sums;
mod train;

pub use bound::Bound;
pub use entropy::EntropyBound;
pub use mixture::{Covariance, Mixture};
pub use model::Savigp;
pub use train::{BatchOptions, NoiseTarget, Trained};
