//! Minimising over one set of groups after the other.

use super::restricted::Restricted;
use super::{GroupError, Groups};
use crate::objective::Objective;
use crate::solvers::{MinimiseOptions, Minimum, OptimError, StopReason, minimise};
use serde::{Deserialize, Serialize};

/// A part of a schedule: some groups move, all others stay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Names of the groups that move, those among them that are trained.
    pub groups: Vec<String>,
    /// Budgets and settings of the stage.
    pub options: MinimiseOptions,
}

/// Stages in turn, once or in rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// The stages of a round, in order.
    pub stages: Vec<Stage>,
    /// Rounds that may be done, at least 1.
    pub max_rounds: u64,
    /// Converged when a round changes the objective by less than this.
    pub tolerance: f64,
}

impl Schedule {
    /// One trained group at a time, round after round, until a round changes the objective by less than 10⁻⁶, for
    /// at most 200 rounds (Bonilla, Krauth and Dezfouli 2019, section 9.2).
    #[must_use]
    pub fn alternating(groups: &Groups, options: &MinimiseOptions) -> Self {
        let stage = |name: &str| Stage { groups: vec![name.to_owned()], options: options.clone() };
        Self { stages: groups.trained().map(stage).collect(), max_rounds: 200, tolerance: 1e-6 }
    }

    /// Each stage once.
    #[must_use]
    pub fn once(stages: Vec<Stage>) -> Self {
        Self { stages, max_rounds: 1, tolerance: 0.0 }
    }
}

/// Where a schedule ended, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Staged {
    /// The lowest point seen.
    pub x: Vec<f64>,
    /// The objective there.
    pub value: f64,
    /// Rounds done.
    pub rounds: u64,
    /// Iterations of all stages.
    pub iterations: u64,
    /// Evaluations of all stages.
    pub evaluations: u64,
    /// Whether the last round changed next to nothing; with a single round, whether its last stage has converged.
    pub converged: bool,
    /// Why the run ended.
    pub reason: StopReason,
    /// Evaluations that failed, of all stages.
    pub failed_evaluations: u64,
    /// What the last of them had to say.
    pub last_failure: Option<String>,
}

/// Minimises an objective stage by stage with the guarded L-BFGS. Learning rates of groups play no part.
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
/// [`OptimError`] when the groups do not fit the start or the schedule, a setting is out of range, or the start
/// cannot be evaluated.
pub fn minimise_in_stages<O: Objective>(
    mut objective: O,
    x0: &[f64],
    groups: &Groups,
    schedule: &Schedule,
) -> Result<Staged, OptimError> {
    let moved = resolve(x0, groups, schedule)?;
    let mut run = Progress { x: x0.to_vec(), ..Progress::default() };
    let mut before = f64::INFINITY;
    for round in 1..=schedule.max_rounds {
        let mut last = StopReason::Plateau;
        for (stage, moved) in schedule.stages.iter().zip(&moved) {
            last = run.stage(&mut objective, moved, &stage.options)?;
        }
        let settled = (before - run.value).abs() < schedule.tolerance;
        if settled || round == schedule.max_rounds {
            let many = if settled { StopReason::Plateau } else { StopReason::MaxIterations };
            return Ok(run.end(round, if schedule.max_rounds == 1 { last } else { many }));
        }
        before = run.value;
    }
    Err(GroupError::NoStages.into())
}

/// The positions that each stage moves.
fn resolve(x0: &[f64], groups: &Groups, schedule: &Schedule) -> Result<Vec<Vec<usize>>, OptimError> {
    if !(schedule.tolerance.is_finite() && schedule.tolerance >= 0.0) {
        let (name, allowed) = ("tolerance", "finite and not negative");
        return Err(OptimError::InvalidOption { name, value: schedule.tolerance, allowed });
    }
    if groups.parameters() != x0.len() {
        let (groups, parameters) = (groups.parameters(), x0.len());
        return Err(GroupError::Length { groups, parameters }.into());
    }
    if schedule.stages.is_empty() {
        return Err(GroupError::NoStages.into());
    }
    if let Some(index) = x0.iter().position(|value| !value.is_finite()) {
        return Err(OptimError::StartNotFinite { index, value: x0[index] });
    }
    schedule.stages.iter().enumerate().map(|(index, stage)| positions(index, stage, groups)).collect()
}

fn positions(index: usize, stage: &Stage, groups: &Groups) -> Result<Vec<usize>, OptimError> {
    let names: Vec<&str> = stage.groups.iter().map(String::as_str).collect();
    let rates = groups.stage(1, &names)?.rates;
    let moved: Vec<usize> = (0..rates.len()).filter(|&i| rates[i] > 0.0).collect();
    if moved.is_empty() {
        return Err(GroupError::NothingTrained { stage: index }.into());
    }
    Ok(moved)
}

/// What the stages have come to so far.
#[derive(Default)]
struct Progress {
    x: Vec<f64>,
    value: f64,
    iterations: u64,
    evaluations: u64,
    failures: u64,
    last_failure: Option<String>,
}

impl Progress {
    fn stage<O: Objective>(
        &mut self,
        objective: &mut O,
        moved: &[usize],
        options: &MinimiseOptions,
    ) -> Result<StopReason, OptimError> {
        let start: Vec<f64> = moved.iter().map(|&i| self.x[i]).collect();
        let part: Minimum = minimise(Restricted::new(objective, &self.x, moved), &start, options)?;
        moved.iter().zip(&part.x).for_each(|(&i, value)| self.x[i] = *value);
        self.value = part.value;
        self.iterations += part.iterations;
        self.evaluations += part.evaluations;
        self.failures += part.failed_evaluations;
        self.last_failure = part.last_failure.or(self.last_failure.take());
        Ok(part.reason)
    }

    fn end(self, rounds: u64, reason: StopReason) -> Staged {
        Staged {
            x: self.x,
            value: self.value,
            rounds,
            iterations: self.iterations,
            evaluations: self.evaluations,
            converged: reason.is_converged(),
            reason,
            failed_evaluations: self.failures,
            last_failure: self.last_failure,
        }
    }
}
