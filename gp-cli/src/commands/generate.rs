//! `gp generate`: the manual page and completions, from the same definitions as the command line.

use super::print_json;
use crate::error::{CliError, ErrorKind};
use crate::out;
use clap::{ArgAction, Command, ValueEnum};
use clap_complete::Shell;
use serde_json::{Value, json};
use std::io::Write;

/// Options of `gp generate`.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct GenerateOptions {
    /// What to write to the standard output
    #[arg(value_enum)]
    pub what: Generated,
}

/// What there is to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Generated {
    /// Manual page
    Man,
    /// Completions for bash
    Bash,
    /// Completions for zsh
    Zsh,
    /// Completions for fish
    Fish,
    /// JSON schema of the files that `gp fit --config` reads
    Schema,
}

/// The schema of a configuration: a property for each flag of `gp fit`.
fn schema(command: &Command) -> Value {
    let flags = command.find_subcommand("fit").into_iter().flat_map(Command::get_arguments);
    let properties = flags.filter_map(|flag| {
        let name = flag.get_long().filter(|name| *name != "config")?;
        let value = if flag.get_action().takes_values() {
            let choices: Vec<String> =
                flag.get_possible_values().iter().map(|choice| choice.get_name().to_owned()).collect();
            let one = if choices.is_empty() {
                json!({"type": ["string", "number"]})
            } else {
                json!({"enum": choices})
            };
            if matches!(flag.get_action(), ArgAction::Append) {
                json!({"anyOf": [one, {"type": "array", "items": one}]})
            } else {
                one
            }
        } else {
            json!({"type": "boolean"})
        };
        let mut value = value;
        value["description"] = flag.get_help().map(ToString::to_string).into();
        Some((name.to_owned(), value))
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "gp fit --config",
        "type": "object",
        "additionalProperties": false,
        "properties": Value::Object(properties.collect()),
    })
}

/// Writes it, for this command line.
///
/// # Errors
/// Of kind [`Io`](ErrorKind::Io).
pub fn run(options: &GenerateOptions, mut command: Command, out: &mut dyn Write) -> Result<(), CliError> {
    let mut bytes = Vec::new();
    let shell = match options.what {
        Generated::Man => {
            let failed = |cause| CliError::caused(ErrorKind::Io, "cannot write the manual page", cause);
            clap_mangen::Man::new(command).render(&mut bytes).map_err(failed)?;
            return out::print(out, &bytes);
        }
        Generated::Schema => return print_json(out, &schema(&command)),
        Generated::Bash => Shell::Bash,
        Generated::Zsh => Shell::Zsh,
        Generated::Fish => Shell::Fish,
    };
    clap_complete::generate(shell, &mut command, "gp", &mut bytes);
    out::print(out, &bytes)
}
