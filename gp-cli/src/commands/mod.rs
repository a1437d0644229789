//! The subcommands, one module each: options by clap, and a function that does it.

pub mod check;
pub mod convert;
pub mod cv;
pub mod demo;
mod dependence;
pub mod diagnose;
pub mod eval;
pub mod fit;
pub mod generate;
pub mod inspect;
pub mod plot;
pub mod predict;
pub mod report;
pub mod update;

use crate::data::Frame;
use crate::error::{CliError, ErrorKind};
use crate::fit::{Missing, drop_incomplete};
use crate::model::Model;
use crate::notes::Notes;
use crate::out;
use serde::Serialize;
use std::io::Write;

/// How a table is read for a model that is there.
#[derive(Clone, Debug, clap::Args)]
pub struct TableOptions {
    /// Format of the table: csv, parquet, arrow, npy, npz, idx or libsvm; found from the file unless given
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// Rows that miss a value
    #[arg(long, value_enum, default_value_t = Missing::Error)]
    pub missing: Missing,
}

impl TableOptions {
    /// The columns of a table that a model needs, and some others.
    fn read(
        &self,
        path: &str,
        model: &Model,
        more: &[String],
        notes: &mut Notes<'_>,
    ) -> Result<Frame, CliError> {
        let mut options = model.read_options();
        options.format.clone_from(&self.format);
        options.columns.get_or_insert_default().extend(more.iter().cloned());
        let frame = crate::data::read(path, &options)?;
        let (frame, dropped) = drop_incomplete(frame, self.missing)?;
        if dropped > 0 {
            notes.say(format_args!("left out {dropped} rows that miss a value"));
        }
        Ok(frame)
    }
}

/// Lines of warnings.
fn warn(notes: &mut Notes<'_>, warnings: &[String]) {
    warnings.iter().for_each(|warning| notes.say(format_args!("warning: {warning}")));
}

/// Prints one JSON object.
fn print_json(out: &mut dyn Write, value: &impl Serialize) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|cause| CliError::caused(ErrorKind::Io, "cannot write JSON", cause))?;
    out::print(out, format!("{text}\n").as_bytes())
}
