//! Runs that several items share: a split and a method in, scores out; through the public interfaces of the libraries.

pub mod classify;
pub mod scores;
