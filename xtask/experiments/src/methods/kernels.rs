//! Initial kernels and latents; not in the papers.

use crate::error::ExperimentError;
use faer::MatRef;
use gp_ep::SparseProcess;
use gp_kernels::Kernel;
use gp_kernels::placement::{Placement, RandomSubset};

/// RBF, amplitude 1, a length-scale of √D per (standardised) input.
///
/// # Errors
/// `dim` is 0.
pub fn one_scale_an_input(dim: usize) -> Result<Box<dyn Kernel>, ExperimentError> {
    Ok(gp_kernels::parse(&format!("1 * rbf(lengthscale=[{}])", scales(dim, 1.0)))?)
}

/// [`one_scale_an_input`] plus noise of variance 0.1, with scaled length-scales.
///
/// # Errors
/// As [`one_scale_an_input`].
pub fn with_noise(dim: usize, factor: f64) -> Result<Box<dyn Kernel>, ExperimentError> {
    Ok(gp_kernels::parse(&format!("1 * rbf(lengthscale=[{}]) + 0.1 * white", scales(dim, factor)))?)
}

/// RBF, amplitude 1, a single length-scale of √D.
///
/// # Errors
/// None.
pub fn one_scale(dim: usize) -> Result<Box<dyn Kernel>, ExperimentError> {
    Ok(gp_kernels::parse(&format!("1 * rbf(lengthscale={})", (dim as f64).sqrt()))?)
}

/// Authors' initial kernel (Hernández-Lobato & Hernández-Lobato 2016): RBF, amplitude 1, noise variance 10⁻³,
/// squared length-scales the median squared distance of inducing inputs.
///
/// # Errors
/// Mostly coinciding inducing inputs.
pub fn from_distances(inducing: MatRef<'_, f64>) -> Result<Box<dyn Kernel>, ExperimentError> {
    let scale = median_squared_distance(inducing).sqrt();
    let scales = vec![format!("{scale}"); inducing.ncols()].join(", ");
    Ok(gp_kernels::parse(&format!("1 * rbf(lengthscale=[{scales}]) + 0.001 * white"))?)
}

fn median_squared_distance(points: MatRef<'_, f64>) -> f64 {
    let squared = |i: usize, j: usize| -> f64 {
        points.row(i).iter().zip(points.row(j).iter()).map(|(a, b)| (a - b).powi(2)).sum()
    };
    let pairs = (0..points.nrows()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let mut all: Vec<f64> = pairs.map(|(i, j)| squared(i, j)).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(1.0)
}

/// Latent with inducing inputs at random rows.
///
/// # Errors
/// Invalid inputs.
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

#[cfg(test)]
mod tests {
    use super::*;
    use faer::mat;

    /// Points 0, 1, 3: squared distances 1, 4, 9.
    #[test]
    fn the_median_is_of_all_pairs() {
        assert_eq!(median_squared_distance(mat![[0.0], [1.0], [3.0]].as_ref()), 4.0);
        assert_eq!(median_squared_distance(mat![[5.0, 5.0]].as_ref()), 1.0);
    }
}
