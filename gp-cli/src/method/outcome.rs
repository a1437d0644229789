//! What a method hands back.

use crate::model::{Approximation, ObjectiveKind};
use gp_optim::{Training, TrainingStep};

/// A fitted posterior, and how it came about.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The posterior and the likelihood.
    pub posterior: Approximation,
    /// `ln p(y)` of the observations as the likelihood takes them.
    pub objective: f64,
    /// What that number is.
    pub objective_kind: ObjectiveKind,
    /// Whether training came to an end by itself.
    pub converged: bool,
    /// Why it ended.
    pub reason: String,
    /// Iterations of the optimiser.
    pub iterations: u64,
    /// The objective with priors, after each iteration.
    pub curve: Vec<f64>,
    /// What is worth knowing.
    pub warnings: Vec<String>,
}

impl Fit {
    /// The outcome of quasi-Newton training.
    pub(super) fn of_training(posterior: Approximation, kind: ObjectiveKind, training: &Training) -> Self {
        let mut warnings = Vec::new();
        if let Some(failure) = &training.last_failure {
            let count = training.failed_evaluations;
            warnings.push(format!(
                "{count} evaluations failed and were stepped back from, the last because {failure}"
            ));
        }
        Self {
            posterior,
            objective: training.log_marginal_likelihood,
            objective_kind: kind,
            converged: training.converged || training.iterations == 0,
            reason: training.reason.to_string(),
            iterations: training.iterations,
            curve: training.history.iter().map(|step: &TrainingStep| step.log_posterior).collect(),
            warnings,
        }
    }
}
