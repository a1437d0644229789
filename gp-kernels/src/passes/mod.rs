//! Passes over data for methods with inducing inputs.
//!
//! For each block of each lane:
//!
//! 1. Read and check observations ([`Passes::read`]).
//! 2. Project: φ and s ([`Passes::project`]).
//! 3. Compute marginals under Gaussians ([`Whitened`]), per component.
//! 4. Call a *rule*, from marginals to weights and slopes ([`LaneBlock`]).
//! 5. Sum `Σ w φφᵀ`, `Σ g φ` and extra numbers ([`Sums`]).
//! 6. For gradients, convert slopes to derivatives by φ and s, then parameters.
//!
//! Partial sums are added along a fixed [`tree`](crate::data::tree), over threads and a
//! [`Reduction`](crate::data::Reduction)'s processes. Blocks of correlated rows (PITC) use [`fold`](Passes::fold).
//!
//! Projections of up to [`HELD`] numbers are kept between passes; larger ones are recomputed in each pass.

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
