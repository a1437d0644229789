//! Tests from outside, in one program, because linking each file alone takes longer than compiling it.

mod common;
#[cfg(feature = "testkit")]
mod conformance;
mod distances;
mod expressions;
mod inducing;
mod passes;
mod placement;
#[cfg(feature = "testkit")]
mod properties;
#[cfg(feature = "testkit")]
mod third_party;
