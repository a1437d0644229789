//! Tests from outside, in one program, because linking each file alone takes longer than compiling it.

#[cfg(feature = "testkit")]
mod conformance;
mod demo_data;
mod fuzz;
mod methods_agree;
mod torture;
