//! Problems whose value is a log marginal likelihood, its bound or its estimate.

use super::JITTER;
use super::file::Problem;
use crate::error::BenchError;
use crate::rows::{regression, sweeps};
use gp_ep::{BatchEp, EpOptions, Inference as _};

/// `value`: VFE bound, or log marginal likelihood.
pub(super) fn sparse(power: f64) -> Result<Problem, BenchError> {
    let (model, data) = regression::sparse_model(power)?;
    let model = model.with_jitter(JITTER);
    let value = model.log_evidence(data)?.value;
    let problem = Problem::default().process(model.process(0), &JITTER)?.data(data)?;
    Ok(problem.number("noise", model.noise().variance()).number("value", value))
}

/// `value`: log marginal likelihood.
pub(super) fn exact() -> Result<Problem, BenchError> {
    let (model, data) = regression::exact_model()?;
    let value = model.log_evidence(data)?.value;
    let problem = Problem::default().kernel(model.kernel()).data(data)?;
    Ok(problem.number("noise", model.noise().variance()).number("value", value))
}

/// `value`: EP's estimate at converged sites.
pub(super) fn ep() -> Result<Problem, BenchError> {
    let (mut model, data) = sweeps::full_model()?;
    model.set_jitter(JITTER);
    let mut ep = BatchEp::new(&model, data)?;
    let done =
        ep.converge(&model, &EpOptions { tolerance: 1e-10, log_z_tolerance: 1e-13, ..EpOptions::default() })?;
    let problem = Problem::default().process(model.process(0), &JITTER)?.data(data)?;
    Ok(problem.number("value", done.last.log_z))
}
