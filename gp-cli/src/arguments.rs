//! The command line.

use crate::commands::{
    check, convert, cv, demo, diagnose, eval, fit, generate, inspect, plot, predict, report, update,
};
use crate::error::CliError;
use crate::notes::Notes;
use clap::{Parser, Subcommand};
use std::io::Write;

/// Gaussian-process models from the command line.
#[derive(Debug, Parser)]
#[command(name = "gp", version, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Say nothing but results and errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Threads to work with; all there are unless given
    #[arg(long, value_name = "T", global = true, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Learn a model of one column of a table from the others
    Fit(fit::FitOptions),
    /// Predict the rows of a table
    Predict(predict::PredictOptions),
    /// Score a model on a table that has the target, beside simpler models
    Eval(eval::EvalOptions),
    /// Fit and score on parts of a table in turn
    Cv(cv::CvOptions),
    /// Show what a model has learned
    Inspect(inspect::InspectOptions),
    /// Write a page with what a model has learned, scores and pictures
    Report(report::ReportOptions),
    /// Draw a model and data
    Plot(plot::PlotOptions),
    /// Look for what would hurt in a table
    Check(check::CheckOptions),
    /// Compare the gradients that a fit would use with differences
    Diagnose(diagnose::DiagnoseOptions),
    /// Take in more observations without learning parameters anew
    Update(update::UpdateOptions),
    /// Write a model in a format that other programs read
    Convert(convert::ConvertOptions),
    /// Write the manual page or completions for a shell
    Generate(generate::GenerateOptions),
    /// Train on data that comes with the program and write a model, predictions and a picture
    Demo(demo::DemoOptions),
}

impl Command {
    /// Does it: results to `out`, everything else as notes.
    pub(crate) fn run(&self, out: &mut dyn Write, notes: &mut Notes<'_>) -> Result<(), CliError> {
        match self {
            Self::Fit(options) => fit::run(options, out, notes),
            Self::Predict(options) => predict::run(options, out, notes),
            Self::Eval(options) => eval::run(options, out, notes),
            Self::Cv(options) => cv::run(options, out, notes),
            Self::Inspect(options) => inspect::run(options, out),
            Self::Report(options) => report::run(options, notes),
            Self::Plot(options) => plot::run(options, notes),
            Self::Check(options) => check::run(options, out, notes),
            Self::Diagnose(options) => diagnose::run(options, out, notes),
            Self::Update(options) => update::run(options, notes),
            Self::Convert(options) => convert::run(options, out, notes),
            Self::Generate(options) => generate::run(options, out),
            Self::Demo(options) => demo::run(options, out, notes),
        }
    }
}

const EXIT_CODES: &str = "\
Exit codes: 0 success, 2 wrong command line, 3 wrong data, 4 wrong model file, 5 numerical failure, 6 not converged \
(with --strict), 7 files cannot be read or written, 130 interrupted";

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }
}
