//! Schedule of groups: order and duration.

use super::Groups;
use crate::solvers::lbfgs::LbfgsOptions;
use crate::solvers::{Control, MinimiseOptions};
use serde::{Deserialize, Serialize};

/// Part of a schedule: some groups move, all others stay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Names of the moving groups; untrained ones stay.
    pub groups: Vec<String>,
    /// Most steps per visit of the stage.
    pub max_iterations: u64,
    /// Settings of its solver, including tolerances, plateau and evaluation limit.
    pub lbfgs: LbfgsOptions,
}

/// Stages in turn, once or in rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// Stages of a round, in order.
    pub stages: Vec<Stage>,
    /// Most rounds, at least 1.
    pub max_rounds: u64,
    /// Convergence: a round changes the objective by at most this.
    pub tolerance: f64,
    /// Time limit, interrupt and checkpoint.
    #[serde(skip)]
    pub control: Control,
}

impl Schedule {
    /// One trained group at a time, in rounds until one changes the objective by at most 10⁻⁶, at most 200
    /// (Bonilla, Krauth and Dezfouli 2019, section 9.2).
    ///
    /// Iteration limits of `options` are per stage; its control is that of the whole.
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

    /// Each stage once.
    #[must_use]
    pub fn once(stages: Vec<Stage>) -> Self {
        Self { stages, max_rounds: 1, tolerance: 0.0, control: Control::new() }
    }
}
