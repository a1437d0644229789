//! Passes over data, common to all methods with inducing inputs.
//!
//! Lanes visit their observations by block. For each, a pass
//!
//! 1. reads and checks observations ([`Passes::read`]),
//! 2. projects them on the processes: φ and s ([`Passes::project`]),
//! 3. computes marginals under a Gaussian over inducing values ([`Whitened`]), by component,
//! 4. asks a *rule*: numbers in ([`LaneBlock`]), weights and slopes out,
//! 5. adds up `Σ w φφᵀ`, `Σ g φ` and extra numbers of the rule ([`Sums`]),
//! 6. and, for gradients, converts slopes to derivatives by φ and s, then by kernels and inducing inputs.
//!
//! Partial sums are added along a fixed [`tree`](crate::data::tree), on threads or with a
//! [`Reduction`](crate::data::Reduction) anywhere. Rules see numbers alone, neither kernels nor data
//! matrices; EP, variational inference and closed-form regression are rules, sharing threads, batches,
//! processes and time limits. Blocks of correlated rows (PITC) need covariances between rows, and
//! [`fold`](Passes::fold) over lanes instead.
//!
//! Up to [`HELD`] numbers of projections stay between passes; beyond, every pass projects anew, in the
//! memory of a block.

mod block;
mod contract;
mod held;
mod lane;
mod layout;
mod pass;
mod tangent;
mod whitened;

pub use block::{LaneBlock, LatentBlock, Seen};
pub use contract::{Beliefs, Pass, PassError};
pub use lane::{Lane, Priors, Projections, Taken};
pub use layout::{Gram, Layout, Part, PartMut, Sums};
pub use pass::{HELD, Passes, Setup};
pub use tangent::Tangent;
pub use whitened::Whitened;
