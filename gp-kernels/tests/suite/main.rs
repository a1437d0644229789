//! Integration tests in one program, which links faster than one program per file.

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
