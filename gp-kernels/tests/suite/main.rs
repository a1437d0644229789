//! Integration tests in one program, for fast linking.

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
