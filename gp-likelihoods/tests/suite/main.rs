//! Integration tests in one program, to save linking time.

#[cfg(feature = "testkit")]
mod conformance;
mod coregionalised;
mod costs;
mod expressions;
mod far_outliers;
mod gaussian;
mod many;
mod normal_interval;
mod one_latent;
#[cfg(feature = "testkit")]
mod pieces;
mod predictive;
mod quadrature;
mod sharp;
mod special;
mod special_table;
#[cfg(feature = "testkit")]
mod third_party;
