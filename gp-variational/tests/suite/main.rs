//! Tests from outside, in one program, because linking each file alone takes longer than compiling it.

mod dense;
mod interrupted;
mod kl;
mod savigp;
mod verbs;
