//! From an objective and a start to a minimum and the reason why it is one.

use super::cached::CachedObjective;
use super::control::Control;
use super::error::OptimError;
use super::history::History;
use super::lbfgs::{Lbfgs, LbfgsOptions, LbfgsState};
use super::run::ControlledRun;
use super::stop::StopReason;
use super::vector::max_norm;
use crate::objective::Objective;
use argmin::core::{OptimizationResult, State};
use serde::{Deserialize, Serialize};

/// Budgets of a run and settings of its solver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MinimiseOptions {
    /// Iterations that the run may spend; 0 evaluates the start and returns it.
    pub max_iterations: u64,
    /// Settings of the solver, among them its tolerances, its plateau and the budget of evaluations.
    pub lbfgs: LbfgsOptions,
    /// Who may end the run: a limit on time, an interrupt; and the file from which it goes on.
    #[serde(skip)]
    pub control: Control,
}

impl Default for MinimiseOptions {
    fn default() -> Self {
        Self { max_iterations: 1_000, lbfgs: LbfgsOptions::default(), control: Control::new() }
    }
}

/// Where a minimisation ended, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Minimum {
    /// The lowest point seen.
    pub x: Vec<f64>,
    /// The objective there.
    pub value: f64,
    /// The gradient there.
    pub gradient: Vec<f64>,
    /// Largest magnitude in that gradient.
    pub gradient_norm: f64,
    /// Iterations done.
    pub iterations: u64,
    /// Evaluations of value and gradient together, failed ones included. A trial that rounding puts on a recent
    /// point counts, although the objective is not asked again.
    pub evaluations: u64,
    /// Whether the point is a minimum as far as the tolerances tell.
    pub converged: bool,
    /// Why the run ended.
    pub reason: StopReason,
    /// Evaluations that failed or gave something not finite, each stepped back from.
    pub failed_evaluations: u64,
    /// What the last of them had to say.
    pub last_failure: Option<String>,
}

/// A minimisation by the guarded L-BFGS, ready to be run.
pub type Run<O> = ControlledRun<CachedObjective<O>, Lbfgs, Vec<f64>>;

/// Minimises an objective from a start by the guarded L-BFGS.
///
/// ```
/// use gp_optim::{MinimiseOptions, minimise};
/// use std::convert::Infallible;
///
/// let rosenbrock = |x: &[f64], gradient: &mut [f64]| {
///     let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
///     gradient[0] = -2.0 * a - 400.0 * b * x[0];
///     gradient[1] = 200.0 * b;
///     Ok::<f64, Infallible>(a * a + 100.0 * b * b)
/// };
/// let minimum = minimise(rosenbrock, &[-1.2, 1.0], &MinimiseOptions::default())?;
/// assert!(minimum.converged, "{}", minimum.reason);
/// assert!((minimum.x[0] - 1.0).abs() < 1e-5);
/// # Ok::<(), gp_optim::OptimError>(())
/// ```
///
/// # Errors
/// [`OptimError`] when a setting is out of range, or when the start is empty, not finite or cannot be evaluated.
/// Everything that goes wrong later is part of the [`Minimum`].
pub fn minimise<O: Objective>(
    objective: O,
    x0: &[f64],
    options: &MinimiseOptions,
) -> Result<Minimum, OptimError> {
    minimise_with(objective, x0, options, |run| run)
}

/// Like [`minimise`], with observers attached to the run by `attach`.
///
/// A checkpoint that holds a state is resumed from: the run then continues with the settings and counts stored
/// there, and `x0` is ignored.
///
/// # Errors
/// As [`minimise`]; [`OptimError::BrokenOff`] when an observer fails, [`OptimError::Checkpoint`] and
/// [`OptimError::Interrupted`].
pub fn minimise_with<O: Objective>(
    objective: O,
    x0: &[f64],
    options: &MinimiseOptions,
    attach: impl FnOnce(Run<O>) -> Run<O>,
) -> Result<Minimum, OptimError> {
    let solver = Lbfgs::new(options.lbfgs.clone())?;
    let run = ControlledRun::new(CachedObjective::new(objective), solver)
        .configure(|state: LbfgsState| state.param(x0.to_vec()).max_iters(options.max_iterations))
        .under(&options.control);
    Ok(minimum(attach(run).run()?))
}

/// Like [`minimise`], with the course of the run.
pub(super) fn minimise_recording<O: Objective>(
    objective: O,
    x0: &[f64],
    options: &MinimiseOptions,
    history: &History,
) -> Result<Minimum, OptimError> {
    minimise_with(objective, x0, options, |run| run.recording(history.clone()))
}

fn minimum<O>(result: OptimizationResult<O, Lbfgs, LbfgsState>) -> Minimum {
    let OptimizationResult { solver, mut state, .. } = result;
    let reason = StopReason::of_run(solver.stop_reason(), state.get_termination_reason());
    let gradient = state.take_gradient().unwrap_or_default();
    Minimum {
        x: state.take_param().unwrap_or_default(),
        value: state.get_cost(),
        gradient_norm: max_norm(&gradient),
        gradient,
        iterations: state.get_iter(),
        evaluations: solver.evaluations(),
        converged: reason.is_converged(),
        reason,
        failed_evaluations: solver.failed_evaluations(),
        last_failure: solver.last_failure().map(str::to_owned),
    }
}
