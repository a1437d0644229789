//! Predictions for many rows.

use super::regression::exact_model;
use super::{Row, Run, Work, drawn};
use crate::error::BenchError;
use faer::MatRef;
use gp_ep::{EpOptions, Inference as _, PowerEp, Powers, Predictor, SparseRegression};
use gp_kernels::data::Table;
use gp_likelihoods::Gaussian;
use gp_linalg::Threading;

const D: usize = 8;
/// New rows, and inducing inputs.
pub(crate) const T: usize = 100_000;
const M: usize = 200;
/// Training and new rows of exact regression.
const N: usize = 2_000;
pub(crate) const T_OF_EXACT: usize = 10_000;
/// Classes, and their new rows.
const CLASSES: usize = 10;
const T_OF_CLASSES: usize = 10_000;

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "S13",
        what: "sparse regression, means and variances of 100,000 rows, M = 200, D = 8",
        // Distances, and a product with the posterior's triangular factor.
        work: || Work::Operations((2 * M * T * D + M * M * T) as f64),
        prepare: sparse,
    },
    Row {
        name: "S13a",
        what: "EP, two classes, probabilities of 100,000 rows, M = 200, D = 8",
        work: || Work::Operations((2 * M * T * D + M * M * T) as f64),
        prepare: labels,
    },
    Row {
        name: "S13b",
        what: "exact regression, means and variances of 10,000 rows, N = 2,000, D = 8",
        work: || Work::Operations((2 * N * T_OF_EXACT * D + N * N * T_OF_EXACT) as f64),
        prepare: exact,
    },
    Row {
        name: "S13c",
        what: "EP, ten classes, means and variances of 10,000 rows, M = 200, D = 784, one kernel and Z",
        // Distances, and per class a product with its posterior's triangular factor.
        work: || Work::Operations((2 * M * T_OF_CLASSES * 784 + CLASSES * M * M * T_OF_CLASSES) as f64),
        prepare: classes,
    },
];

pub(crate) fn new_points(count: usize) -> MatRef<'static, f64> {
    drawn::points(count, D, 7)
}

pub(crate) fn sparse_model() -> Result<(SparseRegression, &'static Table<'static>), BenchError> {
    let points = drawn::points(N, D, 2);
    let data = drawn::table(points, drawn::wave(points))?;
    let model = SparseRegression::new(drawn::process(M, D, 1)?, Gaussian::new(0.1)?, Powers::Same(0.0));
    Ok((model, data))
}

pub(crate) fn labels_model() -> Result<(PowerEp, &'static Table<'static>), BenchError> {
    let points = drawn::points(N, D, 2);
    let data = drawn::table(points, drawn::signs(points))?;
    let model = PowerEp::new(vec![drawn::process(M, D, 1)?], gp_likelihoods::parse("bernoulli_probit")?)?;
    Ok((model, data))
}

/// Predictor of [`labels_model`], near convergence.
pub(crate) fn labels_predictor(
    model: &PowerEp,
    data: &'static Table<'static>,
) -> Result<Predictor, BenchError> {
    let mut ep = gp_ep::BatchEp::new(model, data)?;
    ep.converge(model, &EpOptions { tolerance: 1e-3, ..EpOptions::default() })?;
    Ok(ep.predictor(model)?)
}

fn sparse(threading: Threading) -> Result<Run, BenchError> {
    let (model, data) = sparse_model()?;
    let predictor = model.posterior(data)?.with_threading(threading);
    let new = new_points(T);
    Ok(Box::new(move || {
        predictor.moments(new)?;
        Ok(())
    }))
}

fn labels(threading: Threading) -> Result<Run, BenchError> {
    let (model, data) = labels_model()?;
    let predictor = labels_predictor(&model, data)?.with_threading(threading);
    let new = new_points(T);
    Ok(Box::new(move || {
        predictor.class_probabilities(new)?;
        Ok(())
    }))
}

fn classes(threading: Threading) -> Result<Run, BenchError> {
    let points = drawn::points(N, 784, 2);
    let data = drawn::table(points, drawn::classes(points, CLASSES))?;
    let model = PowerEp::of_alike_classes(CLASSES, drawn::process(M, 784, 1)?, 0.0)?;
    let mut ep = gp_ep::BatchEp::new(&model, data)?;
    ep.converge(&model, &EpOptions { tolerance: 1e-3, max_sweeps: 3, ..EpOptions::default() })?;
    let predictor = ep.predictor(&model)?.with_threading(threading);
    let new = drawn::points(T_OF_CLASSES, 784, 7);
    Ok(Box::new(move || {
        predictor.latents(new)?;
        Ok(())
    }))
}

fn exact(threading: Threading) -> Result<Run, BenchError> {
    let (model, data) = exact_model()?;
    let predictor = model.posterior(data)?.with_threading(threading);
    let new = new_points(T_OF_EXACT);
    Ok(Box::new(move || {
        predictor.moments(new)?;
        Ok(())
    }))
}
