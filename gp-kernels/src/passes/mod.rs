//! Passes over data, used by all methods with inducing inputs.
//!
//! A pass visits each lane's observations block by block:
//!
//! 1. Read and check observations ([`Passes::read`]).
//! 2. Project them on the sparse processes: φ and s ([`Passes::project`]).
//! 3. Compute marginals under a Gaussian over inducing values ([`Whitened`]), per component.
//! 4. Call a *rule*, which reads marginals and writes weights and slopes ([`LaneBlock`]).
//! 5. Sum `Σ w φφᵀ`, `Σ g φ` and extra numbers of the rule ([`Sums`]).
//! 6. For gradients, convert slopes into derivatives with respect to φ and s, then kernels and inducing inputs.
//!
//! Partial sums are added along a fixed [`tree`](crate::data::tree), over threads and, with a
//! [`Reduction`](crate::data::Reduction), over processes. A rule sees only numbers, no kernel or data matrix. EP,
//! variational inference and closed-form regression are rules; they share threads, mini-batches, processes and time
//! limits. Blocks of correlated rows (PITC) need covariances between rows and use [`fold`](Passes::fold).
//!
//! Up to [`HELD`] numbers of projections stay between passes. Beyond it, every pass projects again, in memory for one
//! block per lane.

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
