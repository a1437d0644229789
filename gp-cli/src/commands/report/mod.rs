//! `gp report`: HTML page.

mod html;
mod learned;
mod scores;

use super::{NOTHING, TableOptions, and_table, targets, warn};
use crate::context::Context;
use crate::data::Frame;
use crate::error::CliError;
use crate::evaluate::{Evaluation, evaluate};
use crate::files::{InputFiles, OutputFile};
use crate::model::Model;
use crate::notes::Notes;
use std::path::PathBuf;

/// Options of `gp report`.
#[derive(Clone, Debug, clap::Args)]
pub struct ReportOptions {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Tables to score on, as with --test
    #[arg(value_name = "DATA")]
    pub tables: Vec<String>,
    /// Table to score on, with the target; may be repeated, for example for training and test rows
    #[arg(long, value_name = "DATA")]
    pub test: Vec<String>,
    /// Page to write
    #[arg(long, short, value_name = "HTML")]
    pub output: PathBuf,
    /// Options for reading the table
    #[command(flatten)]
    pub table: TableOptions,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
}

/// Writes the report.
///
/// # Errors
/// Any failure; the output stays unchanged.
pub fn run(options: &ReportOptions, context: &Context, notes: &mut Notes<'_>) -> Result<(), CliError> {
    let tables: Vec<&String> = options.tables.iter().chain(&options.test).collect();
    if tables.iter().filter(|path| **path == "-").count() > 1 {
        return Err(CliError::usage(
            "--test - is given twice, and standard input can be read once".to_owned(),
        ));
    }
    if tables.is_empty() {
        options.table.check_unread("--test")?;
    }
    let inputs = InputFiles::none().and("MODEL", Some(&options.model));
    let inputs = tables.iter().fold(inputs, |inputs, path| and_table(inputs, "--test", path));
    let output = OutputFile::prepare("--output", &options.output, options.force, &inputs)?;
    let model = Model::load(&options.model, context)?;
    let mut scored = Vec::with_capacity(tables.len());
    for path in tables {
        let frame = options.table.read(path, context, &model, NOTHING, notes)?;
        let scores = evaluate(&model, &frame)?;
        warn(notes, &scores.warnings);
        scored.push((frame, scores));
    }
    output.write(page(&model, &scored)?.as_bytes())?;
    notes.end(format_args!("wrote {}", options.output.display()));
    Ok(())
}

/// HTML: model, influences, training; per table, scores and plots.
///
/// # Errors
/// As [`plot::picture`](super::plot::picture).
pub fn page(model: &Model, scored: &[(Frame, Evaluation)]) -> Result<String, CliError> {
    let names: Vec<&str> = model.targets().iter().map(|target| target.name.as_str()).collect();
    let title = format!("{} by {}", names.join(", "), model.about().training.method_with_power());
    let mut sections = vec![learned::learned(model)];
    sections.extend(learned::depends_on(model));
    for (frame, evaluation) in scored {
        sections.push(scores::scores(frame, evaluation));
        let among = (scored.len() > 1).then(|| frame.source());
        for (one, rows) in targets::seen(model, frame)? {
            sections.push(scores::pictures(&one, &rows, (model.has_several_targets(), among))?);
        }
    }
    sections.push(learned::training(model)?);
    sections.push(learned::again(model));
    Ok(html::page(&title, &learned::lead(model), &sections))
}
