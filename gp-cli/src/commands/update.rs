//! `gp update`: more observations for a model, its parameters as they are.

use super::{TableOptions, warn};
use crate::error::{CliError, ErrorKind};
use crate::files::OutputFile;
use crate::model::{Approximation, Model, Posterior};
use crate::notes::Notes;
use faer::{Mat, MatRef};
use gp_ep::{ExactGp, ExactPosterior, Observations};
use std::path::PathBuf;

/// Options of `gp update`.
#[derive(Clone, Debug, clap::Args)]
pub struct UpdateOptions {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Table with more observations; - is the standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// Model file to write
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// How the table is read
    #[command(flatten)]
    pub table: TableOptions,
    /// Replace a file that is there
    #[arg(long)]
    pub force: bool,
}

/// Writes the model with more observations.
///
/// # Errors
/// Of kind [`Usage`](ErrorKind::Usage) for a model whose method does not keep what an update needs; otherwise of the
/// kind of whatever failed.
pub fn run(options: &UpdateOptions, notes: &mut Notes<'_>) -> Result<(), CliError> {
    let output = OutputFile::prepare(&options.output, options.force)?;
    let model = Model::load(&options.model)?;
    let [Posterior::Exact(exact)] = model.posterior().latents() else {
        let message = format!(
            "a model of method {} does not keep the sites that an update needs; fit it again with all rows",
            model.about().training.method
        );
        return Err(CliError::new(ErrorKind::Usage, message));
    };
    let frame = options.table.read(&options.data, &model, &[], notes)?;
    frame.require(&[&model.target().name])?;
    let encoded = model.inputs().encode(&frame)?;
    warn(notes, &encoded.warnings);
    let observations = model.observations(&frame)?.unwrap_or_default();
    let posterior = extended(exact, encoded.points.as_ref(), &observations)?;
    let mut about = model.about().clone();
    about.training.rows += observations.len();
    let scale = model.target().scale().scale;
    about.training.objective = posterior.log_marginal_likelihood() - about.training.rows as f64 * scale.ln();
    let likelihood = Box::new(posterior.noise().clone());
    let approximation = Approximation::new(vec![Posterior::Exact(Box::new(posterior))], likelihood);
    // The linear model has not seen the new rows; beside one that has, it would look worse than it is.
    output.write(&Model::new(about, approximation, None).to_bytes()?)?;
    notes.say(format_args!("wrote {} with {} more rows", output.path().display(), observations.len()));
    Ok(())
}

/// The same model given the old observations and new ones.
fn extended(
    exact: &ExactPosterior,
    points: MatRef<'_, f64>,
    targets: &[f64],
) -> Result<ExactPosterior, CliError> {
    let (old, rows) = (exact.inputs(), exact.targets().len());
    let inputs = Mat::from_fn(rows + points.nrows(), points.ncols(), |i, d| {
        if i < rows { old[(i, d)] } else { points[(i - rows, d)] }
    });
    let targets: Vec<f64> = exact.targets().iter().chain(targets).copied().collect();
    let gp = ExactGp::new(exact.kernel().clone_box(), exact.noise().clone());
    Ok(gp.condition(&Observations::new(inputs.as_ref(), &targets)?)?)
}
