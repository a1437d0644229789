//! Training and scoring on a split, shared by items.

pub mod classify;
pub(crate) mod command;
pub(crate) mod course;
pub mod fitted;
pub mod guest;
pub(crate) mod images;
pub mod kernels;
pub mod plane;
pub mod regress;
pub mod rule;
pub mod savigp;
pub mod schemes;
pub mod scores;
