//! Integrals over Gaussian latents.
//!
//! One dimension: trapezoidal sums for smooth integrands, [`GaussHermite`] for polynomials, else [`Panels`].
//! Several: [`Cubature`].

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
pub(crate) use ladder::{GridNodes, LANES, grid_for};
pub use legendre::GaussLegendre;
pub use panels::Panels;
pub(crate) use trapezoid::{Grid, trapezoid};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Integrals<const K: usize> {
    pub(crate) values: [f64; K],
    /// Integrals of absolute values.
    pub(crate) sizes: [f64; K],
}
