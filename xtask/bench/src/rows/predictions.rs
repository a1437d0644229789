//! Predictions for many rows.

use super::{Row, Run, Work, drawn};
use crate::BenchError;
use gp_ep::{EpOptions, ExactGp, Inference as _, PowerEp, Powers, SparseRegression};
use gp_likelihoods::Gaussian;
use gp_linalg::Threading;

const D: usize = 8;
/// New rows, and inducing inputs.
const T: usize = 100_000;
const M: usize = 200;
/// Rows of exact regression, and new ones.
const N: usize = 2_000;
const T_OF_EXACT: usize = 10_000;

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "S13",
        what: "sparse regression, means and variances of 100,000 rows, M = 200, D = 8",
        // Distances, a projection, and a product with the posterior's factor.
        work: Work::Operations((2 * M * T * D + 2 * M * M * T) as f64),
        prepare: sparse,
    },
    Row {
        name: "S13a",
        what: "EP, two classes, probabilities of 100,000 rows, M = 200, D = 8",
        work: Work::Operations((2 * M * T * D + 2 * M * M * T) as f64),
        prepare: labels,
    },
    Row {
        name: "S13b",
        what: "exact regression, means and variances of 10,000 rows, N = 2,000, D = 8",
        work: Work::Operations((2 * N * T_OF_EXACT * D + N * N * T_OF_EXACT) as f64),
        prepare: exact,
    },
];

fn sparse(threading: Threading) -> Result<Run, BenchError> {
    let points = drawn::points(N, D, 2);
    let data = drawn::table(points, drawn::wave(points))?;
    let model = SparseRegression::new(drawn::process(M, D, 1)?, Gaussian::new(0.1)?, Powers::Same(0.0));
    let predictor = model.posterior(data)?.with_threading(threading);
    let new = drawn::points(T, D, 7);
    Ok(Box::new(move || {
        predictor.moments(new)?;
        Ok(())
    }))
}

fn labels(threading: Threading) -> Result<Run, BenchError> {
    let points = drawn::points(N, D, 2);
    let data = drawn::table(points, drawn::signs(points))?;
    let model = PowerEp::new(vec![drawn::process(M, D, 1)?], gp_likelihoods::parse("bernoulli_probit")?)?;
    let mut ep = gp_ep::BatchEp::new(&model, data)?;
    ep.converge(&model, &EpOptions { tolerance: 1e-3, ..EpOptions::default() })?;
    let predictor = ep.predictor(&model)?.with_threading(threading);
    let new = drawn::points(T, D, 7);
    Ok(Box::new(move || {
        predictor.class_probabilities(new)?;
        Ok(())
    }))
}

fn exact(threading: Threading) -> Result<Run, BenchError> {
    let points = drawn::points(N, D, 2);
    let data = drawn::table(points, drawn::wave(points))?;
    let kernel = drawn::process(1, D, 1)?.kernel().clone_box();
    let predictor = ExactGp::new(kernel, Gaussian::new(0.1)?).posterior(data)?.with_threading(threading);
    let new = drawn::points(T_OF_EXACT, D, 7);
    Ok(Box::new(move || {
        predictor.moments(new)?;
        Ok(())
    }))
}
