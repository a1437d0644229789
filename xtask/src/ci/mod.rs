//! `cargo xtask ci`: all checks on a clean checkout.

mod runner;
mod step;
mod template;

use std::io::Write;
use std::path::Path;
use std::process::Command;

use clap::builder::PossibleValuesParser;

use crate::cargo::Cargo;
use crate::error::XtaskError;
use crate::{faults, program, supply, tidy, workspace};
use step::{Step, Work};

/// Options of `cargo xtask ci`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print the steps and their commands instead of running them
    #[arg(long, conflicts_with_all = ["keep_going", "step"])]
    list: bool,
    /// Run the remaining steps after one has failed
    #[arg(long, conflicts_with = "step")]
    keep_going: bool,
    /// Run this step only
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(step::names()))]
    step: Option<String>,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), XtaskError> {
    let root = workspace::root()?;
    let cargo = Cargo::of_this_toolchain();
    let steps = step::all(cargo.has_nextest());
    if args.list {
        return list(&steps, out);
    }
    let chosen: Vec<Step> =
        steps.into_iter().filter(|step| args.step.as_deref().is_none_or(|name| name == step.name)).collect();
    runner::run(&chosen, args.keep_going, out, &mut |step, out| perform(step, &cargo, &root, out))
}

fn list(steps: &[Step], out: &mut dyn Write) -> Result<(), XtaskError> {
    for step in steps {
        writeln!(out, "{:<9} {}", step.name, step.about)?;
        writeln!(out, "{:<9} {}", "", step.command_line())?;
    }
    Ok(())
}

fn fuzz(cargo: &Cargo, root: &Path) -> Result<(), XtaskError> {
    const PROGRAM: &str = "gp-fuzz";
    program::build_checked(cargo, root, PROGRAM)?;
    let mut run = Command::new(program::built(root, PROGRAM));
    run.args(["--seconds", step::FUZZ_SECONDS]).stderr(std::io::stdout());
    cargo.pass_on(run)
}

fn perform(step: &Step, cargo: &Cargo, root: &Path, out: &mut dyn Write) -> Result<(), XtaskError> {
    match &step.work {
        Work::Tidy => tidy::check(root, out),
        Work::Faults => faults::check(root, cargo, faults::ROUNDS_OF_CI, 0, out),
        Work::Supply => supply::check(cargo, root, out),
        Work::Cargo(command) => cargo.run(command, root),
        Work::Fuzz => fuzz(cargo, root),
        Work::Template => template::check(cargo, root),
    }
}
