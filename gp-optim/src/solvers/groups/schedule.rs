//! Schedules of groups.

use super::Groups;
use crate::solvers::lbfgs::LbfgsOptions;
use crate::solvers::{Control, MinimiseOptions};
use serde::{Deserialize, Serialize};

/// Minimisation over some groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Moving groups, if trained.
    pub groups: Vec<String>,
    /// Maximum steps per round.
    pub max_iterations: u64,
    /// Solver settings and limits.
    pub lbfgs: LbfgsOptions,
}

/// Stages in order, once or in rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// Stages of a round, in order.
    pub stages: Vec<Stage>,
    /// Round limit, at least 1.
    pub max_rounds: u64,
    /// Largest decrease per round at convergence.
    pub tolerance: f64,
    /// Time limit, interrupt and checkpoint.
    #[serde(skip)]
    pub control: Control,
}

impl Schedule {
    /// One stage per trained group, 200 rounds, tolerance 10⁻⁶ (Bonilla et al. 2019 §9.2). Iteration limits are per
    /// stage.
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
