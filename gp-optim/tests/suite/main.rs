//! Tests from outside, linked once to save time.

mod checkpoints;
mod groups;
mod parameters;
mod priors;
mod solvers;
mod stochastic;
mod text;
mod transforms;
