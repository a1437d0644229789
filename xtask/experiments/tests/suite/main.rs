//! Integration tests, in one program because linking each file separately takes longer than compiling it.

mod alone;
mod data;
mod guests;
mod quick;
