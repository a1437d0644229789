//! Example of a custom `gp`: daily showers, some missed.
#![doc = include_str!("../README.md")]

mod at_mode;
mod cauchy;
mod laplace;
mod showers;
mod spaced;

pub use at_mode::AtMode;
pub use cauchy::Cauchy;
pub use laplace::Laplace;
pub use showers::Showers;
pub use spaced::{SpacedReader, SpacedWriter};
