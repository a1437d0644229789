//! The command from the outside: the built binary, its files, streams and exit codes.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod bad_input;
mod baselines;
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
mod missing;
mod model;
#[path = "../fuzz/mutation.rs"]
mod mutation;
mod others;
mod outputs;
mod pictures;
mod predict;
mod relevance;
mod seasons;
mod several;
mod stream;
mod stream_resources;
mod support;
mod targets;
#[cfg(target_os = "linux")]
mod terminal;
mod tutorial;
mod update;
