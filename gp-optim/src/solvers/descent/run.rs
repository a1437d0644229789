//! Functions that run first-order methods.

use super::{Descent, UpdateRule};
use crate::solvers::control::Control;
use crate::solvers::point::{DescentState, Point};
use crate::solvers::run::ControlledRun;
use crate::solvers::{OptimError, StopReason};
use crate::stochastic::StochasticObjective;
use argmin::core::{OptimizationResult, State};
use serde::{Deserialize, Serialize};

/// Result of a first-order method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Descended {
    /// Lowest point (whole batches, no drift) or last.
    pub x: Vec<f64>,
    /// Value at `x`; `None` for mini-batches or drift.
    pub value: Option<f64>,
    /// Mean of the last full epoch.
    pub epoch_value: Option<f64>,
    /// Mean per epoch, or of an incomplete first epoch.
    pub epoch_values: Vec<f64>,
    /// Number of iterations.
    pub iterations: u64,
    /// Evaluated batches, failures included.
    pub evaluations: u64,
    /// True within tolerance or noise.
    pub converged: bool,
    /// Reason to stop.
    pub reason: StopReason,
    /// Failed or non-finite evaluations.
    pub failed_evaluations: u64,
    /// Last failure's message.
    pub last_failure: Option<String>,
}

/// Configured first-order run.
pub type DescentRun<O, R> = ControlledRun<O, Descent<R>, Point>;

/// Takes up to `max_iterations` steps.
///
/// ```
/// use gp_optim::{Adam, Batch, Batches, Descent, descend};
/// use std::convert::Infallible;
///
/// // The mean of some data minimises the sum of squares.
/// let data: Vec<f64> = (0..100).map(|i| f64::from(i % 10)).collect();
/// let squares = |x: &[f64], batch: Batch<'_>, gradient: &mut [f64]| {
///     let errors = batch.indices.iter().map(|&i| x[0] - data[i]);
///     gradient[0] = batch.weight * errors.clone().sum::<f64>();
///     Ok::<f64, Infallible>(0.5 * batch.weight * errors.map(|e| e * e).sum::<f64>())
/// };
/// let solver = Descent::new(Adam::with_rate(0.05), Batches::shuffled(100, 10, 1)?)?;
/// let end = descend(squares, &[0.0], solver, 1_000)?;
/// assert!((end.x[0] - 4.5).abs() < 0.3, "{end:?}");
/// # Ok::<(), gp_optim::OptimError>(())
/// ```
///
/// # Errors
/// [`OptimError`] for an invalid start or number of learning rates.
pub fn descend<O: StochasticObjective, R: UpdateRule>(
    objective: O,
    x0: &[f64],
    solver: Descent<R>,
    max_iterations: u64,
) -> Result<Descended, OptimError> {
    descend_with(objective, x0, solver, max_iterations, &Control::new(), |run| run)
}

/// [`descend`] under a control, with observers. A checkpoint replaces `x0` and `solver`.
///
/// # Errors
/// As [`descend`]; [`OptimError::Checkpoint`], [`OptimError::Interrupted`], observers' errors.
pub fn descend_with<O: StochasticObjective, R: UpdateRule>(
    objective: O,
    x0: &[f64],
    solver: Descent<R>,
    max_iterations: u64,
    control: &Control,
    attach: impl FnOnce(DescentRun<O, R>) -> DescentRun<O, R>,
) -> Result<Descended, OptimError> {
    let start = |state: DescentState| state.param(x0.to_vec().into()).max_iters(max_iterations);
    let run = ControlledRun::new(objective, solver).configure(start).under(control);
    Ok(descended(attach(run).run()?))
}

fn descended<O, R: UpdateRule>(result: OptimizationResult<O, Descent<R>, DescentState>) -> Descended {
    let OptimizationResult { solver, mut state, .. } = result;
    let reason = StopReason::of_run(solver.stop_reason(), state.get_termination_reason());
    let value = Some(state.get_best_cost()).filter(|value| value.is_finite());
    let best = if value.is_some() { state.take_best_param() } else { state.take_param() };
    Descended {
        x: best.map(Point::into_vec).unwrap_or_default(),
        value,
        epoch_value: solver.epoch_value(),
        epoch_values: solver.epoch_values(),
        iterations: state.get_iter(),
        evaluations: solver.evaluations(),
        converged: reason.is_converged(),
        reason,
        failed_evaluations: solver.failed_evaluations(),
        last_failure: solver.last_failure().map(str::to_owned),
    }
}
