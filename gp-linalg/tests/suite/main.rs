//! Tests from outside, linked once.

mod cholesky;
mod common;
mod product;
mod reverse;
mod rotate;
mod threads;
