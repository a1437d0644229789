//! Tests from outside, linked once to save time.

mod cholesky;
mod common;
mod product;
mod reverse;
mod rotate;
mod threads;
