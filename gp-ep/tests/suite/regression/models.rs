//! Sparse models to test on.

use super::support::Problem;
use faer::{Mat, MatRef};
use gp_ep::{Blocks, ClosedEvidence as _, Powers, RegressionWorkspace, SparseProcess, SparseRegression};
use gp_kernels::inducing::InducingInputs;
use gp_likelihoods::Gaussian;

pub(crate) fn sparse(kernel: &str, z: MatRef<'_, f64>, noise: f64, power: f64) -> SparseRegression {
    with_inputs(kernel, InducingInputs::points(z).unwrap(), noise, power)
}

pub(crate) fn with_inputs(kernel: &str, inputs: InducingInputs, noise: f64, power: f64) -> SparseRegression {
    let process = SparseProcess::new(gp_kernels::parse(kernel).unwrap(), inputs).unwrap();
    SparseRegression::new(process, Gaussian::new(noise).unwrap(), Powers::Same(power))
}

/// Inducing inputs in the cube of [`Problem`], none at a data point.
pub(crate) fn places(count: usize, dim: usize) -> Mat<f64> {
    Problem::new(count, dim, 900).inputs
}

pub(crate) fn scattered_blocks(observations: usize) -> Blocks {
    let labels: Vec<usize> = (0..observations).map(|i| if i % 7 < 3 { i % 7 } else { 3 }).collect();
    Blocks::from_labels(&labels).unwrap()
}

pub(crate) fn log_z(model: &SparseRegression, problem: &Problem) -> f64 {
    model.log_marginal_likelihood(&problem.data(), &mut RegressionWorkspace::new()).unwrap()
}
