//! The informative vector machine from outside: gradients, limits, runs, predictions, faults.

mod all_rows;
mod binary;
mod faults;
mod gradients;
mod placement;
mod runs;
mod stored;
mod support;
mod training;
