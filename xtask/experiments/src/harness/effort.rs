//! Training records, part of every result.

use super::essence::fingerprint;
use gp_ep::LearningRecord;
use gp_optim::StopReason;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Sources of the stopping rules.
const RULES: [&str; 6] = [
    include_str!("../../../../gp-optim/src/solvers/stop.rs"),
    include_str!("../../../../gp-optim/src/solvers/lbfgs.rs"),
    include_str!("../../../../gp-optim/src/solvers/lbfgs/options.rs"),
    include_str!("../../../../gp-optim/src/solvers/descent/options.rs"),
    include_str!("../../../../gp-optim/src/solvers/descent/settled.rs"),
    include_str!("../../../../gp-optim/src/solvers/descent/watch.rs"),
];

/// Reason for stopping, counts, effective settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Effort {
    /// Reasons for stopping, joined by semicolons.
    pub stop: String,
    /// `true` if training ended before the paper's limit, unless L-BFGS converged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_early: bool,
    /// Iterations or steps.
    pub steps: u64,
    /// Evaluations of value and gradient.
    pub evaluations: u64,
    /// Failures, followed by shorter steps.
    pub failed_evaluations: u64,
    /// Checksum of the stopping rules' code.
    pub stopping_rules: String,
    /// Effective settings, such as `likelihood` or `optimizer`.
    pub settings: BTreeMap<String, String>,
}

impl Effort {
    /// Record without an optimiser.
    #[must_use]
    pub fn ended(stop: &str, steps: u64) -> Self {
        Self { stop: stop.to_owned(), steps, evaluations: steps, stopping_rules: rules(), ..Self::default() }
    }

    /// Adds a setting.
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "numbers and words read alike where they are handed over"
    )]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.settings.insert(name.to_owned(), value.to_string());
        self
    }

    /// Adds counts of an earlier record; settings of `self` prevail.
    #[must_use]
    pub fn after(mut self, before: Self) -> Self {
        if before.stop != self.stop && !before.stop.is_empty() {
            self.stop = format!("{}; {}", before.stop, self.stop);
        }
        self.is_early |= before.is_early;
        self.steps += before.steps;
        self.evaluations += before.evaluations;
        self.failed_evaluations += before.failed_evaluations;
        self.settings = before.settings.into_iter().chain(self.settings).collect();
        self
    }
}

impl From<&LearningRecord> for Effort {
    fn from(run: &LearningRecord) -> Self {
        let (evaluations, is_early) = match run {
            LearningRecord::Minimised(run) => (run.evaluations, is_broken_off(&run.reason)),
            LearningRecord::Descended(run) => {
                (run.evaluations, is_broken_off(&run.reason) || run.reason.is_converged())
            }
        };
        Self {
            stop: run.reason().to_string(),
            is_early,
            steps: run.iterations(),
            evaluations,
            failed_evaluations: run.failed_evaluations(),
            stopping_rules: rules(),
            settings: BTreeMap::new(),
        }
    }
}

/// `true` for reasons foreign to the papers.
fn is_broken_off(reason: &StopReason) -> bool {
    matches!(
        reason,
        StopReason::Blocked
            | StopReason::NoProgress
            | StopReason::TimeLimit
            | StopReason::TargetReached
            | StopReason::Interrupted
    )
}

fn rules() -> String {
    fingerprint(&RULES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn efforts_add_up_and_keep_the_settings_of_the_last() {
        let first = Effort::ended("a", 3).with("rate", 0.1).with("kernel", "k");
        let second = Effort { failed_evaluations: 2, ..Effort::ended("b", 4).with("rate", 0.2) };
        let both = second.clone().after(first);
        assert_eq!((both.stop.as_str(), both.steps, both.evaluations), ("a; b", 7, 7));
        assert_eq!((both.failed_evaluations, both.settings["rate"].as_str()), (2, "0.2"));
        assert_eq!(both.settings["kernel"], "k");
        assert_eq!(second.clone().after(second).stop, "b");
    }

    #[test]
    fn only_a_minimiser_may_end_of_its_own_accord() {
        let square = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = 2.0 * x[0];
            Ok::<f64, std::convert::Infallible>(x[0] * x[0])
        };
        let minimum = gp_optim::minimise(square, &[3.0], &gp_optim::MinimiseOptions::default()).unwrap();
        assert!(minimum.reason.is_converged() && !is_broken_off(&minimum.reason));
        assert!(is_broken_off(&StopReason::Blocked) && !is_broken_off(&StopReason::MaxIterations));
    }

    #[test]
    fn a_line_says_so_only_where_training_ended_early() {
        let text = |effort: &Effort| serde_json::to_string(effort).unwrap();
        let effort = Effort::ended("done", 1);
        assert!(!text(&effort).contains("is_early"));
        assert!(text(&Effort { is_early: true, ..effort }).contains("\"is_early\":true"));
    }
}
