//! Triangular matrices times, and into, many right-hand sides.

pub(crate) mod lower;
