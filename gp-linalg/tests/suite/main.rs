//! Tests from outside, in one program, because linking each file alone takes longer than compiling it.

mod cholesky;
mod common;
mod product;
mod reverse;
mod rotate;
mod threads;
