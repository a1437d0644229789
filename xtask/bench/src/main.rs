//! `cargo xtask bench`: times of every method on one and all threads, relative to rates of matrix products and memory
//! in the same run.
//!
//! Rows count only operations that the mathematics needs. The shortest run counts; rates are the better of before and
//! after.

mod compare;
mod error;
mod machine;
mod measure;
mod problems;
mod rows;
mod table;
mod timing;

use clap::Parser;
use error::BenchError;
use measure::{Measured, Report};
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

/// Time every method, relative to the machine's rates
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
struct Arguments {
    /// Rows to run, such as `S1` (default: all)
    #[arg(long, value_name = "ROW", value_delimiter = ',')]
    only: Vec<String>,
    /// Least seconds per row and number of threads; every row runs at least three times
    #[arg(long, value_name = "SECONDS", default_value_t = 6.0)]
    seconds: f64,
    /// Write the results to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the table to this file, as Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Fail if a row takes over 15 % longer (beyond noise) or allocates over 15 % more than in this JSON
    /// file, or cannot be compared
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Write rows as problems for other programs to this folder, with expected values; run nothing
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["json", "markdown", "compare", "list"])]
    problems: Option<PathBuf>,
    /// List the rows and their operations; run nothing
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode, BenchError> {
    let chosen = rows::chosen(&arguments.only)?;
    if arguments.list {
        print!("{}", table::list(&chosen));
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(folder) = &arguments.problems {
        problems::write(&chosen, folder)?;
        return Ok(ExitCode::SUCCESS);
    }
    // Refuse an unsuitable file before measuring.
    let before = arguments.compare.as_deref().map(compare::read).transpose()?;
    let machine = machine::name();
    before.as_ref().map_or(Ok(()), |before| compare::check(before, &machine, &chosen))?;
    let report = Report { machine, commit: machine::commit(), rows: measured(&chosen, arguments.seconds)? };
    let text = table::markdown(&report);
    print!("{text}");
    if let Some(file) = &arguments.json {
        fs::write(file, serde_json::to_string_pretty(&report)? + "\n")?;
    }
    if let Some(file) = &arguments.markdown {
        fs::write(file, text)?;
    }
    let Some(before) = before else { return Ok(ExitCode::SUCCESS) };
    let found = compare::compare(&before, &report);
    print!("{}", found.text());
    Ok(if found.is_passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn measured(chosen: &[&rows::Row], seconds: f64) -> Result<Vec<Measured>, BenchError> {
    let each = |row: &&rows::Row| {
        eprintln!("{}: {}", row.name, row.what);
        measure::row(row, seconds).map_err(|error| format!("row {}: {error}", row.name).into())
    };
    chosen.iter().map(each).collect()
}
