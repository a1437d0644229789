//! Tests from outside, linked once to save time.

mod dense;
mod interrupted;
mod kl;
mod savigp;
mod verbs;
