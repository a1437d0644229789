//! `gp convert`: writes a model as JSON.

use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use crate::files::{InputFiles, OutputFile};
use crate::model::Model;
use crate::notes::Notes;
use crate::out;
use clap::ValueEnum;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Options of `gp convert`.
#[derive(Clone, Debug, clap::Args)]
pub struct ConvertOptions {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Format to write
    #[arg(long, value_enum)]
    pub to: ModelFormat,
    /// File to write (default, or for -: the standard output)
    #[arg(long, short, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
}

/// Format to convert to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModelFormat {
    /// One JSON object with every number of the model
    Json,
}

/// Writes the model in another format.
///
/// # Errors
/// Any failure; the output stays unchanged.
pub fn run(
    options: &ConvertOptions,
    context: &Context,
    out: &mut dyn Write,
    notes: &mut Notes<'_>,
) -> Result<(), CliError> {
    let inputs = InputFiles::none().and("MODEL", Some(&options.model));
    let prepare = |path| OutputFile::prepare("--output", path, options.force, &inputs);
    let path = options.output.as_deref().filter(|path| *path != Path::new("-"));
    let file = path.map(prepare).transpose()?;
    let model = Model::load(&options.model, context)?;
    let ModelFormat::Json = options.to;
    let text = serde_json::to_string_pretty(&model.to_value()?)
        .map_err(|cause| CliError::caused(ErrorKind::Model, "the model cannot be written", cause))?;
    let text = text + "\n";
    match file {
        None => out::print(out, text.as_bytes()),
        Some(file) => {
            let path = file.path().to_owned();
            file.write(text.as_bytes())?;
            notes.end(format_args!("wrote {}", path.display()));
            Ok(())
        }
    }
}
