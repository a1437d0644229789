//! Integration tests in one program, because linking several takes longer than compiling them.

#[cfg(feature = "testkit")]
mod conformance;
mod demo_data;
mod fuzz;
mod methods_agree;
mod processes;
mod torture;
mod work_done;
