//! What has to hold for any bytes whatever that come in from outside: the functions behind the fuzz targets.
//!
//! Each takes bytes for one reader. It returns whether they were read; what is wrong with them is an error and never a
//! panic, and what has been read can be written and read again to the same thing. [`TARGETS`] are run by a test on a corpus
//! and its mutations, and by the programs in `fuzz/` on what libFuzzer comes up with.

use crate::context::Context;
use crate::data::{ReadOptions, Source, TableChoice};
use crate::model::Model;
use crate::{arguments, config};
use gp_kernels::KernelExt;
use std::path::Path;

/// A reader under its name, which is also that of its corpus and its program.
pub type Target = (&'static str, fn(&Context, &[u8]) -> Result<bool, String>);

/// All of them.
pub const TARGETS: [Target; 6] = [
    ("csv", csv),
    ("libsvm", libsvm),
    ("kernel", kernel),
    ("likelihood", likelihood),
    ("config", config),
    ("model", model),
];

/// A table of separated cells.
///
/// # Errors
/// What does not hold.
pub fn csv(context: &Context, bytes: &[u8]) -> Result<bool, String> {
    table(context, bytes, "csv")
}

/// A table in LibSVM's format.
///
/// # Errors
/// What does not hold.
pub fn libsvm(context: &Context, bytes: &[u8]) -> Result<bool, String> {
    table(context, bytes, "libsvm")
}

/// Rows and columns are there, all of one length, and every cell has a text.
fn table(context: &Context, bytes: &[u8], format: &str) -> Result<bool, String> {
    let Ok(source) = Source::from_bytes("bytes", bytes.to_vec()) else { return Ok(false) };
    let choice = TableChoice { format: Some(format.to_owned()), ..TableChoice::default() };
    let options = ReadOptions { choice, ..ReadOptions::default() };
    let Ok(frame) = context.formats.read(&source, &options) else { return Ok(false) };
    if frame.row_count() == 0 || frame.columns().is_empty() {
        return Err("a table without rows or columns".to_owned());
    }
    for column in frame.columns() {
        let cells: Vec<String> = (0..frame.row_count()).map(|row| column.text(row)).collect();
        if cells.len() != column.values().len() || frame.column(column.name()).is_none() {
            return Err(format!("column {:?} is not what the table says", column.name()));
        }
    }
    Ok(true)
}

/// The expression of a kernel, which is printed so that it reads back to the same kernel.
///
/// # Errors
/// What does not hold.
pub fn kernel(context: &Context, bytes: &[u8]) -> Result<bool, String> {
    let print = |text: &str| context.kernels.parse(text).map(|kernel| kernel.expression());
    expression(bytes, print)
}

/// The expression of a likelihood, likewise.
///
/// # Errors
/// What does not hold.
pub fn likelihood(context: &Context, bytes: &[u8]) -> Result<bool, String> {
    let print = |text: &str| context.likelihoods.parse(text).map(|likelihood| likelihood.expression());
    expression(bytes, print)
}

fn expression<E: std::fmt::Display>(
    bytes: &[u8],
    print: impl Fn(&str) -> Result<String, E>,
) -> Result<bool, String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(false) };
    let Ok(printed) = print(text) else { return Ok(false) };
    match print(&printed) {
        Ok(again) if again == printed => Ok(true),
        Ok(again) => Err(format!("{printed:?} reads as {again:?}")),
        Err(error) => Err(format!("{printed:?} does not read: {error}")),
    }
}

/// A configuration file of `gp fit`, whose entries become flags.
///
/// # Errors
/// What does not hold.
pub fn config(context: &Context, bytes: &[u8]) -> Result<bool, String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(false) };
    let line = ["gp", "fit", "table.csv"].map(Into::into).to_vec();
    match config::expand_text(&arguments::command(context), line, Path::new("bytes"), text) {
        Ok(line) if line.len() < 3 => Err("words of the command line are gone".to_owned()),
        Ok(_) => Ok(true),
        Err(error) if error.with_causes().is_empty() => Err("an error that says nothing".to_owned()),
        Err(_) => Ok(false),
    }
}

/// A model file, which is written as it was read.
///
/// # Errors
/// What does not hold.
pub fn model(context: &Context, bytes: &[u8]) -> Result<bool, String> {
    let Ok(model) = Model::from_bytes(bytes, "bytes", context) else { return Ok(false) };
    let written = model.to_bytes().map_err(|error| error.with_causes())?;
    let again = Model::from_bytes(&written, "bytes", context).map_err(|error| error.with_causes())?;
    match again.to_bytes() {
        Ok(bytes) if bytes == written => Ok(true),
        Ok(_) => Err("a model is another one when it is read again".to_owned()),
        Err(error) => Err(error.with_causes()),
    }
}
