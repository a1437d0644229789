//! Allocator of this program.

use cap::Cap;
use std::alloc::System;

/// Allocator whose limit workers set.
#[global_allocator]
pub(crate) static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);
