//! Informative vector machine through its public interface.

mod all_rows;
mod binary;
mod faults;
mod gradients;
mod placement;
mod runs;
mod stored;
mod support;
mod training;
