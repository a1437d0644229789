//! Values and gradients of regression.

use super::{Row, Run, Work, drawn};
use crate::error::BenchError;
use gp_ep::exact::ExactWorkspace;
use gp_ep::operations::{self, Extents};
use gp_ep::{ClosedEvidence as _, ExactGp, Powers, RegressionWorkspace, SparseRegression};
use gp_kernels::data::Table;
use gp_likelihoods::Gaussian;
use gp_linalg::Threading;
use gp_optim::ParameterSet as _;

const N: usize = 10_000;
const M: usize = 500;
const D: usize = 8;
const ROWS_OF_EXACT: usize = 2_000;

const SPARSE: Extents = Extents { rows: N, inducing: M, dim: D, latents: 1, processes: 1 };

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "S7",
        what: "VFE, value and gradient, N = 10,000, M = 500, D = 8",
        work: || Work::Operations(operations::regression(&SPARSE, 0.0)),
        prepare: |threading| sparse(0.0, threading),
    },
    Row {
        name: "S8",
        what: "the same by Power EP, α = ½",
        work: || Work::Operations(operations::regression(&SPARSE, 0.5)),
        prepare: |threading| sparse(0.5, threading),
    },
    Row {
        name: "S9",
        what: "exact regression, value and gradient, N = 2,000, D = 8",
        work: || Work::Operations(operations::exact(ROWS_OF_EXACT, D)),
        prepare: exact,
    },
];

pub(crate) fn sparse_model(power: f64) -> Result<(SparseRegression, &'static Table<'static>), BenchError> {
    let points = drawn::points(N, D, 2);
    let data = drawn::table(points, drawn::wave(points))?;
    let model = SparseRegression::new(drawn::process(M, D, 1)?, Gaussian::new(0.1)?, Powers::Same(power));
    Ok((model, data))
}

pub(crate) fn exact_model() -> Result<(ExactGp, &'static Table<'static>), BenchError> {
    let points = drawn::points(ROWS_OF_EXACT, D, 2);
    let data = drawn::table(points, drawn::wave(points))?;
    let kernel = drawn::process(1, D, 1)?.kernel().clone_box();
    Ok((ExactGp::new(kernel, Gaussian::new(0.1)?), data))
}

fn sparse(power: f64, threading: Threading) -> Result<Run, BenchError> {
    let (model, data) = sparse_model(power)?;
    let model = model.with_threading(threading);
    let (mut workspace, mut gradient) = (RegressionWorkspace::new(), vec![0.0; model.parameter_count()]);
    Ok(Box::new(move || {
        model.log_marginal_likelihood_gradient(data, &mut workspace, &mut gradient)?;
        Ok(())
    }))
}

fn exact(threading: Threading) -> Result<Run, BenchError> {
    let (model, data) = exact_model()?;
    let model = model.with_threading(threading);
    let (mut workspace, mut gradient) = (ExactWorkspace::new(threading), vec![0.0; model.parameter_count()]);
    Ok(Box::new(move || {
        model.log_marginal_likelihood_gradient(data, &mut workspace, &mut gradient)?;
        Ok(())
    }))
}
