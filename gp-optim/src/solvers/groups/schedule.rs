//! Schedules of groups.

use super::Groups;
use crate::solvers::lbfgs::LbfgsOptions;
use crate::solvers::{Control, MinimiseOptions};
use serde::{Deserialize, Serialize};

/// Stage of a schedule: only some groups move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Names of the groups that move, as far as they are trained.
    pub groups: Vec<String>,
    /// Maximum number of steps each time the stage runs.
    pub max_iterations: u64,
    /// Solver settings, including tolerances, plateau and evaluation limit.
    pub lbfgs: LbfgsOptions,
}

/// Stages in order, once or in rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// Stages of a round, in order.
    pub stages: Vec<Stage>,
    /// Maximum number of rounds, at least 1.
    pub max_rounds: u64,
    /// Converged if a round lowers the objective by at most this (absolute).
    pub tolerance: f64,
    /// Time limit, interrupt and checkpoint.
    #[serde(skip)]
    pub control: Control,
}

impl Schedule {
    /// Stages of one trained group each, in rounds until a round changes the objective by at most 10⁻⁶, at
    /// most 200 (Bonilla, Krauth and Dezfouli 2019, section 9.2).
    ///
    /// The iteration limit of `options` applies to each stage, its control to the whole run.
    #[must_use]
    pub fn alternating(groups: &Groups, options: &MinimiseOptions) -> Self {
        let stage = |name: &str| Stage {
            groups: vec![name.to_owned()],
            max_iterations: options.max_iterations,
            lbfgs: options.lbfgs.clone(),
        };
        let stages = groups.trained().map(stage).collect();
        Self { stages, max_rounds: 200, tolerance: 1e-6, control: options.control.clone() }
    }

    /// Each stage once, in order.
    #[must_use]
    pub fn once(stages: Vec<Stage>) -> Self {
        Self { stages, max_rounds: 1, tolerance: 0.0, control: Control::new() }
    }
}
