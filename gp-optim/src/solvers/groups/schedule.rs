//! Which groups move together, in what order, and for how long.

use super::Groups;
use crate::solvers::lbfgs::LbfgsOptions;
use crate::solvers::{Control, MinimiseOptions};
use serde::{Deserialize, Serialize};

/// A part of a schedule: some groups move, all others stay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Names of the groups that move, those among them that are trained.
    pub groups: Vec<String>,
    /// Steps that the stage may take each time.
    pub max_iterations: u64,
    /// Settings of its solver, among them its tolerances, its plateau and the budget of evaluations.
    pub lbfgs: LbfgsOptions,
}

/// Stages in turn, once or in rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// The stages of a round, in order.
    pub stages: Vec<Stage>,
    /// Rounds that may be done, at least 1.
    pub max_rounds: u64,
    /// Converged when a round changes the objective by no more than this.
    pub tolerance: f64,
    /// Who may end the run: a limit on time, an interrupt; and the file from which it goes on.
    #[serde(skip)]
    pub control: Control,
}

impl Schedule {
    /// One trained group at a time, round after round, until a round changes the objective by no more than 10⁻⁶,
    /// for at most 200 rounds (Bonilla, Krauth and Dezfouli 2019, section 9.2).
    ///
    /// The iterations that `options` allow are those of one stage, its control is that of the whole.
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
