//! Integration tests in one program, to link once.

#[cfg(feature = "testkit")]
mod conformance;
mod demo_data;
mod fuzz;
mod methods_agree;
mod processes;
mod torture;
mod work_done;
