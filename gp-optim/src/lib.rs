//! Named parameters with transforms and priors, and solvers that recover from failed evaluations.
//!
//! ```
//! use gp_optim::{Parameter, Prior};
//! let mut scale = Parameter::positive("lengthscale");
//! scale.set_prior(Some(Prior::from_call("gamma", &[2.0, 1.0])?))?;
//! assert!(scale.set(0, -1.0).is_err());
//! # Ok::<(), gp_optim::ParameterError>(())
//! ```
//!
//! - [`Parameter`], [`Transform`] and [`Prior`] describe numbers that a solver changes.
//! - [`Objective`] is the function to minimise.
//! - [`files`] writes files that are complete or absent.
#![cfg_attr(feature = "solvers", doc = "- [`minimise`] minimises an objective by L-BFGS ([`Lbfgs`]).")]
#![cfg_attr(
    feature = "solvers",
    doc = "- [`descend`] minimises a [`StochasticObjective`] on [`Batches`] by [`Adam`] and other methods."
)]
#![cfg_attr(
    feature = "solvers",
    doc = "- [`minimise_in_stages`] minimises over [`Groups`] of parameters in turn."
)]
#![cfg_attr(
    feature = "solvers",
    doc = "- [`CheckpointFile`], [`History`] and [`Trace`] store and record a run."
)]
#![cfg_attr(feature = "solvers", doc = "")]
#![cfg_attr(feature = "solvers", doc = include_str!("../README.md"))]

mod error;
pub mod files;
mod named;
mod number;
mod objective;
mod parameter;
mod parameter_set;
mod prior;
mod similar;
#[cfg(feature = "solvers")]
mod solvers;
#[cfg(feature = "solvers")]
mod stochastic;
mod stop_signal;
mod team;
pub mod text;
mod transform;

pub use error::ParameterError;
pub use named::named;
pub use number::format_number;
pub use objective::Objective;
pub use parameter::Parameter;
pub use parameter_set::{ParameterSet, ParameterSetMut};
pub use prior::Prior;
pub use similar::{did_you_mean, similar};
pub use stop_signal::StopSignal;
pub use team::{Processes, Team, TeamError, Traffic};
pub use transform::Transform;

/// argmin version of the solvers.
#[cfg(feature = "solvers")]
pub use argmin;
#[cfg(feature = "solvers")]
pub use solvers::*;
#[cfg(feature = "solvers")]
pub use stochastic::{FullBatch, StochasticObjective};
