//! Minimisation of an objective.

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

/// Limits and settings of a minimisation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MinimiseOptions {
    /// Iteration limit; 0 evaluates the start only.
    pub max_iterations: u64,
    /// Solver settings and limits.
    pub lbfgs: LbfgsOptions,
    /// Time limit, interrupt and checkpoint.
    #[serde(skip)]
    pub control: Control,
}

impl Default for MinimiseOptions {
    fn default() -> Self {
        Self { max_iterations: 1_000, lbfgs: LbfgsOptions::default(), control: Control::new() }
    }
}

/// Result of a minimisation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Minimum {
    /// Lowest point evaluated.
    pub x: Vec<f64>,
    /// Value at `x`.
    pub value: f64,
    /// Gradient at `x`.
    pub gradient: Vec<f64>,
    /// Largest absolute entry of `gradient`.
    pub gradient_norm: f64,
    /// Number of iterations.
    pub iterations: u64,
    /// Evaluations, failures and repeated points included.
    pub evaluations: u64,
    /// True if converged within tolerances.
    pub converged: bool,
    /// Reason to stop.
    pub reason: StopReason,
    /// Failed or non-finite evaluations.
    pub failed_evaluations: u64,
    /// Last failure's message.
    pub last_failure: Option<String>,
}

/// Configured minimisation by [`Lbfgs`].
pub type Run<O> = ControlledRun<CachedObjective<O>, Lbfgs, Vec<f64>>;

/// Minimises by [`Lbfgs`].
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
/// [`OptimError`] for invalid settings or start.
pub fn minimise<O: Objective>(
    objective: O,
    x0: &[f64],
    options: &MinimiseOptions,
) -> Result<Minimum, OptimError> {
    minimise_with(objective, x0, options, |run| run)
}

/// [`minimise`] with observers. A checkpoint replaces `x0`.
///
/// # Errors
/// As [`minimise`]; [`OptimError::BrokenOff`] by an observer, [`OptimError::Checkpoint`], [`OptimError::Interrupted`].
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
