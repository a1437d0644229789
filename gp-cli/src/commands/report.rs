//! `gp report`: what a model has learned and how good it is, as one page with pictures in it.

use super::{TableOptions, inspect, plot, warn};
use crate::context::Context;
use crate::data::Frame;
use crate::error::{CliError, ErrorKind};
use crate::evaluate::{Evaluation, evaluate, table};
use crate::files::OutputFile;
use crate::model::Model;
use crate::notes::Notes;
use crate::picture::{CURVE, Layer, Picture};
use std::path::PathBuf;

/// Options of `gp report`.
#[derive(Clone, Debug, clap::Args)]
pub struct ReportOptions {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Table with the target to score on
    #[arg(long, value_name = "DATA")]
    pub test: Option<String>,
    /// Page to write
    #[arg(long, short, value_name = "HTML")]
    pub output: PathBuf,
    /// How the table is read
    #[command(flatten)]
    pub table: TableOptions,
    /// Replace a file that is there
    #[arg(long)]
    pub force: bool,
}

/// Writes the page.
///
/// # Errors
/// Of the kind of whatever failed; the output is then as it was.
pub fn run(options: &ReportOptions, context: &Context, notes: &mut Notes<'_>) -> Result<(), CliError> {
    let output = OutputFile::prepare(&options.output, options.force)?;
    let model = Model::load(&options.model, context)?;
    let read = |path: &String| options.table.read(path, context, &model, &[], notes);
    let frame = options.test.as_ref().map(read).transpose()?;
    let scores = frame.as_ref().map(|frame| evaluate(&model, frame)).transpose()?;
    if let Some(scores) = &scores {
        warn(notes, &scores.warnings);
    }
    output.write(page(&model, frame.as_ref().zip(scores.as_ref()))?.as_bytes())?;
    notes.say(format_args!("wrote {}", output.path().display()));
    Ok(())
}

/// The text of the page: what was learned, the course of training, and for a table scores and a picture.
///
/// # Errors
/// As [`plot::picture`].
pub fn page(model: &Model, scored: Option<(&Frame, &Evaluation)>) -> Result<String, CliError> {
    let title = escaped(&format!("{} by {}", model.target().name, model.about().training.method));
    let mut body = format!(
        "<h1>{title}</h1>\n<h2>What was learned</h2>\n<pre>{}</pre>\n",
        escaped(&inspect::text(model))
    );
    if let Some(curve) = training_curve(model) {
        body += &format!("<h2>Training</h2>\n{}\n", svg(&curve)?);
    }
    if let Some((frame, evaluation)) = scored {
        let scores = escaped(&table(evaluation));
        let picture = svg(&plot::picture(model, frame)?)?;
        body += &format!("<h2>Scores on {}</h2>\n<pre>{scores}</pre>\n{picture}\n", escaped(frame.source()));
    }
    let head = "<meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">";
    let style = "<style>body{font-family:sans-serif;max-width:75em;margin:2em auto;padding:0 1em}pre{overflow-x:auto}svg{width:100%;height:auto}</style>";
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head>{head}<title>{title}</title>{style}</head>\n<body>\n{body}</body></html>\n"
    ))
}

/// The objective after each iteration, where there were some.
fn training_curve(model: &Model) -> Option<Picture> {
    let y = model.about().training.curve.clone();
    let x: Vec<f64> = (0..y.len()).map(|iteration| iteration as f64).collect();
    let layers = vec![Layer::Line { x, colour: CURVE, label: "log posterior density".to_owned(), y }];
    let picture = Picture {
        title: "course of training".to_owned(),
        x_name: "iteration".to_owned(),
        y_name: "nats".to_owned(),
        layers,
        ..Picture::default()
    };
    (model.about().training.curve.len() > 1).then_some(picture)
}

/// A picture as an element of the page, which scales with it.
fn svg(picture: &Picture) -> Result<String, CliError> {
    let text = String::from_utf8(picture.svg()?)
        .map_err(|cause| CliError::caused(ErrorKind::Io, "cannot draw the picture", cause))?;
    // Fonts are those of the page.
    Ok(text.replace("font-family=\"gp-picture\"", "font-family=\"sans-serif\""))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
