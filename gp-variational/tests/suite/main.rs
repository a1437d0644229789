//! Integration tests in one program: linking one per file takes longer than compiling.

mod dense;
mod interrupted;
mod kl;
mod savigp;
mod verbs;
