//! `gp report`: HTML page on a model and its scores.

mod html;
mod learned;
mod scores;

use super::{TableOptions, targets, warn};
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
    /// Table with the target, to score on
    #[arg(long, value_name = "DATA")]
    pub test: Option<String>,
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

/// Writes the page.
///
/// # Errors
/// Any failure; the output is then unchanged.
pub fn run(options: &ReportOptions, context: &Context, notes: &mut Notes<'_>) -> Result<(), CliError> {
    let inputs = InputFiles::none().and("MODEL", Some(&options.model)).and("--test", options.test.as_ref());
    let output = OutputFile::prepare("--output", &options.output, options.force, &inputs)?;
    let model = Model::load(&options.model, context)?;
    let read = |path: &String| options.table.read(path, context, &model, &[], notes);
    let frame = options.test.as_ref().map(read).transpose()?;
    let scores = frame.as_ref().map(|frame| evaluate(&model, frame)).transpose()?;
    if let Some(scores) = &scores {
        warn(notes, &scores.warnings);
    }
    output.write(page(&model, frame.as_ref().zip(scores.as_ref()))?.as_bytes())?;
    notes.say(format_args!("wrote {}", options.output.display()));
    Ok(())
}

/// HTML text: learned quantities, influences, training and, with a table, scores and plots.
///
/// # Errors
/// As [`plot::picture`](super::plot::picture).
pub fn page(model: &Model, scored: Option<(&Frame, &Evaluation)>) -> Result<String, CliError> {
    let names: Vec<&str> = model.targets().iter().map(|target| target.name.as_str()).collect();
    let title = format!("{} by {}", names.join(", "), model.about().training.method);
    let mut sections = vec![learned::learned(model)];
    sections.extend(learned::depends_on(model));
    if let Some((frame, evaluation)) = scored {
        sections.push(scores::scores(frame, evaluation));
        for (one, rows) in targets::seen(model, frame)? {
            sections.push(scores::pictures(&one, &rows, model.has_several_targets())?);
        }
    }
    sections.push(learned::training(model)?);
    sections.push(learned::again(model));
    Ok(html::page(&title, &learned::lead(model), &sections))
}
