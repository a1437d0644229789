#![doc = include_str!("../README.md")]

pub mod algebra;
mod chunks;
pub mod data;
pub mod dot;
mod error;
pub mod evaluate;
pub mod expression;
pub mod flat;
mod half_integer;
pub mod inducing;
pub mod kernel;
pub mod kernels;
mod lanes;
mod lengths;
pub mod metrics;
pub mod passes;
pub mod placement;
pub mod posterior;
pub mod radial;
pub mod registry;
mod serial;
mod tables;
#[cfg(feature = "testkit")]
pub mod testkit;
mod tree;
mod trig;
pub mod views;
pub mod workspace;

pub use error::KernelError;
pub use evaluate::{CovarianceGradients, Evaluator, cross, diagonal, gram, stoppable};
pub use kernel::{Gradients, Kernel, Pair};
pub use radial::{Profile, Radial};
pub use registry::{Registry, parse};
pub use tree::{KernelExt, parameter_count};
pub use workspace::Workspace;

/// README example as a test.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct WorkspaceReadme;
