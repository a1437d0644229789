//! Runs that several items share: a split and a method in, scores out; through the public interfaces of the libraries.

pub mod classify;
pub mod kernels;
pub mod regress;
pub mod savigp;
pub mod scores;
pub mod streams;
