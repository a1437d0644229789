//! `gp eval`: scores a model on a table.

use super::report::page;
use super::traffic::with_traffic;
use super::{NOTHING, TableOptions, and_table, print_json, warn};
use crate::context::Context;
use crate::error::CliError;
use crate::evaluate::{evaluate_by, table};
use crate::files::{InputFiles, OutputFile};
use crate::in_step::check_inputs;
use crate::left_out::counted;
use crate::model::Model;
use crate::notes::Notes;
use crate::out;
use std::io::Write;
use std::path::PathBuf;

/// Options of `gp eval`.
#[derive(Clone, Debug, clap::Args)]
pub struct EvalOptions {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Table with the target; - is the standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// Options for reading the table
    #[command(flatten)]
    pub table: TableOptions,
    /// Page with scores and pictures to write
    #[arg(long, value_name = "HTML")]
    pub report: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    /// Print scores as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Prints scores; writes a report on request.
///
/// # Errors
/// Any failure.
pub fn run(
    options: &EvalOptions,
    context: &Context,
    out: &mut dyn Write,
    notes: &mut Notes<'_>,
) -> Result<(), CliError> {
    let inputs = InputFiles::none().and("MODEL", Some(&options.model));
    let inputs = and_table(inputs, "DATA", &options.data);
    check_inputs(&context.team, &inputs)?;
    let prepare = |path: &PathBuf| OutputFile::prepare("--report", path, options.force, &inputs);
    let report = options.report.as_ref().map(prepare).transpose()?;
    let model = Model::load(&options.model, context)?;
    let (frame, left_out) = options.table.read_counted(&options.data, context, &model, NOTHING, notes)?;
    notes.stage(format_args!("scoring {}", counted(frame.row_count(), "row")));
    let evaluation = evaluate_by(&context.team, &model, &frame)?;
    warn(notes, &evaluation.warnings);
    let scored = [(frame, evaluation)];
    if let Some(report) = report {
        let path = report.path().to_owned();
        report.write(page(&model, &scored)?.as_bytes())?;
        notes.say(format_args!("wrote {}", path.display()));
    }
    let [(_, evaluation)] = scored;
    if options.json {
        let mut scores = evaluation.to_json();
        scores["left_out"] = left_out.len().into();
        print_json(out, &with_traffic(scores, &context.team)?)
    } else {
        out::print(out, table(&evaluation).as_bytes())
    }
}
