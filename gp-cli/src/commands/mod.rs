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

use crate::context::Context;
use crate::data::{Formats, Frame, Input, ReadOptions};
use crate::error::{CliError, ErrorKind};
use crate::fit::{Missing, Stream, complete, drop_incomplete, none_left};
use crate::model::Model;
use crate::notes::Notes;
use crate::out;
use serde::Serialize;
use std::io::Write;

/// How a table is read for a model that is there.
#[derive(Clone, Debug, clap::Args)]
pub struct TableOptions {
    /// Format of the table: {formats}; found from the file unless given
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
        context: &Context,
        model: &Model,
        more: &[String],
        notes: &mut Notes<'_>,
    ) -> Result<Frame, CliError> {
        left_of(context.formats.open(path, &self.of(model, more))?, self.missing, notes)
    }

    /// Looks at the first bytes of a table of which a model needs some columns, beside others.
    fn open(&self, path: &str, model: &Model, more: &[String]) -> Result<Parts<'_>, CliError> {
        let input = Stream::Auto.open(path)?;
        Ok(Parts { options: self, read: self.of(model, more), input })
    }

    fn of(&self, model: &Model, more: &[String]) -> ReadOptions {
        let mut options = model.read_options();
        options.format.clone_from(&self.format);
        options.columns.get_or_insert_default().extend(more.iter().cloned());
        options
    }
}

/// A table for a model that is there, some rows at a time where its format allows that.
struct Parts<'a> {
    options: &'a TableOptions,
    read: ReadOptions,
    input: Input,
}

impl Parts<'_> {
    /// Hands over all rows, those that miss a value left out where that was asked for.
    fn for_each(
        self,
        formats: &Formats,
        notes: &mut Notes<'_>,
        mut each: impl FnMut(&Frame) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let missing = self.options.missing;
        if !formats.of(&self.input, &self.read)?.comes_in_pieces() {
            let frame = formats.read(&self.input.load()?, &self.read)?;
            return each(&left_of(frame, missing, notes)?);
        }
        let (mut rows, mut kept) = (0, 0);
        let mut pieces = formats.pieces(&self.input, &self.read)?;
        while let Some(piece) = pieces.next_piece()? {
            rows += piece.row_count();
            if let Some(piece) = complete(piece, missing)? {
                kept += piece.row_count();
                each(&piece)?;
            }
        }
        match (rows, kept) {
            (0, _) => return Err(Frame::no_rows(self.input.name())),
            (_, 0) => return Err(none_left(self.input.name(), rows)),
            _ => say_dropped(rows - kept, notes),
        }
        Ok(())
    }
}

/// A table without rows that miss a value, where that was asked for.
fn left_of(frame: Frame, missing: Missing, notes: &mut Notes<'_>) -> Result<Frame, CliError> {
    let (frame, dropped) = drop_incomplete(frame, missing)?;
    say_dropped(dropped, notes);
    Ok(frame)
}

fn say_dropped(rows: usize, notes: &mut Notes<'_>) {
    if rows > 0 {
        notes.say(format_args!("left out {rows} rows that miss a value"));
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
