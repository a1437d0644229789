//! `--config TOML`: flags from a file; the command line wins.

use crate::data::quoted;
use crate::error::{CliError, ErrorKind};
use crate::files::read_at_most;
use crate::memory::size_text;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use gp_optim::did_you_mean;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

const LARGEST: u64 = 4_000_000;

/// Appends entries that the command line lacks.
pub(crate) fn expand(command: &Command, arguments: Vec<OsString>) -> Result<Vec<OsString>, CliError> {
    // The main parser reports an invalid command line.
    let Ok(matches) = command.clone().try_get_matches_from(&arguments) else { return Ok(arguments) };
    let Some((_, given)) = matches.subcommand() else { return Ok(arguments) };
    let Ok(Some(path)) = given.try_get_one::<PathBuf>("config") else { return Ok(arguments) };
    expand_text(command, arguments, path, &read(path)?)
}

fn read(path: &Path) -> Result<String, CliError> {
    let failed = |cause| CliError::io("read", path, cause);
    let bytes = read_at_most(path, LARGEST).map_err(failed)?;
    let bytes = bytes.ok_or_else(|| {
        let most = size_text(LARGEST as f64);
        usage(path, &format!("more than {most}; is it a configuration file?"))
    })?;
    String::from_utf8(bytes).map_err(|_| usage(path, "not UTF-8 text; is it a configuration file?"))
}

pub(crate) fn expand_text(
    command: &Command,
    mut arguments: Vec<OsString>,
    path: &Path,
    text: &str,
) -> Result<Vec<OsString>, CliError> {
    let Ok(matches) = command.clone().try_get_matches_from(&arguments) else { return Ok(arguments) };
    let Some((name, given)) = matches.subcommand() else { return Ok(arguments) };
    let table: Table = text.parse().map_err(|cause: toml::de::Error| {
        let line = cause.span().map_or(0, |span| 1 + text[..span.start].matches('\n').count());
        usage(path, &format!("line {line}: {}", cause.message()))
    })?;
    if let Some(subcommand) = command.find_subcommand(name) {
        for (key, value) in &table {
            arguments.extend(flag(path, (command, subcommand), given, key, value)?);
        }
    }
    Ok(arguments)
}

/// Arguments for an entry; none if the command line has its flag or a conflicting one.
fn flag(
    path: &Path,
    (top, command): (&Command, &Command),
    given: &ArgMatches,
    key: &str,
    value: &Value,
) -> Result<Vec<OsString>, CliError> {
    let flags = || {
        command.get_arguments().chain(top.get_arguments()).filter(|flag| flag.get_long() != Some("config"))
    };
    let Some(flag) = flags().find(|flag| flag.get_long() == Some(key)) else {
        let known: Vec<&str> = flags().filter_map(clap::Arg::get_long).collect();
        let (meant, known) = (did_you_mean(key, known.iter().copied()), known.join(", "));
        return Err(usage(path, &format!("there is no `{key}`; there are {known}{meant}")));
    };
    let id = flag.get_id().as_str();
    if given.ids().any(|known| known == id) && given.value_source(id) == Some(ValueSource::CommandLine) {
        return Ok(Vec::new());
    }
    if given.ids().any(|known| excludes(command, (flag, known.as_str()), given)) {
        return Ok(Vec::new());
    }
    if !flag.get_action().takes_values() {
        return match value {
            Value::Boolean(true) => Ok(vec![format!("--{key}").into()]),
            Value::Boolean(false) => Ok(Vec::new()),
            _ => Err(usage(path, &format!("`{key}` is true or false"))),
        };
    }
    let values = match value {
        Value::Array(values) => values.as_slice(),
        one => std::slice::from_ref(one),
    };
    // A TOML list is already split: its values may contain commas.
    let is_list = flag.get_value_delimiter().is_some() && value.is_array();
    let text = |value| word(path, key, value).map(|text| if is_list { quoted(&text) } else { text });
    values.iter().map(|value| Ok(format!("--{key}={}", text(value)?).into())).collect()
}

fn excludes(command: &Command, (flag, known): (&Arg, &str), given: &ArgMatches) -> bool {
    let Some(said) = command.get_arguments().find(|other| other.get_id() == known) else { return false };
    let apart = |one: &Arg, other: &Arg| {
        command.get_arg_conflicts_with(one).iter().any(|conflict| conflict.get_id() == other.get_id())
    };
    given.value_source(known) == Some(ValueSource::CommandLine) && (apart(flag, said) || apart(said, flag))
}

fn word(path: &Path, key: &str, value: &Value) -> Result<String, CliError> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(gp_optim::format_number(*number)),
        _ => Err(usage(path, &format!("`{key}` is a text or a number, or a list of them"))),
    }
}

fn usage(path: &Path, what: &str) -> CliError {
    CliError::new(ErrorKind::Usage, format!("`{}`: {what}", path.display()))
}
