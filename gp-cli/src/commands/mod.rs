//! Subcommands: clap options and function `run`.

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
pub mod suggest;
mod targets;
mod term_panels;
mod traffic;
pub mod update;
mod views;

use crate::context::Context;
use crate::data::{Formats, Frame, Input, ReadOptions, Stream, TableChoice, labels_beside};
use crate::error::{CliError, ErrorKind};
use crate::files::InputFiles;
use crate::left_out::{LeftOut, counted, others};
use crate::missing::{Missing, MissingRules, none_left};
use crate::model::Model;
use crate::notes::Notes;
use crate::out;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Options for reading a table, for commands with an existing model.
#[derive(Clone, Debug, clap::Args)]
pub struct TableOptions {
    /// Table to read
    #[command(flatten)]
    pub choice: TableChoice,
    /// Treatment of rows with missing values. `gp predict` writes a line with empty cells for a row that is left out
    #[arg(long, value_enum, default_value_t = Missing::Error)]
    pub missing: Missing,
}

impl TableOptions {
    fn check_unread(&self, flag: &str) -> Result<(), CliError> {
        let TableChoice { format, table, query } = &self.choice;
        let given = [
            ("--format", format.is_some()),
            ("--table", table.is_some()),
            ("--query", query.is_some()),
            ("--missing", self.missing != Missing::Error),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(CliError::usage(format!(
                "{name} makes no difference without {flag}, since no table is read; leave it out"
            ))),
            None => Ok(()),
        }
    }

    fn read(
        &self,
        path: &str,
        context: &Context,
        model: &Model,
        besides: Besides<'_>,
        notes: &mut Notes<'_>,
    ) -> Result<Frame, CliError> {
        self.read_counted(path, context, model, besides, notes).map(|(frame, _)| frame)
    }

    fn read_counted(
        &self,
        path: &str,
        context: &Context,
        model: &Model,
        besides: Besides<'_>,
        notes: &mut Notes<'_>,
    ) -> Result<(Frame, Vec<usize>), CliError> {
        notes.stage(format_args!("reading {path}"));
        let rules = MissingRules::of_model(model, self.missing)?;
        let read = left_of(context.formats.open(path, &self.of(model, besides))?, &rules, notes)?;
        notes.stage(format_args!("working on {}", counted(read.0.row_count(), "row")));
        Ok(read)
    }

    fn open(
        &self,
        path: &str,
        formats: &Formats,
        model: &Model,
        besides: Besides<'_>,
    ) -> Result<TablePieces, CliError> {
        let input = Stream::Auto.open(path, formats)?;
        Ok(TablePieces { read: self.of(model, besides), input })
    }

    fn of(&self, model: &Model, besides: Besides<'_>) -> ReadOptions {
        let mut options = model.read_options();
        options.choice.clone_from(&self.choice);
        let (Besides::Identifiers(names) | Besides::Roles(names)) = besides;
        options.columns.get_or_insert_default().extend(names.iter().cloned());
        if let Besides::Identifiers(names) = besides {
            options.verbatim.extend(names.iter().cloned());
        }
        options
    }
}

fn and_settings(inputs: InputFiles, config: Option<&PathBuf>, inducing: &[PathBuf]) -> InputFiles {
    let inputs = inputs.and("--config", config);
    inducing.iter().fold(inputs, |inputs, path| inputs.and("--inducing-file", Some(path)))
}

fn and_table(inputs: InputFiles, word: &'static str, path: &str) -> InputFiles {
    inputs.and(word, Some(path)).and("the labels of images", labels_beside(path).as_ref())
}

#[derive(Clone, Copy, Debug)]
enum Besides<'a> {
    /// Copied as written.
    Identifiers(&'a [String]),
    Roles(&'a [String]),
}

const NOTHING: Besides<'_> = Besides::Roles(&[]);

/// Table in chunks, if the format allows.
struct TablePieces {
    read: ReadOptions,
    input: Input,
}

impl TablePieces {
    /// Passes all rows to `each`, even incomplete ones.
    fn for_each(
        self,
        formats: &Formats,
        mut each: impl FnMut(&Frame) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        if !formats.of(&self.input, &self.read)?.comes_in_pieces() {
            return each(&formats.read_input(self.input, &self.read)?);
        }
        let mut is_empty = true;
        let mut pieces = formats.pieces(&self.input, &self.read)?;
        while let Some(piece) = pieces.next_piece()? {
            is_empty = false;
            each(&piece)?;
        }
        if is_empty { Err(Frame::no_rows(self.input.name())) } else { Ok(()) }
    }
}

/// Table without incomplete rows, and their indices, ascending. Of several targets, one suffices.
fn left_of(
    frame: Frame,
    rules: &MissingRules,
    notes: &mut Notes<'_>,
) -> Result<(Frame, Vec<usize>), CliError> {
    rules.check_targets(&frame)?;
    let rows = frame.row_count();
    let complete = rules.remaining(&frame, frame.columns());
    let missed = others(rows, &complete);
    match (missed.len(), complete.len()) {
        (0, _) => return Ok((frame, missed)),
        (_, 0) => return Err(none_left(frame.source(), rows)),
        _ => {}
    }
    let mut left_out = LeftOut::default();
    left_out.add(&frame, &missed);
    let (count, verb) = (left_out.count(), if left_out.count() == 1 { "misses" } else { "miss" });
    let (rows, places) = (counted(rows, "row"), left_out.places());
    let what = rules.missed();
    notes.say(format_args!("left out {count} of {rows}, which {verb} {what}: {places}"));
    Ok((frame.rows(&complete)?, missed))
}

fn each_once(names: &[String]) -> impl Iterator<Item = &str> {
    let is_new = |(place, name): &(usize, &String)| !names[..*place].contains(name);
    names.iter().enumerate().filter(is_new).map(|(_, name)| name.as_str())
}

fn warn(notes: &mut Notes<'_>, warnings: &[String]) {
    warnings.iter().for_each(|warning| notes.say(format_args!("warning: {warning}")));
}

fn print_json(out: &mut dyn Write, value: &impl Serialize) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|cause| CliError::caused(ErrorKind::Io, "cannot write JSON", cause))?;
    out::print(out, format!("{text}\n").as_bytes())
}
