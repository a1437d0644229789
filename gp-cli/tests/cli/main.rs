//! The command from the outside: the built binary, its files, streams and exit codes.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod bad_input;
mod columns;
mod damage;
mod demo;
mod diagnose;
mod files;
mod fit;
mod formats;
mod interrupted;
mod learning;
mod methods;
mod model;
#[path = "../fuzz/mutation.rs"]
mod mutation;
mod others;
mod predict;
mod stream;
mod stream_resources;
mod support;
mod targets;
mod tutorial;
mod update;
