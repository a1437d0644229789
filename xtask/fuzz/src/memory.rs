//! The allocator of this program.

use cap::Cap;
use std::alloc::System;

/// Refuses more memory than a worker allows.
#[global_allocator]
pub(crate) static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);
