//! `cargo xtask bench`: time of every method on one thread and on all, relative to the matrix-product and memory rates
//! of the machine in the same run.
//!
//! A row is a piece of work that other programs do too, with the operations its mathematics needs. Further operations
//! of a program do not count: a share of 50 % of the product rate means that a perfect program would take half as long.
//! Times are the shortest of several runs, since interference only adds, and rates are the best before and after.

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

/// Time of the work of every method, compared with the rates of the machine
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
struct Arguments {
    /// Rows to run, such as `S1`; all unless given
    #[arg(long, value_name = "ROW", value_delimiter = ',')]
    only: Vec<String>,
    /// Seconds of each row on so many threads, at least; every row runs three times or more
    #[arg(long, value_name = "SECONDS", default_value_t = 6.0)]
    seconds: f64,
    /// Write what was found into this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the table into this file, as Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Fail where a row takes over 15 % more than in this file, beyond the noise of both
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Write the rows that other programs have too into this folder, with the values that must come out, and run nothing
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["json", "markdown", "compare", "list"])]
    problems: Option<PathBuf>,
    /// Print the rows and what they count, and run nothing
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
    // Detect an unsuitable file before spending minutes.
    let before = arguments.compare.as_deref().map(compare::read).transpose()?;
    let machine = machine::name();
    before.as_ref().map_or(Ok(()), |before| compare::check(before, &machine, &chosen))?;
    let report = Report { machine, rows: measured(&chosen, arguments.seconds)? };
    let text = table::markdown(&report);
    print!("{text}");
    if let Some(file) = &arguments.json {
        fs::write(file, serde_json::to_string_pretty(&report)? + "\n")?;
    }
    if let Some(file) = &arguments.markdown {
        fs::write(file, text)?;
    }
    let Some(before) = before else { return Ok(ExitCode::SUCCESS) };
    let slower = compare::slower(&before, &report);
    slower.iter().for_each(|line| println!("{line}"));
    Ok(if slower.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn measured(chosen: &[&rows::Row], seconds: f64) -> Result<Vec<Measured>, BenchError> {
    let each = |row: &&rows::Row| {
        eprintln!("{}: {}", row.name, row.what);
        measure::row(row, seconds).map_err(|error| format!("row {}: {error}", row.name).into())
    };
    chosen.iter().map(each).collect()
}
