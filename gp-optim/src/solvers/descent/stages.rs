//! Learning rates by parameter and stage.

use crate::solvers::OptimError;
use crate::solvers::options::check;
use serde::{Deserialize, Serialize};

/// Learning rates of one stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RateStage {
    /// Maximum epochs, at least 1; unlimited in a last stage without rounds.
    pub epochs: u64,
    /// Step factor per parameter; 0 fixes it.
    pub rates: Vec<f64>,
}

/// Share of the run, step factor.
const COOLING: [(f64, f64); 3] = [(0.6, 1.0), (0.25, 0.3), (0.15, 0.1)];

impl RateStage {
    /// Stages of decreasing steps over `epochs`; below three epochs, one stage.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share"
    )]
    pub fn cooling(epochs: u64, parameters: usize) -> Vec<Self> {
        let parts = if epochs < COOLING.len() as u64 { &COOLING[..1] } else { &COOLING[..] };
        let lasting = |share: f64| ((share * epochs as f64).round() as u64).max(1);
        let stage =
            |&(share, factor): &(f64, f64)| Self { epochs: lasting(share), rates: vec![factor; parameters] };
        parts.iter().map(stage).collect()
    }

    fn validate(&self, parameters: usize) -> Result<(), OptimError> {
        if self.rates.len() != parameters {
            return Err(OptimError::RateCount { parameters, rates: self.rates.len() });
        }
        if self.epochs == 0 {
            return Err(OptimError::InvalidOption { name: "epochs", value: 0.0, allowed: "at least 1" });
        }
        let rates: Vec<(&'static str, f64)> = self.rates.iter().map(|&rate| ("rates", rate)).collect();
        check(&rates, "finite and not negative", |rate| rate.is_finite() && rate >= 0.0)
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Stages {
    stages: Vec<RateStage>,
    /// Change that ends the rounds.
    tolerance: Option<f64>,
    current: usize,
    epochs: u64,
    before: Option<f64>,
}

impl Stages {
    pub(super) fn new(stages: Vec<RateStage>, tolerance: Option<f64>) -> Self {
        Self { stages, tolerance, ..Self::default() }
    }

    pub(super) fn validate(&self, parameters: usize) -> Result<(), OptimError> {
        if let Some(tolerance) = self.tolerance {
            let holds = |value: f64| value.is_finite() && value >= 0.0;
            check(&[("tolerance", tolerance)], "finite and not negative", holds)?;
        }
        self.stages.iter().try_for_each(|stage| stage.validate(parameters))
    }

    pub(super) fn rates(&self) -> Option<&[f64]> {
        self.stages.get(self.current).map(|stage| stage.rates.as_slice())
    }

    pub(super) fn are_rounds(&self) -> bool {
        self.tolerance.is_some()
    }

    /// `true` if the stage is over.
    pub(super) fn count_epoch(&mut self) -> bool {
        self.epochs += 1;
        let is_last = self.tolerance.is_none() && self.current + 1 >= self.stages.len();
        !is_last && self.stages.get(self.current).is_some_and(|stage| self.epochs >= stage.epochs)
    }

    /// `true` if the run ends.
    pub(super) fn advance(&mut self, value: Option<f64>) -> bool {
        if self.current + 1 < self.stages.len() {
            (self.current, self.epochs) = (self.current + 1, 0);
            return false;
        }
        let Some(tolerance) = self.tolerance else {
            return true;
        };
        let settled = self.before.zip(value).is_some_and(|(before, now)| (before - now).abs() <= tolerance);
        (self.current, self.epochs, self.before) = (0, 0, value);
        settled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_become_shorter_over_the_last_epochs() {
        let parts = |epochs| -> Vec<(u64, f64)> {
            RateStage::cooling(epochs, 2).iter().map(|stage| (stage.epochs, stage.rates[1])).collect()
        };
        assert_eq!(parts(20), [(12, 1.0), (5, 0.3), (3, 0.1)]);
        assert_eq!(parts(3), [(2, 1.0), (1, 0.3), (1, 0.1)]);
        assert_eq!((parts(2), parts(0)), (vec![(1, 1.0)], vec![(1, 1.0)]));
    }
}
