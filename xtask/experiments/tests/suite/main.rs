//! Integration tests in one program, which links faster than several.

mod alone;
mod data;
mod guests;
mod quick;
