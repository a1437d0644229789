//! Program behind `cargo xtask experiment`.

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;

/// Counts allocated bytes, for the item `growth`.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> std::process::ExitCode {
    gp_experiments::main_with(&gp_cli::Context::built_in())
}
