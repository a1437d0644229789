//! Latent functions of a model at the rows of a table.

use gp_cli::CliError;
use gp_cli::data::Frame;
use gp_cli::model::Model;
use numpy::ndarray::{Array2, Array3};

/// Means and variances, rows × functions.
pub(crate) fn moments(model: &Model, table: &Frame) -> Result<(Array2<f64>, Array2<f64>), CliError> {
    let seen = model.encode(table)?;
    let beliefs = model.posterior().beliefs(seen.x())?;
    let functions = beliefs.functions();
    let shape = (table.row_count(), functions.len());
    let mean = Array2::from_shape_fn(shape, |(row, q)| functions[q].mean[row]);
    Ok((mean, Array2::from_shape_fn(shape, |(row, q)| functions[q].variance[row])))
}

/// Joint draws, rows × samples × functions.
pub(crate) fn draws(
    model: &Model,
    table: &Frame,
    samples: usize,
    seed: u64,
) -> Result<Array3<f64>, CliError> {
    let seen = model.encode(table)?;
    let drawn = model.posterior().sample_latents(seen.x(), samples, seed)?;
    let shape = (table.row_count(), samples, drawn.len());
    Ok(Array3::from_shape_fn(shape, |(row, sample, q)| drawn[q][(row, sample)]))
}
