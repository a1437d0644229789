//! Integration tests in one program, because linking each file alone takes longer than compiling it.

mod checkpoints;
mod groups;
mod parameters;
mod priors;
mod solvers;
mod stochastic;
mod text;
mod transforms;
