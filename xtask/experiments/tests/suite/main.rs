//! Tests from outside, in one program, because linking each file alone takes longer than compiling it.

mod alone;
mod data;
mod guests;
mod quick;
