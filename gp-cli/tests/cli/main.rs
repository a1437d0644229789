//! Tests of the built binary: files, streams and exit codes.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod bad_input;
mod baselines;
mod blocks;
mod browser;
mod column_types;
mod columns;
mod constant;
mod damage;
mod dates;
mod demo;
mod diagnose;
mod dispersion;
mod division;
mod extremes;
mod few_rows;
mod files;
mod fit;
mod formats;
mod help;
mod identifiers;
mod interrupted;
mod kept;
mod label_names;
mod learning;
mod learning_labels;
mod memory;
mod messages;
mod methods;
mod missing;
mod model;
#[path = "../suite/fuzz/mutation.rs"]
mod mutation;
mod ordered_words;
mod others;
mod outputs;
mod parts;
mod pictures;
mod polars;
mod predict;
mod relevance;
mod restarts;
mod roles;
mod search;
mod seasons;
mod several;
mod several_flags;
mod several_roles;
#[cfg(feature = "sqlite")]
mod sqlite;
mod stream;
mod stream_resources;
mod suggest;
mod support;
mod targets;
mod temperature;
#[cfg(target_os = "linux")]
mod terminal;
mod texts;
mod trust;
mod tutorial;
mod units;
mod untrained;
mod update;
mod windows;
mod written;
