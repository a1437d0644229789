//! `gp generate`: manual page, completions, schema, kernels, likelihoods.

use super::print_json;
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use crate::method::Methods;
use crate::out;
use clap::{ArgAction, Command, ValueEnum};
use clap_complete::Shell;
use gp_kernels::KernelExt as _;
use serde_json::{Value, json};
use std::io::Write;

/// Options of `gp generate`.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct GenerateOptions {
    /// Text to write to the standard output
    #[arg(value_enum)]
    pub what: Generated,
}

/// Output to generate.
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
    /// All kernels, each with a summary, other names and an example with all parameters
    Kernels,
    /// All likelihoods, in the same form
    Likelihoods,
    /// JSON schema of the files that `gp fit --config` reads
    Schema,
}

const NAMES: &str =
    "Names may be in any case, and other names stand for the one above them where they mean one alone.\n";

/// Configuration files: one property per flag of `gp fit`.
fn schema(command: &Command, methods: &Methods) -> Value {
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
        if let Some(default) = methods.default_value(name) {
            value["default"] = default;
        }
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

fn entry(example: &str, summary: &str, aliases: &[&str]) -> String {
    let also = match aliases {
        [] => String::new(),
        some => format!("    also: {}\n", some.join(", ")),
    };
    format!("{example}\n    {summary}\n{also}\n")
}

fn kernels(known: &gp_kernels::Registry) -> Result<String, CliError> {
    let lines = known.entries().iter().map(|one| {
        let kernel = known.parse(one.example());
        let kernel = kernel.map_err(|cause| no_example(one.name(), cause))?;
        Ok(entry(&kernel.expression(), one.summary(), one.aliases()))
    });
    let lines: String = lines.collect::<Result<_, CliError>>()?;
    Ok(lines
        + "A sum of products: 1.3 * rbf(ard=true) + linear(dims=[0]) * periodic(period=1).\n\
           dims=[0, 2] restricts a kernel to some inputs, by number from 0 or by name as in dims=[age, colour]; ard=true gives\n\
           one value for each input;\n\
           lengthscale=fixed(2), lengthscale=2 in [0.1, 10] and lengthscale=2 ~ log_normal(0, 1) fix, bound and expect.\n"
        + NAMES)
}

fn likelihoods(known: &gp_likelihoods::Registry) -> Result<String, CliError> {
    let lines = known.entries().iter().map(|one| {
        let likelihood = known.parse(one.example());
        let likelihood = likelihood.map_err(|cause| no_example(one.name(), cause))?;
        Ok(entry(&likelihood.expression(), one.summary(), one.aliases()))
    });
    lines.collect()
}

fn no_example(name: &str, cause: impl std::error::Error + Send + Sync + 'static) -> CliError {
    CliError::caused(ErrorKind::Usage, format!("the example of {name} cannot be read"), cause)
}

/// Writes the requested output.
///
/// # Errors
/// [`Io`](ErrorKind::Io); [`Usage`](ErrorKind::Usage) for unparsable examples.
pub fn run(
    options: &GenerateOptions,
    context: &Context,
    mut command: Command,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let mut bytes = Vec::new();
    let shell = match options.what {
        Generated::Man => {
            let failed = |cause| CliError::caused(ErrorKind::Io, "cannot write the manual page", cause);
            clap_mangen::Man::new(command).render(&mut bytes).map_err(failed)?;
            return out::print(out, &bytes);
        }
        Generated::Kernels => return out::print(out, kernels(&context.kernels)?.as_bytes()),
        Generated::Likelihoods => return out::print(out, likelihoods(&context.likelihoods)?.as_bytes()),
        Generated::Schema => return print_json(out, &schema(&command, &context.methods)),
        Generated::Bash => Shell::Bash,
        Generated::Zsh => Shell::Zsh,
        Generated::Fish => Shell::Fish,
    };
    clap_complete::generate(shell, &mut command, "gp", &mut bytes);
    out::print(out, &bytes)
}
