//! Reader properties for arbitrary bytes.
//!
//! Faults are errors, never panics; accepted contents round-trip. [`TARGETS`] run in a test on a corpus and
//! mutations, in `cargo xtask fuzz`, and under libFuzzer in `fuzz/`.

mod tables;

use crate::context::Context;
use crate::error::CliError;
use crate::memory::Budget;
use crate::model::Model;
use crate::{arguments, config};
use gp_kernels::KernelExt;
use gp_optim::argmin::core::checkpointing::CheckpointingFrequency;
use gp_optim::{CheckpointFile, Control, MinimiseOptions, OptimError, minimise};
use std::convert::Infallible;
use std::path::Path;
use tempfile::TempDir;

/// Outcome of reading bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Accepted.
    Read,
    /// Refused, with the reason.
    Refused(String),
}

impl Reading {
    fn refused(error: &CliError) -> Self {
        Self::Refused(error.with_causes())
    }
}

/// Reader and corpus name; check: outcome or violated property.
pub type FuzzTarget = (&'static str, fn(&Readers, &[u8]) -> Result<Reading, String>);

/// All targets.
pub const TARGETS: [FuzzTarget; 13] = [
    ("csv", |readers, bytes| tables::table(readers, bytes, "csv")),
    ("gzip", tables::gzip),
    ("libsvm", |readers, bytes| tables::table(readers, bytes, "libsvm")),
    ("npy", |readers, bytes| tables::table(readers, bytes, "npy")),
    ("npz", |readers, bytes| tables::table(readers, bytes, "npz")),
    ("idx", |readers, bytes| tables::table(readers, bytes, "idx")),
    ("parquet", |readers, bytes| tables::table(readers, bytes, "parquet")),
    ("arrow", |readers, bytes| tables::table(readers, bytes, "arrow")),
    ("kernel", kernel),
    ("likelihood", likelihood),
    ("config", config),
    ("checkpoint", checkpoint),
    ("model", model),
];

/// Label of the [checkpoint](CheckpointFile) to read.
pub const CHECKPOINT: &str = "fuzz";

/// Shared state of all readers.
#[derive(Debug)]
pub struct Readers {
    context: Context,
    command: clap::Command,
    folder: TempDir,
}

impl Readers {
    /// `bytes` is the memory budget.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io) without room for temporary files.
    pub fn new(bytes: u64) -> Result<Self, CliError> {
        let context = Context::built_in().within(Budget::of(bytes));
        let folder = tempfile::tempdir();
        let folder = folder.map_err(|cause| CliError::io("write in", &std::env::temp_dir(), cause))?;
        Ok(Self { command: arguments::command(&context), context, folder })
    }

    /// Outcome of a named reader.
    ///
    /// # Errors
    /// Violated property, or unknown reader.
    pub fn read(&self, name: &str, bytes: &[u8]) -> Result<Reading, String> {
        match TARGETS.iter().find(|(known, _)| *known == name) {
            Some((_, target)) => target(self, bytes),
            None => Err(format!("there is no reader `{name}`")),
        }
    }
}

fn kernel(readers: &Readers, bytes: &[u8]) -> Result<Reading, String> {
    expression(bytes, |text| readers.context.kernels.parse(text).map(|kernel| kernel.expression()))
}

fn likelihood(readers: &Readers, bytes: &[u8]) -> Result<Reading, String> {
    let known = &readers.context.likelihoods;
    expression(bytes, |text| known.parse(text).map(|likelihood| likelihood.expression()))
}

fn expression<E: std::fmt::Display>(
    bytes: &[u8],
    print: impl Fn(&str) -> Result<String, E>,
) -> Result<Reading, String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(no_text()) };
    let printed = match print(text) {
        Ok(printed) => printed,
        Err(error) => return Ok(Reading::Refused(error.to_string())),
    };
    match print(&printed) {
        Ok(again) if again == printed => Ok(Reading::Read),
        Ok(again) => Err(format!("{printed:?} reads as {again:?}")),
        Err(error) => Err(format!("{printed:?} does not read: {error}")),
    }
}

fn no_text() -> Reading {
    Reading::Refused("not UTF-8".to_owned())
}

fn config(readers: &Readers, bytes: &[u8]) -> Result<Reading, String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(no_text()) };
    let line = ["gp", "fit", "table.csv"].map(Into::into).to_vec();
    match config::expand_text(&readers.command, line, Path::new("bytes"), text) {
        Ok(line) if line.len() < 3 => Err("words of the command line are gone".to_owned()),
        Ok(_) => Ok(Reading::Read),
        Err(error) if error.with_causes().is_empty() => Err("an error that says nothing".to_owned()),
        Err(error) => Ok(Reading::refused(&error)),
    }
}

fn checkpoint(readers: &Readers, bytes: &[u8]) -> Result<Reading, String> {
    let path = readers.folder.path().join("run.checkpoint");
    gp_optim::files::replace(&path, bytes).map_err(|cause| cause.to_string())?;
    let file = CheckpointFile::new(path, CHECKPOINT).every(CheckpointingFrequency::Never);
    let options = MinimiseOptions {
        max_iterations: 3,
        control: Control::new().with_checkpoint(file),
        ..MinimiseOptions::default()
    };
    match minimise(parabola, &[3.0, -1.0], &options) {
        Ok(least) if least.x.len() != 2 => Err(format!("a point of {} coordinates", least.x.len())),
        Ok(_) => Ok(Reading::Read),
        Err(error @ OptimError::Checkpoint(_)) => Ok(Reading::Refused(error.to_string())),
        Err(error) => Ok(Reading::Refused(format!("not resumed: {error}"))),
    }
}

/// Objective of checkpoints in [`TARGETS`]: Σ xᵢ².
///
/// # Errors
/// Never.
pub fn parabola(x: &[f64], gradient: &mut [f64]) -> Result<f64, Infallible> {
    gradient.iter_mut().zip(x).for_each(|(slope, x)| *slope = 2.0 * x);
    Ok(x.iter().map(|x| x * x).sum())
}

fn model(readers: &Readers, bytes: &[u8]) -> Result<Reading, String> {
    let model = match Model::from_bytes(bytes, "bytes", &readers.context) {
        Ok(model) => model,
        Err(error) => return Ok(Reading::refused(&error)),
    };
    let written = model.to_bytes().map_err(|error| error.with_causes())?;
    let again =
        Model::from_bytes(&written, "bytes", &readers.context).map_err(|error| error.with_causes())?;
    match again.to_bytes() {
        Ok(bytes) if bytes == written => Ok(Reading::Read),
        Ok(_) => Err("a model is another one when it is read again".to_owned()),
        Err(error) => Err(error.with_causes()),
    }
}
