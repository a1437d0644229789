//! Passes over data: what every method that sees latent functions through inducing inputs does with its observations.
//!
//! Observations are dealt to lanes, and each lane visits its own block by block. Per block, a pass
//!
//! 1. reads and checks observations ([`Passes::read`]),
//! 2. projects them on the processes: φ and s ([`Passes::project`]),
//! 3. finds marginals of the projections under a Gaussian over inducing values ([`Whitened`]), component by component,
//! 4. asks a *rule* about the block: numbers in ([`LaneBlock`]), weights and slopes out,
//! 5. adds up `Σ w φφᵀ`, `Σ g φ` and whatever else the rule counts ([`Sums`]),
//! 6. and, where gradients are asked for, turns slopes into derivatives by φ and s, and these into derivatives by
//!    kernels and inducing inputs.
//!
//! Partial sums of lanes are added along a fixed [`tree`](crate::data::tree), on threads here and with a
//! [`Reduction`](crate::data::Reduction) anywhere. A rule sees numbers alone: neither a kernel nor a matrix of the data.
//! So EP, variational inference and regression in closed form are rules, and threads, batches, several processes, shared
//! processes and limits on time are the same for all of them.
//!
//! Projections stay from one pass to the next up to [`HELD`] numbers; of more, they have the memory of a block, and every
//! pass projects anew.

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
pub use lane::{Lane, Projections, Taken};
pub use layout::{Gram, Layout, Part, PartMut, Sums};
pub use pass::{HELD, Passes, Setup};
pub use tangent::Tangent;
pub use whitened::Whitened;
