//! All rounds of learning as one training.

use super::model::Ivm;
use super::train::IvmTraining;
use gp_optim::{ParameterSet, StopReason, Training};

/// Relative decrease that counts as a gain.
const TOLERANCE: f64 = 1e-3;
const SETTLED: &str = "a new active set gained nothing any more";

impl IvmTraining {
    /// All rounds as one training; log evidence: minus criterion. Converged on a plateau, without gain after
    /// `wanted` rounds, or if `wanted` is 0.
    #[must_use]
    pub fn summary(&self, model: &Ivm, wanted: usize) -> Training {
        let trainings = || self.rounds.iter().filter_map(|round| round.training.as_ref());
        let (converged, reason) = self.outcome(wanted);
        Training {
            start_log_posterior: self.rounds.first().map_or(-self.criterion, |round| -round.criterion),
            log_posterior: -self.criterion,
            log_marginal_likelihood: -self.criterion - model.log_prior(),
            iterations: trainings().map(|training| training.iterations).sum(),
            evaluations: trainings().map(|training| training.evaluations).sum(),
            failed_evaluations: trainings().map(|training| training.failed_evaluations).sum(),
            last_failure: trainings().filter_map(|training| training.last_failure.clone()).next_back(),
            converged,
            reason,
            history: trainings().flat_map(|training| training.history.iter().copied()).collect(),
        }
    }

    fn outcome(&self, wanted: usize) -> (bool, StopReason) {
        let other = |text: &str| StopReason::Other(text.to_owned());
        let (Some(last), true) = (self.rounds.last(), wanted > 0) else {
            return (true, other("there was nothing to learn but sites"));
        };
        if self.reason == StopReason::Plateau {
            return (true, other(SETTLED));
        }
        if self.rounds.len() <= wanted {
            return (false, self.reason.clone());
        }
        let before = self.rounds[..wanted].iter().map(|round| round.criterion).fold(f64::INFINITY, f64::min);
        let gain = (before - last.criterion) / before.abs().max(1.0);
        if gain <= TOLERANCE {
            (true, other(SETTLED))
        } else {
            let percent = 100.0 * gain;
            (false, other(&format!("the last of {wanted} active sets still gained {percent:.1} %")))
        }
    }
}
