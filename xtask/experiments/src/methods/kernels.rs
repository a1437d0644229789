//! Kernels and latent functions to start from. The papers are silent about where.

use crate::error::ExperimentError;
use faer::MatRef;
use gp_ep::SparseProcess;
use gp_kernels::Kernel;
use gp_kernels::placement::{Placement, RandomSubset};

/// A squared exponential of amplitude 1 with a length-scale of √D for each input, which are of variance 1.
///
/// # Errors
/// None, unless there are no inputs.
pub fn one_scale_an_input(dim: usize) -> Result<Box<dyn Kernel>, ExperimentError> {
    Ok(gp_kernels::parse(&format!("1 * rbf(lengthscale=[{}])", scales(dim, 1.0)))?)
}

/// The same with noise of variance 0.1 on the latent function, and length-scales times a factor.
///
/// # Errors
/// As [`one_scale_an_input`].
pub fn with_noise(dim: usize, factor: f64) -> Result<Box<dyn Kernel>, ExperimentError> {
    Ok(gp_kernels::parse(&format!("1 * rbf(lengthscale=[{}]) + 0.1 * white", scales(dim, factor)))?)
}

/// A squared exponential of amplitude 1 with one length-scale of √D.
///
/// # Errors
/// None.
pub fn one_scale(dim: usize) -> Result<Box<dyn Kernel>, ExperimentError> {
    Ok(gp_kernels::parse(&format!("1 * rbf(lengthscale={})", (dim as f64).sqrt()))?)
}

/// A latent function of this kernel with inducing inputs at random rows.
///
/// # Errors
/// For tables that are no inputs.
pub fn at_random_rows(
    kernel: Box<dyn Kernel>,
    inputs: MatRef<'_, f64>,
    inducing: usize,
    seed: u64,
) -> Result<SparseProcess, ExperimentError> {
    let placed = RandomSubset.place(kernel.as_ref(), inputs, inducing, seed)?;
    Ok(SparseProcess::new(kernel, placed.inputs)?)
}

fn scales(dim: usize, factor: f64) -> String {
    vec![format!("{}", factor * (dim as f64).sqrt()); dim].join(", ")
}
