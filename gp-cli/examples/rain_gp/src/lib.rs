//! Showers a day, counted by somebody who sometimes forgets to write them down: how to make a `gp` of one's own.
#![doc = include_str!("../README.md")]

mod cauchy;
mod derivatives;
mod laplace;
mod showers;
mod spaced;

pub use cauchy::Cauchy;
pub use laplace::Laplace;
pub use showers::Showers;
pub use spaced::{SpacedReader, SpacedWriter};
