//! EP on all observations until convergence.

use super::{Row, Run, Work, drawn};
use crate::error::BenchError;
use gp_ep::power_ep::{GradientKind, Level};
use gp_ep::{BatchEp, EpOptions, PowerEp};
use gp_kernels::data::Table;
use gp_kernels::inducing::{InducingInputs, SparseProcess};
use gp_linalg::Threading;
use gp_optim::ParameterSet as _;

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "S10",
        what: "EP, probit, N = 500, Z = X, from the prior to convergence at 1e-6, and the gradient",
        work: || Work::Whole,
        prepare: full,
    },
    Row {
        name: "S11",
        what: "generalised FITC, probit, N = 4,770, M = 100, D = 2, from the prior to convergence at 1e-6",
        work: || Work::Whole,
        prepare: latent,
    },
];

/// Binary EP with Z = X, and data.
pub(crate) fn full_model() -> Result<(PowerEp, &'static Table<'static>), BenchError> {
    let points = drawn::points(500, 8, 2);
    let data = drawn::table(points, drawn::signs(points))?;
    let kernel = gp_kernels::parse("4 * rbf(lengthscale=1.5)")?;
    let process = SparseProcess::new(kernel, InducingInputs::points(points)?)?.with_fixed_inputs();
    Ok((PowerEp::new(vec![process], gp_likelihoods::parse("bernoulli_probit")?)?, data))
}

fn full(threading: Threading) -> Result<Run, BenchError> {
    let (model, data) = full_model()?;
    let model = model.with_threading(threading);
    let mut gradient = vec![0.0; model.parameter_count()];
    Ok(Box::new(move || {
        let mut ep = BatchEp::new(&model, data)?;
        ep.converge(&model, &EpOptions::default())?;
        ep.log_z_gradient(&model, GradientKind::Converged, &mut gradient)?;
        Ok(())
    }))
}

fn latent(threading: Threading) -> Result<Run, BenchError> {
    let points = drawn::points(4_770, 2, 2);
    let data = drawn::table(points, drawn::signs(points))?;
    let model = PowerEp::new(vec![drawn::process(100, 2, 1)?], gp_likelihoods::parse("bernoulli_probit")?)?
        .with_level(Level::Latent)
        .with_threading(threading);
    Ok(Box::new(move || {
        let mut ep = BatchEp::new(&model, data)?;
        ep.converge(&model, &EpOptions::default())?;
        Ok(())
    }))
}
