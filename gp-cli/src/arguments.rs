//! The command line.

use crate::commands::{
    check, convert, cv, demo, diagnose, eval, fit, generate, inspect, plot, predict, report, suggest, update,
};
use crate::context::Context;
use crate::error::CliError;
use crate::fit::{self as fitting, FitSpec};
use crate::help;
use crate::memory::parse_size;
use crate::notes::Notes;
use crate::threads::MAX_THREADS;
use clap::{Arg, ArgMatches, CommandFactory, Parser, Subcommand};
use std::io::Write;

/// Gaussian-process models from the command line.
#[derive(Debug, Parser)]
#[command(name = "gp", version, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    /// Command to run.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print only results and errors
    #[arg(long, short, global = true, help_heading = "General")]
    pub(crate) quiet: bool,
    /// Number of threads (default: all)
    #[arg(long, value_name = "T", global = true, help_heading = "General", value_parser = clap::value_parser!(u16).range(1..=i64::from(MAX_THREADS)))]
    pub(crate) threads: Option<u16>,
    /// Memory limit, such as 500M, 2G or 2GiB (default: all free memory)
    #[arg(long, value_name = "SIZE", global = true, help_heading = "General", value_parser = parse_size)]
    pub(crate) memory: Option<u64>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Fit a model that predicts one or several columns of a table from the others
    Fit(fit::FitOptions),
    /// Predict the target for each row of a table
    Predict(predict::PredictOptions),
    /// Score a model on a table with the target, and compare it with simpler models
    #[command(alias = "score", alias = "evaluate")]
    Eval(eval::EvalOptions),
    /// Cross-validate: score each fold of a table with a model fitted to the other rows
    Cv(cv::CvOptions),
    /// Show a model: kernels, relevance of inputs, coverage by inducing points, training
    Inspect(inspect::InspectOptions),
    /// Write an HTML page with a model, its scores and pictures
    Report(report::ReportOptions),
    /// Draw a model with data
    Plot(plot::PlotOptions),
    /// Check a table for problems
    Check(check::CheckOptions),
    /// Suggest the next points to observe
    Suggest(suggest::SuggestOptions),
    /// Compare the gradients of a fit with finite differences
    Diagnose(diagnose::DiagnoseOptions),
    /// Add observations to a model without training its parameters again
    Update(update::UpdateOptions),
    /// Convert a model to a format for other programs
    Convert(convert::ConvertOptions),
    /// Write the manual page, shell completions, or lists of kernels and likelihoods
    Generate(generate::GenerateOptions),
    /// Fit example data and write a model, predictions and a picture
    Demo(demo::DemoOptions),
}

impl Command {
    pub(crate) fn run(
        &self,
        context: &Context,
        out: &mut dyn Write,
        notes: &mut Notes<'_>,
    ) -> Result<(), CliError> {
        match self {
            Self::Fit(options) => fit::run(options, context, out, notes),
            Self::Predict(options) => predict::run(options, context, out, notes),
            Self::Eval(options) => eval::run(options, context, out, notes),
            Self::Cv(options) => cv::run(options, context, out, notes),
            Self::Inspect(options) => inspect::run(options, context, out),
            Self::Report(options) => report::run(options, context, notes),
            Self::Plot(options) => plot::run(options, context, notes),
            Self::Check(options) => check::run(options, context, out, notes),
            Self::Suggest(options) => suggest::run(options, context, out, notes),
            Self::Diagnose(options) => diagnose::run(options, context, out, notes),
            Self::Update(options) => update::run(options, context, out, notes),
            Self::Convert(options) => convert::run(options, context, out, notes),
            Self::Generate(options) => generate::run(options, context, command(context), out),
            Self::Demo(options) => demo::run(options, context, out, notes),
        }
    }

    /// Adds method settings, which clap does not derive.
    pub(crate) fn take_settings(&mut self, matches: &ArgMatches, context: &Context) {
        let spec: &mut FitSpec = match self {
            Self::Fit(options) => &mut options.spec,
            Self::Cv(options) => &mut options.spec,
            Self::Diagnose(options) => &mut options.spec,
            _ => return,
        };
        spec.join_quoted_names();
        if let Some((_, own)) = matches.subcommand() {
            spec.settings = fitting::given(own, &context.methods);
        }
    }
}

/// Command line with registered names and settings.
pub(crate) fn command(context: &Context) -> clap::Command {
    let command = Arguments::command().mut_args(|argument| with_names(argument, context));
    command.mut_subcommands(|subcommand| {
        let fits = subcommand.get_arguments().any(|known| known.get_id() == "method");
        let subcommand = help::arranged(subcommand.mut_args(|argument| with_names(argument, context)));
        if fits { fitting::with_settings(subcommand, &context.methods, help::setting) } else { subcommand }
    })
}

/// Names of values such as 5m or 2G.
const WITH_UNIT: [&str; 2] = ["TIME", "SIZE"];

fn with_names(argument: Arg, context: &Context) -> Arg {
    let is_flag = argument.get_long().is_some() && argument.get_action().takes_values();
    let has_unit = argument
        .get_value_names()
        .is_some_and(|names| names.iter().any(|name| WITH_UNIT.contains(&name.as_str())));
    // A negative value reaches the parser of the flag, which says what is wrong with it.
    let argument = match (is_flag, has_unit) {
        (true, true) => argument.allow_hyphen_values(true),
        (true, false) => argument.allow_negative_numbers(true),
        (false, _) => argument,
    };
    let Some(help) = argument.get_help().map(ToString::to_string).filter(|help| help.contains('{')) else {
        return argument;
    };
    let piecewise = context.formats.iter().filter(|format| format.comes_in_pieces());
    let help = help
        .replace("{methods}", &context.methods.names().join(", "))
        .replace("{streaming}", &fitting::streaming(&context.methods).join(", "))
        .replace("{placements}", &context.placements.names().join(", "))
        .replace("{databases}", &databases(context))
        .replace("{formats}", &context.formats.names().join(", "))
        .replace("{piecewise}", &piecewise.map(|format| format.name()).collect::<Vec<_>>().join(", "))
        .replace("{writers}", &context.writers.extensions().join(", "));
    argument.help(help)
}

fn databases(context: &Context) -> String {
    let names: Vec<&str> =
        context.formats.iter().filter(|format| format.takes_queries()).map(|format| format.name()).collect();
    if names.is_empty() { "none in this program".to_owned() } else { names.join(", ") }
}

const EXIT_CODES: &str = "\
Exit codes: 0 success, 2 wrong command line, 3 wrong data, 4 wrong model file, 5 numerical failure, 6 not converged \
(with --strict), 7 files cannot be read or written, 8 another process of several failed, 130 interrupted";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command(&Context::built_in()).debug_assert();
    }
}
