//! Result of a method.

use crate::digits::four_digits;
use crate::model::{Approximation, NOTHING_LEARNED};
use gp_ep::{EvidenceKind, LearningRecord};
use gp_kernels::KernelExt as _;
use gp_kernels::data::DataError;
use gp_optim::{Descended, Parameter, StopReason, Training, TrainingStep};

/// Last iterations whose gain is reported.
const LATE: usize = 10;

/// Fitted posterior with training record.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Posterior and likelihood.
    pub posterior: Approximation,
    /// `ln p(y)` in likelihood units.
    pub objective: f64,
    /// Meaning of the objective.
    pub objective_kind: EvidenceKind,
    /// `true` if training converged.
    pub converged: bool,
    /// Reason for stopping.
    pub reason: String,
    /// Optimiser iterations.
    pub iterations: u64,
    /// Objective plus log priors, after each iteration.
    pub curve: Vec<f64>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// `true` if nothing was learned, per joined fit.
    pub idle: Vec<bool>,
}

impl Fit {
    /// Fit from quasi-Newton training.
    #[must_use]
    pub fn of_training(posterior: Approximation, kind: EvidenceKind, training: &Training) -> Self {
        let warnings = failures(training.failed_evaluations, training.last_failure.as_deref());
        Self {
            posterior,
            objective: training.log_marginal_likelihood,
            objective_kind: kind,
            converged: training.converged,
            reason: reason(training),
            iterations: training.iterations,
            curve: training.history.iter().map(|step: &TrainingStep| step.log_posterior).collect(),
            warnings,
            idle: vec![false],
        }
    }

    /// `true` if parameters moved or started at an optimum.
    #[must_use]
    pub fn is_trained(&self) -> bool {
        let (mut free, likelihood) = (0, self.posterior.likelihood());
        for latent in self.posterior.describe() {
            latent.kernel.for_each_parameter(&mut |parameter| free += parameter.free_len());
        }
        free += likelihood.parameters().iter().map(Parameter::free_len).sum::<usize>();
        self.iterations > 0 || (free > 0 && self.converged)
    }

    pub(crate) fn learned_nothing(&mut self, why: &str) {
        self.idle = vec![true];
        self.has_not_converged(&format!("{NOTHING_LEARNED}: {why}"));
    }

    /// Marks non-convergence; keeps earlier reasons except convergence.
    pub(crate) fn has_not_converged(&mut self, why: &str) {
        self.reason = match self.converged || self.reason.is_empty() {
            true => why.to_owned(),
            false => format!("{why}; {}", self.reason),
        };
        self.converged = false;
    }

    /// Fit from any training; first-order objectives are estimates.
    #[must_use]
    pub fn of_course(posterior: Approximation, kind: EvidenceKind, run: &LearningRecord) -> Self {
        match run {
            LearningRecord::Minimised(training) => Self::of_training(posterior, kind, training),
            LearningRecord::Descended(run) => {
                Self { objective_kind: kind, ..Self::of_descent(posterior, run) }
            }
        }
    }

    /// Fit from first-order training. Curve: mean batch estimate per epoch; objective: last value without log priors.
    #[must_use]
    pub fn of_descent(posterior: Approximation, run: &Descended) -> Self {
        let curve: Vec<f64> = run.epoch_values.iter().map(|value| -value).collect();
        Self {
            objective: curve.last().copied().unwrap_or(f64::NAN) - log_prior(&posterior),
            posterior,
            objective_kind: EvidenceKind::Estimate,
            converged: run.converged,
            reason: run.reason.to_string(),
            iterations: run.iterations,
            curve,
            warnings: failures(run.failed_evaluations, run.last_failure.as_deref()),
            idle: vec![false],
        }
    }
}

fn reason(training: &Training) -> String {
    let (reason, history) = (training.reason.to_string(), &training.history);
    let place = history.len().checked_sub(LATE + 1).filter(|_| training.reason == StopReason::MaxIterations);
    let Some(before) = place.map(|place| history[place].log_posterior) else { return reason };
    let gain = four_digits(training.log_posterior - before);
    format!("{reason}; the last {LATE} iterations gained {gain} nats")
}

/// Log prior of all parameters; shared kernels count once.
pub(crate) fn log_prior(posterior: &Approximation) -> f64 {
    let mut seen: Vec<String> = Vec::new();
    let mut sum = 0.0;
    for latent in posterior.describe() {
        let text = latent.kernel.expression();
        if !seen.contains(&text) {
            latent.kernel.for_each_parameter(&mut |parameter| sum += parameter.log_prior());
            seen.push(text);
        }
    }
    sum + posterior.likelihood().parameters().iter().map(Parameter::log_prior).sum::<f64>()
}

/// Warnings of failed evaluations, except by time limit.
fn failures(count: u64, last: Option<&str>) -> Vec<String> {
    let last = last.filter(|last| !last.ends_with(&DataError::Stopped.to_string()));
    let told = |last| match count {
        1 => format!("1 evaluation failed and was stepped back from, because {last}"),
        _ => format!("{count} evaluations failed and were stepped back from, the last because {last}"),
    };
    last.map(told).into_iter().collect()
}
