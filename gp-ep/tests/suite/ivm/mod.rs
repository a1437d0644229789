//! Public interface of the informative vector machine.

mod all_rows;
mod binary;
mod faults;
mod gradients;
mod placement;
mod runs;
mod stored;
mod support;
mod training;
