//! Integrals over one or more Gaussian latent values.

mod hermite;
mod legendre;
mod panels;
mod product;

pub use hermite::GaussHermite;
pub use legendre::GaussLegendre;
pub use panels::Panels;
pub use product::ProductRule;
