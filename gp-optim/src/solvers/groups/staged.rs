//! Minimisation over groups of parameters in turn.

use super::{Groups, Schedule, StagedLbfgs};
use crate::objective::Objective;
use crate::solvers::lbfgs::LbfgsState;
use crate::solvers::run::ControlledRun;
use crate::solvers::{CachedObjective, OptimError, StopReason};
use argmin::core::{OptimizationResult, State};
use serde::{Deserialize, Serialize};

/// Result of a minimisation in stages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Staged {
    /// Lowest point evaluated.
    pub x: Vec<f64>,
    /// Value at `x`.
    pub value: f64,
    /// Completed rounds.
    pub rounds: u64,
    /// Iterations of all stages.
    pub iterations: u64,
    /// Evaluations of all stages.
    pub evaluations: u64,
    /// True if the last round met the tolerance, or a single round's last stage converged.
    pub converged: bool,
    /// Reason to stop.
    pub reason: StopReason,
    /// Failed evaluations of all stages.
    pub failed_evaluations: u64,
    /// Last failure's message.
    pub last_failure: Option<String>,
}

/// Configured minimisation in stages.
pub type StagedRun<O> = ControlledRun<CachedObjective<O>, StagedLbfgs, Vec<f64>>;

/// Minimises in stages by [`Lbfgs`](crate::Lbfgs); ignores learning rates.
///
/// ```
/// use gp_optim::{Groups, MinimiseOptions, Schedule, minimise_in_stages};
/// use std::convert::Infallible;
///
/// let coupled = |x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = 2.0 * (x[0] - 1.0) + x[1];
///     gradient[1] = 2.0 * x[1] + x[0];
///     Ok::<f64, Infallible>((x[0] - 1.0).powi(2) + x[1] * x[1] + x[0] * x[1])
/// };
/// let mut groups = Groups::new();
/// groups.push("left", 1)?;
/// groups.push("right", 1)?;
/// let schedule = Schedule::alternating(&groups, &MinimiseOptions::default());
/// let end = minimise_in_stages(coupled, &[0.0, 0.0], &groups, &schedule)?;
/// assert!(end.converged && (end.x[0] - 4.0 / 3.0).abs() < 1e-2);
/// # Ok::<(), gp_optim::OptimError>(())
/// ```
///
/// # Errors
/// [`OptimError`] for invalid groups, settings or start.
pub fn minimise_in_stages<O: Objective>(
    objective: O,
    x0: &[f64],
    groups: &Groups,
    schedule: &Schedule,
) -> Result<Staged, OptimError> {
    minimise_in_stages_with(objective, x0, groups, schedule, |run| run)
}

/// [`minimise_in_stages`] with observers. A checkpoint replaces `x0`, `groups` and `schedule` (except control).
///
/// # Errors
/// As [`minimise_in_stages`]; errors of observers and checkpoints, [`OptimError::Interrupted`].
pub fn minimise_in_stages_with<O: Objective>(
    objective: O,
    x0: &[f64],
    groups: &Groups,
    schedule: &Schedule,
    attach: impl FnOnce(StagedRun<O>) -> StagedRun<O>,
) -> Result<Staged, OptimError> {
    let solver = StagedLbfgs::new(groups, schedule.clone())?;
    let run = ControlledRun::new(CachedObjective::new(objective), solver)
        .configure(|state: LbfgsState| state.param(x0.to_vec()))
        .under(&schedule.control);
    Ok(staged(attach(run).run()?))
}

fn staged<O>(result: OptimizationResult<O, StagedLbfgs, LbfgsState>) -> Staged {
    let OptimizationResult { solver, mut state, .. } = result;
    let reason = StopReason::of_run(solver.stop_reason(), state.get_termination_reason());
    Staged {
        x: state.take_param().unwrap_or_default(),
        value: state.get_cost(),
        rounds: solver.rounds(),
        iterations: state.get_iter(),
        evaluations: solver.evaluations(),
        converged: reason.is_converged(),
        reason,
        failed_evaluations: solver.failed_evaluations(),
        last_failure: solver.last_failure().map(str::to_owned),
    }
}
