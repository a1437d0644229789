//! Integration tests in one program, because linking one program per file takes longer than compiling it.

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
