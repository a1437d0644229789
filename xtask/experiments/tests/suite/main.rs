//! Integration tests in one program, because linking several takes longer than compiling.

mod alone;
mod data;
mod guests;
mod quick;
