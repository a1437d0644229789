//! Integrals over one or more Gaussian latent values.
//!
//! In one dimension nested trapezoidal sums for smooth integrands, [`GaussHermite`] for polynomials and [`Panels`] for all
//! others; in several
//! a [`Cubature`], whichever way its nodes came about.

mod cubature;
mod graded;
mod hermite;
mod ladder;
mod legendre;
mod panels;
mod product;
mod random;
mod symmetric;
mod trapezoid;

pub use cubature::Cubature;
pub(crate) use graded::graded;
pub use hermite::GaussHermite;
pub(crate) use ladder::{LANES, Nodes, grid_for};
pub use legendre::GaussLegendre;
pub use panels::Panels;
pub(crate) use trapezoid::{Grid, trapezoid};

/// Integrals of K components.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Integrals<const K: usize> {
    pub(crate) values: [f64; K],
    /// The integrals of absolute values: what is rounded when the values are summed.
    pub(crate) sizes: [f64; K],
}
