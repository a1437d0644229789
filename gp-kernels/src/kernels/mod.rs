//! Kernels, one file each, listed in [`crate::registry`].

pub mod arc_cosine;
pub mod constant;
pub mod cosine;
pub mod index;
pub mod linear;
pub mod matern12;
pub mod matern32;
pub mod matern52;
pub mod overlap;
pub mod periodic;
pub mod polynomial;
pub mod rational_quadratic;
pub mod rbf;
pub mod white;
