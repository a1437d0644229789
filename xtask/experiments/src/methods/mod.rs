//! Runs shared by several items, through the public interfaces of the libraries: a split and a method in, scores out.

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
